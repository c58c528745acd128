/** What is said of skills that were imported. */
import type { ImportedView } from "./bindings/ImportedView";
import { day } from "./format";
import { text } from "./text";

/** From what, and when: `imported from a bundle on 1 Dec 2026`. */
export function importedFrom({ from, at }: ImportedView): string {
  return text.bundles.from(text.bundles.kinds[from], day(at));
}
