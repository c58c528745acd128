/** Keeps the keyboard in the page when what had it goes. */

/** What can be given the keyboard, if only by the page. */
const TAKES = "button, input, select, textarea, a[href], summary, [tabindex], dialog";

function takes(element: HTMLElement): boolean {
  return element.isConnected && element.matches(TAKES) && !element.matches(":disabled");
}

/**
 * Watches what has the keyboard. When that goes away, or is moved, and nobody says where the
 * keyboard goes on, it stays with what was around it, or goes to what `fallback` gives. A click
 * beside everything is left alone. The result ends it.
 */
export function keepFocus(fallback: () => HTMLElement | null | undefined): () => void {
  /** What had the keyboard last, and what it was in, from inside out. */
  let around: HTMLElement[] = [];
  let due: ReturnType<typeof setTimeout> | undefined;

  const remember = (event: FocusEvent): void => {
    around = [];
    let at = event.target instanceof HTMLElement ? event.target : null;
    for (; at && at !== document.body; at = at.parentElement) around.push(at);
  };
  const forget = (): void => {
    around = [];
  };
  const look = (): void => {
    if (around.length === 0) return;
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const next = around.find(takes) ?? fallback();
    next?.focus({ preventScroll: true });
  };
  // Whoever changes the page mostly says in the same turn where the keyboard goes on.
  const watcher = new MutationObserver(() => {
    clearTimeout(due);
    due = setTimeout(look);
  });

  document.addEventListener("focusin", remember);
  document.addEventListener("pointerdown", forget, true);
  watcher.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["disabled", "open"],
  });
  return () => {
    clearTimeout(due);
    watcher.disconnect();
    document.removeEventListener("focusin", remember);
    document.removeEventListener("pointerdown", forget, true);
  };
}

/** Gives the keyboard to the button that stands where one went, or to `last` where none is left. */
export function focusNext(
  list: HTMLElement | undefined,
  at: number,
  last: HTMLElement | undefined,
): void {
  const left = [...(list?.querySelectorAll<HTMLElement>("button") ?? [])];
  (left[Math.min(at, left.length - 1)] ?? last)?.focus();
}
