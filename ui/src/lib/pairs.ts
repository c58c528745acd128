/** Rows of names and values as a person edits them. */
import type { NamedValue } from "./bindings/NamedValue";

export interface Pair {
  /** Tells rows apart while they are edited. */
  key: number;
  name: string;
  value: string;
  /** There is a value already, which is not known here; nothing typed keeps it. */
  kept: boolean;
}

let next = 0;

/** A new row; one whose value is kept has its name fixed. */
export function pair(name = "", kept = false): Pair {
  next += 1;
  return { key: next, name, value: "", kept };
}

/** What the program is told; rows without a name and a value say nothing. */
export function named(pairs: Pair[]): NamedValue[] {
  return pairs
    .filter(({ name, value, kept }) => kept || name.trim() !== "" || value !== "")
    .map(({ name, value, kept }) => ({
      name: name.trim(),
      value: kept && value === "" ? null : value,
    }));
}
