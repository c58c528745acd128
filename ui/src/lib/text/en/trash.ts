/** What was replaced or removed and is still kept. */
import { bytes } from "../../format";
import { plural } from "./plural";

export const trash = {
  trash: {
    title: "Trash",
    about: (days: number) =>
      `What was replaced or removed is kept for ${plural(days, "day", "days")}, whole, then removed for good.`,
    size: (count: number, size: number) => `${plural(count, "skill", "skills")}, ${bytes(size)}`,
    none: "The trash is empty",
    noneHint: (days: number) =>
      `What is replaced or removed goes here, and is kept for ${plural(days, "day", "days")}.`,
    failed: "The trash could not be read",
    was: "was at",
    removed: (when: string) => `moved here ${when}`,
    until: (day: string) => `kept until ${day}`,
    compare: "Compare with now",
    compareOne: (name: string, path: string) => `Compare ${name} of ${path} with what is there now`,
    putBack: (count: number) => (count === 1 ? "Undo" : `Undo all ${count}`),
    putBackOne: (name: string, path: string) => `Undo the change that moved ${name} out of ${path}`,
    remove: "Remove for good…",
    removeOne: (name: string, path: string) => `Remove ${name} of ${path} for good`,
    empty: "Empty the trash…",
    askOne: (name: string) => `Remove “${name}” for good?`,
    askAll: "Empty the trash?",
    askMany: (count: number) => `Remove ${count} skills for good?`,
    means: (size: number) => `This frees ${bytes(size)} and cannot be undone.`,
    undoLost: (count: number) =>
      count === 1
        ? "Undo can then no longer bring it back."
        : "Undo can then no longer bring them back.",
    yes: "Remove for good",
    yesAll: "Empty the trash",
    removing: "Removing…",
    emptied: (count: number, name: string, size: number) =>
      `${count === 1 ? `“${name}” was` : `${count} skills were`} removed for good; ${bytes(size)} freed`,
    show: "Show the trash",
    inSettings: (count: number, size: number, days: number) =>
      count === 0
        ? `Empty. What is replaced or removed is kept for ${plural(days, "day", "days")}.`
        : `${plural(count, "skill", "skills")}, ${bytes(size)}. Each is kept for ${plural(days, "day", "days")} after it was replaced or removed.`,
  },
};
