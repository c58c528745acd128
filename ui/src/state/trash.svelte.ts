import type { ErrorView } from "../lib/bindings/ErrorView";
import type { TrashRow } from "../lib/bindings/TrashRow";
import type { TrashView } from "../lib/bindings/TrashView";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";
import { text } from "../lib/text";
import type { Activity } from "./activity.svelte";
import type { Notices } from "./notices.svelte";

/** What was replaced or removed and is still kept. */
export class Trash {
  view = $state.raw<TrashView | null>(null);
  error = $state.raw<ErrorView | null>(null);
  asking = $state(false);
  /** What is to be removed for good, once the person says so. */
  doomed = $state.raw<TrashRow[] | null>(null);
  emptying = $state(false);
  /** Why nothing was removed. */
  refusal = $state.raw<ErrorView | null>(null);
  rows = $derived(this.view?.rows ?? []);
  #host: Host;
  #notices: Notices;
  #activity: Activity;
  #asked = 0;

  constructor(host: Host, notices: Notices, activity: Activity) {
    this.#host = host;
    this.#notices = notices;
    this.#activity = activity;
  }

  async refresh(): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    this.asking = true;
    try {
      const view = await this.#host.trash();
      if (asked !== this.#asked) return;
      this.view = view;
      this.error = null;
    } catch (thrown) {
      if (asked === this.#asked) this.error = asError(thrown);
    } finally {
      if (asked === this.#asked) this.asking = false;
    }
  }

  /** Asks whether these are to be removed for good. */
  ask(rows: TrashRow[]): void {
    if (rows.length === 0) return;
    this.refusal = null;
    this.doomed = rows;
  }

  keep(): void {
    if (!this.emptying) this.doomed = null;
  }

  /** Removes for good what was asked about. */
  async empty(): Promise<void> {
    const { doomed } = this;
    if (!doomed || this.emptying) return;
    this.emptying = true;
    this.refusal = null;
    try {
      await this.#host.emptyTrash(doomed.map(({ id }) => id));
      this.doomed = null;
      const freed = doomed.reduce((sum, { size }) => sum + size, 0);
      this.#notices.show(text.trash.emptied(doomed.length, doomed[0]?.name ?? "", freed));
    } catch (thrown) {
      this.refusal = asError(thrown);
    } finally {
      this.emptying = false;
      await Promise.all([this.refresh(), this.#activity.refresh()]);
    }
  }
}
