import { render, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { ServerView } from "../lib/bindings/ServerView";
import { fakeHost } from "../lib/host/fake";
import type { Host } from "../lib/host/types";
import Playing from "./Playing.test-part.svelte";
import ProgramWords from "./server/ProgramWords.svelte";
import SignIn from "./server/SignIn.svelte";

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

async function server(id: string): Promise<ServerView> {
  const found = (await fakeHost().servers()).servers.find((one) => one.id === id);
  if (!found) throw new Error(`the fake has no ${id}`);
  return found;
}

async function play(change: Partial<Host>) {
  const onclose = vi.fn();
  const user = userEvent.setup();
  const given = { server: await server("srv-notes"), onclose };
  render(Playing, { part: SignIn, given, change } as never);
  return { user, onclose };
}

test("nothing is opened before the person has seen where and agreed", async () => {
  const signIn = vi.fn<Host["signIn"]>().mockResolvedValue();
  const { user, onclose } = await play({ signIn });
  expect(button("Open in browser")).toBeDisabled();
  expect(await screen.findByText("https://login.example")).toBeInTheDocument();
  expect(screen.getByText("https://login.example/authorize")).toBeInTheDocument();
  expect(screen.getByText("https://notes.example/mcp")).toBeInTheDocument();
  expect(screen.getByText("skills:read")).toBeInTheDocument();
  expect(signIn).not.toHaveBeenCalled();
  await user.click(button("Open in browser"));
  await waitFor(() => expect(onclose).toHaveBeenCalledOnce());
  expect(signIn.mock.calls[0]?.slice(0, 2)).toEqual([
    "srv-notes",
    expect.stringMatching(/^sign-in-/),
  ]);
});

test("while the browser is open the dialog says so, and Cancel stops it", async () => {
  const signIn = vi.fn<Host["signIn"]>(() => new Promise(() => undefined));
  const cancel = vi.fn<Host["cancel"]>().mockResolvedValue();
  const { user, onclose } = await play({ signIn, cancel });
  await screen.findByText("https://login.example");
  await user.click(button("Open in browser"));
  expect(screen.getByRole("status")).toHaveTextContent("Waiting for you to sign in");
  await user.click(button("Cancel"));
  expect(cancel).toHaveBeenCalledWith(signIn.mock.calls[0]?.[1]);
  expect(onclose).toHaveBeenCalledOnce();
});

test("while it waits, the address can be opened by hand", async () => {
  const address = "https://login.example/authorize?state=s";
  const signIn = vi.fn<Host["signIn"]>((_token, _job, onPage) => {
    onPage(address);
    return new Promise(() => undefined);
  });
  const { user } = await play({ signIn });
  await screen.findByText("https://login.example");
  expect(screen.queryByText(/another host/)).not.toBeInTheDocument();
  await user.click(button("Open in browser"));
  expect(await screen.findByText(address)).toBeInTheDocument();
  expect(button("Copy the address of the page")).toBeInTheDocument();
});

test("a page on another host than the authorization server is pointed out", async () => {
  const shown = await fakeHost().previewSignIn("srv-notes");
  const previewSignIn = () =>
    Promise.resolve({ ...shown, opens: "https://login.example:8443/authorize" });
  await play({ previewSignIn });
  expect(await screen.findByText(/on another host than/)).toBeInTheDocument();
});

test("a no is shown, and the server is asked anew before the next try", async () => {
  const message = "cannot sign in to https://notes.example/mcp: access was denied there";
  const signIn = vi
    .fn<Host["signIn"]>()
    .mockRejectedValue({ code: "protocol", message, hint: null, causes: [] });
  const { user, onclose } = await play({ signIn });
  await screen.findByText("https://login.example");
  await user.click(button("Open in browser"));
  expect(await screen.findByText(message)).toBeInTheDocument();
  expect(button("Open in browser")).toBeDisabled();
  expect(onclose).not.toHaveBeenCalled();
  await user.click(button("Retry"));
  expect(await screen.findByText("https://login.example")).toBeInTheDocument();
});

test("what a program wrote is asked for when it is opened", async () => {
  const serverWords = vi.fn<Host["serverWords"]>().mockResolvedValue(["one", "<b>two</b>"]);
  const user = userEvent.setup();
  const given = { server: await server("srv-scripts") };
  render(Playing, { part: ProgramWords, given, change: { serverWords } } as never);
  expect(serverWords).not.toHaveBeenCalled();
  await user.click(screen.getByText("What its program wrote"));
  // jsdom opens it and tells of it later.
  expect(await screen.findByText(/<b>two<\/b>/)).toBeInTheDocument();
});
