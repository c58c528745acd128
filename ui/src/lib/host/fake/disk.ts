/** The skills on the fake's disk, as the program would list them. */
import type { CheckView } from "../../bindings/CheckView";
import type { CopyRef } from "../../bindings/CopyRef";
import type { LibraryView } from "../../bindings/LibraryView";
import type { RowState } from "../../bindings/RowState";
import type { SkillDetail } from "../../bindings/SkillDetail";
import type { SkillRow } from "../../bindings/SkillRow";
import * as content from "./content";
import type { State } from "./state";
import type { Copy } from "./world";

/** Ids of the tools that read a root. */
export function seers(state: State, root: string): string[] {
  return state.tools
    .filter((tool) => tool.detection !== "notFound" && tool.roots.includes(root))
    .map(({ id }) => id);
}

export function pathOf(copy: Copy): string {
  return `${copy.root}/${copy.name}`;
}

/** Whether a copy is not as it was placed. */
export function drifted(copy: Copy): boolean {
  return copy.placed !== undefined && copy.placed.installed !== content.fingerprint(copy.files);
}

function checks(copy: Copy): CheckView[] {
  const found: CheckView[] = [];
  const lines = (copy.files["SKILL.md"] ?? "").split("\n");
  const at = lines.findIndex((line) => /^description: [^"]*: /.test(line));
  if (at >= 0) {
    found.push({
      code: "yaml-colon",
      severity: "error",
      message: "a value with “: ” in it is not quoted, so the front matter is not valid YAML",
      help: "Put the description in double quotes.",
      file: "SKILL.md",
      line: at + 1,
      column: (lines[at] ?? "").indexOf(": ", 13) + 1,
    });
  }
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(copy.name)) {
    found.push({
      code: "name-characters",
      severity: "error",
      message: `the name “${copy.name}” has characters other than a–z, 0–9 and hyphens`,
      help: "Rename the folder and the field, as in deploy-staging.",
      file: "SKILL.md",
      line: 2,
      column: 7,
    });
  }
  return [...found, ...content.findings(copy.files)];
}

function rowState(group: Copy[]): RowState {
  if (group.some((copy) => checks(copy).some(({ severity }) => severity === "error"))) {
    return "invalid";
  }
  if (group.some(drifted)) return "edited";
  const prints = new Set(group.map((copy) => content.fingerprint(copy.files)));
  return prints.size > 1 ? "diverged" : "fine";
}

function ref(state: State, copy: Copy): CopyRef {
  return {
    id: copy.id,
    path: pathOf(copy),
    tools: seers(state, copy.root),
    fingerprint: content.fingerprint(copy.files),
    linked: copy.linked ?? false,
  };
}

function rows(state: State): SkillRow[] {
  const groups = new Map<string, Copy[]>();
  for (const copy of state.copies) {
    groups.set(copy.name, [...(groups.get(copy.name) ?? []), copy]);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => {
      const found = group.flatMap(checks);
      const main = group[0]?.files["SKILL.md"] ?? "";
      return {
        name,
        description: content.field(main, "description") ?? `Skill: ${name}`,
        tools: state.tools
          .map(({ id }) => id)
          .filter((id) => group.some((copy) => seers(state, copy.root).includes(id))),
        state: rowState(group),
        errors: found.filter(({ severity }) => severity === "error" || severity === "grave").length,
        warnings: found.filter(({ severity }) => severity === "warning").length,
        copies: group.map((copy) => ref(state, copy)),
      };
    });
}

export function libraryView(state: State): LibraryView {
  const counted = (tool: string): number =>
    new Set(
      state.copies.filter((copy) => seers(state, copy.root).includes(tool)).map(({ name }) => name),
    ).size;
  return {
    revision: state.revisions.library,
    scanning: false,
    tools: state.tools
      .map(({ id, name, monogram, detection, roots }) => ({
        id,
        name,
        monogram,
        detection,
        count: counted(id),
        roots,
        installRoot: roots[0] ?? "",
      }))
      .sort((a, b) => Number(a.detection === "notFound") - Number(b.detection === "notFound")),
    skills: rows(state),
    problems: state.empty ? [] : [{ path: "/etc/codex/skills", message: "permission denied" }],
  };
}

export function skillDetail(state: State, copy: Copy): SkillDetail {
  const main = copy.files["SKILL.md"] ?? "";
  const group = state.copies.filter(({ name }) => name === copy.name);
  const { placed } = copy;
  return {
    id: copy.id,
    name: copy.name,
    description: content.field(main, "description") ?? `Skill: ${copy.name}`,
    path: pathOf(copy),
    tools: seers(state, copy.root),
    state: rowState(group),
    frontMatter: content.fields(main),
    html: content.rendered(main),
    requests: content.requests(copy.files),
    manifest: content.manifest(copy.files, () => ({ kind: "local" })),
    manifestProblem: null,
    checks: checks(copy),
    copies: group.map((one) => ref(state, one)),
    placement: placed
      ? {
          drift: drifted(copy) ? "edited" : "inSync",
          origin: placed.origin,
          at: placed.at,
          sourceFingerprint: placed.source,
          installedFingerprint: placed.installed,
        }
      : null,
    history: state.activity.filter(({ subject }) => subject === copy.name),
  };
}
