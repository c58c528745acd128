import { describe, expect, test } from "vitest";
import { bytes, clock, isSkillName, moment, short, spelt, continued } from "./format";

describe("sizes", () => {
  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1 KB"],
    [1536, "1.5 KB"],
    [217_088, "212 KB"],
    [16_777_216, "16 MB"],
    [5_368_709_120, "5 GB"],
  ])("%i bytes are %s", (count, shown) => {
    expect(bytes(count)).toBe(shown);
  });
});

test("a fingerprint is cut to twelve digits, with or without its prefix", () => {
  expect(short("sha256:0123456789abcdef")).toBe("0123456789ab");
  expect(short("0123456789abcdef")).toBe("0123456789ab");
});

describe("times", () => {
  const now = new Date(2026, 10, 21, 14, 30);

  test("of today are told to the second, others with their day", () => {
    expect(clock(new Date(2026, 10, 21, 9, 5, 7).toISOString(), now)).toBe("09:05:07");
    expect(clock(new Date(2026, 10, 20, 23, 59, 58).toISOString(), now)).toBe("20 Nov 23:59:58");
  });

  test("that are none are shown as they are", () => {
    expect(clock("soon", now)).toBe("soon");
  });
});

describe("moments", () => {
  const now = new Date("2026-11-30T12:00:00Z");

  test.each([
    ["2026-11-30T11:59:30Z", "just now"],
    ["2026-11-30T12:00:05Z", "just now"],
    ["2026-11-30T11:18:00Z", "42 min ago"],
    ["2026-11-30T03:00:00Z", "9 h ago"],
    ["2026-11-02T12:00:00Z", "2 Nov 2026"],
  ])("%s is %s", (at, shown) => {
    expect(moment(at, now)).toBe(shown);
  });

  test("what is no moment is shown as it is", () => {
    expect(moment("yesterday", now)).toBe("yesterday");
  });
});

describe("characters that cannot be seen", () => {
  test("are spelt out", () => {
    expect(spelt("a\u200Bb")).toBe("a⟨U+200B⟩b");
    expect(spelt("\u202Eevil")).toBe("⟨U+202E⟩evil");
    expect(spelt("\u{E0041}")).toBe("⟨U+E0041⟩");
  });

  test("a selector or a joiner that nothing needs is spelt out", () => {
    expect(spelt("a\uFE0Fb\u200Dc")).toBe("a⟨U+FE0F⟩b⟨U+200D⟩c");
  });

  test("ordinary text of any script stays as it is", () => {
    for (const text of [
      "会议 ترجمة naïve\t",
      "می\u200Cخواهم",
      "👩\u200D🔧 ❤\uFE0F 👍🏽 1\uFE0F\u20E3",
    ]) {
      expect(spelt(text)).toBe(text);
    }
  });
});

describe("names of skills", () => {
  test.each(["pdf", "a", "a1-b2", "x".repeat(64)])("%s can be one", (name) => {
    expect(isSkillName(name)).toBe(true);
  });

  test.each(["", "Pdf", "a_b", "-a", "a-", "a--b", "x".repeat(65), "a b", "../a"])(
    "“%s” cannot",
    (name) => {
      expect(isSkillName(name)).toBe(false);
    },
  );
});

test("a sentence does not repeat the heading above it", () => {
  expect(continued("Installed", "installed from Samples into ~/.claude/skills/a")).toBe(
    "from Samples into ~/.claude/skills/a",
  );
  expect(continued("Server removed", "removed, with its approvals")).toBe("with its approvals");
  expect(continued("Undone", "taken back from ~/.claude/skills/a")).toBe(
    "taken back from ~/.claude/skills/a",
  );
  expect(continued("Copied", "copied")).toBe("copied");
});
