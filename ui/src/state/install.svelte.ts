import type { ErrorView } from "../lib/bindings/ErrorView";
import type { OutcomeView } from "../lib/bindings/OutcomeView";
import type { PlanItemView } from "../lib/bindings/PlanItemView";
import type { PlanView } from "../lib/bindings/PlanView";
import type { Progress } from "../lib/bindings/Progress";
import type { SourceRef } from "../lib/bindings/SourceRef";
import type { TargetRef } from "../lib/bindings/TargetRef";
import { asError } from "../lib/errors";
import { isSkillName } from "../lib/format";
import type { Host } from "../lib/host/types";
import type { Activity } from "./activity.svelte";
import type { Library } from "./library.svelte";

/** What to do where something is in the way. */
export type Way = "keep" | "replace" | "rename";

/** What the person chose for one tool. */
export interface Choice {
  ticked: boolean;
  way: Way;
  name: string;
}

const UNTOUCHED: Choice = { ticked: false, way: "keep", name: "" };

/** Installing or copying one skill into tools: choose, see, do, take back. */
export class Install {
  phase = $state<"closed" | "choose" | "running" | "done">("closed");
  name = $state("");
  source = $state.raw<SourceRef | null>(null);
  choices = $state.raw<Record<string, Choice>>({});
  /** What is at each tool, whether it is ticked or not. */
  survey = $state.raw<PlanView | null>(null);
  /** What would be done with what is ticked. */
  plan = $state.raw<PlanView | null>(null);
  planning = $state(false);
  error = $state.raw<ErrorView | null>(null);
  progress = $state.raw<Progress | null>(null);
  outcome = $state.raw<OutcomeView | null>(null);
  undone = $state(false);
  stopping = $state(false);

  copying = $derived(this.source?.kind === "copy");
  badName = $derived(
    Object.values(this.choices).some(
      (choice) => choice.ticked && choice.way === "rename" && !isSkillName(choice.name),
    ),
  );
  canApply = $derived(
    this.phase === "choose" &&
      !this.planning &&
      !this.badName &&
      this.plan !== null &&
      this.plan.blockers.length === 0 &&
      this.plan.writes > 0,
  );

  #host: Host;
  #library: Library;
  #activity: Activity;
  #asked = 0;
  #job = "";

  constructor(host: Host, library: Library, activity: Activity) {
    this.#host = host;
    this.#library = library;
    this.#activity = activity;
  }

  /** Opens the dialog and looks at what is in each tool's folder. */
  async open(source: SourceRef, name: string): Promise<void> {
    if (this.phase !== "closed") return;
    this.phase = "choose";
    this.source = source;
    this.name = name;
    this.choices = {};
    this.survey = null;
    this.plan = null;
    this.error = null;
    this.progress = null;
    this.outcome = null;
    this.undone = false;
    this.stopping = false;
    await this.look();
  }

  /** Asks what is at every tool. */
  async look(): Promise<void> {
    const source = this.source;
    if (!source) return;
    this.error = null;
    const targets = this.#library.tools.map((tool) => this.#target(tool.id, UNTOUCHED));
    const asked = this.#next();
    try {
      const survey = await this.#host.plan(source, targets);
      if (asked === this.#asked) this.survey = survey;
    } catch (thrown) {
      if (asked === this.#asked) this.error = asError(thrown);
    } finally {
      if (asked === this.#asked) this.planning = false;
    }
  }

  choice(tool: string): Choice {
    return this.choices[tool] ?? UNTOUCHED;
  }

  /** What is known of a tool: from the plan where it is ticked, else from the survey. */
  item(tool: string): PlanItemView | undefined {
    const of = (plan: PlanView | null) => plan?.items.find((item) => item.tool === tool);
    return (this.choice(tool).ticked ? of(this.plan) : undefined) ?? of(this.survey);
  }

  /** What was found at a tool under the skill's own name. */
  found(tool: string): PlanItemView | undefined {
    return this.survey?.items.find((item) => item.tool === tool);
  }

  /** Changes what is chosen for a tool and works the plan out again. */
  async choose(tool: string, change: Partial<Choice>): Promise<void> {
    if (this.phase !== "choose") return;
    this.choices = { ...this.choices, [tool]: { ...this.choice(tool), ...change } };
    await this.#replan();
  }

  /** Carries the plan out; while it runs, asking again does nothing. */
  async apply(): Promise<void> {
    const plan = this.plan;
    if (!plan || !this.canApply) return;
    this.phase = "running";
    this.error = null;
    this.progress = null;
    this.stopping = false;
    this.#job = `apply-${crypto.randomUUID()}`;
    try {
      this.outcome = await this.#host.applyPlan(this.#job, plan.id, (progress) => {
        if (this.phase === "running") this.progress = progress;
      });
      this.phase = "done";
    } catch (thrown) {
      this.error = asError(thrown);
      this.phase = "choose";
      await this.#replan(true);
    }
    await this.#activity.refresh();
  }

  async stop(): Promise<void> {
    if (this.phase !== "running" || this.stopping) return;
    this.stopping = true;
    await this.#host.cancel(this.#job).catch(() => undefined);
  }

  async undo(): Promise<void> {
    if (!this.outcome || this.undone) return;
    const undone = await this.#activity.undo(this.outcome.change);
    if (undone) {
      this.outcome = undone;
      this.undone = true;
    }
  }

  /** Closes the dialog; not while it writes. */
  close(): boolean {
    if (this.phase === "running") return false;
    this.phase = "closed";
    this.#next();
    this.planning = false;
    return true;
  }

  #next(): number {
    this.#asked += 1;
    this.planning = true;
    return this.#asked;
  }

  #target(tool: string, choice: Choice): TargetRef {
    return {
      tool,
      onConflict: choice.way === "replace" ? "replace" : "keep",
      name: choice.way === "rename" && isSkillName(choice.name) ? choice.name : null,
    };
  }

  async #replan(keepError = false): Promise<void> {
    const source = this.source;
    if (!source) return;
    const targets = Object.entries(this.choices)
      .filter(([, choice]) => choice.ticked)
      .map(([tool, choice]) => this.#target(tool, choice));
    const asked = this.#next();
    if (!keepError) this.error = null;
    if (targets.length === 0) {
      this.plan = null;
      this.planning = false;
      return;
    }
    try {
      const plan = await this.#host.plan(source, targets);
      if (asked === this.#asked) this.plan = plan;
    } catch (thrown) {
      if (asked === this.#asked) {
        this.plan = null;
        this.error = asError(thrown);
      }
    } finally {
      if (asked === this.#asked) this.planning = false;
    }
  }
}
