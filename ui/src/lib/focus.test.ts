import { afterEach, beforeEach, expect, test } from "vitest";
import { keepFocus } from "./focus";

const turn = (): Promise<void> => new Promise((done) => setTimeout(done, 5));
const by = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
let stop: () => void;

beforeEach(() => {
  document.body.innerHTML =
    '<main id="main" tabindex="-1"><section id="part" tabindex="-1">' +
    '<button id="one">1</button></section><ul id="list"><li id="row"><button id="two">2</button></li></ul></main>';
  stop = keepFocus(() => by("main"));
});

afterEach(() => {
  stop();
  document.body.innerHTML = "";
});

test("what goes leaves the keyboard to what was around it", async () => {
  by("one").focus();
  by("one").remove();
  await turn();
  expect(document.activeElement).toBe(by("part"));
});

test("what is moved keeps the keyboard", async () => {
  by("two").focus();
  by("main").prepend(by("list"));
  await turn();
  expect(document.activeElement).toBe(by("two"));
});

test("where nothing around it is left, the fallback has the keyboard", async () => {
  by("two").focus();
  by("main").outerHTML = '<main id="main" tabindex="-1"></main>';
  await turn();
  expect(document.activeElement).toBe(by("main"));
});

test("who says where the keyboard goes on is obeyed, and so is a click beside everything", async () => {
  by("one").focus();
  by("one").remove();
  by("two").focus();
  await turn();
  expect(document.activeElement).toBe(by("two"));
  document.body.dispatchEvent(new Event("pointerdown", { bubbles: true }));
  by("two").blur();
  by("row").append(document.createElement("p"));
  await turn();
  expect(document.activeElement).toBe(document.body);
});
