/** Ready-made settings, in which a word of its own stands where the token belongs. */

const PLACE = /\bTOKEN\b/g;

/** The text in front of, between and after the places of the token. */
export function aroundToken(snippet: string): string[] {
  return snippet.split(PLACE);
}

/** The settings with the token in its places. */
export function withToken(snippet: string, token: string): string {
  return snippet.replace(PLACE, () => token);
}
