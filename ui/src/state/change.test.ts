import { describe, expect, test, vi } from "vitest";
import { fakeHost, type FakeHost } from "../lib/host/fake";
import type { ListRow } from "../lib/rows";
import { linesOf } from "./change.svelte";
import { Screen } from "./screen.svelte";

/** A screen on a machine on which skills were placed, and what became of them. */
async function playing(change: Partial<FakeHost> = {}): Promise<Screen> {
  const screen = new Screen({ ...fakeHost({ changes: true }), ...change });
  await Promise.all([
    screen.library.refresh(),
    screen.servers.refresh(),
    screen.activity.refresh(),
  ]);
  return screen;
}

function rows(screen: Screen, ...names: string[]): ListRow[] {
  return names.map((name) => {
    const row = screen.library.rows.find((one) => one.name === name);
    if (!row) throw new Error(`no row ${name}`);
    return row;
  });
}

const actions = ({ changing }: Screen) =>
  (changing.plan?.items ?? []).map(({ name, action }) => `${name} ${action}`);
const results = ({ changing }: Screen) =>
  (changing.outcome?.items ?? []).map(({ name, result }) => `${name} ${result}`);

describe("removing", () => {
  test("moves what was placed away, says who loses it, and can be taken back", async () => {
    const screen = await playing();
    const { changing } = screen;
    await changing.open("remove", rows(screen, "release-checklist", "pdf"));
    expect(changing.spared.map(({ why }) => why)).toEqual(["notPlaced", "notPlaced"]);
    expect(changing.plan?.items[0]?.seenBy).toHaveLength(6);
    await changing.apply();
    expect(results(screen)).toEqual(["release-checklist removed"]);
    expect(screen.library.rows.some(({ name }) => name === "release-checklist")).toBe(false);
    await changing.undo();
    expect(changing.undone).toBe(true);
    expect(screen.library.rows.some(({ name }) => name === "release-checklist")).toBe(true);
  });

  test("of a skill in several places ticks the copy that is shown, and asks about the others", async () => {
    const screen = await playing();
    const [row] = rows(screen, "reviews");
    const shown = row?.skill?.copies[1];
    if (!row || !shown) throw new Error("no copies");
    await screen.changing.open("remove", [row], shown.id);
    expect(screen.changing.lines.map(({ subject, item }) => [subject?.path, item?.action])).toEqual(
      [
        ["~/.claude/skills/reviews", "do"],
        ["~/.codex/skills/reviews", "do"],
      ],
    );
    expect([...screen.changing.ticked]).toEqual([`copy ${shown.id}`]);
    expect(screen.changing.plan?.writes).toBe(1);
    await screen.changing.tickAll(true);
    expect(screen.changing.plan?.writes).toBe(2);
    await screen.changing.tickAll(false);
    expect(screen.changing.canApply).toBe(false);
  });

  test("carried out twice is carried out once", async () => {
    const host = fakeHost({ changes: true });
    const screen = await playing(host);
    await screen.changing.open("remove", rows(screen, "release-checklist"));
    await Promise.all([screen.changing.apply(), screen.changing.apply()]);
    expect(host.calls.filter((call) => call.startsWith("applyChanges"))).toHaveLength(1);
  });

  test("leaves the list at what took the place of the removed row", async () => {
    const screen = await playing();
    const [row] = rows(screen, "release-checklist");
    screen.listing.choose(row?.key ?? null);
    const { at } = screen.listing;
    await screen.changing.open("remove", row ? [row] : []);
    await screen.changing.apply();
    expect(screen.listing.row).not.toBeNull();
    expect(screen.listing.at).toBe(at);
  });
});

describe("updating", () => {
  test("an edited copy stays until the person takes what is offered", async () => {
    const screen = await playing();
    await screen.changing.open("update", rows(screen, "csv-report", "release-checklist"));
    expect(actions(screen)).toEqual(["csv-report keep", "release-checklist replace"]);
    const edited = screen.changing.subjects.find(({ name }) => name === "csv-report");
    await screen.changing.take(edited?.key ?? "", true);
    expect(actions(screen)).toEqual(["csv-report replace", "release-checklist replace"]);
    await screen.changing.apply();
    expect(results(screen)).toEqual(["csv-report replaced", "release-checklist replaced"]);
  });

  test("of one skill is for every copy that has something new, whichever is shown", async () => {
    const screen = await playing();
    const [row] = rows(screen, "release-checklist");
    const [copy] = row?.skill?.copies ?? [];
    if (!row?.skill || !copy) throw new Error("no copy");
    const other = { ...copy, id: "other", path: "~/.codex/skills/release-checklist" };
    const both: ListRow = { ...row, skill: { ...row.skill, copies: [copy, other] } };
    await screen.changing.open("update", [both], copy.id);
    expect([...screen.changing.ticked]).toEqual([`copy ${copy.id}`, "copy other"]);
  });

  test("undone says that all is as before, also of a folder that links lead to", async () => {
    const host = fakeHost({ changes: true });
    const screen = await playing(host);
    await screen.changing.open("update", rows(screen, "release-checklist"));
    await screen.changing.apply();
    screen.changing.close();
    host.undo = () =>
      Promise.resolve({
        change: "another",
        name: "release-checklist",
        items: [
          {
            name: "release-checklist",
            tool: "codex",
            path: "~/.local/share/skillhold/linked/1/release-checklist",
            result: "undone",
            error: null,
          },
        ],
      });
    const undoing = new Screen(host);
    await Promise.all([undoing.library.refresh(), undoing.activity.refresh()]);
    await undoing.activity.undoLast();
    expect(undoing.notices.shown.at(-1)?.text).toBe(
      "Undone: “release-checklist” in Codex is as it was before",
    );
  });

  test("is offered where a skill is offered, and not where nothing of it is installed", async () => {
    const screen = await playing();
    const offers = screen.servers.list.flatMap((server) => server.offers);
    const offer = offers.find(({ name }) => name === "release-checklist");
    if (!offer) throw new Error("no offer");
    expect(screen.outdated({ ...offer, installedIn: [] })).toBeNull();
    const tools = rows(screen, "release-checklist")[0]?.skill?.copies[0]?.tools ?? [];
    expect(screen.outdated({ ...offer, installedIn: tools })?.name).toBe("release-checklist");
    expect(screen.outdated({ ...offer, name: "nowhere", installedIn: tools })).toBeNull();
  });

  test("what is not approved is refused, and keeps no other from being updated", async () => {
    const screen = await playing();
    await screen.changing.open("update", rows(screen, "changelog", "release-checklist"));
    expect(actions(screen)).toEqual(["changelog refuse", "release-checklist replace"]);
    await screen.changing.apply();
    expect(results(screen)).toEqual(["changelog failed", "release-checklist replaced"]);
  });

  test("what is gone is installed again, or forgotten", async () => {
    const screen = await playing();
    await screen.changing.open("again", rows(screen, "plain-words"));
    await screen.changing.apply();
    expect(results(screen)).toEqual(["plain-words written"]);
    expect(screen.library.away.gone).toEqual([]);
    await screen.changing.undo();
    expect(screen.library.away.gone.map(({ name }) => name)).toEqual(["plain-words"]);
    screen.changing.close();
    await screen.changing.open("forget", rows(screen, "plain-words"));
    await screen.changing.apply();
    expect(screen.library.rows.some(({ name }) => name === "plain-words")).toBe(false);
  });
});

test("who sees another copy of a skill does not lose it", async () => {
  const screen = await playing();
  const { changing } = screen;
  const [row] = rows(screen, "commit-messages");
  await changing.open("disable", row ? [row] : [], row?.skill?.copies[0]?.id ?? null);
  const [subject] = changing.subjects;
  if (!subject) throw new Error("no subject");
  expect(changing.elsewhere(subject, subject.tools)).toEqual(["codex", "cursor"]);
  await changing.tickAll(true);
  expect(changing.elsewhere(subject, subject.tools)).toEqual([]);
});

test("what is gone is forgotten where it was to be removed", async () => {
  const screen = await playing();
  screen.act("remove", rows(screen, "plain-words"));
  await vi.waitFor(() => expect(screen.changing.plan?.writes).toBe(1));
  expect(screen.changing.deed).toBe("forget");
});

test("a disabled skill is aside until it is enabled", async () => {
  const screen = await playing();
  await screen.changing.open("disable", rows(screen, "release-checklist", "pdf"));
  await screen.changing.apply();
  expect(screen.library.away.aside.map(({ name }) => name)).toEqual([
    "pdf",
    "pdf",
    "release-checklist",
    "standup-notes",
    "old-habits",
  ]);
  screen.changing.close();
  await screen.changing.open("enable", rows(screen, "old-habits"));
  await screen.changing.apply();
  expect(rows(screen, "old-habits")[0]?.tools).toEqual(["claude-code", "opencode"]);
});

test("the page of a tool has what it lost: disabled, or gone", async () => {
  const screen = await playing();
  screen.listing.go({ kind: "tool", id: "claude-code" });
  const word = (name: string) => screen.listing.rows.find((row) => row.name === name)?.word;
  expect(word("old-habits")).toBe("disabled");
  expect(word("standup-notes")).toBe("disabled");
  screen.listing.go({ kind: "tool", id: "codex" });
  expect(word("plain-words")).toBe("missing");
  screen.listing.go({ kind: "tool", id: "cursor" });
  expect(word("old-habits")).toBeUndefined();
});

describe("copying several skills", () => {
  test("settles what is in the way for each", async () => {
    const screen = await playing();
    const { changing } = screen;
    await changing.open("copy", rows(screen, "code-review", "api-design"));
    expect(changing.plan).toBeNull();
    await changing.choose("cursor", { ticked: true });
    expect(actions(screen)).toEqual(["code-review keep", "api-design write"]);
    const clash = changing.lines[0]?.subject;
    if (!clash) throw new Error("no line");
    await changing.settle(clash, "cursor", { way: "rename", name: "code-review-2" });
    expect(actions(screen)).toEqual(["code-review write", "api-design write"]);
    await changing.settle(clash, "cursor", { way: "rename", name: "No" });
    expect(changing.canApply).toBe(false);
    await changing.settle(clash, "cursor", { way: "replace" });
    await changing.apply();
    expect(results(screen)).toEqual(["code-review replaced", "api-design written"]);
  });

  test("links where that was chosen, and says so where a link is not possible", async () => {
    const screen = await playing();
    const { changing } = screen;
    await changing.open("copy", rows(screen, "api-design", "meeting-notes"));
    await changing.choose("codex", { ticked: true, mode: "link" });
    await changing.choose("gemini-cli", { ticked: true, mode: "link" });
    expect(changing.plan?.items.map(({ tools, mode }) => [...tools, mode])).toEqual([
      ["codex", "link"],
      ["gemini-cli", "copy"],
      ["codex", "link"],
      ["gemini-cli", "copy"],
    ]);
  });
});

test("a skill gets another name, and is shown under it", async () => {
  const screen = await playing();
  const [row] = rows(screen, "api-design");
  if (!row) throw new Error("no row");
  screen.listing.choose(row.key);
  await screen.detail.show(row);
  await screen.changing.open("rename", [row], screen.detail.copy);
  expect(screen.changing.plan).toBeNull();
  await screen.changing.rename("Not A Name");
  expect(screen.changing.badName).toBe(true);
  await screen.changing.rename("api-drafts");
  expect(screen.changing.canApply).toBe(true);
  await screen.changing.apply();
  expect(results(screen)).toEqual(["api-design renamed"]);
  expect(screen.listing.row?.name).toBe("api-drafts");
});

test("stopped between two folders, what was done stays and can be taken back", async () => {
  const host = fakeHost({ changes: true });
  let told = 0;
  const screen = await playing({
    ...host,
    applyChanges: (job, batch, onProgress) =>
      host.applyChanges(job, batch, (progress) => {
        told += 1;
        if (told === 2) void host.cancel(job);
        onProgress(progress);
      }),
  });
  await screen.changing.open("disable", rows(screen, "api-design", "tarjama", "meeting-notes"));
  await screen.changing.apply();
  expect(screen.changing.outcome?.items.map(({ result, error }) => error?.code ?? result)).toEqual([
    "disabled",
    "cancelled",
    "cancelled",
  ]);
  await screen.changing.undo();
  expect(screen.library.away.aside.map(({ name }) => name)).toEqual([
    "standup-notes",
    "old-habits",
  ]);
});

test("an answer to an earlier question does not overwrite a later one", async () => {
  const host = fakeHost({ changes: true });
  const waiting: (() => void)[] = [];
  const screen = await playing({
    ...host,
    planChanges: async (changes) => {
      const view = await host.planChanges(changes);
      if (changes.length === 2) await new Promise<void>((done) => waiting.push(done));
      return view;
    },
  });
  const opening = screen.changing.open("remove", rows(screen, "reviews"));
  await vi.waitFor(() => expect(waiting).toHaveLength(1));
  const [first] = screen.changing.subjects;
  await screen.changing.tick(first?.key ?? "", false);
  waiting.forEach((go) => go());
  await opening;
  expect(screen.changing.plan?.writes).toBe(1);
});

test("what comes back under another folder belongs to the skill that was asked for", () => {
  const subject = {
    key: "copy 1",
    name: "pdf",
    path: "~/shared/pdf",
    tools: ["codex", "cursor"],
    at: { kind: "copy" as const, id: "1" },
    state: null,
    alone: false,
  };
  const item = (path: string, tool: string) => ({
    name: "pdf",
    path,
    kind: "remove" as const,
    tools: [tool],
    seenBy: [tool],
    standing: "ours" as const,
    action: "do" as const,
    mode: "link" as const,
    edited: false,
    message: null,
    leftOut: null,
  });
  const items = [item("~/.codex/skills/pdf", "codex"), item("~/.cursor/skills/pdf", "cursor")];
  expect(linesOf([subject], items).map((line) => [line.subject?.key, line.item?.path])).toEqual([
    ["copy 1", "~/.codex/skills/pdf"],
    ["copy 1", "~/.cursor/skills/pdf"],
  ]);
});

describe("selecting rows", () => {
  test("by one, by a range and all of them", async () => {
    const { listing } = await playing();
    const keys = listing.rows.map(({ key }) => key);
    const [a = "", b = "", c = "", d = ""] = keys;
    listing.pickOnly(a);
    expect(listing.selection).toEqual([]);
    listing.pickTo(c);
    expect([...listing.picked]).toEqual([a, b, c]);
    listing.toggle(b);
    expect(listing.selection.map(({ key }) => key)).toEqual([a, c]);
    listing.moveTo(d);
    expect(listing.picked.size).toBe(2);
    listing.pickAll();
    expect(listing.picked.size).toBe(keys.length);
    expect(listing.unpick()).toBe(true);
    expect(listing.subject.map(({ key }) => key)).toEqual([d]);
  });

  test("the row that was chosen is the first of a selection", async () => {
    const { listing } = await playing();
    const [a = "", , c = ""] = listing.rows.map(({ key }) => key);
    listing.pickOnly(a);
    listing.toggle(c);
    expect([...listing.picked]).toEqual([a, c]);
  });

  test("what is still there stays selected after a change, so that the next can follow", async () => {
    const screen = await playing();
    const { listing, changing } = screen;
    const [a, b] = rows(screen, "pdf", "commit-messages");
    listing.pickOnly(a?.key ?? "");
    listing.toggle(b?.key ?? "");
    await changing.open("disable", listing.selection);
    await changing.apply();
    expect(listing.selection.map(({ name }) => name)).toEqual(["commit-messages", "pdf"]);
  });

  test("one that is left of a selection is shown alone", async () => {
    const screen = await playing();
    const { listing, changing } = screen;
    const [a, b] = rows(screen, "pdf", "release-checklist");
    listing.pickOnly(a?.key ?? "");
    listing.toggle(b?.key ?? "");
    await changing.open("remove", listing.selection);
    await changing.apply();
    expect(listing.selection).toEqual([]);
  });

  test("another place begins without a selection", async () => {
    const { listing } = await playing();
    listing.pickAll();
    listing.go({ kind: "attention" });
    expect(listing.picked.size).toBe(0);
  });
});
