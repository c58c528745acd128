import type { ErrorView } from "../lib/bindings/ErrorView";
import { asError } from "../lib/errors";

/**
 * One snapshot of the backend. Replies that are older than what is held are dropped; questions
 * asked while one is on its way become a single further one.
 */
export class Latest<View extends { revision: number }> {
  view = $state.raw<View | null>(null);
  error = $state.raw<ErrorView | null>(null);
  asking = $state(false);
  #ask: () => Promise<View>;
  #running: Promise<void> | null = null;
  #again = false;

  constructor(ask: () => Promise<View>) {
    this.#ask = ask;
  }

  /** Asks again; the result settles when what was asked for is in, and never rejects. */
  refresh(): Promise<void> {
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    this.asking = true;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      this.asking = false;
    });
    return this.#running;
  }

  /** Takes a reply, unless it is older than what is held. */
  accept(reply: View): boolean {
    if (this.view && reply.revision < this.view.revision) return false;
    this.view = reply;
    this.error = null;
    return true;
  }

  async #run(): Promise<void> {
    do {
      this.#again = false;
      try {
        this.accept(await this.#ask());
      } catch (thrown) {
        this.error = asError(thrown);
      }
    } while (this.#again);
  }
}
