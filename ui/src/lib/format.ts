/** Values as a person reads them. */

const UNITS = ["B", "KB", "MB", "GB"];

/** A size in steps of 1,024, with one digit after the point where it says something. */
export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const shown = unit === 0 || value >= 100 ? Math.round(value).toString() : value.toFixed(1);
  return `${shown.replace(/\.0$/, "")} ${UNITS[unit]}`;
}

/** A sentence of the program without the backticks around code, for where it is only heard. */
export function unmarked(sentence: string): string {
  return sentence.split("`").length % 2 === 1 ? sentence.replaceAll("`", "") : sentence;
}

/** A count with separators between the thousands. */
export function number(count: number): string {
  return count.toLocaleString("en-US");
}

/** The first twelve digits, for the eye; comparisons use all of them. */
export function short(fingerprint: string): string {
  return fingerprint.replace(/^sha256:/, "").slice(0, 12);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A moment, near ones by distance and far ones by date. */
export function moment(rfc3339: string, now: Date): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return rfc3339;
  const ago = now.getTime() - at.getTime();
  if (ago < MINUTE) return "just now";
  if (ago < HOUR) return `${Math.floor(ago / MINUTE)} min ago`;
  if (ago < DAY) return `${Math.floor(ago / HOUR)} h ago`;
  return day(rfc3339);
}

/** The day of a moment. */
export function day(rfc3339: string): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return rfc3339;
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/** The time of a moment, to the second, with the day where it is not today. */
export function clock(rfc3339: string, now: Date): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return rfc3339;
  const time = at.toLocaleTimeString("en-GB");
  if (at.toDateString() === now.toDateString()) return time;
  return `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`;
}

/** A moment in full, for a tooltip. */
export function exactly(rfc3339: string): string {
  const at = new Date(rfc3339);
  return Number.isNaN(at.getTime())
    ? rfc3339
    : at.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "medium" });
}

/** A sentence without the words that a heading above it already says: `Installed`, `installed from a`. */
export function continued(heading: string, sentence: string): string {
  const said = heading.split(" ").at(-1)?.toLowerCase() ?? "";
  const begins = sentence.slice(0, said.length).toLowerCase() === said;
  const rest = begins ? /^,? (.+)$/s.exec(sentence.slice(said.length)) : null;
  return rest?.[1] ?? sentence;
}

/** Sequences in which writing itself uses such characters: emoji, and letters that join or do not. */
const JOINING = "\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Malayalam}";
const EMOJI = "\\p{Extended_Pictographic}(?:\\uFE0F|\\p{Emoji_Modifier})*";
const WRITTEN = [
  "[0-9#*]\\uFE0F?\\u20E3",
  `${EMOJI}(?:\\u200D${EMOJI})*`,
  `[${JOINING}][\\u200C\\u200D](?=[${JOINING}])`,
].join("|");

/** Characters that the eye cannot see: format controls, fillers, variation selectors, tags. */
const HIDDEN = [
  "[\\u00AD\\u061C\\u200B-\\u200F\\u202A-\\u202E]",
  "\\u115F|\\u1160|\\u17B4|\\u17B5|\\u180E|[\\u2060-\\u206F]|\\u3164|\\uFEFF|\\uFFA0",
  "\\p{Variation_Selector}",
  "[\\u{E0000}-\\u{E0FFF}]",
].join("|");

const UNSEEN = new RegExp(`(${WRITTEN})|${HIDDEN}`, "gu");

/** Text in which every character that the eye cannot see is spelt out. */
export function spelt(text: string): string {
  return text.replace(
    UNSEEN,
    (found, written?: string) =>
      written ?? `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** Whether a name can be the name of a skill's folder: 1 to 64 of `a-z0-9-`, no hyphen at an end or doubled. */
export function isSkillName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name);
}
