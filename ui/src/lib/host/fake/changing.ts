/** Changes of many skills at once on the fake's disk: removing, disabling, updating and the like. */
import type { BatchItemView } from "../../bindings/BatchItemView";
import type { BatchView } from "../../bindings/BatchView";
import type { ChangeRef } from "../../bindings/ChangeRef";
import type { OutcomeItem } from "../../bindings/OutcomeItem";
import type { OutcomeResult } from "../../bindings/OutcomeResult";
import type { OutcomeView } from "../../bindings/OutcomeView";
import type { SourceRef } from "../../bindings/SourceRef";
import type { ActivityKind } from "../../bindings/ActivityKind";
import type { OnProgress } from "../types";
import { digits, fingerprint } from "./content";
import { copyState, drifted, seers } from "./disk";
import { item, place, sourceOf, write } from "./placing";
import { failure, type State } from "./state";
import { pathOf, type Copy } from "./world";

/** One row, and how it is carried out. */
interface Step {
  row: BatchItemView;
  /** Where it lies afterwards, if that is elsewhere. */
  becomes?: string;
  run: (change: string) => OutcomeResult;
}

/** What was shown. */
export interface Batch {
  view: BatchView;
  steps: Step[];
}

const KINDS: Record<BatchItemView["kind"], ActivityKind> = {
  place: "installed",
  update: "updated",
  remove: "removed",
  disable: "disabled",
  enable: "enabled",
  adopt: "adopted",
  rename: "renamed",
};

function rowOf(state: State, copy: Copy, kind: BatchItemView["kind"]): BatchItemView {
  const seenBy = seers(state, copy.root);
  return {
    name: copy.name,
    path: pathOf(copy),
    kind,
    tools: seenBy,
    seenBy,
    standing: copy.placed ? "ours" : "foreign",
    action: "do",
    mode: copy.placed?.mode ?? "copy",
    edited: drifted(copy),
    message: null,
    leftOut: null,
  };
}

function refused(row: BatchItemView, message: string): Step {
  return { row: { ...row, action: "refuse", message }, run: () => "failed" };
}

/** Takes what is gone off the record. */
function forget(state: State, copy: Copy): Step {
  const row: BatchItemView = { ...rowOf(state, copy, "remove"), standing: "free", edited: false };
  return {
    row: { ...row, message: "it is gone already" },
    run: () => {
      state.gone = state.gone.filter(({ id }) => id !== copy.id);
      return "removed";
    },
  };
}

function remove(state: State, copy: Copy): Step {
  if (state.gone.includes(copy)) return forget(state, copy);
  const row = rowOf(state, copy, "remove");
  if (!copy.placed) {
    return refused(row, "Skillhold did not place it: adopt it first, or remove it yourself");
  }
  const message = row.edited ? "it was edited since; the edited one goes into the trash" : null;
  return {
    row: { ...row, message },
    run: (change) => {
      state.copies = state.copies.filter(({ id }) => id !== copy.id);
      const id = state.fresh("trash");
      state.trashed = [{ id, copy, at: new Date().toISOString(), change }, ...state.trashed];
      return "removed";
    },
  };
}

function disable(state: State, copy: Copy): Step {
  const row = rowOf(state, copy, "disable");
  const message = copy.placed ? null : "it was not placed by Skillhold; it is moved aside whole";
  return {
    row: { ...row, message },
    run: () => {
      state.copies = state.copies.filter(({ id }) => id !== copy.id);
      const at = new Date().toISOString();
      state.aside = [{ id: state.fresh("aside"), copy, tools: row.seenBy, at }, ...state.aside];
      return "disabled";
    },
  };
}

function enable(state: State, id: string): Step {
  const aside = state.aside.find((one) => one.id === id);
  if (!aside) throw failure("gone", "this skill is no longer disabled");
  const { copy } = aside;
  const row = rowOf(state, copy, "enable");
  if (state.copies.some((one) => pathOf(one) === pathOf(copy))) {
    return refused(row, `something else is at ${pathOf(copy)} now`);
  }
  return {
    row,
    run: () => {
      state.aside = state.aside.filter((one) => one !== aside);
      state.copies = [...state.copies, copy];
      return "enabled";
    },
  };
}

function adopt(state: State, copy: Copy): Step {
  const row = rowOf(state, copy, "adopt");
  if (copy.placed) return { row: { ...row, action: "keep" }, run: () => "kept" };
  return {
    row,
    run: () => {
      const print = fingerprint(copy.files);
      const at = new Date().toISOString();
      const placed = { origin: pathOf(copy), at, source: print, installed: print };
      state.copies = state.copies.map((one) => (one.id === copy.id ? { ...one, placed } : one));
      return "adopted";
    },
  };
}

function rename(state: State, copy: Copy, to: string): Step {
  const row = rowOf(state, copy, "rename");
  const after = { ...copy, name: to };
  if (state.copies.some((one) => pathOf(one) === pathOf(after))) {
    return refused(row, `${pathOf(after)} is there already`);
  }
  return {
    row: { ...row, message: `it becomes ${pathOf(after)}` },
    becomes: pathOf(after),
    run: () => {
      const main = (copy.files["SKILL.md"] ?? "").replace(/^name:.*$/m, `name: ${to}`);
      const id = digits(pathOf(after)).slice(0, 16);
      const files = { ...copy.files, "SKILL.md": main };
      state.copies = state.copies.map((one) =>
        one.id === copy.id ? { ...after, id, files } : one,
      );
      return "renamed";
    },
  };
}

function update(state: State, copy: Copy, replace: boolean): Step {
  const row = { ...rowOf(state, copy, "update"), action: "replace" as const };
  const { server, uri } = copy.placed ?? {};
  if (!server || !uri) return refused(row, "it did not come from a server");
  const missing = state.gone.includes(copy);
  const now = missing ? "update" : copyState(state, copy);
  if (now !== "update" && now !== "diverged") {
    return {
      row: { ...row, action: "keep", message: "nothing else is offered" },
      run: () => "kept",
    };
  }
  const of: SourceRef = { kind: "offer", server, uri };
  try {
    const source = sourceOf(state, of);
    if (now === "diverged" && !replace) {
      const message = "it was edited here: compare, then take what is offered or keep it";
      return { row: { ...row, action: "keep", message }, run: () => "kept" };
    }
    return {
      row: { ...row, leftOut: source.cut, edited: now === "diverged" },
      run: () => {
        write(state, of, source, pathOf(copy), copy.placed?.mode ?? "copy");
        return missing ? "written" : "replaced";
      },
    };
  } catch (why) {
    return refused(row, (why as Error).message);
  }
}

function steps(state: State, change: ChangeRef): Step[] {
  switch (change.kind) {
    case "place": {
      const { source: of, targets } = change;
      const source = sourceOf(state, of);
      return targets.map((target) => {
        const at = item(state, target, source);
        const { path, seenBy, standing, action, mode, message } = at;
        const row: BatchItemView = {
          name: source.name,
          path,
          kind: "place",
          tools: [at.tool],
          seenBy,
          standing,
          action,
          mode,
          edited: false,
          message,
          leftOut: source.cut,
        };
        return {
          row,
          run: () => {
            if (action === "refuse") return "failed";
            if (action === "keep") return "kept";
            write(state, of, source, path, mode);
            return action === "replace" ? "replaced" : "written";
          },
        };
      });
    }
    case "update":
      return [update(state, state.known(change.copy), change.onEdited === "replace")];
    case "remove":
      return [remove(state, state.known(change.copy))];
    case "disable":
      return [disable(state, state.copy(change.copy))];
    case "enable":
      return [enable(state, change.aside)];
    case "adopt":
      return [adopt(state, state.copy(change.copy))];
    case "rename":
      return [rename(state, state.copy(change.copy), change.to)];
  }
}

const acts = ({ row }: Step): boolean => row.action !== "keep" && row.action !== "refuse";

export function planChanges(state: State, changes: ChangeRef[]): BatchView {
  if (changes.length === 0) throw failure("badInput", "nothing was chosen");
  const all = changes.flatMap((change) => steps(state, change));
  const view: BatchView = {
    id: state.fresh("batch"),
    items: all.map(({ row }) => row),
    blockers: [],
    writes: all.filter(acts).length,
  };
  state.batches.set(view.id, { view, steps: all });
  return view;
}

export async function applyChanges(
  state: State,
  job: string,
  id: string,
  onProgress: OnProgress,
): Promise<OutcomeView> {
  const batch = state.batches.get(id);
  if (!batch) throw failure("gone", "this plan is no longer known", "Look at it again.");
  state.batches.delete(id);
  const doing = batch.steps.filter(acts);
  const before = state.kept();
  const change = state.fresh("change");
  const items: OutcomeItem[] = [];
  let done = 0;
  for (const { row, run, becomes } of batch.steps) {
    const tools = row.tools.length > 1 ? { tools: row.tools } : {};
    const path = becomes ?? row.path;
    const item = { name: row.name, tool: row.tools[0] ?? "", ...tools, path };
    if (row.action === "refuse") {
      const error = failure("disk", row.message ?? "refused");
      items.push({ ...item, result: "failed", error });
      continue;
    }
    if (acts({ row, run })) {
      onProgress({ what: row.path, done, of: doing.length, bytes: 0, ofBytes: 0 });
      await state.wait(3);
      if (state.stopped.has(job)) {
        items.push({ ...item, result: "failed", error: failure("cancelled", "stopped") });
        continue;
      }
      done += 1;
    }
    const result = run(change);
    const linked = row.mode === "link" && (result === "written" || result === "replaced");
    items.push({ ...item, result, error: null, ...(linked ? { note: "as a link" } : {}) });
  }
  if (done === 0 && state.stopped.has(job)) throw failure("cancelled", "stopped");
  place(state);
  state.changes.set(change, { before, items });
  const names = [...new Set(doing.map(({ row }) => row.name))];
  const name = names.length === 1 ? (names[0] ?? "") : `${names.length} skills`;
  const kinds = new Set(doing.map(({ row }) => KINDS[row.kind]));
  const [kind] = kinds;
  state.log(kinds.size === 1 && kind ? kind : "several", name, `${doing.length} folders`, {
    change,
  });
  state.emit("library", "servers", "activity");
  return { change, name, items };
}
