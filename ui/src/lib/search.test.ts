import { expect, test } from "vitest";
import { search } from "./search";

const rows = [
  { name: "api-design", description: "Designs interfaces for PDF services" },
  { name: "fill-pdf", description: "Fills forms" },
  { name: "pdf", description: "Reads files" },
  { name: "pdf-merge", description: "Merges" },
  { name: "resume", description: "Writes a résumé" },
];
const names = (query: string) => search(rows, query).map(({ name }) => name);

test("a blank query keeps every row in its order", () => {
  expect(names("  ")).toEqual(["api-design", "fill-pdf", "pdf", "pdf-merge", "resume"]);
});

test("the name itself comes first, then its beginning, then a word in it, then the description", () => {
  expect(names("pdf")).toEqual(["pdf", "pdf-merge", "fill-pdf", "api-design"]);
});

test("every word has to occur, in name or description", () => {
  expect(names("pdf fills")).toEqual(["fill-pdf"]);
  expect(names("pdf zebra")).toEqual([]);
});

test("case and accents make no difference", () => {
  expect(names("RESUME")).toEqual(["resume"]);
  expect(names("résumé")).toEqual(["resume"]);
});
