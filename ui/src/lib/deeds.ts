/** What can be done with skills that are here, and with which of their folders. */
import type { AsideRow } from "./bindings/AsideRow";
import type { ChangeRef } from "./bindings/ChangeRef";
import type { CopyRef } from "./bindings/CopyRef";
import type { CopyState } from "./bindings/CopyState";
import type { GoneRow } from "./bindings/GoneRow";
import type { SourceRef } from "./bindings/SourceRef";
import type { ListRow } from "./rows";

/** What a person can ask for. `again` installs what is gone, `forget` takes it off the record. */
export const DEEDS = [
  "copy",
  "install",
  "update",
  "rename",
  "adopt",
  "enable",
  "disable",
  "remove",
  "again",
  "forget",
] as const;
export type Deed = (typeof DEEDS)[number];

/** Why a deed has nothing to do with a folder, or with a whole skill. */
export type Why =
  | "offered"
  | "notPlaced"
  | "placed"
  | "replaced"
  | "nothingNew"
  | "notGone"
  | "notDisabled"
  | "nothingHere"
  | "disabled"
  | "notApproved"
  | "onlyAlone"
  | "severalSkills";

/** One folder that a deed is about; of an offer, the skill that it brings. */
export interface Subject {
  /** Unlike that of any other. */
  key: string;
  name: string;
  /** As a person writes it; of an offer, the label of its server. */
  path: string;
  /** Ids of the tools that see it, or saw it. */
  tools: string[];
  at:
    | { kind: "copy"; id: string }
    | { kind: "gone"; id: string }
    | { kind: "aside"; id: string }
    | { kind: "offer"; id: string; server: string; uri: string };
  /** Of a copy that is here. */
  state: CopyState | null;
  /** It is only changed by itself. */
  alone: boolean;
}

/** A folder, or a skill, that a deed is not about. */
export interface Spared {
  name: string;
  /** Absent for a whole skill. */
  path: string | null;
  why: Why;
}

/** What a deed is about, of what was chosen. */
export interface Choice {
  subjects: Subject[];
  spared: Spared[];
}

/** What of the library is not in its rows. */
export interface Away {
  aside: AsideRow[];
  gone: GoneRow[];
}

/** Why a deed is not about a copy; nothing where it is. */
function notOfCopy(deed: Deed, copy: CopyRef): Why | null {
  switch (deed) {
    case "update":
      if (!copy.placed) return "notPlaced";
      return copy.state === "update" || copy.state === "diverged" ? null : "nothingNew";
    case "remove":
      if (copy.state === "replaced") return "replaced";
      return copy.placed ? null : "notPlaced";
    case "adopt":
      return copy.placed && copy.state !== "replaced" ? "placed" : null;
    default:
      return null;
  }
}

function ofCopy(name: string, copy: CopyRef): Subject {
  return {
    key: `copy ${copy.id}`,
    name,
    path: copy.path,
    tools: copy.tools,
    at: { kind: "copy", id: copy.id },
    state: copy.state,
    alone: copy.userOwned,
  };
}

/** The copy that stands for a skill: the one that was chosen, else the first. */
function first(copies: CopyRef[], copy: string | null): CopyRef | undefined {
  return copies.find(({ id }) => id === copy) ?? copies[0];
}

function ofRow(deed: Deed, row: ListRow, away: Away, copy: string | null): Choice {
  const none = (why: Why): Choice => ({
    subjects: [],
    spared: [{ name: row.name, path: null, why }],
  });
  if (row.offer) {
    const { server, row: offer } = row.offer;
    if (deed !== "install" && deed !== "copy") return none("offered");
    if (offer.standing.kind !== "approved") return none("notApproved");
    const subject: Subject = {
      key: row.key,
      name: offer.name,
      path: row.origin ?? "",
      tools: offer.installedIn,
      at: { kind: "offer", id: offer.uri, server, uri: offer.uri },
      state: null,
      alone: false,
    };
    return { subjects: [subject], spared: [] };
  }
  const copies = row.skill?.copies ?? [];
  // What no tool sees because it was put aside is not simply gone.
  const nowhere: Why = away.aside.some(({ name }) => name === row.name)
    ? "disabled"
    : "nothingHere";
  switch (deed) {
    case "install":
      return none("nothingHere");
    case "copy": {
      const source = first(copies, copy);
      return source
        ? { subjects: [{ ...ofCopy(row.name, source), alone: false }], spared: [] }
        : none(nowhere);
    }
    case "enable": {
      const rows = away.aside.filter(({ name }) => name === row.name);
      if (rows.length === 0) return none("notDisabled");
      const subjects = rows.map(({ id, name, path, tools }): Subject => ({
        key: `aside ${id}`,
        name,
        path,
        tools,
        at: { kind: "aside", id },
        state: null,
        alone: false,
      }));
      return { subjects, spared: [] };
    }
    case "again":
    case "forget": {
      const rows = away.gone.filter(({ name }) => name === row.name);
      if (rows.length === 0) return none("notGone");
      const subjects = rows.map(({ id, name, path, tools, state }): Subject => ({
        key: `gone ${id} ${path}`,
        name,
        path,
        tools,
        at: { kind: "gone", id },
        state,
        alone: false,
      }));
      return { subjects, spared: [] };
    }
    default: {
      if (copies.length === 0) return none(nowhere);
      const choice: Choice = { subjects: [], spared: [] };
      for (const one of copies) {
        const why = notOfCopy(deed, one);
        if (why === null) choice.subjects.push(ofCopy(row.name, one));
        else choice.spared.push({ name: row.name, path: one.path, why });
      }
      return choice;
    }
  }
}

/**
 * The folders that a deed is about, of the rows that were chosen. `copy` is the copy that stands
 * for its skill where only one can.
 */
export function choiceOf(
  deed: Deed,
  rows: ListRow[],
  away: Away,
  copy: string | null = null,
): Choice {
  if (deed === "rename" && rows.length > 1) {
    const spared = rows.map(({ name }): Spared => ({ name, path: null, why: "severalSkills" }));
    return { subjects: [], spared };
  }
  const parts = rows.map((row) => ofRow(deed, row, away, copy));
  const subjects = parts.flatMap((part) => part.subjects);
  const spared = parts.flatMap((part) => part.spared);
  // Among several skills, what lies in somebody's own sources is left out.
  if (rows.length === 1) return { subjects, spared };
  return {
    subjects: subjects.filter(({ alone }) => !alone),
    spared: [
      ...spared,
      ...subjects
        .filter(({ alone }) => alone)
        .map(({ name, path }): Spared => ({ name, path, why: "onlyAlone" })),
    ],
  };
}

/** How many skills a choice is about. */
export function skillsIn(subjects: { name: string }[]): number {
  return new Set(subjects.map(({ name }) => name)).size;
}

/** The reasons of what is spared, each once with how many folders it holds for. */
export function reasons(spared: Spared[]): { why: Why; count: number }[] {
  const counts = new Map<Why, number>();
  for (const { why } of spared) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts].map(([why, count]) => ({ why, count }));
}

/** The skills of which nothing is changed, each once, with its first reason. */
export function leftOut({ subjects, spared }: Choice): Spared[] {
  const seen = new Set(subjects.map(({ name }) => name));
  return spared.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** What places a subject. */
export function sourceOf({ at }: Subject): SourceRef {
  return at.kind === "offer"
    ? { kind: "offer", server: at.server, uri: at.uri }
    : { kind: "copy", id: at.id };
}

/** The change that a deed is, for all but copying, which needs to know where to. */
export function changeOf(
  deed: Deed,
  { at }: Subject,
  more: { take: boolean; to: string },
): ChangeRef | null {
  if (at.kind === "offer") return null;
  const copy = at.id;
  switch (deed) {
    case "update":
      return { kind: "update", copy, onEdited: more.take ? "replace" : "keep" };
    case "again":
      return { kind: "update", copy, onEdited: "keep" };
    case "remove":
    case "forget":
      return { kind: "remove", copy };
    case "disable":
      return { kind: "disable", copy };
    case "enable":
      return { kind: "enable", aside: at.id };
    case "adopt":
      return { kind: "adopt", copy };
    case "rename":
      return { kind: "rename", copy, to: more.to };
    default:
      return null;
  }
}
