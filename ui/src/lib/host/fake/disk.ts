/** The skills on the fake's disk, as the program would list them. */
import type { CopyRef } from "../../bindings/CopyRef";
import type { LibraryView } from "../../bindings/LibraryView";
import type { RowState } from "../../bindings/RowState";
import type { SkillDetail } from "../../bindings/SkillDetail";
import type { SkillRow } from "../../bindings/SkillRow";
import type { UnreadFolder } from "../../bindings/UnreadFolder";
import { isFinding } from "../../rows";
import * as content from "./content";
import { RULES, checks, readers, visibility } from "./judging";
import type { State } from "./state";
import { isOn, pathOf, reads, type Copy } from "./world";

/** Ids of the tools that read a root. */
export function seers(state: State, root: string): string[] {
  return state.tools.filter((tool) => reads(tool, root)).map(({ id }) => id);
}

/** Ids of the tools that see a copy. */
function seenBy(state: State, copy: Copy): string[] {
  return copy.project?.tools.filter((id) => state.on(id)) ?? seers(state, copy.root);
}

/** The copies in folders that are read: those of tools that are on, and those that were added. */
function listed(state: State): Copy[] {
  const { folders } = state.settings;
  return state.copies.filter(
    (copy) =>
      seenBy(state, copy).length > 0 || folders.some(({ path }) => copy.root.startsWith(path)),
  );
}

/** Whether a copy is not as it was placed. */
export function drifted(copy: Copy): boolean {
  return copy.placed !== undefined && copy.placed.installed !== content.fingerprint(copy.files);
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
    tools: seenBy(state, copy),
    fingerprint: content.fingerprint(copy.files),
    linked: copy.linked ?? false,
    project: copy.project?.path ?? null,
  };
}

function rows(state: State): SkillRow[] {
  const groups = new Map<string, Copy[]>();
  for (const copy of listed(state)) {
    groups.set(copy.name, [...(groups.get(copy.name) ?? []), copy]);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => {
      const found = group.flatMap(checks);
      const said = found.filter((check) => !isFinding(check));
      const inspected = found.filter(isFinding);
      const main = group[0]?.files["SKILL.md"] ?? "";
      return {
        name,
        description: content.field(main, "description") ?? `Skill: ${name}`,
        tools: state.tools
          .map(({ id }) => id)
          .filter((id) => group.some((copy) => seenBy(state, copy).includes(id))),
        state: rowState(group),
        errors: said.filter(({ severity }) => severity === "error").length,
        warnings: said.filter(({ severity }) => severity === "warning").length,
        grave: inspected.filter(({ severity }) => severity === "grave").length,
        cautions: inspected.filter(({ severity }) => severity === "warning").length,
        copies: group.map((copy) => ref(state, copy)),
      };
    });
}

/** Folders of tools of which nothing else is here. */
function unread(state: State): UnreadFolder[] {
  return state.tools
    .filter(({ detection, chosen }) => detection === "folderOnly" && (chosen ?? null) === null)
    .filter((tool) => !isOn(tool))
    .flatMap(({ id, roots }) =>
      roots.map((path) => ({
        path,
        tools: [id],
        count: state.copies.filter((copy) => copy.root === path).length,
      })),
    )
    .filter(({ path, count }) => count > 0 && seers(state, path).length === 0);
}

export function libraryView(state: State): LibraryView {
  const counted = (tool: string): number =>
    new Set(
      state.copies.filter((copy) => seenBy(state, copy).includes(tool)).map(({ name }) => name),
    ).size;
  return {
    revision: state.revisions.library,
    scanning: false,
    tools: state.tools
      .map((tool) => ({
        id: tool.id,
        name: tool.name,
        monogram: tool.monogram,
        detection: tool.detection,
        count: counted(tool.id),
        roots: tool.roots,
        installRoot: tool.roots[0] ?? "",
        on: isOn(tool),
        chosen: tool.chosen ?? null,
        placed: tool.placed ?? false,
        overridden: tool.own !== undefined,
      }))
      .sort((a, b) => Number(a.detection === "notFound") - Number(b.detection === "notFound")),
    skills: rows(state),
    uninspected: 0,
    problems: state.empty ? [] : [{ path: "/etc/codex/skills", message: "permission denied" }],
    unread: unread(state),
  };
}

export function skillDetail(state: State, copy: Copy): SkillDetail {
  const main = copy.files["SKILL.md"] ?? "";
  const group = listed(state).filter(({ name }) => name === copy.name);
  const { placed } = copy;
  return {
    id: copy.id,
    name: copy.name,
    description: content.field(main, "description") ?? `Skill: ${copy.name}`,
    path: pathOf(copy),
    tools: seenBy(state, copy),
    state: rowState(group),
    frontMatter: content.fields(main),
    html: content.rendered(main),
    requests: content.requests(copy.files),
    manifest: content.manifest(copy.files, () => ({ kind: "local" })),
    manifestProblem: null,
    checks: checks(copy),
    rules: RULES,
    readers: readers(copy),
    visibility: visibility(state, group),
    writable: !copy.readOnly,
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
