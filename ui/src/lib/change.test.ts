import { expect, test } from "vitest";
import { lineChange, type ChangedPiece } from "./change";

/** A line with what differs in brackets. */
const drawn = (line: ChangedPiece[] | undefined): string =>
  (line ?? []).map(({ text, differs }) => (differs ? `[${text}]` : text)).join("");

test("only what differs is set apart", () => {
  const quoted = lineChange(["description: a: b"], ['description: "a: b"']);
  expect(drawn(quoted.before[0])).toBe("description: a: b");
  expect(drawn(quoted.after[0])).toBe('description: ["]a: b["]');
  expect(quoted.unseen).toBe(false);
  const named = lineChange(["name: pdF_x"], ["name: pdf-x"]);
  expect(drawn(named.before[0])).toBe("name: pd[F_]x");
  expect(drawn(named.after[0])).toBe("name: pd[f-]x");
});

test("blanks that go away are drawn", () => {
  expect(drawn(lineChange(["--- \t"], ["---"]).before[0])).toBe("---[·→]");
  expect(drawn(lineChange(["ab\r"], ["ab"]).before[0])).toBe("ab[␍]");
});

test("lines that do not stand against each other are shown whole", () => {
  const { before, after } = lineChange(["tools:", "  - Read"], ["tools: Read"]);
  expect(before.map(drawn)).toEqual(["tools:", "  - Read"]);
  expect(after.map(drawn)).toEqual(["tools: Read"]);
});

test("of lines with little in common only the beginning is the same", () => {
  const { before, after } = lineChange(["name: old"], ["name: completely-different"]);
  expect(drawn(before[0])).toBe("name: [old]");
  expect(drawn(after[0])).toBe("name: [completely-different]");
});

test("characters of two units are not torn apart", () => {
  expect(drawn(lineChange(["a😀"], ["a😁"]).before[0])).toBe("a[😀]");
});

test("very long lines are compared at their beginning", () => {
  const long = "x".repeat(2_000);
  expect(drawn(lineChange([`${long}a`], [`${long}b`]).after[0])).toBe(`${long}[b]`);
});

test("a change that does not show is known as one", () => {
  expect(lineChange(["a"], ["a"]).unseen).toBe(true);
  expect(lineChange([], []).unseen).toBe(true);
});
