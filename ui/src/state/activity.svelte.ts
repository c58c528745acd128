import type { ActivityRow } from "../lib/bindings/ActivityRow";
import type { ActivityView } from "../lib/bindings/ActivityView";
import type { OutcomeItem } from "../lib/bindings/OutcomeItem";
import type { OutcomeView } from "../lib/bindings/OutcomeView";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";
import { text } from "../lib/text";
import type { Library } from "./library.svelte";
import { Latest } from "./latest.svelte";
import type { Notices } from "./notices.svelte";

/** What happened, and taking it back. */
export class Activity extends Latest<ActivityView> {
  rows = $derived(this.view?.rows ?? []);
  /** Changes of which something was edited since, and so was kept: undo has nothing more to do. */
  kept = $state.raw<ReadonlySet<string>>(new Set());
  /** Why changes can no longer be undone: the history of one skill does not say. */
  #stuck = $derived(
    new Map(
      this.rows.flatMap(({ id, stuck }): [string, string][] =>
        stuck === undefined ? [] : [[id, stuck]],
      ),
    ),
  );
  /** The change that undo would take back next. */
  last = $derived(this.rows.find((row) => this.canUndo(row)) ?? null);
  /** Which part of the view is shown. */
  pane = $state<"rows" | "trash">("rows");
  /** The change that is being undone. */
  undoing = $state<string | null>(null);
  #host: Host;
  #notices: Notices;
  #library: Library;
  #show: (key: string) => void;
  #follow: (change: string, paths: string[]) => Promise<void>;

  /**
   * `show` selects a skill of the library by its row's key; `follow` is told where something lies
   * again after a change was taken back.
   */
  constructor(
    host: Host,
    notices: Notices,
    library: Library,
    show: (key: string) => void,
    follow: (change: string, paths: string[]) => Promise<void>,
  ) {
    super(() => host.activity());
    this.#host = host;
    this.#notices = notices;
    this.#library = library;
    this.#show = show;
    this.#follow = follow;
  }

  /** Whether undo can take back what a row tells of. */
  canUndo(row: ActivityRow): boolean {
    return (
      row.change !== null && !row.undone && this.stuck(row) === null && !this.kept.has(row.change)
    );
  }

  /** Why what a row tells of can no longer be undone. */
  stuck(row: ActivityRow): string | null {
    return row.stuck ?? this.#stuck.get(row.id) ?? null;
  }

  /** Takes a change back; while one is on its way, asking again does nothing. */
  async undo(change: string): Promise<OutcomeView | null> {
    if (this.undoing !== null) return null;
    this.undoing = change;
    try {
      const outcome = await this.#host.undo(change);
      await this.#tell(change, outcome);
      return outcome;
    } catch (thrown) {
      this.#notices.show(text.undo.failed(asError(thrown).message), null, "bad");
      return null;
    } finally {
      this.undoing = null;
      await this.refresh();
    }
  }

  /** Takes back the newest change that can be. */
  async undoLast(): Promise<void> {
    const last: ActivityRow | null = this.last;
    if (last?.change) await this.undo(last.change);
    else this.#notices.show(text.undo.nothing);
  }

  /** Says what was taken back and where, and what was not. */
  async #tell(change: string, outcome: OutcomeView): Promise<void> {
    const edited = outcome.items.filter(({ error }) => error?.code === "changed");
    if (edited.length > 0) this.kept = new Set([...this.kept, change]);
    // What undoes a change is a change of its own, with another id.
    const row = this.rows.find((one) => one.change === change);
    const { name } = outcome;
    const fixed = row?.kind === "fixed";
    await this.#library.refresh();
    await this.#follow(
      change,
      outcome.items.map(({ path }) => path),
    );
    const copyAt = (path: string) =>
      this.#library.rows.find((one) => one.skill?.copies.some((copy) => copy.path === path));
    const tools = (items: OutcomeItem[]) => [
      ...new Set(
        // Where no tool on this machine reads the folder, the folder itself says where.
        items.flatMap(({ tool, tools, path }) =>
          tool === ""
            ? [path.replace(/[\\/][^\\/]*$/, "")]
            : (tools ?? [tool]).map((one) => this.#library.toolName(one)),
        ),
      ),
    ];
    const undone = outcome.items.filter(({ result }) => result === "undone");
    // An update takes nothing away, and of links it tells the folder they lead to.
    const isBack = ({ path }: OutcomeItem) => row?.kind === "updated" || copyAt(path) !== undefined;
    const gone = undone.filter((item) => !isBack(item));
    const back = undone.filter(isBack);
    const count = (items: OutcomeItem[]) => new Set(items.map((item) => item.name)).size;
    const several = count(outcome.items) > 1;
    if (several && undone.length > 0) this.#notices.show(text.undo.several(count(undone)));
    else if (row?.kind === "enabled" && gone.length > 0) {
      this.#notices.show(text.undo.disabledAgain(name));
    } else if (fixed && undone.length > 0) this.#notices.show(text.undo.unfixed(name));
    else if (gone.length > 0) this.#notices.show(text.undo.takenOut(name, tools(gone)));
    if (!fixed && !several && back.length > 0)
      this.#notices.show(text.undo.asBefore(name, tools(back)));
    const first = edited[0];
    if (first) {
      const key = copyAt(first.path)?.key;
      const show = key ? { label: text.actions.show, run: () => this.#show(key) } : null;
      const said = several
        ? text.undo.keptSeveral(count(edited))
        : fixed
          ? text.undo.keptFixed(name)
          : text.undo.kept(name, tools(edited));
      this.#notices.show(said, show);
    }
    const failed = outcome.items.find(({ error }) => error && error.code !== "changed");
    if (failed?.error) this.#notices.show(text.undo.failed(failed.error.message), null, "bad");
    else if (undone.length + edited.length === 0) this.#notices.show(text.undo.done);
  }
}
