/** Finding rows by what was typed. */

/** What can be searched in. */
export interface Searchable {
  name: string;
  description: string;
}

function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The words of a query, folded; none for a blank one. */
export function words(query: string): string[] {
  return folded(query).split(/\s+/).filter(Boolean);
}

/**
 * How well a row fits: 0 not at all, else the higher the better. Every word has to occur; a name
 * that begins with the first word beats one that contains it, which beats a description.
 */
export function fit(row: Searchable, sought: string[]): number {
  const [first] = sought;
  if (first === undefined) return 1;
  const name = folded(row.name);
  const all = `${name} ${folded(row.description)}`;
  if (!sought.every((word) => all.includes(word))) return 0;
  if (name === first) return 5;
  if (name.startsWith(first)) return 4;
  if (name.includes(`-${first}`)) return 3;
  return name.includes(first) ? 2 : 1;
}

/** The rows that fit, best first and otherwise in the order they came in. */
export function search<Row extends Searchable>(rows: Row[], query: string): Row[] {
  const sought = words(query);
  if (sought.length === 0) return rows;
  return rows
    .map((row) => ({ row, fit: fit(row, sought) }))
    .filter((found) => found.fit > 0)
    .sort((a, b) => b.fit - a.fit)
    .map((found) => found.row);
}
