import type { ErrorView } from "../lib/bindings/ErrorView";
import type { SharingChange } from "../lib/bindings/SharingChange";
import type { SharingState } from "../lib/bindings/SharingState";
import type { SharingView } from "../lib/bindings/SharingView";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";
import { text } from "../lib/text";
import { Latest } from "./latest.svelte";
import type { Notices } from "./notices.svelte";

/** The part of the page in which something could not be done. */
export type Part = "state" | "what" | "how" | "token";

/** How sharing stands, with what was chosen and is on its way. */
export type Phase = SharingState["kind"] | "stopping";

function partOf(change: SharingChange): Part {
  return change.kind === "on" ? "state" : change.kind === "tool" ? "what" : "how";
}

/** What is shared once a change is made. */
export function changed(view: SharingView, change: SharingChange): SharingView {
  switch (change.kind) {
    case "on":
      return { ...view, on: change.on };
    case "strict":
      return { ...view, strict: change.strict };
    case "listFiles":
      return { ...view, listFiles: change.listFiles };
    case "discovery":
      return { ...view, discovery: change.discovery };
    case "port":
      return { ...view, port: change.port };
    case "tool": {
      const tools = view.tools.map((tool) =>
        tool.id === change.tool ? { ...tool, shared: change.shared } : tool,
      );
      return { ...view, tools };
    }
  }
}

/**
 * What other programs may read, and who does. A choice shows at once and goes back when it could
 * not be kept; choices reach the program one after the other, in the order they were made.
 */
export class Sharing extends Latest<SharingView> {
  #changes = $state.raw<readonly SharingChange[]>([]);
  /** What is shared, with the choices that are on their way. */
  shown = $derived.by(() => this.view && this.#changes.reduce(changed, this.view));
  phase = $derived.by((): Phase => {
    const { view, shown } = this;
    if (!view || !shown) return "off";
    if (shown.on === view.on) return view.state.kind;
    if (shown.on) return "starting";
    return view.state.kind === "on" || view.state.kind === "starting" ? "stopping" : "off";
  });
  /** What could not be done, and where on the page. */
  failed = $state.raw<{ part: Part; error: ErrorView } | null>(null);
  /** What is on its way and cannot be asked for twice. */
  busy = $state<"adding" | "removing" | "renewing" | null>(null);
  /** The token, while it is on the screen. */
  token = $state<string | null>(null);
  #host: Host;
  #notices: Notices;
  #here: () => boolean;
  #show: () => void;
  #queue: Promise<unknown> = Promise.resolve();
  #looks = 0;
  /** What was told last: an address, or the kind of a state. */
  #told = "";

  /** `here` says whether the page of sharing is on the screen, `show` goes to it. */
  constructor(host: Host, notices: Notices, here: () => boolean, show: () => void) {
    super(() => host.sharing());
    this.#host = host;
    this.#notices = notices;
    this.#here = here;
    this.#show = show;
  }

  override accept(reply: SharingView): boolean {
    const first = this.view === null;
    if (!super.accept(reply)) return false;
    const { state } = reply;
    const news = state.kind === "on" ? state.url : state.kind;
    // What is on starts again with every change; that is news only where the address is another.
    const again = state.kind === "starting" && this.#told.includes(":");
    if (news === this.#told || again) return true;
    this.#told = news;
    if (!first) this.#tell(state);
    return true;
  }

  /** Makes a choice; false where it could not be kept. */
  set(change: SharingChange): Promise<boolean> {
    this.failed = null;
    this.#changes = [...this.#changes, change];
    const done = this.#queue.then(() => this.#keep(change));
    this.#queue = done;
    return done;
  }

  /** Asks for a folder and shares it; false where none was chosen or it could not be. */
  addFolder(): Promise<boolean> {
    return this.#once("adding", "what", () => this.#host.addSharedFolder());
  }

  /** Shares a folder no longer. */
  removeFolder(path: string): Promise<boolean> {
    return this.#once("removing", "what", () => this.#host.removeSharedFolder(path));
  }

  /** Puts the token on the screen. */
  async showToken(): Promise<void> {
    this.#looks += 1;
    const look = this.#looks;
    this.failed = null;
    try {
      const token = await this.#host.sharingToken();
      // What was hidden meanwhile stays so.
      if (look === this.#looks) this.token = token;
    } catch (thrown) {
      this.failed = { part: "token", error: asError(thrown) };
    }
  }

  /** Takes the token off the screen. */
  hideToken(): void {
    this.#looks += 1;
    this.token = null;
  }

  /** Makes a new token, which is hidden as before. */
  renewToken(): Promise<boolean> {
    this.hideToken();
    return this.#once("renewing", "token", () => this.#host.renewSharingToken());
  }

  async #keep(change: SharingChange): Promise<boolean> {
    try {
      await this.#host.setSharing(change);
      await this.refresh();
      return true;
    } catch (thrown) {
      this.failed = { part: partOf(change), error: asError(thrown) };
      return false;
    } finally {
      this.#changes = this.#changes.filter((one) => one !== change);
    }
  }

  async #once(
    what: NonNullable<Sharing["busy"]>,
    part: Part,
    act: () => Promise<unknown>,
  ): Promise<boolean> {
    if (this.busy !== null) return false;
    this.busy = what;
    this.failed = null;
    try {
      if ((await act()) === false) return false;
      await this.refresh();
      return true;
    } catch (thrown) {
      this.failed = { part, error: asError(thrown) };
      return false;
    } finally {
      this.busy = null;
    }
  }

  /** Says what became of it, to people who listen, and to all when they are elsewhere. */
  #tell(state: SharingState): void {
    const words = text.sharing;
    const here = this.#here();
    if (state.kind === "on") this.#notices.say(words.isOn(state.url));
    else if (state.kind === "starting") this.#notices.say(words.isStarting);
    else if (state.kind === "off") {
      if (here) this.#notices.say(words.isOff);
      else this.#notices.show(words.isOff);
    } else if (!here) {
      const show = { label: text.actions.show, run: this.#show };
      this.#notices.show(words.ended(state.message), show, "bad");
    }
  }
}
