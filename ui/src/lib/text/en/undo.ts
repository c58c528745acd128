/** Undoing. */
import { plural } from "./plural";

export const undo = {
  undo: {
    done: "Undone",
    unfixed: (name: string) => `Undone: “${name}” is as it was before it was fixed`,
    keptFixed: (name: string) => `“${name}” was edited after it was fixed, so it was kept`,
    takenOut: (name: string, tools: string[]) =>
      `Undone: “${name}” taken out of ${tools.join(", ")}`,
    asBefore: (name: string, tools: string[]) =>
      `Undone: “${name}” in ${tools.join(", ")} is as it was before`,
    kept: (name: string, tools: string[]) =>
      `“${name}” in ${tools.join(", ")} was edited after it was installed, so it was kept`,
    several: (count: number) => `Undone: ${plural(count, "skill is", "skills are")} as before`,
    keptSeveral: (count: number) =>
      `${plural(count, "skill was", "skills were")} edited since, and so kept`,
    disabledAgain: (name: string) => `Undone: “${name}” is disabled again`,
    nothing: "There is nothing to undo",
    failed: (why: string) => `Could not undo: ${why}`,
  },
};
