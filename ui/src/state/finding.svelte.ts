import { tick } from "svelte";
import type { CommandPreview } from "../lib/bindings/CommandPreview";
import type { ErrorView } from "../lib/bindings/ErrorView";
import type { FoundServer } from "../lib/bindings/FoundServer";
import type { FoundServers } from "../lib/bindings/FoundServers";
import type { NamedValue } from "../lib/bindings/NamedValue";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";

/** What a server that was found is called here; the person can rename it. */
export function labelOf(server: FoundServer): string {
  return [...server.name].slice(0, 80).join("");
}

/** A list of servers that were found, and what is done with its rows. */
export class Finding {
  view = $state.raw<FoundServers | null>(null);
  error = $state.raw<ErrorView | null>(null);
  busy = $state(false);
  /** The row that is being added. */
  adding = $state<string | null>(null);
  failed = $state.raw<{ id: string; error: ErrorView } | null>(null);
  readonly #host: Host;
  readonly #added: (label: string) => void;
  #ask: (() => Promise<FoundServers>) | null = null;

  constructor(host: Host, added: (label: string) => void) {
    this.#host = host;
    this.#added = added;
  }

  /** Asks for a list; what was there before stays until the answer is here. */
  async look(ask: () => Promise<FoundServers>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.error = null;
    this.#ask = ask;
    try {
      this.view = await ask();
      this.failed = null;
    } catch (thrown) {
      this.view = null;
      this.error = asError(thrown);
    } finally {
      this.busy = false;
    }
  }

  /** Forgets the list. */
  clear(): void {
    this.view = null;
    this.error = null;
    this.failed = null;
  }

  /** Adds a row; one that is a program is only shown, and comes back as what it would run. */
  async add(server: FoundServer, filled: NamedValue[]): Promise<CommandPreview | null> {
    if (this.adding !== null) return null;
    this.adding = server.id;
    this.failed = null;
    try {
      const step = await this.#host.addFound(server.id, labelOf(server), filled);
      if (step.kind === "confirm") return step.preview;
      await this.done(labelOf(server));
    } catch (thrown) {
      this.failed = { id: server.id, error: asError(thrown) };
    } finally {
      this.adding = null;
    }
    return null;
  }

  /** A row was added: the list says so, and the person goes on where they were. */
  async done(label: string): Promise<void> {
    this.#added(label);
    if (!this.#ask) return;
    try {
      this.view = await this.#ask();
    } catch (thrown) {
      this.error = asError(thrown);
    }
    await tick();
    const marks = [...document.querySelectorAll<HTMLElement>("dialog [data-added]")];
    marks.find((mark) => mark.textContent?.includes(`“${label}”`))?.focus();
  }
}
