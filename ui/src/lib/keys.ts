/** Keys, and what they move. */

/** What of a key event matters. */
export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** Whether the machine writes its main modifier as ⌘. */
export function isMac(platform: string): boolean {
  return /mac|iphone|ipad/i.test(platform);
}

/**
 * Whether a key was pressed, written as in `mod+z` or `?`. `mod` is Ctrl or ⌘, whichever the
 * person reaches for. Shift is free for keys that need it to be typed.
 */
export function pressed(event: KeyPress, combination: string): boolean {
  const parts = combination.split("+");
  const key = parts.pop() ?? "";
  const mod = parts.includes("mod");
  const shift = parts.includes("shift");
  if (event.altKey || mod !== (event.ctrlKey || event.metaKey)) return false;
  if (event.key.toLowerCase() !== key.toLowerCase()) return false;
  return key.length === 1 && !mod ? true : shift === event.shiftKey;
}

/** Whether typing goes into the element, so that single letters are no commands. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLInputElement &&
        !["checkbox", "radio", "button"].includes(target.type)))
  );
}

/** Whether a letter that is typed stays in the element; one that is typed at a choice is no text. */
export function isWriting(target: EventTarget | null): boolean {
  return isTyping(target) && !(target instanceof HTMLSelectElement);
}

/**
 * Where a key leads in a list of `count` rows of which `page` fit the screen; `null` for a key
 * that leads nowhere.
 */
export function step(key: string, at: number, count: number, page: number): number | null {
  if (count === 0) return null;
  const within = (index: number) => Math.max(0, Math.min(count - 1, index));
  switch (key) {
    case "ArrowDown":
      return within(at + 1);
    case "ArrowUp":
      return within(at < 0 ? 0 : at - 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    case "PageDown":
      return within(Math.max(at, 0) + page);
    case "PageUp":
      return within(at - page);
    default:
      return null;
  }
}
