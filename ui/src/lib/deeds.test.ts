import { describe, expect, test } from "vitest";
import type { CopyRef } from "./bindings/CopyRef";
import { changeOf, choiceOf, leftOut, reasons, skillsIn, sourceOf, type Away } from "./deeds";
import { offerRow, skillRow, type ListRow } from "./rows";

const NOWHERE: Away = { aside: [], gone: [] };

const copy = (id: string, more: Partial<CopyRef> = {}): CopyRef => ({
  id,
  path: `~/.claude/skills/${id}`,
  tools: ["claude-code"],
  fingerprint: "f",
  linked: false,
  project: null,
  state: "fine",
  placed: true,
  mode: "copy",
  userOwned: false,
  ...more,
});

const row = (name: string, ...copies: CopyRef[]): ListRow =>
  skillRow({
    name,
    description: "",
    tools: copies.flatMap(({ tools }) => tools),
    state: "fine",
    errors: 0,
    warnings: 0,
    grave: 0,
    cautions: 0,
    copies,
  });

const offered = (kind: "approved" | "unreviewed"): ListRow =>
  offerRow(
    {
      id: "srv",
      label: "docs",
      address: "https://docs.example/mcp",
      reached: "http",
      imported: null,
      enabled: true,
      signedIn: false,
      neverInstall: false,
      state: { kind: "off" },
      listedAt: null,
      notices: [],
      offers: [],
    } as unknown as Parameters<typeof offerRow>[0],
    {
      uri: "skill://pdf/SKILL.md",
      name: "pdf",
      description: "",
      standing: kind === "approved" ? { kind, at: "", granted: false } : { kind },
      files: 1,
      total: 1,
      fingerprint: "f",
      alsoOfferedBy: [],
      existsLocally: false,
      installedIn: [],
      listed: true,
      note: null,
    },
  );

const keys = (deed: Parameters<typeof choiceOf>[0], rows: ListRow[], away = NOWHERE) =>
  choiceOf(deed, rows, away).subjects.map(({ key }) => key);

describe("what a deed is about", () => {
  test("removing takes only what Skillhold placed, and says of the rest why not", () => {
    const rows = [
      row("a", copy("1")),
      row("b", copy("2", { placed: false })),
      row("c", copy("3", { state: "replaced" })),
    ];
    const { subjects, spared } = choiceOf("remove", rows, NOWHERE);
    expect(subjects.map(({ name }) => name)).toEqual(["a"]);
    expect(reasons(spared)).toEqual([
      { why: "notPlaced", count: 1 },
      { why: "replaced", count: 1 },
    ]);
  });

  test("updating takes what has something new, edited or not", () => {
    const rows = [
      row("a", copy("1", { state: "update" }), copy("2")),
      row("b", copy("3", { state: "diverged" })),
      row("c", copy("4", { state: "edited" })),
    ];
    expect(keys("update", rows)).toEqual(["copy 1", "copy 3"]);
  });

  test("copies that differ by themselves and were not placed have nothing to update to", () => {
    expect(keys("update", [row("a", copy("1", { state: "diverged", placed: false }))])).toEqual([]);
  });

  test("adopting takes what nobody placed, and what took the place of something placed", () => {
    const rows = [
      row("a", copy("1"), copy("2", { placed: false }), copy("3", { state: "replaced" })),
    ];
    expect(keys("adopt", rows)).toEqual(["copy 2", "copy 3"]);
  });

  test("copying takes one copy of each skill: the one that is shown", () => {
    const a = row("a", copy("1"), copy("2"));
    expect(choiceOf("copy", [a], NOWHERE, "2").subjects.map(({ key }) => key)).toEqual(["copy 2"]);
    expect(keys("copy", [a, row("b", copy("3"))])).toEqual(["copy 1", "copy 3"]);
  });

  test("what lies in a project's own sources is changed by itself, never with others", () => {
    const own = row("own", copy("1", { userOwned: true }));
    expect(keys("remove", [own])).toEqual(["copy 1"]);
    const { subjects, spared } = choiceOf("remove", [own, row("b", copy("2"))], NOWHERE);
    expect(subjects.map(({ key }) => key)).toEqual(["copy 2"]);
    expect(spared.map(({ why }) => why)).toEqual(["onlyAlone"]);
  });

  test("several skills cannot get one name", () => {
    expect(keys("rename", [row("a", copy("1")), row("b", copy("2"))])).toEqual([]);
    expect(keys("rename", [row("a", copy("1"))])).toEqual(["copy 1"]);
  });

  test("what is disabled is enabled, and what is gone is installed again or forgotten", () => {
    const away: Away = {
      aside: [{ id: "x", name: "a", path: "~/a", tools: [], at: "", fingerprint: "" }],
      gone: [{ id: "y", name: "b", path: "~/b", tools: [], origin: "", at: "", state: "missing" }],
    };
    const rows = [row("a"), row("b")];
    expect(keys("enable", rows, away)).toEqual(["aside x"]);
    expect(keys("again", rows, away)).toEqual(["gone y ~/b"]);
    expect(keys("forget", rows, away)).toEqual(["gone y ~/b"]);
    expect(choiceOf("disable", rows, away).spared.map(({ why }) => why)).toEqual([
      "disabled",
      "nothingHere",
    ]);
  });

  test("of what is offered only the approved is installed, and nothing is removed", () => {
    expect(keys("install", [offered("approved")])).toEqual(["offer:srv skill://pdf/SKILL.md"]);
    expect(choiceOf("install", [offered("unreviewed")], NOWHERE).spared[0]?.why).toBe(
      "notApproved",
    );
    expect(choiceOf("remove", [offered("approved")], NOWHERE).spared[0]?.why).toBe("offered");
  });
});

describe("what is asked for", () => {
  const [subject] = choiceOf("remove", [row("a", copy("1"))], NOWHERE).subjects;

  test("an edited copy gives way only where the person said so", () => {
    if (!subject) throw new Error("no subject");
    expect(changeOf("update", subject, { take: false, to: "" })).toEqual({
      kind: "update",
      copy: "1",
      onEdited: "keep",
    });
    expect(changeOf("update", subject, { take: true, to: "" })).toMatchObject({
      onEdited: "replace",
    });
    expect(changeOf("rename", subject, { take: false, to: "b" })).toEqual({
      kind: "rename",
      copy: "1",
      to: "b",
    });
    expect(sourceOf(subject)).toEqual({ kind: "copy", id: "1" });
  });

  test("a skill of which one folder is changed is not left out", () => {
    const rows = [
      row("a", copy("1"), copy("2", { placed: false })),
      row("b", copy("3", { placed: false }), copy("4", { placed: false })),
    ];
    const left = leftOut(choiceOf("remove", rows, NOWHERE));
    expect(left.map(({ name }) => name)).toEqual(["b"]);
  });

  test("skills are counted once, whatever their folders", () => {
    expect(skillsIn([{ name: "a" }, { name: "a" }, { name: "b" }])).toBe(2);
  });
});
