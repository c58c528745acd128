import type { ErrorView } from "../lib/bindings/ErrorView";
import type { FixView } from "../lib/bindings/FixView";
import type { OutcomeView } from "../lib/bindings/OutcomeView";
import type { SkillDetail } from "../lib/bindings/SkillDetail";
import { asError } from "../lib/errors";
import { unmarked } from "../lib/format";
import type { Host } from "../lib/host/types";
import { text } from "../lib/text";
import type { Activity } from "./activity.svelte";
import type { Library } from "./library.svelte";
import type { Notices } from "./notices.svelte";

/** What `running` is while all fixes are carried out. */
export const ALL = "all";

/** How many changes put right what can be: one change may be the fix of several checks. */
export function fixable(skill: SkillDetail | null): number {
  const first = skill?.checks.flatMap(({ fixes }) => fixes.slice(0, 1)) ?? [];
  return new Set(first.map(({ change }) => JSON.stringify(change))).size;
}

/** Putting a local skill right: one fix at a time, or all as one change; each can be taken back. */
export class Fixing {
  /** The fix that is being carried out. */
  running = $state<string | null>(null);
  /** Why the last one could not be, and of which copy. */
  failed = $state.raw<{ copy: string; error: ErrorView } | null>(null);
  /** Where a skill lay before a change, by the change. */
  readonly #before = new Map<string, string>();
  /** The notice that offers to take the last change back. */
  #notice: { id: number; change: string } | null = null;
  #host: Host;
  #notices: Notices;
  #library: Library;
  #activity: Activity;
  #follow: (copy: string, paths: string[]) => Promise<SkillDetail | null>;

  /** `follow` shows the skill again that was shown as `copy`, at the first of the paths that has one. */
  constructor(
    host: Host,
    notices: Notices,
    library: Library,
    activity: Activity,
    follow: (copy: string, paths: string[]) => Promise<SkillDetail | null>,
  ) {
    this.#host = host;
    this.#notices = notices;
    this.#library = library;
    this.#activity = activity;
    this.#follow = follow;
  }

  /** Carries out one fix; while one is on its way, asking again does nothing. */
  apply(skill: SkillDetail, fix: FixView): Promise<boolean> {
    const said = text.fix.done(skill.name, unmarked(fix.title));
    return this.#run(
      skill,
      fix.id,
      () => said,
      () => this.#host.applyFix(skill.id, fix.id),
    );
  }

  /** Carries out the first fix of every check that has one; those that touch wait for another time. */
  applyAll(skill: SkillDetail): Promise<boolean> {
    const said = (now: SkillDetail | null) => text.fix.doneAll(skill.name, fixable(now));
    return this.#run(skill, ALL, said, () => this.#host.applyAllFixes(skill.id));
  }

  /** A change was taken back: nothing offers to do that any more. */
  takenBack(change: string): void {
    if (this.#notice?.change !== change) return;
    this.#notices.dismiss(this.#notice.id);
    this.#notice = null;
  }

  /** Where the skill lay that a change of this page put right. */
  before(change: string): string | undefined {
    return this.#before.get(change);
  }

  async #run(
    skill: SkillDetail,
    what: string,
    said: (now: SkillDetail | null) => string,
    act: () => Promise<OutcomeView>,
  ): Promise<boolean> {
    if (this.running !== null) return false;
    this.running = what;
    this.failed = null;
    try {
      const { change, items } = await act();
      await Promise.all([this.#library.refresh(), this.#activity.refresh()]);
      const error = items.find((item) => item.error !== null)?.error;
      const done = items.some(({ result }) => result === "written" || result === "replaced");
      if (done) this.#before.set(change, skill.path);
      const now = await this.#follow(skill.id, [...items.map(({ path }) => path), skill.path]);
      if (done) this.#tell(change, said(now));
      if (error) this.failed = { copy: skill.id, error };
      return done;
    } catch (thrown) {
      this.failed = { copy: skill.id, error: asError(thrown) };
      return false;
    } finally {
      this.running = null;
    }
  }

  /** One notice at a time: what came before can be taken back only after what came last. */
  #tell(change: string, said: string): void {
    if (this.#notice) this.#notices.dismiss(this.#notice.id);
    const run = () => void this.#activity.undo(change);
    const id = this.#notices.show(said, { label: text.actions.undo, run });
    this.#notice = { id, change };
  }
}
