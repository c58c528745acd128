import { describe, expect, test } from "vitest";
import type { ComparedFile } from "./bindings/ComparedFile";
import type { LibraryView } from "./bindings/LibraryView";
import type { ServerView } from "./bindings/ServerView";
import { fakeHost } from "./host/fake";
import { fileStanding, nameOf, sideKey, sidesOf, worstFirst, type Known } from "./sides";

const row = (path: string) => ({
  path,
  size: 1,
  digest: `sha256:${"a".repeat(64)}`,
  state: { kind: "local" as const },
});

const file = (path: string, more: Partial<ComparedFile> = {}): ComparedFile => ({
  path,
  left: row(path),
  right: row(path),
  same: false,
  onlyLineEndings: false,
  notKept: null,
  ...more,
});

async function known(): Promise<Known & { library: LibraryView; servers: ServerView[] }> {
  const host = fakeHost({ kept: true });
  const [library, { servers }, trash] = await Promise.all([
    host.library(),
    host.servers(),
    host.trash(),
  ]);
  return { library, servers, trash };
}

describe("the versions of a skill", () => {
  test("are its copies, each as installed where it was placed, what is approved, and the trash", async () => {
    const here = await known();
    const copy = here.library.skills.find(({ name }) => name === "sql-explain")?.copies[0];
    expect(sidesOf("sql-explain", here).map(({ key, of }) => [key, of])).toEqual([
      [`copy ${copy?.id}`, "~/.config/opencode/skills/sql-explain"],
      [`installed ${copy?.id}`, "~/.config/opencode/skills/sql-explain"],
      ["approved srv-docs skill://sql-explain/SKILL.md", "docs-server"],
      ["trashed trash-sql", "~/.config/opencode/skills/sql-explain"],
    ]);
  });

  test("of a copy that is gone, there is what was installed", async () => {
    const here = await known();
    expect(sidesOf("tidy-imports", here).map(({ ref, of }) => [ref.kind, of])).toEqual([
      ["installed", "~/.claude/skills/tidy-imports"],
      ["approved", "mirror"],
    ]);
  });

  test("are nothing where the name is not known", () => {
    expect(sidesOf("nobody", { library: null, servers: [], trash: null })).toEqual([]);
  });
});

test("the skill that a version is of is known wherever the version is from", async () => {
  const here = await known();
  const copy = here.library.skills.find(({ name }) => name === "pdf")?.copies[0]?.id ?? "";
  const gone = here.library.gone[0]?.id ?? "";
  expect(nameOf({ kind: "copy", id: copy }, here)).toBe("pdf");
  expect(nameOf({ kind: "installed", copy: gone }, here)).toBe("tidy-imports");
  const uri = "skill://branch-names/SKILL.md";
  expect(nameOf({ kind: "approved", server: "srv-mirror", uri }, here)).toBe("branch-names");
  expect(nameOf({ kind: "trashed", id: "trash-deploy" }, here)).toBe("old-deploy");
  expect(nameOf({ kind: "trashed", id: "another" }, here)).toBeNull();
});

test("two versions of one copy are two", () => {
  expect(sideKey({ kind: "copy", id: "1" })).not.toBe(sideKey({ kind: "installed", copy: "1" }));
});

describe("a file of two versions", () => {
  test("is the same, differs in its line endings only, differs, or is on one side only", () => {
    expect(fileStanding(file("a", { same: true }))).toBe("same");
    expect(fileStanding(file("a", { onlyLineEndings: true }))).toBe("lineEndings");
    expect(fileStanding(file("a"))).toBe("differs");
    expect(fileStanding(file("a", { right: null }))).toBe("onlyLeft");
    expect(fileStanding(file("a", { left: null }))).toBe("onlyRight");
  });

  test("comes before others where it differs more, else in the order of paths", () => {
    const files = [
      file("a", { same: true }),
      file("b", { onlyLineEndings: true }),
      file("c", { left: null }),
      file("d"),
      file("e", { right: null }),
      file("f"),
    ];
    expect(worstFirst(files).map(({ path }) => path)).toEqual(["d", "f", "b", "e", "c", "a"]);
  });
});
