import { expect, test } from "vitest";
import { leftOut } from "./leftout";

test("a sentence about a skill leads to it and to where the reason is", () => {
  expect(leftOut('the skill "notes" is left out: it breaks a rule')).toEqual({
    name: "notes",
    tab: "checks",
  });
  expect(
    leftOut(
      'the skill "team/notes" is left out: it is in more than one folder, and they differ: a, b',
    ),
  ).toEqual({ name: "notes", tab: "where" });
});

test("a sentence about something else leads nowhere", () => {
  expect(leftOut("root 2 is left out: permission denied").name).toBeNull();
});
