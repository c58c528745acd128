/** A machine on which Skillhold has been at work for a while: every state that a placement can have. */
import { imported } from "./bundles";
import { digits, fingerprint, type Files } from "./content";
import { ago, type State } from "./state";
import { md, pathOf, type Copy, type Offer, type Server } from "./world";

const skill = (name: string, description: string, body: string): Files => ({
  "SKILL.md": md(`name: ${name}\ndescription: ${description}`, `\n# ${name}\n\n${body}\n`),
});

const branchNames = skill("branch-names", "Names branches as the team does.", "Use `topic/short`.");
const branchNamesNow: Files = {
  "SKILL.md": (branchNames["SKILL.md"] ?? "").replace("`topic/short`", "`team/topic-short`"),
  "examples.md": "# Examples\n\n- team/login-form\n- team/faster-tests\n",
};
const queryNotes: Files = {
  ...skill("query-notes", "Keeps notes on slow queries.", "One line for each query."),
  "template.md": "# Query\n\n- when\n- how slow\n- why\n",
};
const weekly = skill("weekly-report", "Writes the weekly report.", "Begin with what is done.");
const tidy = skill("tidy-imports", "Sorts imports.", "Leave comments where they are.");
const oldDeploy: Files = {
  ...skill("old-deploy", "Deployed to a machine that is gone.", "Run `make ship`."),
  "scripts/ship.sh": "#!/bin/sh\nset -e\nmake ship\n",
};

const windows = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, is]) => [path, is.replaceAll("\n", "\r\n")]),
  );

/** Fills a fake that has servers and skills already. */
export function keep(state: State): void {
  const sql = state.offer("srv-docs", "skill://sql-explain/SKILL.md").offer;
  const offer = (name: string, files: Files): Offer => ({
    uri: `skill://${name}/SKILL.md`,
    name,
    files,
  });
  const mirror: Server = {
    id: "srv-mirror",
    label: "mirror",
    address: "https://mirror.example/mcp",
    reached: "http",
    enabled: true,
    protocol: "2026-07-28",
    source: "extension",
    notices: [],
    offers: [
      offer("branch-names", branchNamesNow),
      offer("query-notes", queryNotes),
      offer("sql-explain", sql.files),
      offer("tidy-imports", tidy),
    ],
  };
  const samples = ({ reached }: Server) => reached === "samples";
  const others = state.servers.filter((one) => !samples(one));
  state.servers = [...others, mirror, ...state.servers.filter(samples)];
  for (const one of mirror.offers.filter(({ name }) => name !== "sql-explain")) {
    state.decide(mirror, one, { at: ago(one.name === "branch-names" ? 3 : 400) });
  }
  state.server("srv-local").neverInstall = true;
  state.settings = { ...state.settings, approvals: "sameContent" };

  const placed = (
    root: string,
    name: string,
    files: Files,
    source: Files,
    more: Partial<NonNullable<Copy["placed"]>> = {},
  ): Copy => ({
    id: digits(`${root}/${name}`).slice(0, 16),
    name,
    root,
    files,
    placed: {
      origin: "mirror",
      at: ago(390),
      source: fingerprint(source),
      installed: fingerprint(source),
      server: mirror.id,
      uri: `skill://${name}/SKILL.md`,
      ...more,
    },
  });
  state.copies = [
    ...state.copies,
    placed("~/.claude/skills", "branch-names", branchNames, branchNames, { mode: "link" }),
    placed("~/.codex/skills", "query-notes", windows(queryNotes), queryNotes),
  ];
  state.gone = [placed("~/.claude/skills", "tidy-imports", tidy, tidy)];
  const report = placed("~/.claude/skills", "weekly-report", weekly, weekly);
  state.aside = [{ id: "aside-weekly", copy: report, tools: ["claude-code"], at: ago(50) }];
  // The same skill is disabled in one place and there in another.
  const notes = placed("~/.claude/skills", "query-notes", queryNotes, queryNotes);
  state.aside.push({ id: "aside-notes", copy: notes, tools: ["claude-code"], at: ago(49) });

  const older = state.copies.find(({ name }) => name === "sql-explain");
  const before = (older?.files["SKILL.md"] ?? "").replace("Suggest one change", "Suggest changes");
  const deploy = placed("~/.cursor/skills", "old-deploy", oldDeploy, oldDeploy);
  if (older) {
    const files = { ...older.files, "SKILL.md": before };
    state.trashed = [
      { id: "trash-sql", copy: { ...older, files }, at: ago(60), change: "change-gone" },
    ];
  }
  state.trashed.push({ id: "trash-deploy", copy: deploy, at: ago(70), change: "change-removed" });
  state.changes.set("change-removed", {
    before: { ...state.kept(), copies: [...state.copies, deploy], trashed: [] },
    items: [
      {
        name: "old-deploy",
        tool: "cursor",
        path: pathOf(deploy),
        result: "removed",
        error: null,
      },
      {
        name: "weekly-report",
        tool: "claude-code",
        path: pathOf(report),
        result: "disabled",
        error: null,
      },
    ],
  });
  state.log("removed", "old-notes", "from Cursor", { at: ago(900), change: "change-old" });
  state.activity = state.activity.map((row) =>
    row.change === "change-old"
      ? { ...row, stuck: "what it removed is no longer in the trash" }
      : row,
  );
  state.log("several", "2 skills", "Removed old-deploy, disabled weekly-report", {
    at: ago(70),
    change: "change-removed",
  });
  state.log("approved", "branch-names", "from mirror: only the pattern changed, asked Kim", {
    files: branchNamesNow,
    at: ago(3),
  });
  imported(state, "file");
}
