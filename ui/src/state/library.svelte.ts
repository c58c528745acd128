import type { LibraryView } from "../lib/bindings/LibraryView";
import type { ToolView } from "../lib/bindings/ToolView";
import type { Host } from "../lib/host/types";
import type { Away } from "../lib/deeds";
import { skillRow, type ListRow } from "../lib/rows";
import { Latest } from "./latest.svelte";

const byName = (a: ToolView, b: ToolView): number => a.name.localeCompare(b.name);

/** The skills on this machine and the tools that read them. */
export class Library extends Latest<LibraryView> {
  rows = $derived((this.view?.skills ?? []).map(skillRow));
  tools = $derived(this.view?.tools ?? []);
  /** The tools whose folders are read. */
  found = $derived(this.tools.filter((tool) => tool.on));
  /** The tools that are not here, or not read for another reason than that the person said so. */
  others = $derived(this.tools.filter((tool) => !tool.on && tool.chosen !== false).sort(byName));
  /** Tools that nobody decided about and that are not here, or are here by a folder only. */
  absent = $derived(this.tools.filter((tool) => !tool.on && tool.chosen === null).sort(byName));
  /** Tools that the person switched off. */
  off = $derived(this.tools.filter((tool) => !tool.on && tool.chosen !== null).sort(byName));
  /** Folders of skills of tools that are not here. */
  unread = $derived(this.view?.unread ?? []);
  /** Skills of which it is not known yet what an inspection finds. */
  uninspected = $derived(this.view?.uninspected ?? 0);
  /** What was disabled, and what is gone. */
  away = $derived<Away>({ aside: this.view?.aside ?? [], gone: this.view?.gone ?? [] });
  byId = $derived(new Map(this.tools.map((tool) => [tool.id, tool])));

  constructor(host: Host) {
    super(() => host.library());
  }

  tool(id: string): ToolView | undefined {
    return this.byId.get(id);
  }

  /** The folders of a tool in which skills lie; the first one where none does. */
  holding(tool: ToolView): string[] {
    const paths = this.rows.flatMap((row) =>
      (row.skill?.copies ?? []).filter((copy) => copy.tools.includes(tool.id)),
    );
    const holds = (root: string) =>
      paths.some(({ path }) => path.startsWith(root) && /^[\\/]/.test(path.slice(root.length)));
    const holding = tool.roots.filter(holds);
    return holding.length > 0 ? holding : tool.roots.slice(0, 1);
  }

  /** The skills of a tool, with those that it has no longer: disabled, or gone. */
  rowsOf(tool: string): ListRow[] {
    const names = (rows: { name: string; tools: string[] }[]) =>
      new Set(rows.filter(({ tools }) => tools.includes(tool)).map(({ name }) => name));
    const [aside, gone] = [names(this.away.aside), names(this.away.gone)];
    return this.rows.flatMap((row): ListRow[] => {
      if (row.tools.includes(tool)) return [row];
      if (gone.has(row.name)) return [{ ...row, word: "missing" }];
      return aside.has(row.name) ? [{ ...row, word: "disabled" }] : [];
    });
  }

  /** How many skills lie in a tool's folders that are not read. */
  unreadOf(tool: string): number {
    const own = this.unread.filter(({ tools }) => tools.includes(tool));
    return own.reduce((sum, { count }) => sum + count, 0);
  }

  toolName(id: string): string {
    return this.byId.get(id)?.name ?? id;
  }
}
