/** Installing, copying and undoing on the fake's disk. */
import type { LeftOut } from "../../bindings/LeftOut";
import type { OutcomeItem } from "../../bindings/OutcomeItem";
import type { OutcomeView } from "../../bindings/OutcomeView";
import type { PlaceMode } from "../../bindings/PlaceMode";
import type { PlanItemView } from "../../bindings/PlanItemView";
import type { PlanView } from "../../bindings/PlanView";
import type { SourceRef } from "../../bindings/SourceRef";
import type { TargetRef } from "../../bindings/TargetRef";
import type { OnProgress } from "../types";
import * as content from "./content";
import type { Files } from "./content";
import { drifted, seers } from "./disk";
import { leftOut, nestedIn, standing } from "./offers";
import { failure, type State } from "./state";
import { pathOf } from "./world";

/** A tool whose folder is on a disk without links. */
const NO_LINKS = "gemini-cli";

export interface Source {
  name: string;
  origin: string;
  files: Files;
  cut: LeftOut | null;
  blockers: string[];
  /** Fingerprint of what was approved or copied. */
  approved: string;
}

export function sourceOf(state: State, of: SourceRef): Source {
  if (of.kind === "copy") {
    const copy = state.copy(of.id);
    return {
      name: copy.name,
      origin: pathOf(copy),
      files: copy.files,
      cut: null,
      blockers: [],
      approved: content.fingerprint(copy.files),
    };
  }
  const { server, offer } = state.offer(of.server, of.uri);
  if (server.neverInstall) throw failure("notApproved", `nothing of ${server.label} is installed`);
  const now = standing(state, server, offer);
  if (now.kind !== "approved") {
    const message = `${offer.name} is not approved as ${server.label} offers it now`;
    throw failure("notApproved", message, "Review it first.");
  }
  const cut = now.granted ? null : leftOut(offer.files);
  const main = offer.files["SKILL.md"] ?? "";
  return {
    name: offer.name,
    origin: server.label,
    files: cut ? { ...offer.files, "SKILL.md": content.without(main, cut.fields) } : offer.files,
    cut,
    blockers: nestedIn(state, server, offer)
      .filter((nested) => nested.standing.kind !== "approved")
      .map(({ path }) => `${path} is a skill inside it and is not approved`),
    approved: content.fingerprint(offer.files),
  };
}

export function item(state: State, target: TargetRef, source: Source): PlanItemView {
  const tool = state.tools.find(({ id }) => id === target.tool);
  if (!tool) throw failure("badInput", `there is no tool ${target.tool}`);
  const root = tool.roots[0] ?? "";
  const folder = target.name ?? source.name;
  const there = state.copies.find((copy) => copy.root === root && copy.name === folder);
  const row = {
    tool: tool.id,
    seenBy: seers(state, root),
    path: `${root}/${folder}`,
    // The disk that this tool's folder is on takes no links.
    mode:
      tool.id === NO_LINKS
        ? ("copy" as const)
        : (target.mode ?? state.modes.get(tool.id) ?? "copy"),
    message: null,
  };
  if (tool.id === "goose") {
    const message = "~/.config/goose/skills is read-only";
    return { ...row, standing: "blocked", action: "refuse", message };
  }
  if (!there) return { ...row, standing: "free", action: "write" };
  if (content.fingerprint(there.files) === content.fingerprint(source.files)) {
    return { ...row, standing: "identical", action: "keep" };
  }
  return {
    ...row,
    standing: there.placed ? "ours" : "foreign",
    action: target.onConflict === "replace" ? "replace" : "keep",
    message: drifted(there) ? "it was edited after it was installed" : null,
  };
}

const writes = ({ action }: PlanItemView): boolean => action === "write" || action === "replace";

export function plan(state: State, of: SourceRef, targets: TargetRef[]): PlanView {
  const source = sourceOf(state, of);
  const items = targets.map((target) => item(state, target, source));
  const paths = new Set<string>();
  for (const one of items.filter(writes)) {
    if (paths.has(one.path)) one.message = "the same folder as above, written once";
    paths.add(one.path);
  }
  const grave =
    of.kind === "copy"
      ? content.findings(source.files).filter(({ severity }) => severity === "grave")
      : [];
  const programs = of.kind === "offer" ? content.scripts(source.files) : [];
  const view: PlanView = {
    id: state.fresh("plan"),
    name: source.name,
    origin: source.origin,
    items,
    files: content.manifest(source.files, () => ({ kind: "verified", lineEndingsRestored: false }))
      .files,
    leftOut: source.cut,
    ...(targets.some(({ tool, mode }) => tool === NO_LINKS && mode === "link")
      ? { notices: ["the disk of ~/.gemini/skills takes no links; what goes there is copied"] }
      : {}),
    ...(grave.length > 0 ? { grave } : {}),
    ...(programs.length > 0 ? { programs } : {}),
    blockers: source.blockers,
    writes: items.filter(writes).length,
  };
  state.plans.set(view.id, { view, source: of, files: source.files });
  return view;
}

export function write(
  state: State,
  of: SourceRef,
  source: Source,
  path: string,
  mode: PlaceMode,
): void {
  const at = path.lastIndexOf("/");
  const origin = of.kind === "offer" ? { server: of.server, uri: of.uri } : {};
  for (const tool of seers(state, path.slice(0, at))) state.modes.set(tool, mode);
  state.gone = state.gone.filter((copy) => pathOf(copy) !== path);
  state.copies = [
    ...state.copies.filter((copy) => pathOf(copy) !== path),
    {
      id: content.digits(path).slice(0, 16),
      name: path.slice(at + 1),
      root: path.slice(0, at),
      files: source.files,
      placed: {
        origin: source.origin,
        at: new Date().toISOString(),
        source: source.approved,
        installed: content.fingerprint(source.files),
        mode,
        ...origin,
      },
    },
  ];
}

/** Takes note of the tools for which something is placed now. */
export function place(state: State): void {
  state.tools = state.tools.map((tool) => ({
    ...tool,
    placed: state.copies.some((copy) => copy.placed && copy.root === tool.roots[0]),
  }));
}

export async function applyPlan(
  state: State,
  job: string,
  id: string,
  onProgress: OnProgress,
): Promise<OutcomeView> {
  const known = state.plans.get(id);
  if (!known) throw failure("gone", "this plan is no longer known", "Look at it again.");
  state.plans.delete(id);
  const { view, source: of, files } = known;
  const source = sourceOf(state, of);
  const written = view.items.filter(writes);
  const steps = written.flatMap(({ path }) =>
    Object.keys(files).map((file) => ({ what: `${path}/${file}`, bytes: 0 })),
  );
  await state.run(job, steps, onProgress);
  const before = state.kept();
  const items = view.items.map((one): OutcomeItem => {
    const row = { name: view.name, tool: one.tool, path: one.path, error: null };
    if (one.action === "keep") return { ...row, result: "kept" };
    if (one.action === "refuse") {
      return { ...row, result: "failed", error: failure("disk", one.message ?? "refused") };
    }
    write(state, of, source, one.path, one.mode);
    const note = one.mode === "link" ? { note: "as a link" } : {};
    return { ...row, result: one.action === "replace" ? "replaced" : "written", ...note };
  });
  place(state);
  const change = state.fresh("change");
  state.changes.set(change, { before, items });
  const names = written
    .map(({ tool }) => state.tools.find((one) => one.id === tool)?.name ?? tool)
    .join(", ");
  if (of.kind === "offer") {
    state.log("installed", view.name, `Installed into ${names}`, { files, change });
  } else {
    state.log("copied", view.name, `Copied to ${names}`, { files, change });
  }
  state.emit("library", "servers", "activity");
  return { change, name: view.name, items };
}

export function undo(state: State, id: string): OutcomeView {
  const change = state.changes.get(id);
  if (!change) throw failure("gone", "this change was undone already");
  state.changes.delete(id);
  state.copies = change.before.copies;
  state.aside = change.before.aside;
  state.trashed = change.before.trashed;
  state.gone = change.before.gone;
  place(state);
  const subject = state.activity.find((row) => row.change === id)?.subject ?? "";
  state.activity = state.activity.map((row) =>
    row.change === id ? { ...row, undone: true } : row,
  );
  state.log("undone", subject, "Put back what was there before");
  state.emit("library", "servers", "activity");
  return {
    change: id,
    name: subject,
    items: change.items.map((one) =>
      one.result === "kept" || one.result === "failed" ? one : { ...one, result: "undone" },
    ),
  };
}
