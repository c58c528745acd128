/** Changing skills that are here: one, or many at once. */
import { plural } from "./plural";

const skills = (count: number) => plural(count, "skill", "skills");
const list = (names: string[]): string =>
  names.length < 3
    ? names.join(" and ")
    : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;

export const changes = {
  selection: {
    label: "Selection",
    title: (count: number) => `${skills(count)} selected`,
    hint: "Space adds or leaves out a row, Shift and Ctrl with a click do too. Esc lets go of all.",
    clear: "Clear the selection",
    all: "all",
    of: (count: number, all: number) => `${count} of ${all}`,
    none: "none of them",
    names: "Selected skills",
    more: (count: number) => `and ${count.toLocaleString("en-US")} more`,
    spoken: (count: number) => (count === 0 ? "Nothing is selected" : `${skills(count)} selected`),
  },

  deeds: {
    copy: "Copy to…",
    install: "Install…",
    update: "Update…",
    rename: "Rename…",
    adopt: "Adopt…",
    enable: "Enable…",
    disable: "Disable…",
    remove: "Remove…",
    again: "Install again…",
    forget: "Forget…",
  },

  /** What a deed means, in a sentence. */
  means: {
    copy: "Each ticked tool gets a copy of its own, or a link where you choose so.",
    install: "Exactly what was approved is written, and read back to be sure.",
    update: "What its source has now takes the place of what is here. That goes into the trash.",
    rename: "The folder and the name in its SKILL.md change together.",
    adopt:
      "Skillhold takes each folder into its record. Nothing on the disk changes; from then on it can be updated, removed and watched for edits.",
    enable: "Each folder goes back exactly as it was, and its tools see it again.",
    disable:
      "Each folder is moved aside whole until you enable it again. Nothing in it changes, and it is never cleaned up.",
    remove: "Each folder goes into the trash, where it is kept for 30 days.",
    again: "It is written again to where it was.",
    forget:
      "Skillhold takes it off its record. Nothing on the disk changes, as nothing of it is there.",
  },

  titles: {
    copy: (what: string) => `Copy ${what}`,
    install: (what: string) => `Install ${what}`,
    update: (what: string) => `Update ${what}`,
    rename: (what: string) => `Rename ${what}`,
    adopt: (what: string) => `Adopt ${what}`,
    enable: (what: string) => `Enable ${what}`,
    disable: (what: string) => `Disable ${what}`,
    remove: (what: string) => `Remove ${what}`,
    again: (what: string) => `Install ${what} again`,
    forget: (what: string) => `Forget ${what}`,
  },
  one: (name: string) => `“${name}”`,
  many: skills,

  /** The button, once it is known what it will do. */
  go: {
    copy: (what: string) => `Copy ${what}`,
    install: (what: string) => `Install ${what}`,
    update: (what: string) => `Update ${what}`,
    rename: (to: string) => `Rename to ${to}`,
    adopt: (what: string) => `Adopt ${what}`,
    enable: (what: string) => `Enable ${what}`,
    disable: (what: string) => `Disable ${what}`,
    remove: (what: string) => `Remove ${what}`,
    again: (what: string) => `Install ${what} again`,
    forget: (what: string) => `Forget ${what}`,
  },
  /** The same before anything can be done. */
  idle: {
    copy: "Copy",
    install: "Install",
    update: "Update",
    rename: "Rename",
    adopt: "Adopt",
    enable: "Enable",
    disable: "Disable",
    remove: "Remove",
    again: "Install again",
    forget: "Forget",
  },
  fromTools: (count: number) => `from ${plural(count, "tool", "tools")}`,
  inTools: (count: number) => `in ${plural(count, "tool", "tools")}`,
  folders: (count: number) => plural(count, "folder", "folders"),
  skillsToTools: (count: number, tools: number) =>
    `${skills(count)} to ${plural(tools, "tool", "tools")}`,

  places: "Where it is",
  each: "What will happen",
  tools: "Tools",
  looking: "Looking at the folders",
  tickAll: "Tick all",
  tickNone: "Tick none",
  showAll: (count: number) => `Show ${count.toLocaleString("en-US")} more`,
  tick: (name: string, path: string) => `${name}, ${path}`,

  loses: (names: string[]) => `${list(names)} ${names.length === 1 ? "loses" : "lose"} it`,
  seesOther: (names: string[]) =>
    `${list(names)} ${names.length === 1 ? "sees" : "see"} another copy`,
  sees: (names: string[]) => `${list(names)} ${names.length === 1 ? "sees" : "see"} it then`,
  stillSees: (names: string[]) => `Seen by ${list(names)}`,
  nobody: "No tool reads this folder",
  linkGoes: "only this link goes",

  /** What will happen to one folder, in a word or two. */
  will: {
    copy: "copied",
    install: "installed",
    update: "updated",
    rename: "renamed",
    adopt: "adopted",
    enable: "put back",
    disable: "moved aside",
    remove: "into the trash",
    again: "installed again",
    forget: "forgotten",
    replace: "replaced, backup kept",
    identical: "identical already there",
    link: "linked",
    keep: "stays as it is",
    refuse: "cannot be done",
    edited: "edited here",
    chooseOne: "left out",
  },

  edited: {
    label: (path: string) => `What to do with the edits in ${path}`,
    keep: "Keep what was edited here",
    take: "Take what is offered; mine goes into the trash",
    see: "See the difference",
  },
  conflict: {
    label: (name: string, tool: string) => `What to do with ${name} in ${tool}`,
    rename: (name: string, tool: string) => `Name of ${name} in ${tool}`,
  },
  review: "Review the change",
  newName: "New name",
  sameName: "That is its name now.",

  mode: {
    label: (tool: string) => `How ${tool} gets it`,
    copy: "Copy",
    link: "Link",
    about:
      "A link leads to one copy that all links share. Some tools do not see skills that are links, and sharing in strict mode may leave them out.",
    ignores: (tool: string) => `${tool} does not see skills that are links`,
    unknown: (tool: string) => `Whether ${tool} sees skills that are links is not known`,
    asCopy: "as a copy: a link was not possible",
  },

  programs: {
    title: "Files that look like programs",
    about:
      "A server does not say whether a file may be run as a program. These begin with “#!”. Tick those that should be executable; a tool can start the others only by naming what runs them.",
    tick: (path: string) => `Make ${path} executable`,
  },

  spared: {
    title: "Left out:",
    offered: (count: number) =>
      count === 1 ? "1 is offered by a server, not here" : `${count} are offered, not here`,
    notPlaced: (count: number) =>
      count === 1 ? "1 was not placed by Skillhold" : `${count} were not placed by Skillhold`,
    placed: (count: number) =>
      count === 1 ? "1 is in the record already" : `${count} are in the record already`,
    replaced: (count: number) =>
      count === 1
        ? "1 is something else than what was placed"
        : `${count} are something else than what was placed`,
    nothingNew: (count: number) =>
      count === 1 ? "1 has nothing new to take" : `${count} have nothing new to take`,
    notGone: (count: number) => (count === 1 ? "1 is not missing" : `${count} are not missing`),
    notDisabled: (count: number) =>
      count === 1 ? "1 is not disabled" : `${count} are not disabled`,
    nothingHere: (count: number) =>
      count === 1 ? "1 has no folder here" : `${count} have no folder here`,
    disabled: (count: number) => (count === 1 ? "1 is disabled" : `${count} are disabled`),
    notApproved: (count: number) =>
      count === 1 ? "1 is not approved" : `${count} are not approved`,
    onlyAlone: (count: number) =>
      count === 1
        ? "1 lies among a project’s own sources and is changed only by itself"
        : `${count} lie among a project’s own sources and are changed only by themselves`,
    severalSkills: () => "only one skill can be renamed at a time",
  },
  /** The same for one skill, where it stands alone. */
  none: {
    title: {
      copy: "There is nothing to copy",
      install: "There is nothing to install",
      update: "There is nothing new",
      rename: "There is nothing to rename",
      adopt: "There is nothing to adopt",
      enable: "Nothing is disabled",
      disable: "There is nothing to disable",
      remove: "Nothing here can be removed by Skillhold",
      again: "Nothing is missing",
      forget: "Nothing is missing",
    },
    remove:
      "Skillhold removes only what it placed or adopted. Disable moves any skill aside, and Adopt takes it into the record.",
  },

  running: {
    copy: "Copying",
    install: "Installing",
    update: "Updating",
    rename: "Renaming",
    adopt: "Adopting",
    enable: "Enabling",
    disable: "Disabling",
    remove: "Removing",
    again: "Installing again",
    forget: "Forgetting",
  },
  stopNote: "Stop ends it after the folder that is being changed.",
  nothingToDo: "Nothing would change.",
  chooseFolder: "Tick the folders that it is for.",
  chooseTool: "Tick the tools that should have it.",
  blocked: "It cannot be done yet",

  done: {
    did: {
      copy: (count: number) => `${plural(count, "copy", "copies")} written`,
      install: (count: number) => `${plural(count, "folder", "folders")} written`,
      update: (count: number) => `${plural(count, "folder", "folders")} updated`,
      rename: (count: number) => `${plural(count, "skill", "skills")} renamed`,
      adopt: (count: number) => `${plural(count, "folder", "folders")} adopted`,
      enable: (count: number) => `${plural(count, "folder", "folders")} put back`,
      disable: (count: number) => `${plural(count, "folder", "folders")} moved aside`,
      remove: (count: number) => `${plural(count, "folder", "folders")} moved into the trash`,
      again: (count: number) => `${plural(count, "folder", "folders")} installed again`,
      forget: (count: number) => `${plural(count, "folder", "folders")} forgotten`,
    },
    failed: (count: number) => `${count.toLocaleString("en-US")} could not be done`,
    kept: (count: number) =>
      count === 1 ? "1 left as it was" : `${count.toLocaleString("en-US")} left as they were`,
    stopped: (count: number) => `${count.toLocaleString("en-US")} not begun`,
    notBegun: "not begun",
    undone: "Everything is as it was before",
    forgotten: "taken off the record",
    results: "What came of it",
  },

  away: {
    asideTitle: "Disabled",
    aside: (when: string) => `disabled ${when}`,
    goneTitle: "Missing",
    gone: (origin: string, when: string) => `from ${origin}, placed ${when}`,
    states: {
      missing: "It is gone from the disk.",
      replaced: "Something that is no skill is in its place.",
    },
    onlyDisabled: "This skill is disabled: no tool sees it.",
    onlyGone:
      "Skillhold placed this skill, and its folder is not there any more. Nothing was removed by Skillhold.",
    elsewhere: "It is also kept elsewhere",
    was: (names: string[]) => (names.length === 0 ? "" : `for ${list(names)}`),
    enable: (path: string) => `Enable ${path}`,
    again: (path: string) => `Install again at ${path}`,
    forget: (path: string) => `Forget ${path}`,
  },
};
