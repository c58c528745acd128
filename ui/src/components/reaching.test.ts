import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { ServerState } from "../lib/bindings/ServerState";
import type { ServerView } from "../lib/bindings/ServerView";
import { fakeHost } from "../lib/host/fake";
import type { Host } from "../lib/host/types";
import { offerRows } from "../lib/rows";
import Server from "../views/Server.svelte";
import Playing from "./Playing.test-part.svelte";
import SignIn from "./server/SignIn.svelte";
import OfferPane from "./skill/OfferPane.svelte";

// jsdom has no modal dialogs.
beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
});

const button = (name: string) => screen.getByRole("button", { name });

async function server(id: string, change: Partial<ServerView> = {}): Promise<ServerView> {
  const found = (await fakeHost().servers()).servers.find((one) => one.id === id);
  if (!found) throw new Error(`the fake has no ${id}`);
  return { ...found, ...change };
}

function play(part: unknown, given: Record<string, unknown>, change: Partial<Host> = {}) {
  const user = userEvent.setup();
  const { container } = render(Playing, { part, given, change } as never);
  return { user, container };
}

describe("a server that asks to sign in", () => {
  test("is no failure: it is said plainly, with both ways to go on", async () => {
    const { user } = play(Server, { server: await server("srv-notes") });
    expect(screen.getByText(/the server asks to sign in/)).toBeVisible();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(button("Sign in…")).toBeVisible();
    expect(button("Refresh")).toBeVisible();
    await user.click(button("Settings…"));
    expect(await screen.findByRole("dialog", { name: "Settings of “notes”" })).toBeVisible();
  });

  test("where nobody can sign in there, its settings are one step away", async () => {
    const message = "cannot sign in to https://notes.example/mcp: it does not say where to sign in";
    const previewSignIn = vi
      .fn<Host["previewSignIn"]>()
      .mockRejectedValue({ code: "protocol", message, hint: null, causes: [] });
    const given = { server: await server("srv-notes"), onclose: vi.fn(), onsettings: vi.fn() };
    const { user } = play(SignIn, given, { previewSignIn });
    expect(await screen.findByText(message)).toBeVisible();
    await user.click(button("Settings…"));
    expect(given.onsettings).toHaveBeenCalledOnce();
  });
});

test("a failure of a server leads to its settings, where its address and token are", async () => {
  const { user } = play(Server, { server: await server("srv-lab") });
  expect(screen.getByRole("alert")).toHaveTextContent("nothing answers at http://127.0.0.1:8931");
  await user.click(button("Settings…"));
  expect(await screen.findByRole("dialog", { name: "Settings of “lab”" })).toBeVisible();
  expect(await screen.findByLabelText("Address")).toHaveFocus();
});

test("what a server listed before it was away is dated and not called its offer of now", async () => {
  const offers = (await server("srv-docs")).offers;
  const refused: ServerState = {
    kind: "refused",
    error: { code: "protocol", message: "no", hint: null, causes: [] },
    again: null,
  };
  for (const state of [(await server("srv-lab")).state, refused]) {
    const { container } = play(Server, { server: await server("srv-lab", { offers, state }) });
    expect(container).toHaveTextContent("What is listed here is what it offered last.");
  }
});

test("a skill whose server is away says so, and does not say that it has no manifest", async () => {
  const docs = await server("srv-docs");
  const row = offerRows(docs).find(({ name }) => name === "release-checklist");
  if (!row) throw new Error("the fake offers it");
  const offer = await fakeHost().offerDetail(docs.id, row.offer?.row.uri ?? "");
  const { user } = play(OfferPane, { row, offer: { ...offer, manifest: null, frontMatter: [] } });
  expect(
    screen.getByText(
      "“docs-server” is not connected now. This is what it listed last; a review needs the connection.",
    ),
  ).toBeVisible();
  await user.click(screen.getByRole("tab", { name: "Manifest" }));
  expect(screen.getByText(/manifest is shown again when it can be reached/)).toBeVisible();
  expect(screen.queryByText(/declared no manifest/)).toBeNull();
});

test("code in the reason of a refused entry is drawn as code", async () => {
  const docs = await server("srv-docs");
  const [first] = docs.offers;
  if (!first) throw new Error("the fake offers something");
  const reasons = ["the digest is not `sha256:` and 64 digits"];
  const offers = [{ ...first, standing: { kind: "refused" as const, reasons } }];
  play(Server, { server: { ...docs, offers } });
  expect(screen.getByText("sha256:").tagName).toBe("CODE");
});
