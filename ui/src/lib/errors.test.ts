import { expect, test } from "vitest";
import { asError } from "./errors";

test("an error of the program stays as it is", () => {
  const error = { code: "disk", message: "no", hint: "try", causes: ["why"] };
  expect(asError(error)).toEqual(error);
});

test("plain strings and exceptions become errors of Skillhold's own", () => {
  expect(asError("not allowed")).toEqual({
    code: "internal",
    message: "not allowed",
    hint: null,
    causes: [],
  });
  expect(asError(new Error("broken")).message).toBe("broken");
});
