/** The detail of one skill. */
import { plural } from "./plural";

export const skill = {
  detail: {
    label: "Skill",
    nothing: "No skill selected",
    nothingHint: "Choose one in the list. Arrow keys move, Enter opens.",
    gone: (name: string) => `“${name}” is no longer there`,
    goneHint: "Its folder was moved or deleted, or the server no longer lists it.",
    loading: "Loading",
    copies: (count: number) => `${count} copies`,
    chooseCopy: "Which copy",
    linked: "link",
    tabs: {
      overview: "Overview",
      files: "Files",
      manifest: "Manifest",
      checks: "Checks",
      where: "Where",
      history: "History",
    },
    notFetched: (files: number, size: string) =>
      files === 1
        ? `A review fetches its one file (${size}) and checks it.`
        : `A review fetches its ${files} files (${size}) and checks each one.`,
    noManifest: "The server declared no manifest for this skill.",
    manifestAway:
      "The server is not connected. Its manifest is shown again when it can be reached.",
    away: (label: string) =>
      `“${label}” is not connected now. This is what it listed last; a review needs the connection.`,
    refused: "This skill cannot be reviewed or installed",
    unverifiable: "This skill cannot be verified",
    mismatched: "This skill does not match what its server declares",
    approvedAt: (when: string) => `Approved ${when}.`,
    approvedWith: (when: string) => `Approved ${when}, with the tools it asks for.`,
    approvedWithout: (when: string, fields: string[]) =>
      `Approved ${when}, without the tools it asks for: ${fields.join(" and ")} will be left out on install.`,
    changedAt: (when: string) =>
      `The server changed this skill, so the approval ended ${when}. Review what changed before it can be installed.`,
    installedStays: "What is installed stays as it is.",
    sampleChanges: "This sample does so once, to show what happens.",
    changedAfter: (name: string, label: string) =>
      `“${name}” changed on ${label} after you approved it. Review the change.`,
    noLongerOffered: "The server no longer lists this skill. What is installed stays.",
    alsoOfferedBy: (labels: string[]) =>
      `A skill of this name is also offered by ${labels.join(", ")}.`,
    existsLocally: "A skill of this name is on this machine.",
    installedIn: (names: string[]) => `Installed in ${names.join(", ")}.`,
  },

  overview: {
    frontMatter: "Front matter",
    declared: "Declared by the server",
    noFrontMatter: "No front matter.",
    asksFor: "Asks for",
    noBody: "SKILL.md has no text below its front matter.",
    leftOut: "left out on install",
    allFindings: "Show in Checks",
  },

  requests: {
    allowedTools: "Tools without asking",
    hooks: "Hooks",
    commands: "Commands",
    addresses: "Addresses",
    outside: "Outside its folder",
    nothing: "Nothing: no tools, hooks, commands, addresses or files outside itself.",
  },

  files: {
    tree: "Files",
    open: "Choose a file to see it.",
    openOffered: "A file is fetched from the server when you open it.",
    fetching: (path: string) => `Fetching ${path}`,
    binary: (size: string) => `Not text, ${size}. The first bytes:`,
    cut: "The rest is not shown.",
    empty: "This file is empty.",
    image: (path: string) => `Image ${path}`,
    lines: (path: string) => `Content of ${path}`,
  },

  fileState: {
    local: "on this disk",
    declared: "declared",
    verified: "verified",
    restored: "verified, line endings put back",
    mismatch: "mismatch",
    unverified: "not verified",
    failed: "not fetched",
    expected: "Expected",
    actual: "Actual",
  },

  manifest: {
    path: "Path",
    size: "Size",
    digest: "SHA-256",
    state: "State",
    fingerprint: "Fingerprint",
    fingerprintHelp: "SHA-256 over path, size and digest of every file",
    total: (files: number, max: number, size: string, maxSize: string) =>
      `${plural(files, "file", "files")} of at most ${max}, ${size} of at most ${maxSize}`,
    copyJson: "Copy as JSON",
    copyDigest: (path: string) => `Copy the digest of ${path}`,
    copyFingerprint: "Copy the fingerprint",
    none: "No manifest",
  },

  checks: {
    none: "No findings",
    noneHint: "Every rule that was checked holds.",
    notInspected: "Not inspected",
    notInspectedHint:
      "Nothing was inspected yet: its files are fetched and inspected when you review it.",
    inspectedThen:
      "Its files were inspected when you reviewed it. A review shows the findings again.",
    cannotInspect: "Nothing was inspected: this skill cannot be reviewed.",
    rulesHold: "Rules for skills: none is broken.",
    notRead: "Inspection: nothing was inspected, as not every file can be read.",
    nothingFound: (rules: number) =>
      `Inspection: nothing found by ${plural(rules, "rule", "rules")}.`,
    counts: {
      grave: (count: number) => `${count} grave`,
      error: (count: number) => plural(count, "error", "errors"),
      warning: (count: number) => plural(count, "warning", "warnings"),
      note: (count: number) => plural(count, "note", "notes"),
    },
    list: "What was found",
    excerpt: "As it reads",
    showRest: (count: number) => `Show ${count.toLocaleString("en-US")} more`,
    severity: { grave: "grave", error: "error", warning: "warning", note: "note" },
    at: (file: string, line: number | null, column: number | null) =>
      line === null ? file : column === null ? `${file}:${line}` : `${file}:${line}:${column}`,
    tab: (count: number) => plural(count, "finding", "findings"),
  },

  readers: {
    title: "What readers make of it",
    whole: (count: number) =>
      count === 1
        ? "The one kind of reader loads it whole."
        : `All ${count} kinds of reader load it whole.`,
    reader: "Reader",
    outcome: "Outcome",
    message: "What it gets",
    outcomes: { loads: "loads", partly: "partly", drops: "drops it" },
  },

  fix: {
    preview: (title: string) => `What “${title}” changes`,
    removed: "before: ",
    added: "after: ",
    or: "or",
    cut: "The first lines of the change; the rest is alike.",
    unseen: "The lines read the same: only characters that do not show change.",
    folder: "The folder’s name",
    from: "from ",
    to: "to ",
    all: (count: number) => `Fix all ${count}`,
    notHere: "cannot be done here",
    readOnly: "This copy can only be read",
    readOnlyHint:
      "Its folder belongs to the system or to a tool, which would write over it. Copy the skill to a tool, and fix the copy.",
    failed: "Nothing was fixed",
    done: (name: string, title: string) => `Fixed “${name}”: ${title}`,
    doneAll: (name: string, left: number) =>
      left === 0 ? `Fixed “${name}”` : `Fixed “${name}”; ${left} more can be fixed`,
  },

  history: {
    none: "Nothing has happened to this skill here",
    noneHint: "Approvals, installs, copies, fixes and what was undone appear here.",
  },
};
