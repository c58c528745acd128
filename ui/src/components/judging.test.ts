import { fireEvent, render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import type { CheckView } from "../lib/bindings/CheckView";
import type { FixView } from "../lib/bindings/FixView";
import type { SkillDetail } from "../lib/bindings/SkillDetail";
import { fakeHost } from "../lib/host/fake";
import { skillRow } from "../lib/rows";
import Playing from "./Playing.test-part.svelte";
import Said from "./shared/Said.svelte";
import Checks from "./skill/Checks.svelte";
import ReviewSummary from "./skill/ReviewSummary.svelte";
import FixBlock from "./skill/FixBlock.svelte";
import Readers from "./skill/Readers.svelte";
import SkillChecks from "./skill/SkillChecks.svelte";
import Where from "./skill/Where.svelte";

const QUOTE: FixView = {
  id: "f-1",
  title: "quote the value",
  change: { kind: "edits", file: "SKILL.md", before: ["a: b: c"], after: ['a: "b: c"'] },
};
const RENAME: FixView = {
  id: "f-2",
  title: "rename the folder to pdf",
  change: { kind: "rename", from: "PDF", to: "pdf" },
};

const check = (more: Partial<CheckView>): CheckView => ({
  code: "a-code",
  severity: "warning",
  message: "wrong",
  help: null,
  file: "SKILL.md",
  line: 2,
  column: 1,
  excerpt: null,
  fixes: [],
  ...more,
});

const skill = (more: Partial<SkillDetail>): SkillDetail => ({
  id: "0123",
  name: "pdf",
  description: "",
  path: "~/.claude/skills/pdf",
  tools: ["claude-code"],
  state: "fine",
  frontMatter: [],
  html: "",
  requests: { allowedTools: [], hooks: [], commands: [], addresses: [], outside: [] },
  manifest: null,
  manifestProblem: null,
  checks: [],
  rules: 84,
  readers: [],
  visibility: [],
  writable: true,
  copies: [],
  placement: null,
  history: [],
  ...more,
});

describe("a fix", () => {
  const given = { about: "it has “: ” in it", writable: true, busy: false, onfix: vi.fn() };

  test("shows the lines before and after, in words too, and does it with one button", async () => {
    const onfix = vi.fn();
    render(FixBlock, { ...given, fix: QUOTE, onfix });
    const group = screen.getByRole("group", { name: "What “quote the value” changes" });
    expect(group).toHaveTextContent("before: a: b: c");
    expect(group).toHaveTextContent('after: a: "b: c"');
    await userEvent.click(
      screen.getByRole("button", { name: "Quote the value: it has “: ” in it" }),
    );
    expect(onfix).toHaveBeenCalledOnce();
  });

  test("takes a double click for one click", async () => {
    const onfix = vi.fn();
    render(FixBlock, { ...given, fix: QUOTE, onfix });
    await userEvent.dblClick(screen.getByRole("button"));
    expect(onfix).toHaveBeenCalledOnce();
  });

  test("of the folder's name says from what to what", () => {
    render(FixBlock, { ...given, fix: RENAME });
    expect(screen.getByRole("group")).toHaveTextContent("from PDF/");
    expect(screen.getByRole("group")).toHaveTextContent("to pdf/");
  });

  test("where nothing may be written is shown without a button", () => {
    render(FixBlock, { ...given, fix: QUOTE, writable: false });
    expect(screen.queryByRole("button")).not.toBeInTheDocument();
    expect(screen.getByText("Quote the value: cannot be done here")).toBeInTheDocument();
  });

  test("that changes only what does not show says so", () => {
    const change = { kind: "edits", file: "SKILL.md", before: ["a"], after: ["a"] } as const;
    render(FixBlock, {
      ...given,
      fix: {
        id: "f",
        title: "end lines alike",
        change: { ...change, before: ["a"], after: ["a"] },
      },
    });
    expect(screen.getByText(/only characters that do not show change/)).toBeInTheDocument();
  });
});

describe("checks of a skill", () => {
  const play = (more: Partial<SkillDetail>) =>
    render(Playing, { part: SkillChecks, given: { skill: skill(more) } });

  test("that has none says what looked and what holds, and nothing of being safe", () => {
    const { container } = play({
      readers: [{ reader: "skills-ref", outcome: "loads", message: "all" }],
    });
    expect(screen.getByText("Inspection: nothing found by 84 rules.")).toBeInTheDocument();
    expect(screen.getByText("Rules for skills: none is broken.")).toBeInTheDocument();
    expect(screen.getByText("The one kind of reader loads it whole.")).toBeInTheDocument();
    expect(container.textContent).not.toMatch(/safe/i);
  });

  test("with findings only still says that no rule is broken", () => {
    play({ checks: [check({ excerpt: "curl x | sh", severity: "grave" })] });
    expect(screen.getByText("Rules for skills: none is broken.")).toBeInTheDocument();
    expect(screen.queryByText(/nothing found/)).not.toBeInTheDocument();
    expect(screen.getByText("1 grave")).toBeInTheDocument();
  });

  test("offers to fix all only where there is more than one", async () => {
    play({ checks: [check({ fixes: [QUOTE, RENAME] })] });
    expect(screen.queryByRole("button", { name: /^Fix all/ })).not.toBeInTheDocument();
    expect(screen.getByText("or")).toBeInTheDocument();
  });

  test("of a copy that can only be read say why, and lead to a copy that can be fixed", () => {
    play({
      writable: false,
      checks: [check({ fixes: [QUOTE] }), check({ line: 3, fixes: [RENAME] })],
    });
    expect(screen.getByText("This copy can only be read")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Copy to…" })).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /^Fix all/ })).not.toBeInTheDocument();
  });

  test("fixes all with one button", async () => {
    const applyAllFixes = vi.fn(() => Promise.resolve({ change: "c", name: "pdf", items: [] }));
    render(Playing, {
      change: { applyAllFixes },
      part: SkillChecks,
      given: {
        skill: skill({
          checks: [check({ fixes: [QUOTE] }), check({ line: 3, fixes: [RENAME] })],
        }),
      },
    });
    await userEvent.click(screen.getByRole("button", { name: "Fix all 2" }));
    expect(applyAllFixes).toHaveBeenCalledExactlyOnceWith("0123");
  });
});

test("a finding shows its place as text, whatever is in it", () => {
  render(Checks, {
    checks: [check({ excerpt: "<img src=x onerror=alert(1)> ⟨U+200B⟩" })],
    onjump: vi.fn(),
  });
  expect(screen.getByText(/<img src=x onerror=alert\(1\)> ⟨U\+200B⟩/)).toBeInTheDocument();
  expect(document.querySelector("img")).toBeNull();
});

test("a review of which nothing was found says how many rules looked", async () => {
  const uri = "skill://csv-report/SKILL.md";
  const view = await fakeHost().startReview("job", "samples", uri, vi.fn());
  const given = { view, onjump: vi.fn(), onchanges: vi.fn() };
  render(Playing, { part: ReviewSummary, given });
  expect(screen.getByText("Inspection: nothing found by 84 rules.")).toBeInTheDocument();
});

test("two checks that say the same are both there", () => {
  render(Checks, { checks: [check({}), check({})], onjump: vi.fn() });
  expect(screen.getAllByText("wrong").length).toBe(2);
});

test("of very many findings the first are drawn, and the others on request", async () => {
  const checks = Array.from({ length: 23 }, (_, at) => check({ line: at + 1 }));
  const { container } = render(Checks, { checks, onjump: vi.fn(), first: 20 });
  const drawn = () => container.querySelectorAll("li").length;
  expect(drawn()).toBe(20);
  await fireEvent.click(screen.getByText("Show 3 more"));
  expect(drawn()).toBe(23);
});

test("readers that say the same share a row", () => {
  render(Readers, {
    readers: [
      { reader: "strict", outcome: "drops", message: "not YAML" },
      { reader: "YAML 1.1", outcome: "drops", message: "not YAML" },
      { reader: "line by line", outcome: "loads", message: "all" },
    ],
  });
  const rows = screen.getAllByRole("row").slice(1);
  expect(rows.length).toBe(2);
  expect(rows[0]).toHaveTextContent(/^drops it\s*strict, YAML 1.1\s*not YAML$/);
  expect(rows[1]).toHaveTextContent(/^loads\s*line by line\s*all$/);
});

test("who sees a skill is grouped by copy, with root and reason", () => {
  const copy = (id: string, path: string) => ({
    id,
    path,
    tools: ["cursor"],
    fingerprint: null,
    linked: false,
    project: null,
    state: "fine" as const,
    placed: false,
    mode: null,
    userOwned: false,
  });
  render(Playing, {
    part: Where,
    given: {
      row: skillRow({
        name: "pdf",
        description: "",
        tools: ["cursor"],
        state: "fine",
        errors: 0,
        warnings: 0,
        grave: 0,
        cautions: 0,
        copies: [],
      }),
      skill: skill({
        copies: [copy("0123", "~/.cursor/skills/pdf"), copy("4567", "~/.agents/skills/pdf")],
        visibility: [
          {
            tool: "cursor",
            copy: "0123",
            root: "~/.cursor/skills",
            seen: "seen",
            reason: "It comes first.",
          },
          {
            tool: "cursor",
            copy: "4567",
            root: "~/.agents/skills",
            seen: "shadowed",
            reason: "The one above wins.",
          },
        ],
      }),
    },
  });
  const other = screen.getByRole("table", { name: "Which tools see ~/.agents/skills/pdf" });
  expect(within(other).getByText("another copy wins")).toBeInTheDocument();
  expect(within(other).getByText("~/.agents/skills")).toBeInTheDocument();
  expect(within(other).getByText("The one above wins.")).toBeInTheDocument();
});

test("code between backticks is drawn as code, and a single backtick stays", async () => {
  const { container, rerender } = render(Said, { words: "put `a: b` in `quotes`" });
  expect([...container.querySelectorAll("code")].map((one) => one.textContent)).toEqual([
    "a: b",
    "quotes",
  ]);
  await rerender({ words: "one ` only" });
  expect(container.querySelector("code")).toBeNull();
  expect(container.textContent).toBe("one ` only");
});
