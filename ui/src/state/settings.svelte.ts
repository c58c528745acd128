import type { Approvals } from "../lib/bindings/Approvals";
import type { SettingsView } from "../lib/bindings/SettingsView";
import type { Theme } from "../lib/bindings/Theme";
import type { ErrorView } from "../lib/bindings/ErrorView";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";

/** What `busy` is while a folder is being added. */
export const ADDING = "add";

/** What the person set. A choice shows at once and goes back when it could not be kept. */
export class Settings {
  view = $state.raw<SettingsView | null>(null);
  error = $state.raw<ErrorView | null>(null);
  theme = $derived<Theme>(this.view?.theme ?? "system");
  folders = $derived(this.view?.folders ?? []);
  /** What is being changed: `ADDING`, the path of an added folder, or the id of a tool. */
  busy = $state<string | null>(null);
  /** What could not be changed, named in the same way, and why. */
  failed = $state.raw<{ what: string; error: ErrorView } | null>(null);
  #host: Host;
  #reread: () => Promise<void>;
  #setting = 0;

  /** `reread` asks for the library again. */
  constructor(host: Host, reread: () => Promise<void>) {
    this.#host = host;
    this.#reread = reread;
  }

  async refresh(): Promise<void> {
    try {
      const view = await this.#host.settings();
      // A choice that is on its way is newer than this answer.
      if (this.#setting === 0) this.view = view;
      this.error = null;
    } catch (thrown) {
      this.error = asError(thrown);
    }
  }

  setTheme(theme: Theme): Promise<void> {
    return this.#set({ theme }, () => this.#host.setTheme(theme));
  }

  setSamples(samples: boolean): Promise<void> {
    return this.#set({ samples }, () => this.#host.setSamples(samples));
  }

  setApprovals(approvals: Approvals): Promise<void> {
    return this.#set({ approvals }, () => this.#host.setApprovals(approvals));
  }

  finishWelcome(): Promise<void> {
    return this.#set({ welcomed: true }, () => this.#host.setWelcomed());
  }

  /** Asks for a folder and looks into it from now on; false where none was chosen or added. */
  addFolder(): Promise<boolean> {
    return this.#change(ADDING, () => this.#host.addFolder());
  }

  /** Looks no longer into an added folder. */
  removeFolder(path: string): Promise<boolean> {
    return this.#change(path, () => this.#host.removeFolder(path));
  }

  /** Reads a tool's folders, or does not; null leaves it to what is here. */
  setToolOn(tool: string, on: boolean | null): Promise<boolean> {
    return this.#change(tool, () => this.#host.setToolOn(tool, on));
  }

  /** The same for several at once; the first one stands for them. */
  setToolsOn(tools: string[], on: boolean | null): Promise<boolean> {
    return this.#change(tools[0] ?? "", async () => {
      for (const tool of tools) await this.#host.setToolOn(tool, on);
    });
  }

  /** Asks for a folder and makes it the only one of the tool. */
  chooseToolRoot(tool: string): Promise<boolean> {
    return this.#change(tool, () => this.#host.chooseToolRoot(tool));
  }

  /** Goes back to the tool's own folders. */
  resetToolRoots(tool: string): Promise<boolean> {
    return this.#change(tool, () => this.#host.resetToolRoots(tool));
  }

  async #change(what: string, act: () => Promise<unknown>): Promise<boolean> {
    if (this.busy !== null) return false;
    this.busy = what;
    this.failed = null;
    try {
      if ((await act()) === false) return false;
      await Promise.all([this.refresh(), this.#reread()]);
      return true;
    } catch (thrown) {
      this.failed = { what, error: asError(thrown) };
      return false;
    } finally {
      this.busy = null;
    }
  }

  async #set(change: Partial<SettingsView>, keep: () => Promise<void>): Promise<void> {
    const before = this.view;
    this.#setting += 1;
    if (before) this.view = { ...before, ...change };
    try {
      await keep();
      this.error = null;
    } catch (thrown) {
      this.view = before;
      this.error = asError(thrown);
    } finally {
      this.#setting -= 1;
    }
  }
}
