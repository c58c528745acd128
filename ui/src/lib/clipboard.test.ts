import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { copyLater } from "./clipboard";

const writeText = vi.fn<(text: string) => Promise<void>>(() => Promise.resolve());
const write = vi.fn(async (items: { data: Record<string, Promise<Blob>> }[]) => {
  await items[0]?.data["text/plain"];
});

class Item {
  constructor(readonly data: Record<string, Promise<Blob>>) {}
}

beforeEach(() => {
  vi.stubGlobal("navigator", { clipboard: { writeText, write } });
});

afterEach(() => {
  vi.unstubAllGlobals();
  writeText.mockClear();
  write.mockClear();
});

test("the clipboard is asked at once, and what is copied follows", async () => {
  vi.stubGlobal("ClipboardItem", Item);
  let come: (text: string) => void = () => undefined;
  const done = copyLater(new Promise((found) => (come = found)));
  expect(write).toHaveBeenCalledOnce();
  come("secret");
  await done;
  const blob = await write.mock.calls[0]?.[0][0]?.data["text/plain"];
  expect(blob?.size).toBe(6);
  expect(blob?.type).toBe("text/plain");
});

test("what could not be had is the reason that is given", async () => {
  vi.stubGlobal("ClipboardItem", Item);
  await expect(copyLater(Promise.reject(new Error("locked")))).rejects.toThrow("locked");
});

test("where nothing can be promised, it is written once it is there", async () => {
  vi.stubGlobal("ClipboardItem", undefined);
  await copyLater(Promise.resolve("secret"));
  expect(writeText).toHaveBeenCalledExactlyOnceWith("secret");
});
