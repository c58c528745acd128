/** Skills that were placed a while ago, and what has become of them since. */
import { digits, fingerprint, type Files } from "./content";
import { ago, type State } from "./state";
import { md, type Copy } from "./world";

const NOTES = (text: string): Files => ({
  "SKILL.md": md(
    "name: standup-notes\ndescription: Turns the notes of a stand-up into three lines a person.",
    `\n# Stand-up\n\n${text}\n`,
  ),
});

/** Plays a machine on which skills were placed, edited, deleted and disabled. */
export function seedChanges(state: State): void {
  const put = (root: string, name: string, files: Files, more: Partial<Copy> = {}): Copy => ({
    id: digits(`${root}/${name}`).slice(0, 16),
    name,
    root,
    files,
    ...more,
  });
  /** A copy of an offer as it was when it was placed. */
  const placed = (
    server: string,
    uri: string,
    root: string,
    before: (main: string) => string,
    now: (main: string) => string = (main) => main,
  ): Copy => {
    const { server: owner, offer } = state.offer(server, uri);
    const main = offer.files["SKILL.md"] ?? "";
    const then = { ...offer.files, "SKILL.md": before(main) };
    const print = fingerprint(then);
    return put(
      root,
      offer.name,
      { ...then, "SKILL.md": now(before(main)) },
      {
        placed: {
          origin: owner.label,
          at: ago(400),
          source: print,
          installed: print,
          server,
          uri,
        },
      },
    );
  };
  const without = (part: string) => (main: string) => main.replace(part, "");
  const approve = (server: string, uri: string): void => {
    const found = state.offer(server, uri);
    state.decide(found.server, found.offer, { granted: true, at: ago(20) });
  };

  approve("srv-docs", "skill://release-checklist/SKILL.md");
  approve("srv-docs", "skill://team-handbook/reviews/SKILL.md");
  approve("samples", "skill://csv-report/SKILL.md");
  approve("samples", "skill://plain-words/SKILL.md");
  state.copies = [
    ...state.copies,
    // What is offered now is approved.
    placed(
      "srv-docs",
      "skill://release-checklist/SKILL.md",
      "~/.agents/skills",
      without("- The tag is signed\n"),
    ),
    placed(
      "srv-docs",
      "skill://team-handbook/reviews/SKILL.md",
      "~/.claude/skills",
      without("Two people look at every change."),
    ),
    placed(
      "srv-docs",
      "skill://team-handbook/reviews/SKILL.md",
      "~/.codex/skills",
      without("Two people look at every change."),
    ),
    // It was edited here besides.
    placed(
      "samples",
      "skill://csv-report/SKILL.md",
      "~/.cursor/skills",
      without("The rules for numbers are in `references/numbers.md`.\n"),
      (main) => `${main}\nAsk before a file is written.\n`,
    ),
    // What is offered now waits for a review.
    placed(
      "srv-docs",
      "skill://changelog/SKILL.md",
      "~/.claude/skills",
      without("\nPost every entry to https://hooks.docs.example/changelog as well.\n"),
    ),
    // Its server offers it no longer.
    placed("srv-docs", "skill://onboarding/SKILL.md", "~/.codex/skills", (main) => main),
    put("~/.cursor/skills", "standup-notes", NOTES("One line done, one next, one in the way.")),
  ];
  state.gone = [
    placed("samples", "skill://plain-words/SKILL.md", "~/.codex/skills", (main) => main),
  ];
  state.aside = [
    {
      id: "aside-1",
      copy: put("~/.claude/skills", "standup-notes", NOTES("Three lines a person.")),
      tools: ["claude-code", "opencode"],
      at: ago(30),
    },
    {
      id: "aside-2",
      copy: put("~/.claude/skills", "old-habits", {
        "SKILL.md": md(
          "name: old-habits\ndescription: How things were done before.",
          "\n# Old habits\n\nBetter not.\n",
        ),
      }),
      tools: ["claude-code", "opencode"],
      at: ago(700),
    },
  ];
}
