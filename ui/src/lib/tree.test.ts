import { expect, test } from "vitest";
import type { FileRow } from "./bindings/FileRow";
import { treeRows } from "./tree";

const file = (path: string): FileRow => ({
  path,
  size: 1,
  digest: `sha256:a`,
  state: { kind: "local" },
});

test("SKILL.md comes first and folders stand above what is in them", () => {
  const rows = treeRows(
    [file("LICENSE"), file("SKILL.md"), file("a/b/c.md"), file("a/d.md")],
    new Set(),
  );
  expect(rows.map(({ path, depth }) => [path, depth])).toEqual([
    ["SKILL.md", 0],
    ["LICENSE", 0],
    ["a", 0],
    ["a/b", 1],
    ["a/b/c.md", 2],
    ["a/d.md", 1],
  ]);
});

test("a closed folder hides everything below it", () => {
  const rows = treeRows([file("a/b/c.md"), file("a/d.md"), file("e.md")], new Set(["a"]));
  expect(rows.map(({ path }) => path)).toEqual(["a", "e.md"]);
});
