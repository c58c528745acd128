import type { OutcomeView } from "../lib/bindings/OutcomeView";
import type { PlanItemView } from "../lib/bindings/PlanItemView";
import type { PlaceMode } from "../lib/bindings/PlaceMode";
import type { PlanView } from "../lib/bindings/PlanView";
import type { SourceRef } from "../lib/bindings/SourceRef";
import { isSkillName } from "../lib/format";
import type { OnProgress } from "../lib/host/types";
import { withKey } from "../lib/picking";
import { Doing, targetOf, type Clash } from "./doing.svelte";

/** What the person chose for one tool. */
export interface Choice extends Clash {
  ticked: boolean;
  /** A copy or a link; absent for the tool's own. */
  mode: PlaceMode | null;
}

const UNTOUCHED: Choice = { ticked: false, way: "keep", name: "", mode: null };

/** Installing or copying one skill into tools: choose, see, do, take back. */
export class Install extends Doing<PlanView> {
  name = $state("");
  source = $state.raw<SourceRef | null>(null);
  choices = $state.raw<Record<string, Choice>>({});
  /** Paths of served files that are to be programs. */
  programs = $state.raw<ReadonlySet<string>>(new Set());

  copying = $derived(this.source?.kind === "copy");
  override readonly badName = $derived(
    Object.values(this.choices).some(
      (choice) => choice.ticked && choice.way === "rename" && !isSkillName(choice.name),
    ),
  );

  /** Opens the dialog and looks at what is in each tool's folder. */
  async open(source: SourceRef, name: string): Promise<void> {
    if (this.phase !== "closed") return;
    this.begin();
    this.source = source;
    this.name = name;
    this.choices = {};
    this.programs = new Set();
    await this.look();
  }

  /** Asks what is at every tool. */
  async look(): Promise<void> {
    const source = this.source;
    if (!source) return;
    this.error = null;
    const targets = this.library.tools.map((tool) => targetOf(tool.id, UNTOUCHED, null));
    await this.preview(
      () => this.host.plan(source, targets),
      (survey) => (this.survey = survey),
    );
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
    await this.replan();
  }

  /** Makes a served file a program, or leaves it as it is. */
  async setProgram(path: string, on: boolean): Promise<void> {
    if (this.phase !== "choose") return;
    this.programs = withKey(this.programs, path, on);
    if (this.source?.kind === "offer") {
      this.source = { ...this.source, executable: [...this.programs].sort() };
    }
    await this.replan();
  }

  protected override async carryOut(
    job: string,
    id: string,
    told: OnProgress,
  ): Promise<OutcomeView> {
    return this.host.applyPlan(job, id, told);
  }

  protected override async replan(keepError = false): Promise<void> {
    const source = this.source;
    if (!source) return;
    const targets = Object.entries(this.choices)
      .filter(([, choice]) => choice.ticked)
      .map(([tool, choice]) => targetOf(tool, choice, choice.mode));
    if (!keepError) this.error = null;
    await this.preview(
      targets.length > 0 ? () => this.host.plan(source, targets) : null,
      (plan) => (this.plan = plan),
    );
  }
}
