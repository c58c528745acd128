import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeHost } from "../lib/host/fake";
import type { Host } from "../lib/host/types";
import Playing from "./Playing.test-part.svelte";
import AddServer from "./server/AddServer.svelte";
import Settings from "./server/SettingsOfServer.svelte";

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

const button = (name: string | RegExp) => screen.getByRole("button", { name });
const field = (name: string) => screen.getByLabelText(name);
/** What the dialog shows, without what is hidden. */
const shown = (text: string | RegExp) => screen.findByText(text);

async function adding(change: Partial<Host> = {}, options = {}) {
  const host = fakeHost(options);
  const user = userEvent.setup();
  render(Playing, { part: AddServer, change: { ...host, ...change } });
  await screen.findByRole("dialog", { name: "Add a server" });
  return { host, user };
}

describe("by address", () => {
  test("a token and headers go along, and what is typed is hidden until asked for", async () => {
    const addHttpServer = vi.fn(() => Promise.resolve("srv"));
    const { user } = await adding({ addHttpServer });
    await user.type(field("Label"), "shelf");
    await user.type(field("Address"), "https://shelf.example/mcp");
    await user.type(field("Token"), "hunter2");
    await user.click(button("Add a header"));
    expect(field("Headers 1: Name")).toHaveFocus();
    await user.keyboard("X-Team");
    await user.type(field("Headers 1: Value"), "core");
    expect(field("Token")).toHaveAttribute("type", "password");
    expect(field("Headers 1: Value")).toHaveAttribute("type", "password");
    await user.click(field("Show what is typed"));
    expect(field("Token")).toHaveAttribute("type", "text");
    await user.click(button("Add"));
    expect(addHttpServer).toHaveBeenCalledExactlyOnceWith("shelf", "https://shelf.example/mcp", {
      token: "hunter2",
      headers: [{ name: "X-Team", value: "core" }],
    });
  });

  test("a row that was removed or left empty is not sent, and refusals are shown", async () => {
    const { user } = await adding();
    await user.type(field("Label"), "shelf");
    await user.type(field("Address"), "https://shelf.example/mcp");
    await user.click(button("Add a header"));
    await user.click(button("Add a header"));
    await user.type(field("Headers 2: Name"), "Host");
    await user.click(button("Add"));
    expect(await screen.findByRole("alert")).toHaveTextContent(
      'the header "Host" cannot be sent: the connection or the protocol sets it',
    );
    await user.click(button("Remove Host"));
    expect(button("Add a header")).toHaveFocus();
  });
});

test("a command is confirmed with the names of its variables, and values only where they choose code", async () => {
  const { host, user } = await adding();
  await user.click(screen.getByRole("radio", { name: "By command" }));
  await user.type(field("Label"), "local");
  await user.type(field("Command"), "npx -y srv");
  for (const [name, value] of [
    ["API_KEY", "hunter2"],
    ["NODE_OPTIONS", "--require ./hook.js"],
  ]) {
    await user.click(button("Add a variable"));
    await user.keyboard(name ?? "");
    await user.tab();
    await user.keyboard(value ?? "");
  }
  await user.click(button("Show what would run"));
  expect(await shown("API_KEY")).toBeVisible();
  expect(screen.getByText("set, and not shown")).toBeVisible();
  expect(screen.queryByText(/hunter2/)).toBeNull();
  expect(screen.getByText("--require ./hook.js")).toBeVisible();
  expect(screen.getByText("This decides which code runs.")).toBeVisible();
  await user.click(button("Back"));
  expect(field("Command")).toHaveFocus();
  await user.click(button("Show what would run"));
  await user.click(button("Run and add"));
  await waitFor(() => expect(host.calls.join("\n")).toMatch(/confirmCommand local preview-/));
});

describe("from another tool", () => {
  test("servers stand by file, with what they bring and why some cannot be added", async () => {
    const { user } = await adding();
    await user.click(screen.getByRole("radio", { name: "From another tool" }));
    const claude = await screen.findByRole("region", { name: "Claude Code: ~/.claude.json" });
    expect(within(claude).getByText("https://mcp.notion.example/mcp")).toBeVisible();
    expect(within(claude).getByText(/older SSE transport/)).toBeVisible();
    expect(within(claude).queryByRole("button", { name: "Add asana" })).toBeNull();
    const cursor = screen.getByRole("region", { name: "Cursor: ~/.cursor/mcp.json" });
    expect(
      within(cursor).getByText("Takes a token, the header X-Team; SHELF_TOKEN is to be filled in"),
    ).toBeVisible();
    expect(
      within(claude).getByText(
        "Brings the variables AIRTABLE_API_KEY, NODE_OPTIONS; values are not shown",
      ),
    ).toBeVisible();
    expect(within(cursor).getByText("off there")).toBeVisible();
    const codex = screen.getByRole("region", { name: "Codex: ~/.codex/config.toml" });
    expect(within(codex).getByText(/it is no valid TOML: line 12, column 4/)).toBeVisible();
    expect(screen.getByText("Looked in 7 places")).toBeVisible();
  });

  test("one that was added says so, keeps the keyboard, and the others stay", async () => {
    const { host, user } = await adding();
    await user.click(screen.getByRole("radio", { name: "From another tool" }));
    await user.click(await screen.findByRole("button", { name: "Add notion" }));
    const mark = await screen.findByText("added as “notion”");
    expect(mark).toHaveFocus();
    expect(button("Add notion again")).toBeVisible();
    expect(button("Add airtable")).toBeVisible();
    expect(host.calls.filter((call) => call.startsWith("add"))).toEqual(["addFound notion"]);
  });

  test("a command is shown and confirmed before it is added, and Back adds nothing", async () => {
    const { host, user } = await adding();
    await user.click(screen.getByRole("radio", { name: "From another tool" }));
    await user.click(await screen.findByRole("button", { name: "Add airtable" }));
    expect(await shown("airtable-mcp-server")).toBeVisible();
    await user.click(button("Back"));
    await waitFor(() => expect(button("Add airtable")).toHaveFocus());
    expect(host.calls.join("\n")).not.toMatch(/confirmCommand/);
    await user.click(button("Add airtable"));
    await user.click(await screen.findByRole("button", { name: "Run and add" }));
    expect(await shown("added as “airtable”")).toBeVisible();
    expect(host.calls.join("\n")).toMatch(/confirmCommand airtable preview-/);
  });

  test("what has to be filled in is asked for, and one that may stay empty says so", async () => {
    const { host, user } = await adding();
    await user.click(screen.getByRole("radio", { name: "From another tool" }));
    await user.click(await screen.findByRole("button", { name: "Fill in what shelf needs" }));
    expect(field("SHELF_TOKEN")).toHaveFocus();
    await user.click(button("Add shelf"));
    expect(await screen.findByRole("alert")).toHaveTextContent("SHELF_TOKEN is not filled in");
    await user.type(field("SHELF_TOKEN"), "hunter2");
    await user.click(button("Add shelf"));
    expect(await shown("added as “shelf”")).toBeVisible();
    expect(host.calls).toContain("addFound shelf SHELF_TOKEN");
    expect(screen.queryByLabelText("SHELF_TOKEN")).toBeNull();
    await user.click(button("Fill in what zoned needs"));
    expect(field("input:zone")).toHaveAccessibleDescription(
      "Zone of the data centre; may stay empty: the settings have a value",
    );
  });

  test("where nothing is found it is said where was looked", async () => {
    const { user } = await adding({}, { empty: true });
    await user.click(screen.getByRole("radio", { name: "From another tool" }));
    expect(await shown("No server was found in the settings of other tools")).toBeVisible();
    await user.click(screen.getByText("Looked in 7 places"));
    expect(screen.getByText("~/.codex/config.toml")).toBeVisible();
  });

  test("of very many servers of one file the first are drawn, the others on request", async () => {
    const host = fakeHost();
    const all = await host.findServers();
    const first = all.sources[0];
    const server = first?.servers[0];
    if (!first || !server) throw new Error("the fake finds servers");
    const servers = Array.from({ length: 60 }, (_, at) => ({
      ...server,
      id: `f${at}`,
      name: `many-${at}`,
    }));
    const findServers = () => Promise.resolve({ ...all, sources: [{ ...first, servers }] });
    const { user } = await adding({ findServers });
    await user.click(screen.getByRole("radio", { name: "From another tool" }));
    await screen.findByRole("button", { name: "Add many-49" });
    expect(screen.queryByRole("button", { name: "Add many-50" })).toBeNull();
    await user.click(button("Show 10 more servers"));
    expect(button("Add many-59")).toBeVisible();
  });
});

describe("pasted settings", () => {
  test("become the same list", async () => {
    const { host, user } = await adding();
    await user.click(screen.getByRole("radio", { name: "Paste settings" }));
    await user.click(button("Read"));
    expect(screen.getByText("there is nothing to read yet")).toBeVisible();
    await user.click(field("Settings"));
    await user.paste('{ "mcpServers": { "docs": { "url": "https://docs.example/mcp" } } }');
    await user.click(button("Read"));
    await user.click(await screen.findByRole("button", { name: "Add docs" }));
    expect(await shown("added as “docs”")).toBeVisible();
    expect(host.calls).toContain("addFound docs");
    expect(host.calls.join("\n")).not.toMatch(/mcpServers/);
  });

  test("that are none of the known forms say so", async () => {
    const { user } = await adding();
    await user.click(screen.getByRole("radio", { name: "Paste settings" }));
    await user.type(field("Settings"), "hello");
    await user.click(button("Read"));
    expect(await screen.findByRole("alert")).toHaveTextContent(/none of the forms/);
    await user.type(field("Settings"), " there");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("settings of a server", () => {
  async function settings(label: string, change: Partial<Host> = {}) {
    const host = fakeHost();
    const user = userEvent.setup();
    const id = await host.addHttpServer(label, "https://shelf.example/mcp", {
      token: "hunter2",
      headers: [{ name: "X-Team", value: "core" }],
    });
    const server = (await host.servers()).servers.find((one) => one.id === id);
    if (!server) throw new Error("the server was added");
    const onclose = vi.fn();
    const given = { server, onclose };
    render(Playing, { part: Settings, given, change: { ...host, ...change } });
    await screen.findByRole("dialog", { name: `Settings of “${label}”` });
    await screen.findByLabelText("Address");
    return { host, user, id, onclose };
  }

  test("have names of what is kept, no values, and keep what is not touched", async () => {
    const changeServer = vi.fn(() => Promise.resolve({ kind: "done" as const, server: "x" }));
    const { user, id, onclose } = await settings("shelf", { changeServer });
    expect(field("Address")).toHaveValue("https://shelf.example/mcp");
    expect(field("Token")).toHaveValue("");
    expect(field("Token")).toHaveAccessibleDescription(
      "A token is kept. Leave this empty to keep it.",
    );
    expect(field("Headers 1: Name")).toHaveValue("X-Team");
    expect(field("Headers 1: Name")).toHaveAttribute("readonly");
    expect(field("Headers 1: Value")).toHaveValue("");
    expect(screen.getByText(/kept in the system’s keychain/)).toBeVisible();
    await user.click(button("Save"));
    expect(changeServer).toHaveBeenCalledExactlyOnceWith(id, {
      address: "https://shelf.example/mcp",
      token: { kind: "keep" },
      headers: [{ name: "X-Team", value: null }],
      variables: [],
    });
    expect(onclose).toHaveBeenCalledOnce();
  });

  test("say that another address inherits no approval", async () => {
    const changeServer = vi.fn(() => Promise.resolve({ kind: "done" as const, server: "x" }));
    const { user, id } = await settings("shelf", { changeServer });
    expect(screen.queryByText(/Another address is another server/)).toBeNull();
    await user.type(field("Address"), "2");
    expect(screen.getByText(/Another address is another server/)).toBeVisible();
    await user.click(field("Remove the token"));
    expect(field("Token")).toBeDisabled();
    await user.click(button("Remove X-Team"));
    await user.click(button("Save"));
    expect(changeServer).toHaveBeenCalledExactlyOnceWith(id, {
      address: "https://shelf.example/mcp2",
      token: { kind: "remove" },
      headers: [],
      variables: [],
    });
  });

  test("of a command are confirmed with the whole command line when a variable changes", async () => {
    const host = fakeHost();
    const user = userEvent.setup();
    const { token } = await host.previewCommand("npx -y srv", [{ name: "KEY", value: "a" }]);
    const id = await host.confirmCommand("local", token);
    const server = (await host.servers()).servers.find((one) => one.id === id);
    const onclose = vi.fn();
    render(Playing, { part: Settings, given: { server, onclose }, change: host });
    await user.type(await screen.findByLabelText("Environment 1: Value"), "b");
    await user.click(button("Show what would run"));
    expect(await shown("KEY")).toBeVisible();
    expect(screen.getByText("srv")).toBeVisible();
    await user.click(button("Run with this"));
    await waitFor(() => expect(onclose).toHaveBeenCalledOnce());
    expect(host.calls.at(-2)).toMatch(/^confirmCommand local preview-/);
  });

  test("that cannot be read say why and can be asked for again", async () => {
    const failing = vi.fn(() => Promise.reject(new Error("gone")));
    const host = fakeHost();
    const user = userEvent.setup();
    const server = (await host.servers()).servers[0];
    const given = { server, onclose: vi.fn() };
    render(Playing, { part: Settings, given, change: { ...host, serverSettings: failing } });
    expect(await screen.findByRole("alert")).toHaveTextContent(/could not be read.*gone/);
    await user.click(button("Retry"));
    expect(failing).toHaveBeenCalledTimes(2);
  });
});
