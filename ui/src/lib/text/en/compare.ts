/** Two versions of a skill side by side. */
import { plural } from "./plural";

export const compare = {
  compare: {
    title: (name: string | null) => (name === null ? "Compare" : `Compare “${name}”`),
    left: "Left",
    right: "Right",
    sides: {
      copy: (path: string) => path,
      installed: (path: string) => `${path}, as it was installed`,
      approved: (label: string) => `as approved from ${label}`,
      trashed: (path: string) => `${path}, in the trash`,
    },
    swap: "Swap the sides",
    files: "Files",
    shown: "The file that is shown",
    standing: {
      same: "same",
      lineEndings: "only line endings",
      differs: "differs",
      onlyLeft: "only left",
      onlyRight: "only right",
    },
    notKept: "not kept",
    identical: "The same files, byte for byte.",
    twice: "This is one version on both sides. Choose another one.",
    count: (differing: number, same: number) =>
      `${plural(differing, "file differs", "files differ")}, ${same === 0 ? "none is" : same === 1 ? "1 is" : `${same} are`} the same`,
    showSame: "Show those that are the same",
    choose: "Choose a file to see its lines.",
    failed: "The two could not be compared",
    sameLines: (path: string) => `${path} is the same on both sides, byte for byte.`,
    onlyEndings:
      "Every line reads the same: one side ends its lines with LF, the other with CR LF, as Git and some editors do.",
    notKeptAny: "Its lines cannot be shown",
    lines: (path: string) => `How ${path} differs`,
    notText: (here: string, there: string) =>
      `Not shown line by line, as it is not text: ${here} on the left, ${there} on the right.`,
    noFile: "no file",
    key: "Red lines are on the left only, green ones on the right only.",
  },
};
