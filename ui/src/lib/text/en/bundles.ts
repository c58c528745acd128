/** Skills as files: importing and exporting. */
import { plural } from "./plural";

export const bundles = {
  bundles: {
    import: "Import skills…",
    importTitle: "Import skills",
    about:
      "From a bundle, a zip or .skill file, or a folder. What is imported appears among the servers, and each skill is reviewed before it can be installed, as any other.",
    file: "Choose a file…",
    folder: "Choose a folder…",
    busy: "Looking through it…",
    failed: "Nothing was imported",
    done: (count: number, label: string) =>
      `${plural(count, "skill was", "skills were")} imported from “${label}”`,
    already: (label: string) =>
      `The same content was imported before, as “${label}”. Nothing was added.`,
    skills: (count: number) => `${plural(count, "skill", "skills")} to review`,
    leftOut: (count: number) => `Left out: ${count}`,
    show: "Show them",
    another: "Import more…",
    orImport: "Skills in a file or a folder?",
    exported: (what: string, path: string) => `Exported ${what} into ${path}`,
    notExported: (why: string) => `Nothing was exported: ${why}`,
    imported: "Imported",
    kinds: { file: "skill file", bundle: "bundle", folder: "folder" },
    from: (kind: string, when: string) => `imported from a ${kind} on ${when}`,
    note: "These skills were imported from this machine. They do not change by themselves; import again for a newer version.",
    never: "Never install any of these",
    means: (label: string) =>
      `Approves exactly this content from ${label}. What is imported anew is reviewed anew.`,
    executable: "Executable files",
    said: "What the bundle says",
    saidNote: "This is no approval: anybody can write it into a file, and nobody checked it.",
    saidOrigin: "There it came from",
    saidApproved: (when: string, granted: boolean) =>
      `Approved there on ${when}${granted ? ", with the tools it asks for" : ""}.`,
    saidOther: "That approval was of other content than this.",
    saidRemark: (note: string) => `Their note: ${note}`,
    saidFindings: "What had been found in it there:",
    saidExecutable: (count: number) =>
      `${plural(count, "file was", "files were")} executable there:`,
    saidExecutableNote: "Nothing is made executable by that. Installing asks you.",
    removeNote:
      "Its files and the approvals of its skills go. Skills that are installed stay. Importing it again inherits nothing.",
  },
};
