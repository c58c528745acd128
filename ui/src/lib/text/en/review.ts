/** Reviews, and what an offered skill has besides. */
import { plural } from "./plural";

export const review = {
  review: {
    title: (name: string) => `Review “${name}”`,
    fetching: (files: number, size: string) =>
      files > 0
        ? `Fetching ${plural(files, "file", "files")}, ${size}, to show you exactly what would be installed`
        : "Fetching the files, to show you exactly what would be installed",
    progress: "Files fetched",
    of: (done: number, all: number) => `${done} of ${all}`,
    failed: "The files could not be fetched",
    fetched: (name: string) => `All files of ${name} are here`,
    steps: "Skills in this review",
    step: (at: number, all: number) => `Skill ${at} of ${all}`,
    nestedNote:
      "This skill contains others. Each is approved by itself, and this one can be installed only when all are.",
    changedFirst: "Changed since you approved it",
    showChanges: "Show the changes",
    change: { added: "added", removed: "removed", changed: "changed" },
    from: "From",
    sameName: "The same name is also here:",
    asksFor: "Asks for",
    contains: "Contains",
    findings: "Findings",
    notInspected: "Files that do not match were not inspected.",
    checks: "Checks",
    allHold: (count: number) => `All ${count} checks hold`,
    broken: (count: number) => `${plural(count, "check does", "checks do")} not hold`,
    files: (count: number, size: string) => `${plural(count, "file", "files")}, ${size}`,
    scripts: (count: number) => plural(count, "script", "scripts"),
    binaries: (count: number) => `${plural(count, "file that is", "files that are")} not text`,
    nested: (count: number) => plural(count, "skill inside", "skills inside"),
    plain: "no scripts, nothing but text",
    panes: { files: "Files", rendered: "Rendered", changes: "Changes", leftOut: "Left out" },
    tick: "I have seen this",
    accept: "Accept",
    accepted: (name: string, from: string) =>
      `Accepted “${name}”: the same as approved from “${from}”`,
    sameTitle: (from: string) => `Exactly this content is approved from “${from}”`,
    sameNote:
      "Every file has the same size and digest. Accept takes that approval over without another review; the history says where it came from.",
    note: "Note",
    noteHelp: "For the history; optional",
    rejectedBefore: (when: string) => `Rejected ${when}, exactly as it is offered now`,
    rejectedAgain: (label: string) =>
      `${label} offers it again without a change. It stays rejected unless you approve it.`,
    fingerprint: "Fingerprint",
    showAllDigits: "Show all digits",
    grant: "Grant the tools it asks for",
    grantHelp: (fields: string[]) =>
      `Off: ${fields.join(" and ")} will be left out of what is installed.`,
    granted: (fields: string[]) => `On: ${fields.join(" and ")} will be installed as served.`,
    showLeftOut: "Show what is left out",
    impossible: (why: string) =>
      `Leaving it out is not possible: ${why}. Installing needs the grant.`,
    approve: "Approve",
    approving: "Approving…",
    reject: "Reject",
    rejecting: "Rejecting…",
    means: (label: string) =>
      `Approves exactly this content from ${label}. If the server changes anything, Skillhold asks again.`,
    blocked: "It cannot be approved",
    waitsFor: (count: number) =>
      `Approve waits for ${plural(count, "tick", "ticks")} at grave findings.`,
    waitsForContent: "Approve waits until the content of a file is on the screen.",
    approved: (name: string) => `Approved “${name}”`,
    rejected: (name: string) => `Rejected “${name}”`,
    rejectedSeen: (name: string) => `Rejected what you saw of “${name}”`,
    staleHint: "Fetch it again to see what the server offers now.",
    fetchAgain: "Fetch again",
    noDiff: "No differences line by line: not text, or too large.",
    leftOutTitle: (fields: string[]) => `${fields.join(" and ")}, as served against as installed`,
    servedFingerprint: "As served",
    installedFingerprint: "As installed",
  },

  lookUp: {
    open: "Look up a URI…",
    title: "Look up a skill by its URI",
    uri: "URI of its SKILL.md",
    note: "A server may have skills that its list does not show. Nothing of the skill is fetched.",
    go: "Look up",
    unlisted: "No list shows this skill: you looked it up by its URI.",
  },

  offerFolder: {
    title: "What the server shows in its folder",
    note: "What the manifest lists is what counts. The server can also show what lies in the folder.",
    show: "Show the folder",
    unlisted: "not listed",
    changed: "This skill has changed",
    changedMeaning: "The server shows a file that the skill does not list.",
  },

  exporting: {
    open: "Export…",
    show: "Show SKILL.md",
    title: (name: string) => `Export an unchecked copy of “${name}”?`,
    warning: "Nothing in this copy is checked",
    meaning:
      "The server declares no sizes and digests, so nobody can tell whether these are the files that were meant. Look at every file yourself before you use one.",
    where:
      "It goes into a new folder that is marked as unverified, never into one that a tool reads.",
    go: "Choose a folder…",
    done: "The unverified copy is in",
  },
};
