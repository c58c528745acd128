import { expect, test } from "vitest";
import { aroundToken, withToken } from "./snippet";

test("the token goes where its word stands alone, and nowhere else", () => {
  const snippet = 'env = "SKILLHOLD_TOKEN"\nheader = "Bearer TOKEN"\n';
  expect(withToken(snippet, "abc")).toBe('env = "SKILLHOLD_TOKEN"\nheader = "Bearer abc"\n');
  expect(aroundToken(snippet)).toEqual(['env = "SKILLHOLD_TOKEN"\nheader = "Bearer ', '"\n']);
});

test("a token with signs that mean something in replacements is put in as it is", () => {
  expect(withToken("a TOKEN b TOKEN", "$&$1")).toBe("a $&$1 b $&$1");
});

test("settings without its word are in one part", () => {
  expect(aroundToken("TOKENS and TOKEN_FILE")).toEqual(["TOKENS and TOKEN_FILE"]);
});
