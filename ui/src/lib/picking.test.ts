import { expect, test } from "vitest";
import { between, toggled } from "./picking";

const KEYS = ["a", "b", "c", "d"];

test("a range goes either way and holds both ends", () => {
  expect(between(KEYS, "b", "d")).toEqual(["b", "c", "d"]);
  expect(between(KEYS, "d", "b")).toEqual(["b", "c", "d"]);
  expect(between(KEYS, "c", "c")).toEqual(["c"]);
});

test("a range from what left the list is the row alone, and to what left it nothing", () => {
  expect(between(KEYS, "gone", "b")).toEqual(["b"]);
  expect(between(KEYS, null, "b")).toEqual(["b"]);
  expect(between(KEYS, "a", "gone")).toEqual([]);
});

test("a row is added, and taken out when it is chosen again", () => {
  const one = toggled(new Set(["a"]), "b");
  expect([...one]).toEqual(["a", "b"]);
  expect([...toggled(one, "a")]).toEqual(["b"]);
});
