import type { ActivityRow } from "../lib/bindings/ActivityRow";
import type { ActivityView } from "../lib/bindings/ActivityView";
import type { OutcomeView } from "../lib/bindings/OutcomeView";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";
import { text } from "../lib/text";
import { Latest } from "./latest.svelte";
import type { Notices } from "./notices.svelte";

/** What happened, and taking it back. */
export class Activity extends Latest<ActivityView> {
  rows = $derived(this.view?.rows ?? []);
  /** The change that undo would take back next. */
  last = $derived(this.rows.find((row) => row.change !== null && !row.undone) ?? null);
  /** The change that is being undone. */
  undoing = $state<string | null>(null);
  #host: Host;
  #notices: Notices;

  constructor(host: Host, notices: Notices) {
    super(() => host.activity());
    this.#host = host;
    this.#notices = notices;
  }

  /** Takes a change back; while one is on its way, asking again does nothing. */
  async undo(change: string): Promise<OutcomeView | null> {
    if (this.undoing !== null) return null;
    this.undoing = change;
    try {
      const outcome = await this.#host.undo(change);
      const failed = outcome.items.find((item) => item.error !== null);
      if (failed?.error) this.#notices.show(text.undo.failed(failed.error.message), null, "bad");
      else this.#notices.show(text.undo.done);
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
}
