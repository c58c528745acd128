import { describe, expect, test } from "vitest";
import { isTyping, pressed, step, type KeyPress } from "./keys";

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

describe("combinations", () => {
  test("mod is Ctrl or ⌘", () => {
    expect(pressed(press("z", { ctrlKey: true }), "mod+z")).toBe(true);
    expect(pressed(press("z", { metaKey: true }), "mod+z")).toBe(true);
    expect(pressed(press("z"), "mod+z")).toBe(false);
  });

  test("redo is not undo", () => {
    expect(pressed(press("Z", { ctrlKey: true, shiftKey: true }), "mod+z")).toBe(false);
  });

  test("a sign may need Shift to be typed", () => {
    expect(pressed(press("?", { shiftKey: true }), "?")).toBe(true);
    expect(pressed(press("/"), "/")).toBe(true);
    expect(pressed(press("/", { ctrlKey: true }), "/")).toBe(false);
  });
});

describe("steps through a list", () => {
  test.each([
    ["ArrowDown", 0, 1],
    ["ArrowDown", 9, 9],
    ["ArrowDown", -1, 0],
    ["ArrowUp", 0, 0],
    ["ArrowUp", -1, 0],
    ["Home", 5, 0],
    ["End", 5, 9],
    ["PageDown", 2, 6],
    ["PageDown", 8, 9],
    ["PageUp", 2, 0],
  ])("%s at %i leads to %i", (key, at, to) => {
    expect(step(key, at, 10, 4)).toBe(to);
  });

  test("other keys and empty lists lead nowhere", () => {
    expect(step("x", 0, 10, 4)).toBeNull();
    expect(step("ArrowDown", -1, 0, 4)).toBeNull();
  });
});

test("typing goes into fields, not into ticks", () => {
  const field = document.createElement("input");
  const tick = document.createElement("input");
  tick.type = "checkbox";
  expect(isTyping(field)).toBe(true);
  expect(isTyping(tick)).toBe(false);
  expect(isTyping(document.body)).toBe(false);
});
