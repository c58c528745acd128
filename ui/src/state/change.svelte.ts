import type { BatchItemView } from "../lib/bindings/BatchItemView";
import type { BatchView } from "../lib/bindings/BatchView";
import type { ChangeRef } from "../lib/bindings/ChangeRef";
import type { OutcomeView } from "../lib/bindings/OutcomeView";
import type { PlaceMode } from "../lib/bindings/PlaceMode";
import { changeOf, choiceOf, sourceOf, type Deed, type Spared, type Subject } from "../lib/deeds";
import { isSkillName } from "../lib/format";
import type { Host, OnProgress } from "../lib/host/types";
import { withKey } from "../lib/picking";
import type { ListRow } from "../lib/rows";
import type { Activity } from "./activity.svelte";
import { Doing, targetOf, type Clash } from "./doing.svelte";
import type { Library } from "./library.svelte";

/** What the person chose for one tool that gets copies. */
export interface Target {
  ticked: boolean;
  /** Absent for the tool's own. */
  mode: PlaceMode | null;
}

const UNTOUCHED: Target = { ticked: false, mode: null };
const KEEP: Clash = { way: "keep", name: "" };

/** One line of what will happen: a folder, and what it is a part of. */
export interface Line {
  subject: Subject | null;
  item: BatchItemView | null;
}

/** Whether an item is one that changes something. */
export function acts({ action }: BatchItemView): boolean {
  return action !== "keep" && action !== "refuse";
}

/** Whether something else has the name where a skill is to go. */
export function clashes({ standing }: BatchItemView): boolean {
  return standing === "ours" || standing === "foreign";
}

/** Whether a line has something to decide, or cannot be done. */
function asks({ item }: Line): boolean {
  if (!item) return false;
  const inTheWay = item.kind === "place" && clashes(item);
  return item.action === "refuse" || (item.kind === "update" && item.edited) || inTheWay;
}

/** Which items belong to which subject: by folder, else by name and tools. */
export function linesOf(subjects: Subject[], items: BatchItemView[]): Line[] {
  const left = new Set(items);
  const found = new Map<Subject, BatchItemView[]>();
  const give = (subject: Subject, fits: (item: BatchItemView) => boolean): void => {
    const own = [...left].filter((item) => item.name === subject.name && fits(item));
    for (const item of own) left.delete(item);
    if (own.length > 0) found.set(subject, [...(found.get(subject) ?? []), ...own]);
  };
  const byPath = new Map<string, BatchItemView[]>();
  for (const item of items) byPath.set(item.path, [...(byPath.get(item.path) ?? []), item]);
  for (const subject of subjects) {
    const own = (byPath.get(subject.path) ?? []).filter((item) => left.delete(item));
    if (own.length > 0) found.set(subject, own);
  }
  for (const subject of subjects) {
    if (left.size === 0) break;
    // A folder that links lead to is told by its links, each in a folder of its own.
    give(subject, ({ tools }) => tools.some((tool) => subject.tools.includes(tool)));
  }
  return [
    ...subjects.flatMap((subject): Line[] =>
      (found.get(subject) ?? [null]).map((item) => ({ subject, item })),
    ),
    ...[...left].map((item): Line => ({ subject: null, item })),
  ];
}

/** Changing skills that are here, one or many: choose, see, do, take back. */
export class Changing extends Doing<BatchView> {
  deed = $state<Deed>("remove");
  /** What was chosen. */
  rows = $state.raw<ListRow[]>([]);
  /** What could be changed. */
  subjects = $state.raw<Subject[]>([]);
  /** What was chosen and cannot. */
  spared = $state.raw<Spared[]>([]);
  /** How many skills were chosen. */
  chosen = $derived(this.rows.length);
  /** The skill's name, where it is one. */
  name = $state("");
  ticked = $state.raw<ReadonlySet<string>>(new Set());
  /** Edited copies that give way to what is offered. */
  taken = $state.raw<ReadonlySet<string>>(new Set());
  /** What it is renamed to. */
  to = $state("");
  targets = $state.raw<Readonly<Record<string, Target>>>({});
  clash = $state.raw<Readonly<Record<string, Clash>>>({});
  /** What asked for a look at first comes first, and stays there. */
  #urgent = $state.raw<ReadonlySet<string>>(new Set());

  /** Whether it goes to tools that are to be chosen. */
  placing = $derived(this.deed === "copy" || this.deed === "install");
  chosenTools = $derived(
    Object.entries(this.targets)
      .filter(([, { ticked }]) => ticked)
      .map(([tool]) => tool),
  );
  override readonly badName = $derived(
    (this.deed === "rename" && !isSkillName(this.to)) ||
      Object.values(this.clash).some(({ way, name }) => way === "rename" && !isSkillName(name)),
  );
  /** Every folder, with what will happen there: what asks for a look first. */
  lines = $derived.by((): Line[] => {
    if (this.placing) {
      const all = (this.plan?.items ?? []).map((item) => this.#placed(item));
      return [...all.filter(asks), ...all.filter((line) => !asks(line))];
    }
    const ticked = this.subjects.filter(({ key }) => this.ticked.has(key));
    const known = linesOf(ticked, this.plan?.items ?? []);
    const others = linesOf(this.subjects, this.survey?.items ?? []).filter(
      ({ subject }) => subject !== null && !this.ticked.has(subject.key),
    );
    const seen = new Set([...known, ...others].map(({ subject }) => subject));
    const unknown = this.subjects
      .filter((subject) => !seen.has(subject))
      .map((subject): Line => ({ subject, item: null }));
    const order = new Map(this.subjects.map((subject, at) => [subject, this.#rank(subject, at)]));
    const at = ({ subject }: Line) => (subject ? (order.get(subject) ?? 0) : Infinity);
    return [...known, ...others, ...unknown].sort((a, b) => at(a) - at(b));
  });

  #changed: (outcome: OutcomeView) => Promise<void>;

  /** `changed` is told what came of it, once the library shows it. */
  constructor(
    host: Host,
    library: Library,
    activity: Activity,
    changed: (outcome: OutcomeView) => Promise<void>,
  ) {
    super(host, library, activity);
    this.#changed = changed;
  }

  /**
   * Opens the dialog for what was chosen. `copy` is the copy that is shown: of a skill in several
   * places it is the one that is ticked.
   */
  async open(deed: Deed, rows: ListRow[], copy: string | null = null): Promise<void> {
    if (this.phase !== "closed" || rows.length === 0) return;
    const { subjects, spared } = choiceOf(deed, rows, this.library.away, copy);
    this.begin();
    this.deed = deed;
    this.subjects = subjects;
    this.spared = spared;
    this.rows = rows;
    this.name = rows.length === 1 ? (rows[0]?.name ?? "") : "";
    this.to = this.name;
    this.ticked = new Set(this.#ticked(copy));
    this.taken = new Set();
    this.targets = {};
    this.clash = {};
    this.#urgent = new Set();
    await this.look();
  }

  /** Asks what would be done with all, and with what is ticked. */
  async look(): Promise<void> {
    this.error = null;
    const all = this.placing ? [] : this.#changes(this.subjects.filter(({ alone }) => !alone));
    const asked = this.next();
    if (all.length > 0 && this.ticked.size < this.subjects.length && this.deed !== "rename") {
      try {
        const survey = await this.host.planChanges(all);
        if (this.isLast(asked)) this.survey = survey;
      } catch {
        // What is ticked is asked for next, and says what is wrong.
      }
    }
    if (!this.isLast(asked)) return;
    await this.replan();
    if (this.chosen > 1) {
      const urgent = this.lines.filter(asks).flatMap(({ subject }) => subject?.key ?? []);
      this.#urgent = new Set(urgent);
    }
  }

  /** Ticks a folder, or leaves it out. One that is only changed by itself is ticked alone. */
  async tick(key: string, on: boolean): Promise<void> {
    if (this.phase !== "choose") return;
    const alone = this.subjects.filter((one) => one.alone).map((one) => one.key);
    const next = new Set(this.ticked);
    if (!on) next.delete(key);
    else if (alone.includes(key)) {
      next.clear();
      next.add(key);
    } else {
      for (const other of alone) next.delete(other);
      next.add(key);
    }
    this.ticked = next;
    await this.replan();
  }

  /** Ticks all that can be changed together, or none. */
  async tickAll(on: boolean): Promise<void> {
    if (this.phase !== "choose") return;
    this.ticked = new Set(
      on ? this.subjects.filter(({ alone }) => !alone).map(({ key }) => key) : [],
    );
    await this.replan();
  }

  /** Says whether an edited copy gives way to what is offered. */
  async take(key: string, on: boolean): Promise<void> {
    if (this.phase !== "choose") return;
    this.taken = withKey(this.taken, key, on);
    await this.replan();
  }

  async rename(to: string): Promise<void> {
    if (this.phase !== "choose") return;
    this.to = to;
    await this.replan();
  }

  /** Which of these tools see the skill elsewhere, in a copy that is not ticked. */
  elsewhere(subject: Subject, tools: string[]): string[] {
    const row = this.library.rows.find(({ name }) => name === subject.name);
    const others = (row?.skill?.copies ?? []).filter(
      ({ id }) => id !== subject.at.id && !this.ticked.has(`copy ${id}`),
    );
    return tools.filter((tool) => others.some((copy) => copy.tools.includes(tool)));
  }

  target(tool: string): Target {
    return this.targets[tool] ?? UNTOUCHED;
  }

  async choose(tool: string, change: Partial<Target>): Promise<void> {
    if (this.phase !== "choose") return;
    this.targets = { ...this.targets, [tool]: { ...this.target(tool), ...change } };
    await this.replan();
  }

  clashAt(subject: Subject, tool: string): Clash {
    return this.clash[`${subject.key} ${tool}`] ?? KEEP;
  }

  async settle(subject: Subject, tool: string, change: Partial<Clash>): Promise<void> {
    if (this.phase !== "choose") return;
    const key = `${subject.key} ${tool}`;
    this.clash = { ...this.clash, [key]: { ...this.clashAt(subject, tool), ...change } };
    await this.replan();
  }

  protected override async carryOut(
    job: string,
    id: string,
    told: OnProgress,
  ): Promise<OutcomeView> {
    const outcome = await this.host.applyChanges(job, id, told);
    await this.#changed(outcome);
    return outcome;
  }

  protected override async replan(keepError = false): Promise<void> {
    const subjects = this.subjects.filter(({ key }) => this.ticked.has(key));
    if (!keepError) this.error = null;
    const nowhere = this.placing && this.chosenTools.length === 0;
    const unnamed = this.deed === "rename" && (this.badName || this.to === this.name);
    const asks = subjects.length > 0 && !nowhere && !unnamed;
    await this.preview(
      asks ? () => this.host.planChanges(this.#changes(subjects)) : null,
      (plan) => (this.plan = plan),
    );
  }

  /** The keys that are ticked at first: of one skill the copy that is shown, else all. */
  #ticked(copy: string | null): string[] {
    const { subjects } = this;
    // What is new is for all copies, whichever is shown.
    if (this.chosen === 1 && subjects.length > 1 && this.deed !== "update") {
      const shown = subjects.find(({ at }) => at.kind !== "offer" && at.id === copy);
      if (shown) return [shown.key];
      if (this.deed === "rename") return subjects.slice(0, 1).map(({ key }) => key);
    }
    if (subjects.length === 1) return subjects.map(({ key }) => key);
    return subjects.filter(({ alone }) => !alone).map(({ key }) => key);
  }

  #rank({ key }: Subject, at: number): number {
    return this.#urgent.has(key) ? at - this.subjects.length : at;
  }

  #changes(subjects: Subject[]): ChangeRef[] {
    if (this.placing) {
      return subjects.map((subject): ChangeRef => ({
        kind: "place",
        source: sourceOf(subject),
        targets: this.chosenTools.map((tool) =>
          targetOf(tool, this.clashAt(subject, tool), this.target(tool).mode),
        ),
      }));
    }
    return subjects.flatMap((subject) => {
      const more = { take: this.taken.has(subject.key), to: this.to };
      return changeOf(this.deed, subject, more) ?? [];
    });
  }

  /** The line of an item that goes to a tool. */
  #placed(item: BatchItemView): Line {
    return { item, subject: this.subjects.find(({ name }) => name === item.name) ?? null };
  }
}
