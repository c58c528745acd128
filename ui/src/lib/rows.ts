/** The rows of the list: local skills and offered ones, in one shape. */
import type { CheckView } from "./bindings/CheckView";
import type { OfferRow } from "./bindings/OfferRow";
import type { ServerView } from "./bindings/ServerView";
import type { SkillRow } from "./bindings/SkillRow";

/** The one word at the right of a row. */
export type StateWord =
  | "invalid"
  | "grave"
  | "edited"
  | "update"
  | "diverged"
  | "missing"
  | "replaced"
  | "noLongerOffered"
  | "disabled"
  | "new"
  | "changed"
  | "approved"
  | "rejected"
  | "refused"
  | "mismatched"
  | "unverifiable"
  | "gone";

/** How a word is coloured. */
export type Tone = "ok" | "warn" | "bad" | "strong" | "plain";

const TONES: Record<StateWord, Tone> = {
  invalid: "bad",
  grave: "bad",
  edited: "warn",
  update: "strong",
  diverged: "warn",
  missing: "warn",
  replaced: "warn",
  noLongerOffered: "plain",
  disabled: "plain",
  new: "strong",
  changed: "warn",
  approved: "ok",
  rejected: "plain",
  refused: "bad",
  mismatched: "bad",
  unverifiable: "plain",
  gone: "plain",
};

/** How much a word asks for attention, most first. */
const URGENCY: (StateWord | null)[] = [
  "changed",
  "invalid",
  "grave",
  "mismatched",
  "refused",
  "missing",
  "replaced",
  "diverged",
  "edited",
  "update",
  "new",
  "unverifiable",
  "gone",
  "noLongerOffered",
  "disabled",
  "rejected",
  "approved",
  null,
];

/** What is said of a local skill and asks for nothing. */
const QUIET: StateWord[] = ["disabled", "noLongerOffered"];

/** A row of the list. */
export interface ListRow {
  key: string;
  name: string;
  /** The skill's path on its server, where that says more than the name. */
  path: string | null;
  description: string;
  tools: string[];
  word: StateWord | null;
  /** The server's label; absent for a local skill. */
  origin: string | null;
  findings: number;
  /** How many of them are grave. */
  grave: number;
  /** The project in which alone it counts. */
  project: string | null;
  skill: SkillRow | null;
  offer: { server: string; row: OfferRow } | null;
}

/** How a list is ordered. */
export type Order = "name" | "state" | "tools";

/** The colour of a word. */
export function tone(word: StateWord): Tone {
  return TONES[word];
}

/** The project that all copies lie in; nothing where one counts outside of it. */
function projectOf(skill: SkillRow): string | null {
  const project = skill.copies[0]?.project ?? null;
  return skill.copies.every((copy) => copy.project === project) ? project : null;
}

/** A local skill as a row. */
export function skillRow(skill: SkillRow): ListRow {
  return {
    key: `skill:${skill.name}`,
    name: skill.name,
    path: null,
    description: skill.description,
    tools: [...new Set(skill.tools)],
    word: skill.state === "fine" ? null : skill.state,
    origin: null,
    findings: skill.errors + skill.warnings + skill.grave + skill.cautions,
    grave: skill.grave,
    project: projectOf(skill),
    skill,
    offer: null,
  };
}

/** Whether a path lies in a folder, or is it. */
function liesIn(path: string, folder: string): boolean {
  return (
    path === folder ||
    (path.startsWith(folder) && (/[\\/]$/.test(folder) || /^[\\/]/.test(path.slice(folder.length))))
  );
}

/** Where a row comes from: the label of its server, or those of these folders in which it lies. */
export function originsOf(row: ListRow, folders: string[]): string[] {
  if (row.origin !== null) return [row.origin];
  const copies = row.skill?.copies ?? [];
  return folders.filter((folder) => copies.some(({ path }) => liesIn(path, folder)));
}

/** What an offer's standing is called in a row. */
export function offerWord(offer: OfferRow): StateWord {
  switch (offer.standing.kind) {
    case "unreviewed":
      return "new";
    case "noLongerOffered":
      return "gone";
    default:
      return offer.standing.kind;
  }
}

/** `acme/billing/refunds` of `skill://acme/billing/refunds/SKILL.md`; nothing where that is the name. */
function skillPath(offer: OfferRow): string | null {
  const path = offer.uri.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "").replace(/\/SKILL\.md$/, "");
  return path === offer.name ? null : path;
}

/** The key of an offer's row. */
export function offerKey(server: string, uri: string): string {
  return `offer:${server} ${uri}`;
}

/** An offered skill as a row. */
export function offerRow(server: ServerView, offer: OfferRow): ListRow {
  return {
    key: offerKey(server.id, offer.uri),
    name: offer.name,
    path: skillPath(offer),
    description: offer.description,
    tools: [...new Set(offer.installedIn)],
    word: offerWord(offer),
    origin: server.label,
    findings: 0,
    grave: 0,
    project: null,
    skill: null,
    offer: { server: server.id, row: offer },
  };
}

/** All rows of a server. What it lists twice keeps two rows, and every key is there once. */
export function offerRows(server: ServerView): ListRow[] {
  const seen = new Map<string, number>();
  return server.offers.map((offer) => {
    const row = offerRow(server, offer);
    const before = seen.get(row.key) ?? 0;
    seen.set(row.key, before + 1);
    return before === 0 ? row : { ...row, key: `${row.key} ${before + 1}` };
  });
}

/** Whether a row says that something should be put right. */
export function needsAttention(row: ListRow): boolean {
  if (row.skill) {
    return (row.word !== null && !QUIET.includes(row.word)) || row.grave > 0;
  }
  return row.word === "changed" || row.word === "refused";
}

/** Every word that fits a row; one with grave findings may have another state besides. */
export function wordsOf(row: ListRow): StateWord[] {
  return [...(row.word ? [row.word] : []), ...(row.grave > 0 ? (["grave"] as const) : [])];
}

/** How much a row asks for attention: the least number most. */
function urgency(row: ListRow): number {
  const words = wordsOf(row).map((word) => URGENCY.indexOf(word));
  return words.length > 0 ? Math.min(...words) : URGENCY.indexOf(null);
}

/** Whether a person can look at an offer and decide. */
export function isToReview(row: ListRow): boolean {
  return row.offer !== null && (row.word === "new" || row.word === "changed");
}

/** A copy of the rows in the order asked for. */
export function ordered(rows: ListRow[], order: Order): ListRow[] {
  const folded = new Map(rows.map((row) => [row, row.name.toLowerCase()]));
  const byName = (a: ListRow, b: ListRow) => {
    const [one, two] = [folded.get(a) ?? "", folded.get(b) ?? ""];
    return one < two ? -1 : one > two ? 1 : 0;
  };
  const compare = {
    name: byName,
    state: (a: ListRow, b: ListRow) => urgency(a) - urgency(b) || byName(a, b),
    tools: (a: ListRow, b: ListRow) => b.tools.length - a.tools.length || byName(a, b),
  }[order];
  return [...rows].sort(compare);
}

/** Whether an inspection found it; else a rule for skills is broken. */
export function isFinding(check: CheckView): boolean {
  return check.severity === "grave" || check.excerpt !== null;
}
