import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { SharingView } from "../lib/bindings/SharingView";
import { fakeHost } from "../lib/host/fake";
import type { Host } from "../lib/host/types";
import Sharing from "../views/Sharing.svelte";
import Playing from "./Playing.test-part.svelte";

// jsdom scrolls nothing and has no modal dialogs.
beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
});

/** The page, with what the host answers changed. */
async function page(view: Partial<SharingView> = {}, change: Partial<Host> = {}) {
  const host = fakeHost({ sharing: true });
  const answer = { ...(await host.sharing()), ...view };
  const played: Partial<Host> = { ...host, sharing: () => Promise.resolve(answer), ...change };
  const user = userEvent.setup();
  const { container } = render(Playing, { part: Sharing, change: played, library: true });
  await screen.findByRole("switch");
  return { host, user, container };
}

test("says the state as a word, the address and how much is shared", async () => {
  await page();
  const toggle = screen.getByRole("switch", { name: "Share my skills" });
  expect(toggle).toBeChecked();
  expect(toggle).toHaveAccessibleDescription("on");
  expect(screen.getByText("http://127.0.0.1:8000/mcp")).toBeInTheDocument();
  expect(screen.getByText(/^6 skills are shared\./)).toBeInTheDocument();
});

test("that failed says why and what to do, and tries again", async () => {
  const setSharing = vi.fn(() => Promise.resolve());
  const { user } = await page(
    { state: { kind: "failed", message: "port 1 is taken", hint: "Choose another." } },
    { setSharing },
  );
  expect(screen.getByRole("alert")).toHaveTextContent(/port 1 is taken.*Choose another\./);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(setSharing).toHaveBeenCalledExactlyOnceWith({ kind: "on", on: true });
  expect(screen.getByRole("switch")).toHaveFocus();
});

describe("what is shared", () => {
  test("has a tick for every tool, with its folders", async () => {
    const setSharing = vi.fn(() => Promise.resolve());
    const { user } = await page({}, { setSharing });
    const tick = screen.getByRole("checkbox", { name: /^Goose/ });
    expect(tick).not.toBeChecked();
    expect(tick).toHaveAccessibleDescription(/~\/\.config\/goose\/skills/);
    await user.click(tick);
    expect(setSharing).toHaveBeenCalledWith({ kind: "tool", tool: "goose", shared: true });
  });

  test("that is nothing says what to do", async () => {
    const { tools } = await fakeHost().sharing();
    await page({ folders: [], tools: tools.map((tool) => ({ ...tool, shared: false })) });
    expect(screen.getByText("There is nothing to share")).toBeInTheDocument();
    expect(screen.getByText("Tick a tool, or add a folder.")).toBeInTheDocument();
  });

  test("says which skills, each leading to it", async () => {
    const { user } = await page();
    const list = screen.getByRole("list", { name: "Skills that are shared" });
    const leads = await within(list).findByRole("button", { name: "pdf" });
    expect(within(list).getAllByRole("listitem").length).toBe(6);
    await user.click(leads);
  });

  test("says which of very many, and draws only some", async () => {
    const shared = Array.from({ length: 1000 }, (_, at) => `skill-${at}`);
    await page({ shared });
    const list = screen.getByRole("group", { name: "Skills that are shared" });
    expect(within(list).getByText("skill-0")).toBeInTheDocument();
    expect(within(list).queryByText("skill-999")).not.toBeInTheDocument();
  });

  test("leads from what is left out to where the reason is", async () => {
    await page({ warnings: ['the skill "pdf" is left out: it is in more than one folder'] });
    const group = screen.getByRole("group", { name: "Left out" });
    await within(group).findByRole("button", { name: "Compare its copies: pdf" });
  });

  test("names what is left out and why, the first of very many", async () => {
    const warnings = Array.from({ length: 12 }, (_, at) => `\`skill-${at}\` breaks a rule`);
    const { user } = await page({ warnings });
    const group = screen.getByRole("group", { name: "Left out" });
    expect(within(group).getAllByRole("listitem").length).toBe(10);
    await user.click(within(group).getByRole("button", { name: "Show 2 more" }));
    expect(within(group).getAllByRole("listitem").length).toBe(12);
    expect(within(group).getByText("skill-11").tagName).toBe("CODE");
  });
});

describe("ready-made settings", () => {
  test("are copied as shown with the word, or with the token in its place", async () => {
    const { host, user } = await page();
    await user.selectOptions(screen.getByRole("combobox", { name: "Tool" }), "codex");
    expect(screen.getByText("~/.codex/config.toml")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Copy as shown" }));
    expect(await navigator.clipboard.readText()).toContain('"Bearer TOKEN"');
    expect(host.calls).not.toContain("sharingToken");
    await user.click(screen.getByRole("button", { name: "Copy with the token" }));
    const token = await host.sharingToken();
    await waitFor(async () =>
      expect(await navigator.clipboard.readText()).toContain(`"Bearer ${token}"`),
    );
    expect(screen.queryByText(new RegExp(token))).not.toBeInTheDocument();
  });

  test("without a place for the token offer no copy with it", async () => {
    await page({
      snippets: [
        { tool: "a", name: "A", place: "~/.a", language: "toml", text: 'env = "A_TOKEN"' },
      ],
    });
    expect(screen.queryByRole("button", { name: "Copy with the token" })).not.toBeInTheDocument();
    expect(screen.getByText("No token is needed in these settings.")).toBeInTheDocument();
  });

  test("say when they lead nowhere: while it is off, and with a port that changes", async () => {
    await page({ on: false, state: { kind: "off" }, port: 0 });
    expect(screen.getByText(/These settings work once it is on/)).toBeInTheDocument();
    expect(screen.getByText(/Each start takes another free port/)).toBeInTheDocument();
  });
});

describe("where settings go", () => {
  const snippet = { tool: "a", name: "A", language: "json", text: "{}" };
  test.each([
    ["~/Library/Application Support/a.json", "~/Library/Application Support/a.json"],
    ["%APPDATA%\\A\\a.json (it starts Skillhold itself)", "%APPDATA%\\A\\a.json"],
    ["C:\\Users\\a.json", "C:\\Users\\a.json"],
  ])("%s is a path, whatever is said after it", async (place, path) => {
    const { container } = await page({ snippets: [{ ...snippet, place }] });
    expect(container.querySelector("dd .mono")?.textContent).toBe(path);
    expect(container.querySelector("dd:last-of-type")?.textContent.trim()).toBe(place);
  });

  test("words alone are no path", async () => {
    const place = "run this in a terminal";
    const { container } = await page({ snippets: [{ ...snippet, place }] });
    expect(container.querySelector("dd .mono")).toBeNull();
    expect(screen.getByText(place)).toBeInTheDocument();
  });
});

describe("the token", () => {
  test("is hidden, shown and hidden again with one button", async () => {
    const { user } = await page();
    expect(screen.queryByText(/^skh_/)).not.toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Show Token" }));
    expect(await screen.findByText(/^skh_/)).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Hide Token" }));
    expect(screen.queryByText(/^skh_/)).not.toBeInTheDocument();
  });

  test.each([
    ["keychain", /Kept in the system’s keychain/],
    ["file", /Kept in a file that only you may read/],
  ] as const)("says in words that it is kept in the %s", async (tokenKept, said) => {
    await page({ tokenKept });
    expect(screen.getByText(said)).toBeInTheDocument();
  });

  test("is renewed only after the dialog has said what breaks", async () => {
    const renewSharingToken = vi.fn(() => Promise.resolve());
    const { user } = await page({}, { renewSharingToken });
    const opener = screen.getByRole("button", { name: "New token…" });
    await user.click(opener);
    expect(screen.getByRole("dialog", { name: "Make a new token?" })).toHaveTextContent(
      /Every program that connects now is refused at once/,
    );
    expect(renewSharingToken).not.toHaveBeenCalled();
    await user.click(screen.getByRole("button", { name: "Make a new token" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(renewSharingToken).toHaveBeenCalledOnce();
    expect(opener).toHaveFocus();
  });
});

describe("how it is shared", () => {
  test("compatible mode cannot announce skills, and says so", async () => {
    await page({ strict: false, discovery: true });
    const announce = screen.getByRole("checkbox", {
      name: "Announce skills through the extension",
    });
    expect(announce).toBeDisabled();
    expect(announce).not.toBeChecked();
    expect(announce).toHaveAccessibleDescription("Only strict mode can announce skills.");
  });

  test("a port counts once it is confirmed, and only if it is one", async () => {
    const setSharing = vi.fn(() => Promise.resolve());
    const { user } = await page({}, { setSharing });
    const field = screen.getByRole("textbox", { name: "Port" });
    expect(screen.queryByRole("button", { name: "Use this port" })).not.toBeInTheDocument();
    await user.clear(field);
    await user.type(field, "70000{Enter}");
    expect(field).toHaveAccessibleDescription("a whole number from 0 to 65535");
    expect(setSharing).not.toHaveBeenCalled();
    await user.clear(field);
    await user.type(field, "9000");
    await user.click(screen.getByRole("button", { name: "Use this port" }));
    expect(setSharing).toHaveBeenCalledExactlyOnceWith({ kind: "port", port: 9000 });
    expect(field).toHaveFocus();
  });
});

describe("who uses it", () => {
  test("names from outside stay text, and hidden signs are spelt out", async () => {
    const at = new Date().toISOString();
    const name = "<img src=x onerror=alert(1)>\u202Egpj";
    const { container } = await page({
      clients: [{ id: "1", name, since: at, last: at, requests: 2 }],
      requests: [{ at, client: name, method: "x\u200By", uri: "skill://a\u202Eb", error: null }],
    });
    expect(container.querySelector("img")).toBeNull();
    expect(screen.getAllByText("<img src=x onerror=alert(1)>⟨U+202E⟩gpj").length).toBe(2);
    expect(screen.getByText("x⟨U+200B⟩y")).toBeInTheDocument();
    expect(screen.getByText("skill://a⟨U+202E⟩b")).toBeInTheDocument();
  });

  test("an error has its code and its meaning, an unknown one too", async () => {
    const at = new Date().toISOString();
    const one = { at, client: "c", method: "m", uri: null };
    await page({
      requests: [
        { ...one, error: -32601 },
        { ...one, error: -1 },
      ],
    });
    const [, first, second] = screen.getAllByRole("row");
    expect(first).toHaveTextContent(/error -32601\s*no such method/);
    expect(second).toHaveTextContent(/error -1\s*refused/);
  });

  test("who was turned away is told with the reason", async () => {
    const at = new Date().toISOString();
    await page({
      requests: [
        {
          at,
          client: "curl/8",
          method: "POST",
          uri: "http://127.0.0.1:8000/mcp",
          error: null,
          refused: "the token is not known here",
        },
      ],
    });
    const [, row] = screen.getAllByRole("row");
    expect(row).toHaveTextContent(/turned away\s*the token is not known here/);
    expect(row).not.toHaveTextContent("answered");
  });

  test("of 100 requests the first ten are drawn, and the others on request", async () => {
    const at = new Date().toISOString();
    const requests = Array.from({ length: 100 }, (_, index) => ({
      at,
      client: "",
      method: `m${index}`,
      uri: null,
      error: null,
    }));
    const { user } = await page({ requests });
    expect(screen.getAllByRole("row").length).toBe(11);
    await user.click(screen.getByRole("button", { name: "Show 90 more" }));
    expect(screen.getAllByRole("row").length).toBe(101);
    expect(screen.getByRole("table")).toHaveFocus();
  });

  test("a program that has connected and asked nothing is there", async () => {
    const at = new Date(2026, 10, 21, 9, 5, 7).toISOString();
    await page({ clients: [{ id: "1", name: "quiet", since: at, last: at, requests: 0 }] });
    expect(screen.getByText(/has asked for nothing yet$/)).toBeInTheDocument();
  });

  test("nobody leads to what to do next", async () => {
    await page({ clients: [], requests: [] });
    expect(screen.getByText("Nobody at the moment")).toBeInTheDocument();
    expect(screen.getByText(/Put the settings from “Connect a program”/)).toBeInTheDocument();
    expect(screen.getByText("Nothing was asked yet.")).toBeInTheDocument();
  });
});
