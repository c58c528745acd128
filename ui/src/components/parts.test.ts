import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { createRawSnippet } from "svelte";
import { describe, expect, test, vi } from "vitest";
import type { CheckView } from "../lib/bindings/CheckView";
import Button from "./shared/Button.svelte";
import ErrorPlace from "./shared/ErrorPlace.svelte";
import Tabs from "./shared/Tabs.svelte";
import Checks from "./skill/Checks.svelte";
import Diff from "./skill/Diff.svelte";
import FrontMatter from "./skill/FrontMatter.svelte";
import FileView from "./skill/FileView.svelte";
import Manifest from "./skill/Manifest.svelte";
import Requests from "./skill/Requests.svelte";
import Playing from "./Playing.test-part.svelte";

const finding = (severity: CheckView["severity"], message: string): CheckView => ({
  code: "a-code",
  severity,
  message,
  help: "what to do",
  file: "SKILL.md",
  line: 13,
  column: 1,
  excerpt: null,
  fixes: [],
});

describe("a button", () => {
  const words = createRawSnippet(() => ({ render: () => "<span>Approve</span>" }));

  test("that is busy does nothing more", async () => {
    const onclick = vi.fn();
    render(Button, { busy: true, onclick, children: words });
    await userEvent.click(screen.getByRole("button", { name: "Approve" }));
    expect(onclick).not.toHaveBeenCalled();
  });
});

describe("findings", () => {
  test("only grave ones have a tick, and each says which it is", async () => {
    const ontick = vi.fn();
    render(Checks, {
      checks: [finding("grave", "runs what it downloads"), finding("warning", "a comment")],
      onjump: vi.fn(),
      ticked: new Set<number>(),
      ontick,
    });
    const ticks = screen.getAllByRole("checkbox");
    expect(ticks.length).toBe(1);
    await userEvent.click(
      screen.getByRole("checkbox", { name: /I have seen this.*runs what it downloads/ }),
    );
    expect(ontick).toHaveBeenCalledWith(0, true);
  });

  test("lead to their line", async () => {
    const onjump = vi.fn();
    render(Checks, { checks: [finding("error", "wrong")], onjump });
    await userEvent.click(screen.getByRole("button", { name: "SKILL.md:13:1" }));
    expect(onjump).toHaveBeenCalledWith("SKILL.md", 13);
  });
});

test("of an offer that was not inspected nothing is said to hold", () => {
  render(Checks, {
    checks: [],
    onjump: vi.fn(),
    emptyTitle: "Not inspected",
    emptyHint: "Nothing was inspected yet.",
    action: createRawSnippet(() => ({ render: () => "<button>Review…</button>" })),
  });
  expect(screen.queryByText(/Every rule/)).not.toBeInTheDocument();
  expect(screen.getByText("Nothing was inspected yet.")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Review…" })).toBeInTheDocument();
});

test("a file of up to 2,000 lines is drawn whole, a longer one in part", async () => {
  const content = (count: number) => ({
    path: "a.txt",
    size: 1,
    state: { kind: "local" } as const,
    body: {
      kind: "text" as const,
      cut: false,
      lines: Array.from({ length: count }, () => [{ text: "x", role: null }]),
    },
  });
  const { container, rerender } = render(FileView, { content: content(300) });
  const drawn = () => container.querySelectorAll(".line").length;
  expect(drawn()).toBe(300);
  expect(container.querySelector(".wrapped")).not.toBeNull();
  await rerender({ content: content(2_001) });
  expect(drawn()).toBeLessThan(100);
  expect(container.querySelector(".wide")).not.toBeNull();
});

test("what is left out on install is marked at its field", () => {
  const fields = [
    { key: "name", value: "a" },
    { key: "allowed-tools", value: "Bash" },
  ];
  render(FrontMatter, { fields, leftOut: true });
  expect(screen.getAllByText("left out on install").length).toBe(1);
});

test("a diff says added and removed in words too", () => {
  render(Diff, {
    label: "SKILL.md",
    lines: [
      { kind: "same", old: 1, new: 1, text: "---" },
      { kind: "removed", old: 2, new: null, text: "allowed-tools: Bash" },
      { kind: "added", old: null, new: 2, text: "license: MIT" },
    ],
  });
  const text = screen.getByRole("region", { name: "SKILL.md" }).textContent;
  expect(text).toContain("removed: allowed-tools: Bash");
  expect(text).toContain("added: license: MIT");
});

test("a hidden character in a file is spelt out", () => {
  render(FileView, {
    content: {
      path: "SKILL.md",
      size: 5,
      state: { kind: "verified", lineEndingsRestored: false },
      body: { kind: "text", cut: false, lines: [[{ text: "a\u200Bb", role: null }]] },
    },
  });
  expect(screen.getByText("a⟨U+200B⟩b")).toBeInTheDocument();
  expect(screen.getByText("verified")).toBeInTheDocument();
});

test("a file that does not match shows what was expected and what came", () => {
  render(FileView, {
    content: {
      path: "a.sh",
      size: 3,
      state: { kind: "mismatch", expected: "4 bytes, sha256:aa", actual: "3 bytes, sha256:bb" },
      body: { kind: "text", cut: false, lines: [[{ text: "x", role: null }]] },
    },
  });
  expect(screen.getByText("4 bytes, sha256:aa")).toBeInTheDocument();
  expect(screen.getByText("3 bytes, sha256:bb")).toBeInTheDocument();
});

test("requests are drawn out, and none are said to be none", async () => {
  const none = { allowedTools: [], hooks: [], commands: [], addresses: [], outside: [] };
  const { rerender } = render(Requests, { requests: none });
  expect(screen.getByText(/^Nothing: no tools/)).toBeInTheDocument();
  await rerender({ requests: { ...none, allowedTools: ["Bash(git:*)"] } });
  expect(screen.getByText("Bash(git:*)")).toBeInTheDocument();
});

test("an error says what to do and offers to try again", async () => {
  const retry = vi.fn();
  render(ErrorPlace, {
    error: {
      code: "unreachable",
      message: "nothing answers",
      hint: "Start it.",
      causes: ["refused"],
    },
    retry,
  });
  expect(screen.getByRole("alert")).toHaveTextContent("nothing answers");
  expect(screen.getByText("Start it.")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Retry" }));
  expect(retry).toHaveBeenCalledOnce();
});

test("tabs are walked with the arrows, Home and End", async () => {
  const onchoose = vi.fn();
  render(Tabs, {
    id: "t",
    label: "Parts",
    chosen: "b",
    onchoose,
    tabs: ["a", "b", "c"].map((key) => ({ key, label: key })),
  });
  screen.getByRole("tab", { name: "b" }).focus();
  await userEvent.keyboard("{ArrowRight}{Home}{End}{ArrowDown}");
  expect(onchoose.mock.calls.map(([key]) => key)).toEqual(["c", "a", "c"]);
});

test("a link in a skill's text asks the program and leaves the page where it is", async () => {
  const openLink = vi.fn(() => Promise.resolve());
  render(Playing, {
    change: { openLink },
    html: '<p><a data-href="https://example.org/a">one</a> <a href="https://example.org/b">two</a></p>',
  });
  await userEvent.click(screen.getByText("one"));
  await userEvent.click(screen.getByText("two"));
  expect(openLink.mock.calls).toEqual([["https://example.org/a"], ["https://example.org/b"]]);
});

test("a manifest sums up and lists every file", () => {
  const file = (path: string) => ({
    path,
    size: 512,
    digest: `sha256:${"ab".repeat(32)}`,
    state: { kind: "declared" } as const,
  });
  render(Playing, {
    part: Manifest,
    given: {
      name: "pdf",
      manifest: {
        files: [file("SKILL.md"), file("a b#.md")],
        total: 1024,
        fingerprint: "0".repeat(64),
        maxFiles: 512,
        maxBytes: 16_777_216,
      },
    },
  });
  expect(screen.getByText("2 files of at most 512, 1 KB of at most 16 MB")).toBeInTheDocument();
  expect(screen.getByRole("rowheader", { name: "a b#.md" })).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Copy the digest of a b#.md" })).toBeInTheDocument();
});
