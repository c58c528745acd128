/** The skills on the fake's disk, as the program would list them. */
import type { CopyRef } from "../../bindings/CopyRef";
import type { CopyState } from "../../bindings/CopyState";
import type { LibraryView } from "../../bindings/LibraryView";
import type { ReadsLinks } from "../../bindings/ReadsLinks";
import type { RowState } from "../../bindings/RowState";
import type { SkillDetail } from "../../bindings/SkillDetail";
import type { SkillRow } from "../../bindings/SkillRow";
import type { UnreadFolder } from "../../bindings/UnreadFolder";
import { isFinding } from "../../rows";
import * as content from "./content";
import { RULES, checks, readers, visibility } from "./judging";
import type { Files } from "./content";
import type { Aside, State } from "./state";
import { isOn, pathOf, reads, type Copy } from "./world";

/** What is known of tools and links. */
const LINKS: Record<string, ReadsLinks> = { "claude-code": "reads", goose: "ignores" };

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

/** Whether a copy would be as it was placed but for the ends of its lines. */
function onlyLineEndings(copy: Copy): boolean {
  const files = Object.entries(copy.files).map(([path, is]) => [path, is.replaceAll("\r\n", "\n")]);
  return copy.placed?.installed === content.fingerprint(Object.fromEntries(files) as Files);
}

/** What its server has now, if a copy came from one. */
function offered(state: State, copy: Copy): Files | "gone" | null {
  const { server, uri } = copy.placed ?? {};
  const owner = state.servers.find(({ id }) => id === server);
  if (!owner || owner.error || !owner.enabled) return null;
  const offer = owner.offers.find((one) => one.uri === uri);
  return !offer || offer.gone ? "gone" : offer.files;
}

/** Whether what its server has now is approved. */
function approved(state: State, copy: Copy): boolean {
  const { server, uri } = copy.placed ?? {};
  if (!server || !uri) return false;
  const found = state.offer(server, uri);
  const decision = state.decision(found.server, found.offer);
  return (
    decision?.kind === "approved" && decision.fingerprint === content.fingerprint(found.offer.files)
  );
}

/** What there is to say of a copy by itself. */
export function copyState(state: State, copy: Copy): CopyState {
  if (checks(copy).some(({ severity }) => severity === "error")) return "invalid";
  if (!copy.placed) return "fine";
  const now = offered(state, copy);
  const update = now !== null && now !== "gone" && content.fingerprint(now) !== copy.placed.source;
  if (drifted(copy) && onlyLineEndings(copy)) return "lineEndings";
  if (drifted(copy)) return update ? "diverged" : "edited";
  if (update) return "update";
  return now === "gone" ? "noLongerOffered" : "fine";
}

function rowState(state: State, group: Copy[], gone: Copy[], aside: Aside[]): RowState {
  const states = group.map((copy) => copyState(state, copy));
  const prints = new Set(group.map((copy) => content.fingerprint(copy.files)));
  if (states.includes("invalid")) return "invalid";
  if (states.includes("edited") || states.includes("lineEndings")) return "edited";
  if (states.includes("diverged") || prints.size > 1) return "diverged";
  if (gone.length > 0) return "missing";
  if (states.includes("update")) return "update";
  if (states.includes("noLongerOffered")) return "noLongerOffered";
  return group.length === 0 && aside.length > 0 ? "disabled" : "fine";
}

function ref(state: State, copy: Copy): CopyRef {
  return {
    id: copy.id,
    path: pathOf(copy),
    tools: seenBy(state, copy),
    fingerprint: content.fingerprint(copy.files),
    linked: copy.linked ?? false,
    project: copy.project?.path ?? null,
    state: copyState(state, copy),
    placed: copy.placed !== undefined,
    mode: copy.placed ? (copy.placed.mode ?? "copy") : null,
    userOwned: seenBy(state, copy).length === 0,
  };
}

function rows(state: State): SkillRow[] {
  const groups = new Map<string, Copy[]>();
  for (const { name } of [...state.gone, ...state.aside.map(({ copy }) => copy)]) {
    groups.set(name, []);
  }
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
        state: rowState(
          state,
          group,
          state.gone.filter((copy) => copy.name === name),
          state.aside.filter(({ copy }) => copy.name === name),
        ),
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
        links: LINKS[tool.id] ?? ("unknown" as const),
        mode: state.modes.get(tool.id) ?? ("copy" as const),
      }))
      .sort((a, b) => Number(a.detection === "notFound") - Number(b.detection === "notFound")),
    skills: rows(state),
    uninspected: 0,
    problems: state.empty ? [] : [{ path: "/etc/codex/skills", message: "permission denied" }],
    unread: unread(state),
    aside: state.aside.map(({ id, copy, tools, at }) => ({
      id,
      name: copy.name,
      path: pathOf(copy),
      tools,
      at,
      fingerprint: content.fingerprint(copy.files),
    })),
    gone: state.gone.map((copy) => ({
      id: copy.id,
      name: copy.name,
      path: pathOf(copy),
      tools: seenBy(state, copy),
      origin: copy.placed?.origin ?? "",
      at: copy.placed?.at ?? "",
      state: "missing" as const,
    })),
  };
}

export function skillDetail(state: State, copy: Copy): SkillDetail {
  const main = copy.files["SKILL.md"] ?? "";
  const group = listed(state).filter(({ name }) => name === copy.name);
  const { placed } = copy;
  const now = offered(state, copy);
  const fresh = now && now !== "gone" ? content.fingerprint(now) : null;
  return {
    id: copy.id,
    name: copy.name,
    description: content.field(main, "description") ?? `Skill: ${copy.name}`,
    path: pathOf(copy),
    tools: seenBy(state, copy),
    state: rowState(state, group, [], []),
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
          drift: copyState(state, copy),
          unknown: null,
          mode: placed.mode ?? "copy",
          canonical: placed.mode === "link" ? `~/.local/share/skillhold/linked/${copy.name}` : null,
          update:
            fresh && fresh !== placed.source
              ? { fingerprint: fresh, approved: approved(state, copy) }
              : null,
          server: placed.server ?? null,
          uri: placed.uri ?? null,
          origin: placed.origin,
          at: placed.at,
          sourceFingerprint: placed.source,
          installedFingerprint: placed.installed,
        }
      : null,
    history: state.activity.filter(({ subject }) => subject === copy.name),
  };
}
