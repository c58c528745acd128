import type { ErrorView } from "../lib/bindings/ErrorView";
import type { FileContent } from "../lib/bindings/FileContent";
import type { Progress } from "../lib/bindings/Progress";
import type { ReviewView } from "../lib/bindings/ReviewView";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";
import { withKey } from "../lib/picking";
import { text } from "../lib/text";
import type { Notices } from "./notices.svelte";

/** A skill that has to be looked at in this review. */
export interface ReviewStep {
  uri: string;
  name: string;
  decided: "approved" | "rejected" | null;
}

/** One review: fetching, looking, deciding. */
export class Review {
  phase = $state<"closed" | "fetching" | "ready" | "failed">("closed");
  progress = $state.raw<Progress | null>(null);
  view = $state.raw<ReviewView | null>(null);
  error = $state.raw<ErrorView | null>(null);
  /** Why the decision was not taken. */
  refusal = $state.raw<ErrorView | null>(null);
  steps = $state.raw<ReviewStep[]>([]);
  at = $state(0);
  grant = $state(false);
  /** A remark for the history, kept with the approval. */
  note = $state("");
  /** Positions of the grave findings that were ticked. */
  ticked = $state.raw<ReadonlySet<number>>(new Set());
  deciding = $state<"approve" | "reject" | null>(null);
  stopping = $state(false);
  /** The content of a file, or what changed in it, was on the screen. */
  seen = $state(false);

  grave = $derived(
    (this.view?.findings ?? [])
      .map((finding, index) => ({ finding, index }))
      .filter(({ finding }) => finding.severity === "grave"),
  );
  unticked = $derived(this.grave.filter(({ index }) => !this.ticked.has(index)).length);
  canApprove = $derived(
    this.phase === "ready" &&
      this.view !== null &&
      this.view.blockers.length === 0 &&
      this.view.verifications.every((check) => check.holds) &&
      this.unticked === 0 &&
      this.seen &&
      this.deciding === null,
  );

  server = "";
  #host: Host;
  #notices: Notices;
  #after: (server: string, uri: string, name: string) => void;
  #job = "";
  #jobs = 0;

  /** `after` is called when a skill was approved and the review is over. */
  constructor(
    host: Host,
    notices: Notices,
    after: (server: string, uri: string, name: string) => void,
  ) {
    this.#host = host;
    this.#notices = notices;
    this.#after = after;
  }

  /** Opens the review, which fetches the files. */
  async start(server: string, uri: string, name: string): Promise<void> {
    if (this.phase !== "closed") return;
    this.server = server;
    this.steps = [{ uri, name, decided: null }];
    await this.#fetch(0);
  }

  /** Fetches what is shown again, as after a failure. */
  async again(): Promise<void> {
    await this.#forget();
    await this.#fetch(this.at);
  }

  /** Goes to another skill of this review. */
  async goTo(at: number): Promise<void> {
    if (at === this.at || this.phase === "fetching" || this.deciding) return;
    await this.#forget();
    await this.#fetch(at);
  }

  tick(index: number, on: boolean): void {
    this.ticked = withKey(this.ticked, index, on);
  }

  file(path: string): Promise<FileContent> {
    return this.#host.reviewFile(this.view?.id ?? "", path);
  }

  /** Stops the fetching. */
  async stop(): Promise<void> {
    if (this.phase !== "fetching" || this.stopping) return;
    this.stopping = true;
    try {
      await this.#host.cancel(this.#job);
    } catch {
      this.#leave();
    }
  }

  async approve(): Promise<void> {
    const view = this.view;
    if (!view || !this.canApprove) return;
    const note = this.note.trim() === "" ? null : this.note.trim();
    const codes = [...new Set(this.grave.map(({ finding }) => finding.code))];
    await this.#decide("approve", () =>
      this.#host.approve(view.id, view.manifest.fingerprint, this.grant, codes, note),
    );
  }

  async reject(): Promise<void> {
    const view = this.view;
    if (!view || this.phase !== "ready") return;
    await this.#decide("reject", () => this.#host.reject(view.id, view.manifest.fingerprint));
  }

  /** Closes without a decision, stopping what runs. */
  async close(): Promise<void> {
    if (this.phase === "closed" || this.deciding) return;
    if (this.phase === "fetching") {
      const job = this.#job;
      this.#leave();
      await this.#host.cancel(job).catch(() => undefined);
      return;
    }
    await this.#forget();
    this.#leave();
  }

  async #fetch(at: number): Promise<void> {
    const step = this.steps[at];
    if (!step) return;
    this.at = at;
    this.phase = "fetching";
    this.view = null;
    this.error = null;
    this.refusal = null;
    this.progress = null;
    this.grant = false;
    this.note = "";
    this.ticked = new Set();
    this.seen = false;
    this.stopping = false;
    this.#jobs += 1;
    const job = `review-${this.#jobs}-${crypto.randomUUID()}`;
    this.#job = job;
    try {
      const view = await this.#host.startReview(job, this.server, step.uri, (progress) => {
        if (this.#job === job && this.phase === "fetching") this.progress = progress;
      });
      if (this.#job !== job) {
        await this.#host.closeReview(view.id).catch(() => undefined);
        return;
      }
      this.view = view;
      this.phase = "ready";
      this.#addNested(view);
      this.#notices.say(text.review.fetched(view.name));
    } catch (thrown) {
      if (this.#job !== job) return;
      const error = asError(thrown);
      if (error.code === "cancelled") {
        this.#leave();
      } else {
        this.error = error;
        this.phase = "failed";
      }
    }
  }

  #addNested(view: ReviewView): void {
    const known = new Set(this.steps.map((step) => step.uri));
    const inner = view.nested
      .filter((nested) => !known.has(nested.uri))
      .map((nested) => ({
        uri: nested.uri,
        name: nested.path.split("/").at(-2) ?? nested.path,
        decided: nested.standing.kind === "approved" ? ("approved" as const) : null,
      }));
    if (inner.length > 0) this.steps = [...this.steps, ...inner];
  }

  async #decide(kind: "approve" | "reject", tell: () => Promise<void>): Promise<void> {
    if (this.deciding) return;
    const stale = this.refusal?.code === "changed";
    this.deciding = kind;
    this.refusal = null;
    try {
      await tell();
    } catch (thrown) {
      const refusal = asError(thrown);
      // What leads on is the button below it, which fetches again.
      const again = refusal.code === "changed" || refusal.code === "gone";
      this.refusal = again ? { ...refusal, hint: text.review.staleHint } : refusal;
      this.deciding = null;
      return;
    }
    this.deciding = null;
    const decided = kind === "approve" ? "approved" : "rejected";
    const outer = this.steps[0];
    this.steps = this.steps.map((step, index) => (index === this.at ? { ...step, decided } : step));
    const next = this.steps.findIndex((step) => step.decided === null);
    if (kind === "approve" && next >= 0) {
      await this.#fetch(next);
      return;
    }
    const rejected = this.steps[this.at]?.name ?? "";
    const server = this.server;
    this.#leave();
    if (kind === "approve" && outer) this.#after(server, outer.uri, outer.name);
    else this.#notices.show(text.review[stale ? "rejectedSeen" : "rejected"](rejected));
  }

  async #forget(): Promise<void> {
    if (this.view) await this.#host.closeReview(this.view.id).catch(() => undefined);
    this.view = null;
  }

  #leave(): void {
    this.phase = "closed";
    this.#job = "";
    this.view = null;
    this.error = null;
    this.refusal = null;
    this.progress = null;
    this.stopping = false;
  }
}
