/** Two versions of a skill, and the trash, as the fake keeps them. */
import type { CompareView } from "../../bindings/CompareView";
import type { DiffLine } from "../../bindings/DiffLine";
import type { SideRef } from "../../bindings/SideRef";
import type { TrashView } from "../../bindings/TrashView";
import * as content from "./content";
import type { Files } from "./content";
import { failure, type State } from "./state";
import { pathOf } from "./world";

const DAYS = 30;

function side(state: State, of: SideRef): { title: string; files: Files } {
  switch (of.kind) {
    case "copy": {
      const copy = state.copy(of.id);
      return { title: pathOf(copy), files: copy.files };
    }
    case "installed": {
      const gone = state.gone.find(({ id }) => id === of.copy);
      const { placed, ...copy } = gone ?? state.copy(of.copy);
      if (!placed) throw failure("gone", `${copy.name} was not placed by Skillhold`);
      const { server, uri } = placed;
      const decided = server && uri ? state.decisions.get(`${server} ${uri}`) : undefined;
      const files = decided?.fingerprint === placed.source ? decided.files : copy.files;
      return { title: `${pathOf(copy)} as it was installed`, files };
    }
    case "approved": {
      const { server, offer } = state.offer(of.server, of.uri);
      const decided = state.decision(server, offer);
      if (decided?.kind !== "approved") throw failure("gone", `${offer.name} was not approved`);
      return { title: `as approved from ${server.label}`, files: decided.files };
    }
    case "trashed": {
      const found = state.trashed.find(({ id }) => id === of.id);
      if (!found) throw failure("gone", "it is no longer in the trash");
      return { title: `${pathOf(found.copy)} in the trash`, files: found.copy.files };
    }
  }
}

const unix = (text: string): string => text.replaceAll("\r\n", "\n");

export function compare(state: State, left: SideRef, right: SideRef): CompareView {
  const [here, there] = [side(state, left), side(state, right)];
  const paths = [...new Set([...Object.keys(here.files), ...Object.keys(there.files)])].sort();
  const row = (files: Files, path: string) =>
    files[path] === undefined ? null : content.fileRow(path, files[path], { kind: "local" });
  return {
    left: here.title,
    right: there.title,
    files: paths.map((path) => {
      const [a, b] = [here.files[path], there.files[path]];
      return {
        path,
        left: row(here.files, path),
        right: row(there.files, path),
        same: a === b,
        onlyLineEndings: a !== b && a !== undefined && b !== undefined && unix(a) === unix(b),
        notKept: null,
      };
    }),
  };
}

export function compareFile(
  state: State,
  left: SideRef,
  right: SideRef,
  path: string,
): DiffLine[] | null {
  const [a, b] = [side(state, left).files[path], side(state, right).files[path]];
  if (a === undefined && b === undefined) throw failure("gone", `neither has a file ${path}`);
  if (/\.(xlsx|png|bin)$/.test(path)) return null;
  return content.diff(a ?? "", b ?? "");
}

export function trash(state: State): TrashView {
  const size = (files: Files) =>
    Object.values(files).reduce((sum, text) => sum + content.sizeOf(text), 0);
  const rows = state.trashed.map(({ id, copy, at, change }) => ({
    id,
    name: copy.name,
    path: pathOf(copy),
    size: size(copy.files),
    at,
    change: state.changes.has(change) ? change : null,
    until: new Date(Date.parse(at) + DAYS * 86_400_000).toISOString(),
  }));
  return { rows, bytes: rows.reduce((sum, one) => sum + one.size, 0), days: DAYS };
}

export function emptyTrash(state: State, ids: string[]): void {
  if (ids.some((id) => !state.trashed.some((one) => one.id === id))) {
    throw failure("gone", "it is no longer in the trash");
  }
  const changes = state.trashed.filter(({ id }) => ids.includes(id)).map(({ change }) => change);
  state.trashed = state.trashed.filter(({ id }) => !ids.includes(id));
  state.activity = state.activity.map((row) =>
    row.change && changes.includes(row.change)
      ? { ...row, stuck: "what it replaced was removed from the trash" }
      : row,
  );
  state.emit("activity");
}
