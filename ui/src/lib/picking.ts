/** Choosing several rows of a list. */

/** The keys from one row to another, whichever comes first. */
export function between(keys: string[], from: string | null, to: string): string[] {
  const end = keys.indexOf(to);
  if (end < 0) return [];
  const start = from === null ? -1 : keys.indexOf(from);
  if (start < 0) return [to];
  return keys.slice(Math.min(start, end), Math.max(start, end) + 1);
}

/** The keys with one more, or without it where it was among them. */
export function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return withKey(keys, key, !keys.has(key));
}

/** What is chosen, with one more or without it. */
export function withKey<Key>(keys: ReadonlySet<Key>, key: Key, on: boolean): ReadonlySet<Key> {
  const next = new Set(keys);
  if (on) next.add(key);
  else next.delete(key);
  return next;
}
