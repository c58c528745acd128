import type { CompareView } from "../lib/bindings/CompareView";
import type { ComparedFile } from "../lib/bindings/ComparedFile";
import type { DiffLine } from "../lib/bindings/DiffLine";
import type { ErrorView } from "../lib/bindings/ErrorView";
import type { SideRef } from "../lib/bindings/SideRef";
import type { TrashView } from "../lib/bindings/TrashView";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";
import { fileStanding, nameOf, sideKey, sidesOf, worstFirst, type Side } from "../lib/sides";
import type { Library } from "./library.svelte";
import type { Servers } from "./servers.svelte";

/** Two versions of a skill side by side: which they are, how each file stands, the lines of one. */
export class Comparing {
  left = $state.raw<SideRef | null>(null);
  right = $state.raw<SideRef | null>(null);
  view = $state.raw<CompareView | null>(null);
  error = $state.raw<ErrorView | null>(null);
  /** The file that is shown by its lines. */
  path = $state<string | null>(null);
  /** Nothing where it is not text; not known while they are on their way. */
  lines = $state.raw<DiffLine[] | null | undefined>(undefined);
  linesError = $state.raw<ErrorView | null>(null);
  #name = $state<string | null>(null);
  #trash = $state.raw<TrashView | null>(null);
  #host: Host;
  #library: Library;
  #servers: Servers;
  #asked = 0;
  #askedLines = 0;

  isOpen = $derived(this.left !== null && this.right !== null);
  files = $derived(worstFirst(this.view?.files ?? []));
  differing = $derived(this.files.filter((file) => !file.same));
  file = $derived<ComparedFile | null>(this.files.find(({ path }) => path === this.path) ?? null);
  /** What can be chosen on either side. */
  sides = $derived.by((): Side[] => {
    if (this.#name === null) return [];
    return sidesOf(this.#name, {
      library: this.#library.view,
      servers: this.#servers.list,
      trash: this.#trash,
    });
  });

  constructor(host: Host, library: Library, servers: Servers) {
    this.#host = host;
    this.#library = library;
    this.#servers = servers;
  }

  /** The name of the skill, where it is known. */
  get name(): string | null {
    return this.#name;
  }

  /** Opens the dialog with two versions; what the left has and the right has not is drawn as removed. */
  async open(left: SideRef, right: SideRef): Promise<void> {
    this.left = left;
    this.right = right;
    this.path = null;
    this.#trash = null;
    this.#name = this.#named(left, right);
    await Promise.all([this.look(), this.#lookIntoTrash()]);
  }

  close(): void {
    this.#asked += 1;
    this.#askedLines += 1;
    this.left = null;
    this.right = null;
    this.view = null;
  }

  /** Takes another version on one side. */
  async choose(which: "left" | "right", side: SideRef): Promise<void> {
    this[which] = side;
    await this.look();
  }

  async swap(): Promise<void> {
    [this.left, this.right] = [this.right, this.left];
    await this.look();
  }

  /** Asks how the two differ, and shows the file that was shown, or the first that differs. */
  async look(): Promise<void> {
    const { left, right } = this;
    if (!left || !right) return;
    this.#asked += 1;
    const asked = this.#asked;
    this.#askedLines += 1;
    this.view = null;
    this.error = null;
    try {
      const view = await this.#host.compare(left, right);
      if (asked !== this.#asked) return;
      this.view = view;
      const path = this.file?.path ?? this.differing[0]?.path ?? null;
      if (path === null) this.path = null;
      else await this.show(path);
    } catch (thrown) {
      if (asked === this.#asked) this.error = asError(thrown);
    }
  }

  /** Shows one file by its lines, where it has any to show. */
  async show(path: string): Promise<void> {
    const { left, right } = this;
    this.path = path;
    this.lines = undefined;
    this.linesError = null;
    this.#askedLines += 1;
    const asked = this.#askedLines;
    const file = this.file;
    if (!left || !right || !file || file.notKept !== null) return;
    if (["same", "lineEndings"].includes(fileStanding(file))) return;
    try {
      const lines = await this.#host.compareSidesFile(left, right, path);
      if (asked === this.#askedLines) this.lines = lines;
    } catch (thrown) {
      if (asked === this.#askedLines) this.linesError = asError(thrown);
    }
  }

  /** A version that no list has any more is still one of the two. */
  label(which: "left" | "right"): string {
    return this.view?.[which] ?? "";
  }

  /** Whether a version is among those that can be chosen. */
  listed(side: SideRef): boolean {
    return this.sides.some(({ key }) => key === sideKey(side));
  }

  #named(...sides: SideRef[]): string | null {
    const known = {
      library: this.#library.view,
      servers: this.#servers.list,
      trash: this.#trash,
    };
    return sides.map((side) => nameOf(side, known)).find((name) => name !== null) ?? null;
  }

  /** The trash has versions too; without it there are only fewer to choose from. */
  async #lookIntoTrash(): Promise<void> {
    const { left, right } = this;
    try {
      const trash = await this.#host.trash();
      if (!left || !right || this.left === null) return;
      this.#trash = trash;
      this.#name ??= this.#named(left, right);
    } catch {
      this.#trash = null;
    }
  }
}
