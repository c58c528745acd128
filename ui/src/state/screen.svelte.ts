import { createContext, tick } from "svelte";
import type { ErrorView } from "../lib/bindings/ErrorView";
import type { SkillDetail } from "../lib/bindings/SkillDetail";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";
import type { OfferRow } from "../lib/bindings/OfferRow";
import type { OutcomeView } from "../lib/bindings/OutcomeView";
import type { SourceRef } from "../lib/bindings/SourceRef";
import type { SideRef } from "../lib/bindings/SideRef";
import { choiceOf, sourceOf, type Deed, type Subject } from "../lib/deeds";
import { offerKey, type ListRow } from "../lib/rows";
import { text } from "../lib/text";
import { Activity } from "./activity.svelte";
import { Bundles } from "./bundles.svelte";
import { Comparing } from "./comparing.svelte";
import { Changing } from "./change.svelte";
import { Detail, type Tab } from "./detail.svelte";
import { Fixing } from "./fixing.svelte";
import { Install } from "./install.svelte";
import { Library } from "./library.svelte";
import { Listing } from "./listing.svelte";
import { Notices } from "./notices.svelte";
import { Review } from "./review.svelte";
import { Servers } from "./servers.svelte";
import { Settings } from "./settings.svelte";
import { Sharing } from "./sharing.svelte";
import { Trash } from "./trash.svelte";

/** An approval of this page: the end of an earlier one, and the notice that tells of it. */
interface Approved {
  server: string;
  uri: string;
  name: string;
  before: string | null;
  notice: number;
}

/** Everything the page holds, made once for a host. */
export class Screen {
  readonly host: Host;
  readonly notices = new Notices();
  readonly library: Library;
  readonly servers: Servers;
  readonly activity: Activity;
  readonly settings: Settings;
  readonly sharing: Sharing;
  readonly listing: Listing;
  readonly detail: Detail;
  readonly review: Review;
  readonly install: Install;
  readonly fixing: Fixing;
  readonly changing: Changing;
  readonly comparing: Comparing;
  readonly bundles: Bundles;
  readonly trash: Trash;
  /** The dialog for adding a server is open. */
  adding = $state(false);
  /** The list of keys is open. */
  keys = $state(false);
  /** The palette is open. */
  palette = $state(false);
  /** What was approved here, as long as it stands; what the server changes ends it. */
  readonly #approved = new Map<string, Approved>();

  constructor(host: Host) {
    this.host = host;
    this.library = new Library(host);
    this.servers = new Servers(host);
    this.activity = new Activity(
      host,
      this.notices,
      this.library,
      (key) => this.showSkill(key),
      async (change, paths) => {
        this.fixing.takenBack(change);
        const before = this.fixing.before(change);
        const copy = this.detail.skill?.id;
        if (before !== undefined && copy !== undefined && this.listing.row === null) {
          await this.#follow(copy, [...paths, before]);
        }
      },
    );
    this.settings = new Settings(host, () => this.library.refresh());
    this.listing = new Listing(this.library, this.servers, this.settings);
    this.sharing = new Sharing(
      host,
      this.notices,
      () => this.listing.place.kind === "sharing",
      () => this.listing.go({ kind: "sharing" }),
    );
    this.detail = new Detail(host);
    this.comparing = new Comparing(host, this.library, this.servers);
    this.bundles = new Bundles(host, this.notices, this.servers);
    this.trash = new Trash(host, this.notices, this.activity);
    this.fixing = new Fixing(host, this.notices, this.library, this.activity, (copy, paths) =>
      this.#follow(copy, paths),
    );
    this.install = new Install(host, this.library, this.activity);
    this.changing = new Changing(host, this.library, this.activity, (outcome) =>
      this.#changed(outcome),
    );
    this.review = new Review(host, this.notices, (server, uri, name) => {
      const before = this.#changedAt(server, uri);
      const at = this.servers.server(server);
      const never = at?.neverInstall ?? false;
      const offer = at?.offers.find((one) => one.uri === uri);
      const outdated = offer ? this.outdated(offer) : null;
      const notice = this.notices.show(
        text.review.approved(name),
        never
          ? null
          : outdated
            ? { label: text.changes.deeds.update, run: () => this.act("update", [outdated]) }
            : {
                label: text.actions.install,
                run: () => void this.install.open({ kind: "offer", server, uri }, name),
              },
        "plain",
        offerKey(server, uri),
      );
      this.#approved.set(offerKey(server, uri), { server, uri, name, before, notice });
      void this.#refreshServers();
    });
  }

  /** Goes to an offered skill and reviews it. */
  reviewOffer(server: string, uri: string, name: string): void {
    this.showOffer(server, uri);
    void this.review.start(server, uri, name);
  }

  /** The skill that is here of an offer, where it was installed from it and something is new. */
  outdated({ name, installedIn }: OfferRow): ListRow | null {
    const row = this.library.rows.find((one) => one.name === name);
    if (!row || installedIn.length === 0) return null;
    const { subjects } = choiceOf("update", [row], this.library.away);
    const is = subjects.some(({ tools }) => tools.some((tool) => installedIn.includes(tool)));
    return is ? row : null;
  }

  /** A skill that is shown may lie elsewhere for a moment: until then it is not gone. */
  get moving(): boolean {
    const { changing, fixing, activity } = this;
    return changing.phase === "running" || fixing.running !== null || activity.undoing !== null;
  }

  /** Shows the skill again that is shown as this copy, at the first of the paths where there is one. */
  async #follow(copy: string, paths: string[]): Promise<SkillDetail | null> {
    if (this.detail.skill?.id !== copy) return null;
    for (const path of paths) {
      for (const row of this.library.rows) {
        const found = row.skill?.copies.find((one) => one.path === path);
        if (!found) continue;
        this.detail.follow(row, found.id);
        this.listing.choose(row.key);
        // What follows the list has asked by then; the last question is the one that counts.
        await tick();
        await this.detail.show(row);
        return this.detail.skill;
      }
    }
    return null;
  }

  /** Does something with rows: one skill is copied or installed by itself, all else is a change. */
  act(deed: Deed, rows: ListRow[], copy: string | null = null): void {
    const [row, ...others] = rows;
    const is = (one: Deed) => choiceOf(one, rows, this.library.away).subjects.length > 0;
    // What is gone can only be taken off the record.
    if (deed === "remove" && !is("remove") && is("forget")) return this.act("forget", rows);
    const [subject] = choiceOf(deed, rows, this.library.away, copy).subjects;
    if (row && others.length === 0 && subject && (deed === "copy" || deed === "install")) {
      void this.install.open(sourceOf(subject), row.name);
    } else {
      void this.changing.open(deed, rows, copy);
    }
  }

  /** Shows how what lies where a skill is to go differs from it. */
  seeInTheWay(path: string, source: SourceRef): void {
    const there = this.library.rows
      .flatMap((row) => row.skill?.copies ?? [])
      .find((copy) => copy.path === path);
    if (!there) return;
    const other: SideRef =
      source.kind === "offer"
        ? { kind: "approved", server: source.server, uri: source.uri }
        : { kind: "copy", id: source.id };
    this.comparing.open({ kind: "copy", id: there.id }, other);
  }

  /** Shows how what is in the way, or was edited here, differs from what would take its place. */
  async seeDifference(subject: Subject, { path }: { path: string }): Promise<void> {
    const { at } = subject;
    const copyAt = (path: string) =>
      this.library.rows
        .flatMap((row) => row.skill?.copies ?? [])
        .find((copy) => copy.path === path);
    if (at.kind === "offer" || path !== subject.path) {
      this.seeInTheWay(path, sourceOf(subject));
      return;
    }
    await this.attempt(async () => {
      const { placement } = await this.host.skillDetail(at.id);
      const { server = null, uri = null, origin = "" } = placement ?? {};
      const from = copyAt(origin);
      const other: SideRef =
        server !== null && uri !== null
          ? { kind: "approved", server, uri }
          : from
            ? { kind: "copy", id: from.id }
            : { kind: "installed", copy: at.id };
      this.comparing.open({ kind: "copy", id: at.id }, other);
    });
  }

  /** What changes made of the list: it goes on with the skill, or with what is where it was. */
  async #changed({ items }: OutcomeView): Promise<void> {
    const { listing } = this;
    const { at, key } = listing;
    const copy = this.detail.skill?.id;
    await Promise.all([this.library.refresh(), this.servers.refresh()]);
    listing.keepPicked();
    if (copy !== undefined && listing.row === null) {
      const renamed = items.filter(({ result }) => result === "renamed");
      await this.#follow(
        copy,
        renamed.map(({ path }) => path),
      );
    }
    if (listing.row === null && key !== null) {
      const next = listing.rows[Math.min(Math.max(at, 0), listing.rows.length - 1)];
      listing.choose(next?.key ?? null);
    }
  }

  async #refreshServers(): Promise<void> {
    await this.servers.refresh();
    for (const [key, { server, uri, name, before, notice }] of this.#approved) {
      const at = this.#changedAt(server, uri);
      if (at === null || at === before) continue;
      this.#approved.delete(key);
      this.notices.dismiss(notice);
      const label = this.servers.server(server)?.label ?? "";
      const review = {
        label: text.actions.reviewChange,
        run: () => {
          this.reviewOffer(server, uri, name);
        },
      };
      this.notices.show(text.detail.changedAfter(name, label), review, "plain", key);
    }
  }

  /** When the approval of an offer ended, where it did. */
  #changedAt(server: string, uri: string): string | null {
    const offer = this.servers.server(server)?.offers.find((one) => one.uri === uri);
    return offer?.standing.kind === "changed" ? offer.standing.at : null;
  }

  /** Asks for everything and listens for news; the result stops listening. */
  start(): () => void {
    let stop: (() => void) | null = null;
    let stopped = false;
    this.host
      .onChanged(({ what }) => {
        if (what === "servers") void this.#refreshServers();
        else void this[what].refresh();
        // The folders that were added are counted with the library.
        if (what === "library") void this.settings.refresh();
      })
      .then((unlisten) => {
        if (stopped) unlisten();
        else stop = unlisten;
      })
      .catch((thrown: unknown) => this.complain(asError(thrown)));
    void this.settings.refresh();
    void this.library.refresh();
    void this.servers.refresh();
    void this.activity.refresh();
    void this.sharing.refresh();
    return () => {
      stopped = true;
      stop?.();
    };
  }

  /** Switches tools that nobody decided about on, or keeps them off, and offers to take it back. */
  async decide(tools: string[], on: boolean): Promise<boolean> {
    if (!(await this.settings.setToolsOn(tools, on))) return false;
    const names = tools.map((tool) => this.library.toolName(tool));
    this.notices.show(on ? text.unread.isOn(names) : text.unread.isOff(names), {
      label: text.actions.undo,
      run: () => void this.settings.setToolsOn(tools, null),
    });
    return true;
  }

  /** Shows an error that belongs to no place on the screen. */
  complain(error: ErrorView): void {
    this.notices.show(error.hint ? `${error.message} — ${error.hint}` : error.message, null, "bad");
  }

  /** Does something with the host and shows what went wrong; false when something did. */
  async attempt(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (thrown) {
      this.complain(asError(thrown));
      return false;
    }
  }

  /** Goes to a skill of the library by its row's key. */
  showSkill(key: string, tab: Tab | null = null): void {
    this.listing.go({ kind: "library" });
    this.listing.choose(key);
    if (tab) this.detail.tab = tab;
  }

  /** Goes to the trash, which is a part of the activity. */
  showTrash(): void {
    this.activity.pane = "trash";
    this.listing.go({ kind: "activity" });
  }

  /** Goes to an offered skill. */
  showOffer(server: string, uri: string): void {
    this.listing.go({ kind: "server", id: server });
    this.listing.choose(offerKey(server, uri));
  }
}

export const [getScreen, setScreen] = createContext<Screen>();
