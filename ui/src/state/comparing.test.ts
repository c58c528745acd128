import { describe, expect, test, vi } from "vitest";
import type { ActivityRow } from "../lib/bindings/ActivityRow";
import type { CompareView } from "../lib/bindings/CompareView";
import type { DiffLine } from "../lib/bindings/DiffLine";
import type { Host } from "../lib/host/types";
import { fakeHost } from "../lib/host/fake";
import { Screen } from "./screen.svelte";

const LEFT = { kind: "installed", copy: "1" } as const;
const RIGHT = { kind: "copy", id: "1" } as const;

async function playing(change: Partial<Host> = {}): Promise<Screen> {
  const screen = new Screen({ ...fakeHost({ kept: true }), ...change });
  await Promise.all([screen.library.refresh(), screen.servers.refresh()]);
  return screen;
}

function copyOf(screen: Screen, name: string): string {
  const row = screen.library.rows.find((one) => one.name === name);
  return row?.skill?.copies[0]?.id ?? "";
}

describe("comparing", () => {
  test("begins with the first file that differs, and its lines", async () => {
    const { comparing, ...screen } = await playing();
    const copy = copyOf(screen as Screen, "sql-explain");
    await comparing.open({ kind: "installed", copy }, { kind: "copy", id: copy });
    expect(comparing.name).toBe("sql-explain");
    expect(comparing.path).toBe("SKILL.md");
    expect(comparing.lines?.filter(({ kind }) => kind === "added").map((one) => one.text)).toEqual([
      "",
      "Edited here.",
    ]);
  });

  test("asks for no lines where only their ends differ", async () => {
    const compareSidesFile = vi.fn<Host["compareSidesFile"]>();
    const { comparing, ...screen } = await playing({ compareSidesFile });
    const copy = copyOf(screen as Screen, "query-notes");
    await comparing.open({ kind: "installed", copy }, { kind: "copy", id: copy });
    expect(comparing.differing.map(({ onlyLineEndings }) => onlyLineEndings)).toEqual([true, true]);
    expect(compareSidesFile).not.toHaveBeenCalled();
  });

  test("drops the answer to an earlier question", async () => {
    const later: ((view: CompareView) => void)[] = [];
    const compare = vi.fn<Host["compare"]>(() => new Promise((done) => later.push(done)));
    const { comparing } = await playing({ compare });
    const first = comparing.open(LEFT, RIGHT);
    const second = comparing.swap();
    const view = (left: string): CompareView => ({ left, right: "", files: [] });
    later[1]?.(view("second"));
    later[0]?.(view("first"));
    await Promise.all([first, second]);
    expect(comparing.view?.left).toBe("second");
    expect(comparing.left).toEqual(RIGHT);
  });

  test("shows the lines of the file that was chosen last", async () => {
    const later = new Map<string, (lines: DiffLine[] | null) => void>();
    const file = (path: string) => ({
      path,
      left: null,
      right: null,
      same: false,
      onlyLineEndings: false,
      notKept: null,
    });
    const { comparing } = await playing({
      compare: () => Promise.resolve({ left: "", right: "", files: [file("a"), file("b")] }),
      compareSidesFile: (_left, _right, path) => new Promise((done) => later.set(path, done)),
    });
    const opened = comparing.open(LEFT, RIGHT);
    await vi.waitFor(() => expect(later.has("a")).toBe(true));
    const other = comparing.show("b");
    later.get("b")?.(null);
    later.get("a")?.([{ kind: "added", old: null, new: 1, text: "late" }]);
    await Promise.all([opened, other]);
    expect(comparing.path).toBe("b");
    expect(comparing.lines).toBeNull();
  });

  test("asks for no lines of what is not kept any more", async () => {
    const compareSidesFile = vi.fn<Host["compareSidesFile"]>();
    const gone = { path: "a", left: null, right: null, same: false, onlyLineEndings: false };
    const { comparing } = await playing({
      compare: () =>
        Promise.resolve({
          left: "",
          right: "",
          files: [{ ...gone, notKept: "its bytes are gone" }],
        }),
      compareSidesFile,
    });
    await comparing.open(LEFT, RIGHT);
    expect(comparing.path).toBe("a");
    expect(compareSidesFile).not.toHaveBeenCalled();
  });

  test("says why two cannot be compared, and that is over when another is chosen", async () => {
    const error = { code: "gone", message: "not there", hint: null, causes: [] } as const;
    const compare = vi
      .fn<Host["compare"]>()
      .mockRejectedValueOnce(error)
      .mockResolvedValue({ left: "a", right: "b", files: [] });
    const { comparing } = await playing({ compare });
    await comparing.open(LEFT, RIGHT);
    expect(comparing.error?.message).toBe("not there");
    await comparing.choose("left", { kind: "trashed", id: "trash-sql" });
    expect(comparing.error).toBeNull();
    expect(comparing.view?.left).toBe("a");
  });
});

describe("the trash", () => {
  test("is emptied of one only after it was asked about, and then says that undo is lost", async () => {
    const host = fakeHost({ kept: true });
    const screen = new Screen(host);
    await Promise.all([screen.trash.refresh(), screen.activity.refresh()]);
    expect(screen.trash.view?.bytes).toBeGreaterThan(100);
    const deploy = screen.trash.rows.find(({ name }) => name === "old-deploy");
    if (!deploy) throw new Error("nothing to remove");
    screen.trash.ask([deploy]);
    expect(host.calls.filter((call) => call.startsWith("emptyTrash"))).toEqual([]);
    await screen.trash.empty();
    expect(host.calls.filter((call) => call.startsWith("emptyTrash"))).toEqual([
      "emptyTrash trash-deploy",
    ]);
    expect(screen.trash.rows.map(({ name }) => name)).toEqual(["sql-explain"]);
    const row = screen.activity.rows.find(({ change }) => change === "change-removed");
    expect(row?.stuck).toBe("what it replaced was removed from the trash");
    expect(row && screen.activity.canUndo(row)).toBe(false);
    // The history of one skill has the same row without the reason.
    const told = { ...row, stuck: undefined } as ActivityRow;
    expect(screen.activity.stuck(told)).toBe("what it replaced was removed from the trash");
    expect(screen.activity.canUndo(told)).toBe(false);
    expect(screen.notices.shown.at(-1)?.text).toMatch(/^“old-deploy” was removed for good; /);
  });

  test("keeps the question open with the reason when nothing was removed", async () => {
    const error = { code: "disk", message: "read-only", hint: null, causes: [] } as const;
    const screen = new Screen({
      ...fakeHost({ kept: true }),
      emptyTrash: () => Promise.reject(error as unknown as Error),
    });
    await screen.trash.refresh();
    screen.trash.ask(screen.trash.rows);
    await screen.trash.empty();
    expect(screen.trash.doomed).toHaveLength(2);
    expect(screen.trash.refusal?.message).toBe("read-only");
  });
});

describe("bundles", () => {
  test("what was imported is a server of its own, and what was left out is named", async () => {
    const host = fakeHost();
    const screen = new Screen(host);
    screen.bundles.open();
    await screen.bundles.take("file");
    expect(screen.bundles.imported?.label).toBe("team-skills.zip");
    expect(screen.bundles.imported?.leftOut.map(({ name }) => name)).toEqual([
      "old-notes",
      "__MACOSX",
    ]);
    expect(screen.servers.list.find(({ label }) => label === "team-skills.zip")?.reached).toBe(
      "imported",
    );
  });

  test("choosing no file imports and exports nothing and says nothing", async () => {
    const screen = new Screen({
      ...fakeHost(),
      importSkills: () => Promise.resolve(null),
      exportBundle: () => Promise.resolve(null),
    });
    screen.bundles.open();
    await screen.bundles.take("folder");
    expect(screen.bundles.imported).toBeNull();
    expect(await screen.bundles.exportSelection(["1"])).toBe(false);
    expect(screen.notices.shown).toEqual([]);
  });

  test("an export says where it went, or why not", async () => {
    const screen = new Screen(fakeHost());
    await screen.library.refresh();
    expect(await screen.bundles.exportSelection([copyOf(screen, "pdf")])).toBe(true);
    expect(screen.notices.shown.at(-1)?.text).toBe("Exported 1 skill into ~/Documents/skills.zip");
    expect(await screen.bundles.exportSelection(["nothing"])).toBe(false);
    expect(screen.notices.shown.at(-1)?.text).toBe(
      "Nothing was exported: a skill that was chosen is no longer there",
    );
  });
});
