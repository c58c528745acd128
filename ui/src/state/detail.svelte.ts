import type { ErrorView } from "../lib/bindings/ErrorView";
import type { FileContent } from "../lib/bindings/FileContent";
import type { OfferDetail } from "../lib/bindings/OfferDetail";
import type { SkillDetail } from "../lib/bindings/SkillDetail";
import { asError } from "../lib/errors";
import type { Host } from "../lib/host/types";
import type { ListRow } from "../lib/rows";

/** The tabs of the detail. */
export const TABS = ["overview", "files", "manifest", "checks", "where", "history"] as const;
export type Tab = (typeof TABS)[number];

/** The skill that is shown in full. */
export class Detail {
  row = $state.raw<ListRow | null>(null);
  skill = $state.raw<SkillDetail | null>(null);
  offer = $state.raw<OfferDetail | null>(null);
  error = $state.raw<ErrorView | null>(null);
  tab = $state<Tab>("overview");
  /** The file that is open, and the line that was jumped to. */
  path = $state<string | null>(null);
  line = $state<number | null>(null);
  /** The first fix in Checks is to get the keyboard. */
  toFix = $state(false);
  /** The chosen copy of a local skill. */
  copy = $state<string | null>(null);
  #host: Host;
  #asked = 0;
  #tool: string | null = null;

  constructor(host: Host) {
    this.#host = host;
  }

  /**
   * Shows a row, or brings what is shown up to date. What is on screen stays until the answer is
   * in, unless another skill was chosen; the tab that is open stays so. Of several copies the first that `tool` sees is shown.
   */
  async show(row: ListRow | null, tool: string | null = this.#tool): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    if (row?.key !== this.row?.key || tool !== this.#tool) {
      this.skill = null;
      this.offer = null;
      this.copy = null;
      this.path = null;
      this.line = null;
      this.error = null;
      this.toFix = false;
    }
    this.row = row;
    this.#tool = tool;
    if (!row) return;
    // What lies nowhere any more has nothing that could be shown in full.
    if (row.skill?.copies.length === 0) this.skill = null;
    const copies = row.skill?.copies ?? [];
    const copy =
      copies.find(({ id }) => id === this.copy) ??
      copies.find(({ tools }) => tool !== null && tools.includes(tool)) ??
      copies[0];
    this.copy = copy?.id ?? null;
    try {
      if (row.offer) {
        const offer = await this.#host.offerDetail(row.offer.server, row.offer.row.uri);
        if (asked === this.#asked) this.offer = offer;
      } else if (copy) {
        const skill = await this.#host.skillDetail(copy.id);
        if (asked === this.#asked) this.skill = skill;
      }
      if (asked === this.#asked) this.error = null;
    } catch (thrown) {
      if (asked === this.#asked) this.error = asError(thrown);
    }
  }

  /** Shows another copy of the same skill. */
  async choose(copy: string): Promise<void> {
    if (copy === this.copy) return;
    this.copy = copy;
    this.path = null;
    this.line = null;
    await this.show(this.row);
  }

  /** Goes on with a skill under another row or copy, on the tab that is open. */
  follow(row: ListRow, copy: string): void {
    this.row = row;
    this.copy = copy;
  }

  /** Leads to the first fix. */
  showFixes(): void {
    this.tab = "checks";
    this.toFix = true;
  }

  /** Opens a file, at a line where one is given. */
  jump(path: string, line: number | null): void {
    this.tab = "files";
    this.path = path;
    this.line = line;
  }

  file(path: string): Promise<FileContent> {
    if (this.offer) return this.#host.offerFile(this.offer.server, this.offer.row.uri, path);
    return this.#host.skillFile(this.skill?.id ?? "", path);
  }
}
