import type { ErrorView } from "../lib/bindings/ErrorView";
import type { OutcomeView } from "../lib/bindings/OutcomeView";
import type { PlaceMode } from "../lib/bindings/PlaceMode";
import type { Progress } from "../lib/bindings/Progress";
import type { TargetRef } from "../lib/bindings/TargetRef";
import { asError } from "../lib/errors";
import { isSkillName } from "../lib/format";
import type { Host, OnProgress } from "../lib/host/types";
import type { Activity } from "./activity.svelte";
import type { Library } from "./library.svelte";

/** What a preview says, whatever it is of. */
export interface Preview {
  id: string;
  blockers: string[];
  /** How many folders it changes. */
  writes: number;
}

/** What to do where something is in the way. */
export type Way = "keep" | "replace" | "rename";

/** What is done where something has the name already. */
export interface Clash {
  way: Way;
  /** The other name, where that is the way. */
  name: string;
}

/** What is sent to a tool: where something is in the way, how, and as what. */
export function targetOf(tool: string, { way, name }: Clash, mode: PlaceMode | null): TargetRef {
  return {
    tool,
    onConflict: way === "replace" ? "replace" : "keep",
    name: way === "rename" && isSkillName(name) ? name : null,
    ...(mode ? { mode } : {}),
  };
}

/** A dialog that changes what is on the disk: choose, see, do, take back. */
export abstract class Doing<P extends Preview> {
  phase = $state<"closed" | "choose" | "running" | "done">("closed");
  /** What would be done with all that could be chosen. */
  survey = $state.raw<P | null>(null);
  /** What would be done with what is ticked. */
  plan = $state.raw<P | null>(null);
  planning = $state(false);
  error = $state.raw<ErrorView | null>(null);
  progress = $state.raw<Progress | null>(null);
  outcome = $state.raw<OutcomeView | null>(null);
  undone = $state(false);
  undoing = $state(false);
  stopping = $state(false);

  /** Whether a name that was typed is none. */
  abstract readonly badName: boolean;

  protected readonly host: Host;
  protected readonly library: Library;
  #activity: Activity;
  #asked = 0;
  #job = "";

  constructor(host: Host, library: Library, activity: Activity) {
    this.host = host;
    this.library = library;
    this.#activity = activity;
  }

  get canApply(): boolean {
    return (
      this.phase === "choose" &&
      !this.planning &&
      !this.badName &&
      this.plan !== null &&
      this.plan.blockers.length === 0 &&
      this.plan.writes > 0
    );
  }

  /** Carries it out; while it runs, asking again does nothing. */
  async apply(): Promise<void> {
    const { plan } = this;
    if (!plan || !this.canApply) return;
    this.phase = "running";
    this.error = null;
    this.progress = null;
    this.stopping = false;
    this.#job = `change-${crypto.randomUUID()}`;
    try {
      this.outcome = await this.carryOut(this.#job, plan.id, (progress) => {
        if (this.phase === "running") this.progress = progress;
      });
      this.phase = "done";
    } catch (thrown) {
      this.phase = "choose";
      this.error = asError(thrown);
      await this.replan(true);
    }
    await this.#activity.refresh();
  }

  async stop(): Promise<void> {
    if (this.phase !== "running" || this.stopping) return;
    this.stopping = true;
    await this.host.cancel(this.#job).catch(() => undefined);
  }

  async undo(): Promise<void> {
    if (!this.outcome || this.undone || this.undoing) return;
    this.undoing = true;
    const undone = await this.#activity.undo(this.outcome.change);
    if (undone) {
      this.outcome = undone;
      this.undone = true;
    }
    this.undoing = false;
  }

  /** Closes the dialog; not while it writes. */
  close(): boolean {
    if (this.phase === "running" || this.undoing) return false;
    this.phase = "closed";
    this.next();
    this.planning = false;
    return true;
  }

  protected abstract carryOut(job: string, id: string, told: OnProgress): Promise<OutcomeView>;

  /** Works out again what would be done with what is ticked. */
  protected abstract replan(keepError?: boolean): Promise<void>;

  /** Begins with nothing known of the time before. */
  protected begin(): void {
    this.phase = "choose";
    this.survey = null;
    this.plan = null;
    this.error = null;
    this.progress = null;
    this.outcome = null;
    this.undone = false;
    this.undoing = false;
    this.stopping = false;
  }

  /** The number of a question. The answer to an earlier one is void from now on. */
  protected next(): number {
    this.#asked += 1;
    this.planning = true;
    return this.#asked;
  }

  protected isLast(asked: number): boolean {
    return asked === this.#asked;
  }

  /** Asks for a preview and shows it, or none where there is nothing to ask or it fails. */
  protected async preview(
    ask: (() => Promise<P>) | null,
    show: (preview: P | null) => void,
  ): Promise<void> {
    const asked = this.next();
    if (!ask) {
      show(null);
      this.planning = false;
      return;
    }
    try {
      const preview = await ask();
      if (this.isLast(asked)) show(preview);
    } catch (thrown) {
      if (this.isLast(asked)) {
        show(null);
        this.error = asError(thrown);
      }
    } finally {
      if (this.isLast(asked)) this.planning = false;
    }
  }
}
