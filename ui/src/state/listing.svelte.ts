import {
  isToReview,
  needsAttention,
  offerRows,
  ordered,
  originsOf,
  wordsOf,
  type ListRow,
  type Order,
  type StateWord,
} from "../lib/rows";
import { between, toggled } from "../lib/picking";
import { search } from "../lib/search";
import type { Library } from "./library.svelte";
import type { Servers } from "./servers.svelte";
import type { Settings } from "./settings.svelte";

/** Where the person is, as chosen in the sidebar. */
export type Place =
  | { kind: "library" }
  | { kind: "attention" }
  | { kind: "toReview" }
  | { kind: "tool"; id: string }
  | { kind: "server"; id: string }
  | { kind: "activity" }
  | { kind: "sharing" }
  | { kind: "settings" };

/** A place as text, for comparing and remembering. */
export function placeKey(place: Place): string {
  return "id" in place ? `${place.kind}:${place.id}` : place.kind;
}

/** Whether a place has a list in the middle. */
export function hasList(place: Place): boolean {
  return !["activity", "sharing", "settings"].includes(place.kind);
}

/** The list in the middle: what it shows, in which order, and which row is chosen. */
export class Listing {
  place = $state.raw<Place>({ kind: "library" });
  query = $state("");
  order = $state<Order>("name");
  state = $state<StateWord | null>(null);
  tool = $state<string | null>(null);
  origin = $state<string | null>(null);
  findings = $state(false);
  /** The keys of the rows that were selected together; none while only one row is chosen. */
  picked = $state.raw<ReadonlySet<string>>(new Set());
  /** Where a range begins. */
  #anchor: string | null = null;
  #chosen = $state.raw<Readonly<Record<string, string | null>>>({});
  #library: Library;
  #servers: Servers;
  #settings: Settings;

  attention = $derived.by(() =>
    [...this.#library.rows, ...this.#servers.rows].filter(needsAttention),
  );
  toReview = $derived.by(() => this.#servers.rows.filter(isToReview));

  /** All rows of the place, before searching and filtering. */
  all = $derived.by((): ListRow[] => {
    const place = this.place;
    switch (place.kind) {
      case "library":
        return this.#library.rows;
      case "attention":
        return this.attention;
      case "toReview":
        return this.toReview;
      case "tool":
        return this.#library.rowsOf(place.id);
      case "server": {
        const server = this.#servers.server(place.id);
        return server ? offerRows(server) : [];
      }
      default:
        return [];
    }
  });

  words = $derived.by(() => [...new Set(this.all.flatMap(wordsOf))]);
  /** Where each row comes from: its server, or the added folders in which it lies. */
  #from = $derived.by(() => {
    const folders = this.#settings.folders.map(({ path }) => path);
    return new Map(this.all.map((row) => [row, originsOf(row, folders)]));
  });
  origins = $derived.by(() => [...new Set([...this.#from.values()].flat())]);
  /** Whether the origin tells rows apart. */
  origined = $derived.by(
    () =>
      this.origins.length > 1 ||
      (this.origins.length === 1 && [...this.#from.values()].some((from) => from.length === 0)),
  );
  tools = $derived.by(() => [...new Set(this.all.flatMap((row) => row.tools))].sort());
  hasFindings = $derived.by(() => this.all.some((row) => row.findings > 0));

  filtered = $derived.by(
    () => this.state !== null || this.tool !== null || this.origin !== null || this.findings,
  );

  /** What the list shows. */
  rows = $derived.by((): ListRow[] => {
    const kept = this.filtered
      ? this.all.filter(
          (row) =>
            (this.state === null || wordsOf(row).includes(this.state)) &&
            (this.tool === null || row.tools.includes(this.tool)) &&
            (this.origin === null || this.#from.get(row)?.includes(this.origin)) &&
            (!this.findings || row.findings > 0),
        )
      : this.all;
    return search(ordered(kept, this.order), this.query);
  });

  /** The key of the chosen row; the first row where nothing was chosen yet. */
  key = $derived.by((): string | null => {
    const chosen = this.#chosen[placeKey(this.place)];
    if (chosen !== undefined) return chosen;
    return this.place.kind === "server" ? null : (this.rows[0]?.key ?? null);
  });

  /** The chosen row. One that was put right and left the list is still there to go on with. */
  row = $derived.by((): ListRow | null => {
    const chosen = (row: ListRow) => row.key === this.key;
    return (
      this.all.find(chosen) ??
      this.#library.rows.find(chosen) ??
      this.#servers.rows.find(chosen) ??
      null
    );
  });
  /** Position of the chosen row in what is shown, or -1. */
  at = $derived.by(() => this.rows.findIndex((row) => row.key === this.key));

  /** The selected rows that are still there, in the order of the list. */
  selection = $derived.by((): ListRow[] =>
    this.picked.size === 0 ? [] : ordered(this.all, this.order).filter(this.#isPicked),
  );
  /** What an action is about: the selected rows, else the chosen one. */
  subject = $derived.by((): ListRow[] =>
    this.selection.length > 0 ? this.selection : this.row ? [this.row] : [],
  );
  #isPicked = (row: ListRow): boolean => this.picked.has(row.key);

  constructor(library: Library, servers: Servers, settings: Settings) {
    this.#library = library;
    this.#servers = servers;
    this.#settings = settings;
  }

  go(place: Place): void {
    if (placeKey(place) === placeKey(this.place)) {
      if (place.kind === "server") this.choose(null);
      return;
    }
    this.place = place;
    this.unpick();
    this.query = "";
    this.clearFilters();
  }

  choose(key: string | null): void {
    this.#chosen = { ...this.#chosen, [placeKey(this.place)]: key };
  }

  /** Chooses a row alone. */
  pickOnly(key: string): void {
    this.unpick();
    this.#anchor = key;
    this.choose(key);
  }

  /** Moves on to a row; what is selected stays so. */
  moveTo(key: string): void {
    if (this.picked.size === 0) this.#anchor = key;
    this.choose(key);
  }

  /** Adds a row to the selection, or takes it out. The one that was chosen before is the first. */
  toggle(key: string): void {
    const before = this.row;
    const alone = this.picked.size === 0 && before !== null && before.key !== key;
    this.picked = toggled(alone ? new Set([before.key]) : this.picked, key);
    this.#anchor = key;
    this.choose(key);
  }

  /** Selects all rows up to this one. */
  pickTo(key: string): void {
    const keys = this.rows.map((row) => row.key);
    this.#anchor ??= this.key;
    this.picked = new Set(between(keys, this.#anchor, key));
    this.choose(key);
  }

  /** Selects every row that is shown. */
  pickAll(): void {
    this.picked = new Set(this.rows.map((row) => row.key));
  }

  /** Leaves out of the selection what is no longer in the list; one alone is not a selection. */
  keepPicked(): void {
    const left = this.selection.map(({ key }) => key);
    if (left.length < 2) this.unpick();
    else if (left.length < this.picked.size) this.picked = new Set(left);
  }

  /** Lets go of the selection; false where there is none. */
  unpick(): boolean {
    this.#anchor = null;
    if (this.picked.size === 0) return false;
    this.picked = new Set();
    return true;
  }

  clearFilters(): void {
    this.state = null;
    this.tool = null;
    this.origin = null;
    this.findings = false;
  }
}
