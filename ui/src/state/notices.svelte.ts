/** What a notice offers to do. */
export interface NoticeAction {
  label: string;
  run: () => void;
}

/** A line at the foot of the window that goes by itself. */
export interface Notice {
  id: number;
  text: string;
  tone: "plain" | "bad";
  action: NoticeAction | null;
  /** What it is about, where a later one about the same takes its place. */
  about: string | null;
}

/** How long a notice stays, in milliseconds; one with an action stays longer. */
const STAYS = 6_000;
const STAYS_WITH_ACTION = 12_000;

/** The notices, newest last, and the words for people who listen. */
export class Notices {
  shown = $state.raw<Notice[]>([]);
  spoken = $state("");
  #next = 1;

  /** Shows a notice; the result is what takes it away. */
  show(
    text: string,
    action: NoticeAction | null = null,
    tone: Notice["tone"] = "plain",
    about: string | null = null,
  ): number {
    const id = this.#next;
    this.#next += 1;
    // What is said again takes the place of what said it, and news that of what it made old.
    const others = this.shown.filter(
      (one) =>
        (one.text !== text || one.action !== null) && (about === null || one.about !== about),
    );
    this.shown = [...others.slice(-2), { id, text, tone, action, about }];
    setTimeout(() => this.dismiss(id), action ? STAYS_WITH_ACTION : STAYS);
    return id;
  }

  /** Says something to people who listen, without showing it. */
  say(text: string): void {
    this.spoken = text;
  }

  dismiss(id: number): void {
    if (this.shown.some((notice) => notice.id === id)) {
      this.shown = this.shown.filter((notice) => notice.id !== id);
    }
  }

  /** Takes the newest away; false when there is none. */
  dismissLast(): boolean {
    const last = this.shown.at(-1);
    if (!last) return false;
    this.dismiss(last.id);
    return true;
  }
}
