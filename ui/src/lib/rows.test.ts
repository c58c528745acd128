import { expect, test } from "vitest";
import type { OfferRow } from "./bindings/OfferRow";
import type { ServerView } from "./bindings/ServerView";
import type { Standing } from "./bindings/Standing";
import {
  isToReview,
  needsAttention,
  offerRow,
  offerRows,
  offerWord,
  ordered,
  originsOf,
  skillRow,
  wordsOf,
} from "./rows";

const offer = (name: string, standing: Standing): OfferRow => ({
  uri: `skill://${name}/SKILL.md`,
  name,
  description: "",
  standing,
  files: 1,
  total: 1,
  fingerprint: null,
  alsoOfferedBy: [],
  existsLocally: false,
  installedIn: ["codex", "codex"],
  listed: true,
  note: null,
});

/** What is the same in all copies here. */
const plain = {
  tools: [],
  fingerprint: null,
  linked: false,
  project: null,
  state: "fine" as const,
  placed: false,
  mode: null,
  userOwned: false,
};

const server = (offers: OfferRow[]): ServerView => ({
  id: "s",
  label: "docs",
  address: "https://docs.example/mcp",
  reached: "http",
  state: { kind: "off" },
  enabled: true,
  signedIn: false,
  imported: null,
  neverInstall: false,
  offers,
  notices: [],
  listedAt: null,
});

const at = "2026-11-30T12:00:00Z";

test("each standing has its word", () => {
  expect(offerWord(offer("a", { kind: "unreviewed" }))).toBe("new");
  expect(offerWord(offer("a", { kind: "changed", at }))).toBe("changed");
  expect(offerWord(offer("a", { kind: "noLongerOffered" }))).toBe("gone");
  expect(offerWord(offer("a", { kind: "approved", at, granted: false }))).toBe("approved");
});

test("an entry listed twice keeps two rows with keys of their own", () => {
  const twice = offer("a", { kind: "refused", reasons: ["listed twice"] });
  expect(offerRows(server([twice, twice])).map(({ key }) => key)).toEqual([
    "offer:s skill://a/SKILL.md",
    "offer:s skill://a/SKILL.md 2",
  ]);
});

test("a tool that is named twice is shown once", () => {
  expect(offerRow(server([]), offer("a", { kind: "unreviewed" })).tools).toEqual(["codex"]);
});

test("what changed or breaks the rules needs attention; what is new is to be reviewed", () => {
  const row = (standing: Standing) => offerRow(server([]), offer("a", standing));
  expect(needsAttention(row({ kind: "changed", at }))).toBe(true);
  expect(needsAttention(row({ kind: "refused", reasons: [] }))).toBe(true);
  expect(needsAttention(row({ kind: "unreviewed" }))).toBe(false);
  expect(isToReview(row({ kind: "unreviewed" }))).toBe(true);
  expect(isToReview(row({ kind: "changed", at }))).toBe(true);
  expect(isToReview(row({ kind: "approved", at, granted: true }))).toBe(false);
});

test("rows are ordered by name without regard to case, by urgency, or by number of tools", () => {
  const row = (name: string, state: "fine" | "invalid" | "edited", tools: string[]) =>
    skillRow({
      name,
      description: "",
      tools,
      state,
      errors: 0,
      warnings: 0,
      grave: 0,
      cautions: 0,
      copies: [],
    });
  const rows = [row("b", "fine", ["x", "y"]), row("C", "edited", ["x"]), row("a", "invalid", [])];
  const names = (order: "name" | "state" | "tools") => ordered(rows, order).map(({ name }) => name);
  expect(names("name")).toEqual(["a", "b", "C"]);
  expect(names("state")).toEqual(["a", "C", "b"]);
  expect(names("tools")).toEqual(["b", "C", "a"]);
});

test("two skills of one name are told apart by their paths", () => {
  const at_ = (uri: string) =>
    offerRow(server([]), { ...offer("refunds", { kind: "unreviewed" }), uri }).path;
  expect(at_("skill://acme/billing/refunds/SKILL.md")).toBe("acme/billing/refunds");
  expect(at_("skill://refunds/SKILL.md")).toBeNull();
});

test("grave findings need attention beside any state, and a skill of one project says so", () => {
  const copy = { ...plain, path: "~/p/.claude/skills/a" };
  const skill = {
    name: "a",
    description: "",
    tools: [],
    state: "fine" as const,
    errors: 0,
    warnings: 0,
    grave: 2,
    cautions: 1,
    copies: [{ ...copy, id: "1", project: "~/p" }],
  };
  const row = skillRow(skill);
  expect([row.word, row.grave, row.findings, row.project]).toEqual([null, 2, 3, "~/p"]);
  expect(needsAttention(row)).toBe(true);
  expect(wordsOf(row)).toEqual(["grave"]);
  expect(wordsOf(skillRow({ ...skill, state: "diverged" }))).toEqual(["diverged", "grave"]);

  const only = skillRow({ ...skill, grave: 0 });
  expect([needsAttention(only), only.findings]).toEqual([false, 1]);
  const invalid = skillRow({ ...skill, name: "b", grave: 0, state: "invalid" });
  const edited = skillRow({ ...skill, name: "c", grave: 0, state: "edited" });
  expect(ordered([only, edited, row, invalid], "state")).toEqual([invalid, row, edited, only]);

  const elsewhere = { ...copy, id: "2", project: null };
  expect(skillRow({ ...skill, copies: [...skill.copies, elsewhere] }).project).toBeNull();
});

test("a skill comes from the added folders in which it lies, by whole names of folders", () => {
  const row = skillRow({
    name: "a",
    description: "",
    tools: [],
    state: "fine",
    errors: 0,
    warnings: 0,
    grave: 0,
    cautions: 0,
    copies: [
      {
        id: "1",
        path: "~/work/skills/a",
        ...plain,
      },
      {
        id: "2",
        path: "C:\\Users\\me\\skills\\a",
        ...plain,
      },
    ],
  });
  const folders = ["~/work", "~/wor", "~/work/skills/a", "C:\\Users\\me", "~/work/skills/ab", "/"];
  expect(originsOf(row, folders)).toEqual(["~/work", "~/work/skills/a", "C:\\Users\\me"]);
  expect(originsOf({ ...row, origin: "docs" }, folders)).toEqual(["docs"]);
});
