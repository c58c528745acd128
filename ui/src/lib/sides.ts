/** The versions of a skill that can be compared, and how two of them differ. */
import type { ComparedFile } from "./bindings/ComparedFile";
import type { LibraryView } from "./bindings/LibraryView";
import type { ServerView } from "./bindings/ServerView";
import type { SideRef } from "./bindings/SideRef";
import type { TrashView } from "./bindings/TrashView";

/** A version that can be chosen. */
export interface Side {
  ref: SideRef;
  key: string;
  /** What it is of: a path, or the label of a server. */
  of: string;
}

/** Where versions are looked for. */
export interface Known {
  library: LibraryView | null;
  servers: ServerView[];
  trash: TrashView | null;
}

/** A version as text, for comparing. */
export function sideKey(side: SideRef): string {
  switch (side.kind) {
    case "copy":
    case "trashed":
      return `${side.kind} ${side.id}`;
    case "installed":
      return `installed ${side.copy}`;
    case "approved":
      return `approved ${side.server} ${side.uri}`;
  }
}

/** The name of the skill that a version is of; nothing where it is not known any more. */
export function nameOf(side: SideRef, { library, servers, trash }: Known): string | null {
  switch (side.kind) {
    case "copy":
    case "installed": {
      const id = side.kind === "copy" ? side.id : side.copy;
      const row = library?.skills.find(({ copies }) => copies.some((copy) => copy.id === id));
      return row?.name ?? library?.gone.find((gone) => gone.id === id)?.name ?? null;
    }
    case "approved": {
      const server = servers.find(({ id }) => id === side.server);
      return server?.offers.find(({ uri }) => uri === side.uri)?.name ?? null;
    }
    case "trashed":
      return trash?.rows.find(({ id }) => id === side.id)?.name ?? null;
  }
}

/** Every version of a skill of this name: on the disk, as installed, approved, in the trash. */
export function sidesOf(name: string, { library, servers, trash }: Known): Side[] {
  const side = (ref: SideRef, of: string): Side => ({ ref, key: sideKey(ref), of });
  const copies = library?.skills.find((row) => row.name === name)?.copies ?? [];
  const gone = (library?.gone ?? []).filter((one) => one.name === name);
  const installed = [...copies.filter(({ placed }) => placed), ...gone];
  const trashed = (trash?.rows ?? []).filter((one) => one.name === name);
  return [
    ...copies.map(({ id, path }) => side({ kind: "copy", id }, path)),
    ...installed.map(({ id, path }) => side({ kind: "installed", copy: id }, path)),
    ...servers.flatMap((server) =>
      server.offers
        .filter(
          (offer) => offer.name === name && ["approved", "changed"].includes(offer.standing.kind),
        )
        .map(({ uri }) => side({ kind: "approved", server: server.id, uri }, server.label)),
    ),
    ...trashed.map(({ id, path }) => side({ kind: "trashed", id }, path)),
  ];
}

/** How one file stands in two versions. */
export type FileStanding = "same" | "lineEndings" | "differs" | "onlyLeft" | "onlyRight";

/** What there is to say of one file. */
export function fileStanding(file: ComparedFile): FileStanding {
  if (file.same) return "same";
  if (file.left === null) return "onlyRight";
  if (file.right === null) return "onlyLeft";
  return file.onlyLineEndings ? "lineEndings" : "differs";
}

const ORDER: FileStanding[] = ["differs", "lineEndings", "onlyLeft", "onlyRight", "same"];

/** The files with those that differ most first, else in their order. */
export function worstFirst(files: ComparedFile[]): ComparedFile[] {
  const rank = (file: ComparedFile) => ORDER.indexOf(fileStanding(file));
  return [...files].sort((a, b) => rank(a) - rank(b));
}
