import type { SettingsView } from "../lib/bindings/SettingsView";
import type { Theme } from "../lib/bindings/Theme";
import type { ErrorView } from "../lib/bindings/ErrorView";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";

/** What the person set. A choice shows at once and goes back when it could not be kept. */
export class Settings {
  view = $state.raw<SettingsView | null>(null);
  error = $state.raw<ErrorView | null>(null);
  theme = $derived<Theme>(this.view?.theme ?? "system");
  #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async refresh(): Promise<void> {
    try {
      this.view = await this.#host.settings();
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

  finishWelcome(): Promise<void> {
    return this.#set({ welcomed: true }, () => this.#host.setWelcomed());
  }

  async #set(change: Partial<SettingsView>, keep: () => Promise<void>): Promise<void> {
    const before = this.view;
    if (before) this.view = { ...before, ...change };
    try {
      await keep();
      this.error = null;
    } catch (thrown) {
      this.view = before;
      this.error = asError(thrown);
    }
  }
}
