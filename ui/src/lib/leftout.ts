/** What a sentence about something that is not shared leads to. */

/** A sentence, taken apart. */
export interface LeftOut {
  /** The skill that it is about; absent where it is about something else. */
  name: string | null;
  /** Where the reason is shown. */
  tab: "checks" | "where";
}

/** Finds the skill in a sentence as in `the skill "notes" is left out: …`. */
export function leftOut(sentence: string): LeftOut {
  const path = /\bthe skill ["“]([^"”]+)["”]/.exec(sentence)?.[1] ?? null;
  const several = /more than one folder|differ/.test(sentence);
  return { name: path?.split("/").at(-1) ?? null, tab: several ? "where" : "checks" };
}
