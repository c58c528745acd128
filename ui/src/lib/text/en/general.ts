/** What the whole window shares. */
import { plural } from "./plural";

export const general = {
  app: "Skillhold",

  actions: {
    review: "Review…",
    reviewChange: "Review the change",
    show: "Show",
    install: "Install…",
    copyTo: "Copy to…",
    fix: "Fix…",
    retry: "Retry",
    close: "Close",
    cancel: "Cancel",
    undo: "Undo",
    stop: "Stop",
    stopping: "Stopping…",
    more: "More actions",
    showInFiles: "Show in file manager",
    copyPath: "Copy path",
    copyUri: "Copy URI",
    copied: "Copied",
    addServer: "Add server…",
    dismiss: "Dismiss",
  },

  keys: {
    title: "Keys",
    groups: { everywhere: "Everywhere", list: "In lists", dialogs: "In dialogs" },
    palette: "Find a skill, tool, server or action",
    search: "Search the list",
    undo: "Undo the last change",
    help: "Show this list",
    sidebar: "Hide or show the sidebar",
    move: "Move",
    page: "A page up or down",
    ends: "First or last",
    open: "Go to the skill",
    select: "Select a row, or leave it out",
    range: "Select a range",
    selectAll: "Select all",
    unselect: "Let go of the selection",
    remove: "Remove what is selected",
    close: "Close the top thing",
    tabs: "Between tabs",
    places: "Library, Needs attention, To review",
  },

  palette: {
    title: "Go to",
    placeholder: "A skill, tool, server or action",
    nothing: "Nothing fits.",
    kinds: {
      skill: "Skill",
      offer: "Offered",
      tool: "Tool",
      server: "Server",
      place: "Place",
      action: "Action",
    },
  },

  welcome: {
    title: "Welcome to Skillhold",
    scanning: "Reading the folders of your tools…",
    found: (tools: number, skills: number) =>
      tools === 0
        ? "No AI coding tool was found on this machine yet. Skillhold notices when one appears."
        : `Found ${plural(skills, "skill", "skills")} in ${plural(tools, "tool", "tools")}.`,
    what: "Skillhold shows every skill your tools have and what servers offer. Nothing from a server reaches a tool until you have seen exactly those bytes and approved them.",
    samples: "Look at the samples",
    samplesHelp: "Four small skills to try a review on. Nothing to set up.",
    server: "Add a server",
    serverHelp: "By address, by a command on this machine, or from the settings of another tool.",
    later: "Go to the library",
    laterHelp: (skills: number) =>
      skills === 0
        ? "It is empty so far, and fills by itself."
        : "Every skill that was found, what is wrong with it and which tools see it.",
  },

  errors: {
    library: "The library could not be read",
    servers: "The servers could not be listed",
    activity: "The activity could not be read",
    settings: "The setting could not be kept",
    skill: "This skill could not be shown",
    file: "This file could not be shown",
    causes: "What led to it",
    page: "Something went wrong in this part of the window",
    pageHint: "Nothing on disk is affected. Try again, or close and reopen Skillhold.",
  },
};
