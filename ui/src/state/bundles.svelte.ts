import type { ErrorView } from "../lib/bindings/ErrorView";
import type { ImportFrom } from "../lib/bindings/ImportFrom";
import type { ImportView } from "../lib/bindings/ImportView";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";
import { text } from "../lib/text";
import type { Notices } from "./notices.svelte";
import type { Servers } from "./servers.svelte";

/** Skills as files: importing them for review, and exporting copies. */
export class Bundles {
  /** The dialog for importing is open. */
  importing = $state(false);
  /** What is being asked for, or exported. */
  busy = $state<ImportFrom | "export" | null>(null);
  error = $state.raw<ErrorView | null>(null);
  /** What came of the import. */
  imported = $state.raw<ImportView | null>(null);
  #host: Host;
  #notices: Notices;
  #servers: Servers;

  constructor(host: Host, notices: Notices, servers: Servers) {
    this.#host = host;
    this.#notices = notices;
    this.#servers = servers;
  }

  open(): void {
    this.importing = true;
    this.error = null;
    this.imported = null;
  }

  close(): void {
    if (this.busy === null) this.importing = false;
  }

  /** Asks for a file or a folder and imports what it holds. */
  async take(from: ImportFrom): Promise<void> {
    if (this.busy !== null) return;
    this.busy = from;
    this.error = null;
    try {
      const view = await this.#host.importSkills(from);
      if (view) {
        this.imported = view;
        await this.#servers.refresh();
      }
    } catch (thrown) {
      this.error = asError(thrown);
    } finally {
      this.busy = null;
    }
  }

  /** Asks for a file and exports these copies into it, all or nothing; false where none was written. */
  async exportSelection(copies: string[]): Promise<boolean> {
    if (this.busy !== null) return false;
    this.busy = "export";
    try {
      const outcome = await this.#host.exportBundle(copies);
      if (!outcome) return false;
      const failed = outcome.items.find(({ error }) => error)?.error;
      if (failed) throw failed;
      this.#notices.show(text.bundles.exported(outcome.name, outcome.items[0]?.path ?? ""));
      return true;
    } catch (thrown) {
      const { message, hint } = asError(thrown);
      this.#notices.show(
        text.bundles.notExported(hint ? `${message} — ${hint}` : message),
        null,
        "bad",
      );
      return false;
    } finally {
      this.busy = null;
    }
  }
}
