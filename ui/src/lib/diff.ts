/** Which files differ between two copies of a skill. */
import type { FileRow } from "./bindings/FileRow";

/** One path that is in either copy. */
export interface Difference {
  path: string;
  kind: "same" | "changed" | "onlyHere" | "onlyThere";
  here: FileRow | null;
  there: FileRow | null;
}

/** Compares two manifests by path, size and digest, in order of paths. */
export function differences(here: FileRow[], there: FileRow[]): Difference[] {
  const other = new Map(there.map((file) => [file.path, file]));
  const found: Difference[] = here.map((file) => {
    const twin = other.get(file.path);
    other.delete(file.path);
    if (!twin) return { path: file.path, kind: "onlyHere", here: file, there: null };
    const same = twin.size === file.size && twin.digest === file.digest;
    return { path: file.path, kind: same ? "same" : "changed", here: file, there: twin };
  });
  for (const there of other.values()) {
    found.push({ path: there.path, kind: "onlyThere", here: null, there });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
