/** Installing and copying. */
import { plural } from "./plural";

export const install = {
  install: {
    installTitle: (name: string) => `Install “${name}”`,
    copyTitle: (name: string) => `Copy “${name}”`,
    from: (origin: string) => `From ${origin}`,
    tools: "Tools",
    showAll: (count: number) => `Show ${plural(count, "tool", "tools")} not found or switched off`,
    looking: "Looking at what is in each tool’s folder",
    standing: {
      free: "nothing there yet",
      identical: "identical already there",
      ours: "different content, ours",
      foreign: "different content, not ours",
      blocked: "cannot be written",
    },
    absent: "Not found on this machine",
    absentHelp: "What is installed there is shown in the library from then on.",
    off: "Switched off",
    offHelp: "What is installed there is not shown in the library.",
    alsoSeenBy: (names: string[]) => `also read by ${names.join(", ")}`,
    ways: {
      keep: "Keep what is there",
      replace: "Replace, backup kept",
      rename: "Install under another name",
    },
    way: (tool: string) => `What to do in ${tool}`,
    newName: (tool: string) => `Name in ${tool}`,
    badName: "Use 1 to 64 of a–z, 0–9 and single hyphens.",
    taken: (name: string, tool: string, standing: string) =>
      `“${name}” exists already in ${tool} (${standing}). Choose another name.`,
    leftOut: (fields: string[]) => `${fields.join(" and ")} will be left out`,
    wasLeftOut: (fields: string[]) =>
      `Without the tools it asks for: ${fields.join(" and ")} left out.`,
    files: (count: number, size: string) => `${plural(count, "file", "files")}, ${size} into each`,
    go: (count: number, copying: boolean) =>
      `${copying ? "Copy to" : "Install into"} ${plural(count, "tool", "tools")}`,
    nothing: (copying: boolean) => (copying ? "Copy" : "Install"),
    chooseTool: "Tick the tools that should have it.",
    nothingToWrite: "Nothing would be written.",
    running: (copying: boolean) => (copying ? "Copying" : "Installing"),
    progress: "Progress",
    results: {
      written: "written and checked",
      replaced: "replaced, backup kept",
      kept: "left as it was",
      failed: "failed, as it was before",
      undone: "taken back",
      removed: "moved into the trash",
      disabled: "moved aside",
      enabled: "put back",
      adopted: "taken into the record",
      renamed: "renamed",
    },
    done: (count: number) => `${plural(count, "tool has", "tools have")} it now`,
    someFailed: (count: number) => plural(count, "target failed", "targets failed"),
    undone: "Everything is as it was before",
    undo: "Undo",
    undoing: "Undoing…",
    blocked: "It cannot be installed yet",
    grave: (count: number) =>
      `${plural(count, "grave finding", "grave findings")} in what would be copied, which nobody reviewed`,
    graveAt: (file: string, line: number) => `${file}, line ${line}`,
  },
};
