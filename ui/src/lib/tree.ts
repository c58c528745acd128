/** The files of a skill as the rows of a tree. */
import type { FileRow } from "./bindings/FileRow";

/** A folder or a file, at its depth. */
export interface TreeRow {
  path: string;
  name: string;
  depth: number;
  file: FileRow | null;
}

/** Folders before their content, in the order of the paths; what lies in a closed folder is left out. */
export function treeRows(files: FileRow[], closed: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const seen = new Set<string>();
  const ordered = [...files].sort((a, b) => {
    const main = Number(b.path === "SKILL.md") - Number(a.path === "SKILL.md");
    return main !== 0 ? main : a.path < b.path ? -1 : 1;
  });
  for (const file of ordered) {
    const parts = file.path.split("/");
    let hidden = false;
    for (let depth = 0; depth < parts.length - 1 && !hidden; depth += 1) {
      const path = parts.slice(0, depth + 1).join("/");
      if (!seen.has(path)) {
        seen.add(path);
        rows.push({ path, name: parts[depth] ?? "", depth, file: null });
      }
      hidden = closed.has(path);
    }
    if (!hidden) {
      rows.push({
        path: file.path,
        name: parts.at(-1) ?? "",
        depth: parts.length - 1,
        file,
      });
    }
  }
  return rows;
}
