import { describe, expect, test, vi } from "vitest";
import type { SharingChange } from "../lib/bindings/SharingChange";
import type { SharingView } from "../lib/bindings/SharingView";
import { fakeHost, type FakeHost } from "../lib/host/fake";
import type { FakeOptions } from "../lib/host/fake/state";
import { Notices } from "./notices.svelte";
import { Screen } from "./screen.svelte";
import { changed, Sharing } from "./sharing.svelte";

async function sharing(
  options: FakeOptions = {},
  change: (host: FakeHost) => void = () => undefined,
) {
  const host = fakeHost(options);
  change(host);
  const made = new Screen(host);
  const stop = made.start();
  await made.sharing.refresh();
  return { host, made, stop, sharing: made.sharing, notices: made.notices };
}

const refused = (message: string) =>
  Promise.reject({ code: "disk", message, hint: null, causes: [] });

test("one changed choice leaves all others as they are", async () => {
  const view = await fakeHost({ sharing: true }).sharing();
  const changes: [SharingChange, Partial<SharingView>][] = [
    [{ kind: "on", on: false }, { on: false }],
    [{ kind: "strict", strict: false }, { strict: false }],
    [{ kind: "listFiles", listFiles: true }, { listFiles: true }],
    [{ kind: "discovery", discovery: false }, { discovery: false }],
    [{ kind: "port", port: 0 }, { port: 0 }],
  ];
  for (const [change, after] of changes) {
    expect(changed(view, change)).toEqual({ ...view, ...after });
  }
  const tools = changed(view, { kind: "tool", tool: "codex", shared: false }).tools;
  expect(tools.filter(({ shared }) => shared).map(({ id }) => id)).toEqual([
    "claude-code",
    "cursor",
  ]);
});

describe("switching on", () => {
  test("starts, then has an address and counts what is shared", async () => {
    const { sharing: it, notices } = await sharing();
    expect(it.phase).toBe("off");
    const done = it.set({ kind: "on", on: true });
    expect(it.phase).toBe("starting");
    expect(it.shown?.on).toBe(true);
    await done;
    await vi.waitFor(() => expect(it.phase).toBe("on"));
    expect(it.view?.state).toEqual({ kind: "on", url: "http://127.0.0.1:8000/mcp" });
    expect(it.view?.skills).toBe(7);
    expect(notices.spoken).toBe("Sharing is on, at http://127.0.0.1:8000/mcp");
  });

  test("off again while it is starting ends as off", async () => {
    const { sharing: it } = await sharing();
    const both = [it.set({ kind: "on", on: true }), it.set({ kind: "on", on: false })];
    expect(it.shown?.on).toBe(false);
    expect(await Promise.all(both)).toEqual([true, true]);
    expect(it.phase).toBe("off");
    expect(it.view?.state.kind).toBe("off");
  });

  test("on a port that is taken fails with the reason, and works on another", async () => {
    const { sharing: it } = await sharing();
    await it.set({ kind: "port", port: 8080 });
    await it.set({ kind: "on", on: true });
    await vi.waitFor(() => expect(it.phase).toBe("failed"));
    expect(it.view?.state).toMatchObject({ message: "port 8080 is taken by another program" });
    await it.set({ kind: "port", port: 8081 });
    await vi.waitFor(() => expect(it.phase).toBe("on"));
  });

  test("off says it is stopping until it is", async () => {
    const { sharing: it } = await sharing({ sharing: true });
    const done = it.set({ kind: "on", on: false });
    expect(it.phase).toBe("stopping");
    await done;
    expect(it.phase).toBe("off");
  });
});

describe("a choice", () => {
  test("shows at once and goes back when it could not be kept", async () => {
    const { sharing: it } = await sharing({}, (host) => {
      host.setSharing = () => refused("read-only");
    });
    const done = it.set({ kind: "strict", strict: false });
    expect(it.shown?.strict).toBe(false);
    expect(await done).toBe(false);
    expect(it.shown?.strict).toBe(true);
    expect(it.failed).toMatchObject({ part: "how", error: { message: "read-only" } });
  });

  test("made while another is on its way waits for it", async () => {
    const { sharing: it, host } = await sharing();
    await Promise.all([
      it.set({ kind: "tool", tool: "cursor", shared: true }),
      it.set({ kind: "tool", tool: "codex", shared: false }),
      it.set({ kind: "tool", tool: "cursor", shared: false }),
    ]);
    expect(host.calls.filter((call) => call.startsWith("setSharing"))).toEqual([
      "setSharing tool cursor true",
      "setSharing tool codex false",
      "setSharing tool cursor false",
    ]);
    expect(it.shown?.tools.filter(({ shared }) => shared).map(({ id }) => id)).toEqual([
      "claude-code",
    ]);
  });

  test("that failed does not hold up the next", async () => {
    let calls = 0;
    const { sharing: it } = await sharing({}, (host) => {
      const kept = host.setSharing.bind(host);
      host.setSharing = (change) => (calls++ === 0 ? refused("busy") : kept(change));
    });
    const first = it.set({ kind: "discovery", discovery: false });
    const second = it.set({ kind: "listFiles", listFiles: true });
    expect(await Promise.all([first, second])).toEqual([false, true]);
    expect(it.shown).toMatchObject({ discovery: true, listFiles: true });
  });
});

describe("folders", () => {
  test("are added once however often it is asked, and removed", async () => {
    const { sharing: it, host } = await sharing();
    expect(await Promise.all([it.addFolder(), it.addFolder()])).toEqual([true, false]);
    expect(host.calls.filter((call) => call === "addSharedFolder").length).toBe(1);
    expect(it.shown?.folders).toEqual([{ path: "~/Documents/skills", kind: "skills" }]);
    expect(await it.removeFolder("~/Documents/skills")).toBe(true);
    expect(it.shown?.folders).toEqual([]);
  });

  test("that are refused say why where folders are", async () => {
    const { sharing: it } = await sharing();
    await it.addFolder();
    expect(await it.addFolder()).toBe(false);
    expect(it.failed).toMatchObject({ part: "what", error: { code: "badInput" } });
  });

  test("none of which was chosen change nothing", async () => {
    const { sharing: it } = await sharing({}, (host) => {
      host.addSharedFolder = () => Promise.resolve(false);
    });
    expect(await it.addFolder()).toBe(false);
    expect(it.failed).toBeNull();
  });
});

describe("the token", () => {
  test("is not asked for until somebody wants to see it", async () => {
    const { sharing: it, host } = await sharing({ sharing: true });
    expect(host.calls).not.toContain("sharingToken");
    expect(it.token).toBeNull();
    await it.showToken();
    expect(it.token).toMatch(/^skh_[0-9a-f]{40}$/);
    it.hideToken();
    expect(it.token).toBeNull();
  });

  test("stays hidden when it was hidden before it came", async () => {
    const { sharing: it } = await sharing();
    const done = it.showToken();
    it.hideToken();
    await done;
    expect(it.token).toBeNull();
  });

  test("is another one once it was renewed, and hidden", async () => {
    const { sharing: it, host } = await sharing({ sharing: true });
    const before = await host.sharingToken();
    await it.showToken();
    expect(await it.renewToken()).toBe(true);
    expect(it.token).toBeNull();
    expect(await host.sharingToken()).not.toBe(before);
    expect(it.shown?.clients).toEqual([]);
  });

  test("that could not be read says so", async () => {
    const { sharing: it } = await sharing({}, (host) => {
      host.sharingToken = () => refused("the keychain is locked");
    });
    await it.showToken();
    expect(it.failed).toMatchObject({ part: "token" });
  });
});

test("a program that asks is seen without asking", async () => {
  const { sharing: it, host } = await sharing({ sharing: true });
  host.askShared("new-one", "resources/read", "skill://pdf/SKILL.md", -32602);
  await it.refresh();
  expect(it.shown?.clients[0]).toMatchObject({ name: "new-one", requests: 1 });
  expect(it.shown?.requests[0]).toMatchObject({ method: "resources/read", error: -32602 });
});

describe("news while the person is elsewhere", () => {
  const off: SharingView["state"] = { kind: "off" };
  const on: SharingView["state"] = { kind: "on", url: "http://127.0.0.1:8000/mcp" };
  const failed: SharingView["state"] = { kind: "failed", message: "the port went", hint: null };

  async function told(here: boolean, ...states: SharingView["state"][]) {
    const host = fakeHost();
    const view = await host.sharing();
    const notices = new Notices();
    const show = vi.fn();
    const it = new Sharing(host, notices, () => here, show);
    const say = (...next: SharingView["state"][]) => {
      for (const state of next) it.accept({ ...view, revision: 1, state });
    };
    say(...states);
    return { notices, show, told: say };
  }

  test("is shown when it ended by itself, and leads there", async () => {
    const { notices, show } = await told(false, on, failed);
    expect(notices.shown.map(({ text }) => text)).toEqual([
      "Sharing is not running: the port went",
    ]);
    notices.shown[0]?.action?.run();
    expect(show).toHaveBeenCalledOnce();
  });

  test("is not repeated on the page, where it stands", async () => {
    const { notices } = await told(true, on, failed);
    expect(notices.shown).toEqual([]);
  });

  test("is nothing at the first look", async () => {
    const { notices } = await told(false, failed);
    expect(notices.shown).toEqual([]);
    expect(notices.spoken).toBe("");
  });

  test("of a start over is none, unless the address is another", async () => {
    const starting: SharingView["state"] = { kind: "starting" };
    const { notices, told: say } = await told(true, on, starting, on);
    expect(notices.spoken).toBe("");
    say(starting, { kind: "on", url: "http://127.0.0.1:9000/mcp" });
    expect(notices.spoken).toBe("Sharing is on, at http://127.0.0.1:9000/mcp");
  });

  test("of its end is shown, of its start only said", async () => {
    const { notices } = await told(false, off, on, off);
    expect(notices.shown.map(({ text }) => text)).toEqual(["Sharing is off"]);
    expect(notices.spoken).toBe("Sharing is on, at http://127.0.0.1:8000/mcp");
  });
});
