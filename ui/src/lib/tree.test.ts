import { expect, test } from "vitest";
import type { FileRow } from "./bindings/FileRow";
import { differences } from "./diff";
import { treeRows } from "./tree";

const file = (path: string, digest = "a", size = 1): FileRow => ({
  path,
  size,
  digest: `sha256:${digest}`,
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

test("two copies are compared by path, size and digest", () => {
  expect(
    differences(
      [file("SKILL.md"), file("a.md", "x"), file("mine.md")],
      [file("SKILL.md"), file("a.md", "y"), file("other.md")],
    ).map(({ path, kind, here, there }) => [path, kind, here?.digest, there?.digest]),
  ).toEqual([
    ["SKILL.md", "same", "sha256:a", "sha256:a"],
    ["a.md", "changed", "sha256:x", "sha256:y"],
    ["mine.md", "onlyHere", "sha256:a", undefined],
    ["other.md", "onlyThere", undefined, "sha256:a"],
  ]);
});
