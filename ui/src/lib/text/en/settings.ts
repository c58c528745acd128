/** Settings. */
import { plural } from "./plural";

export const settings = {
  settings: {
    title: "Settings",
    appearance: "Appearance",
    themes: { system: "As the system", light: "Light", dark: "Dark" },
    samples: "Samples",
    samplesLabel: "Offer the built-in Samples server",
    samplesHelp:
      "Four small skills to try a review on. Installed ones stay when it is switched off.",
    approvals: "Approvals",
    approvalsHelp:
      "Nothing from a server is installed before you approved exactly those bytes. An approval counts for the server it was given to.",
    approvalChoices: {
      always: "Review every skill",
      sameContent: "Accept the same content from another server",
    },
    approvalMeaning: {
      always: "The same skill from two servers is reviewed twice.",
      sameContent:
        "A skill whose every byte you approved already, from another server and with the same grant, can be accepted with one click. It says which server, and nothing is accepted by itself.",
    },
    trash: "Trash",
    about: "About",
    version: "Version",
    data: "Data folder",
    keys: "Keyboard",
    showKeys: "Show all keys",
    problems: "Folders that could not be read",
    folders: "Folders",
    foldersHelp:
      "What lies in the folders of your tools is found by itself. Add what lies elsewhere: one skill, a folder of skills, or a project, in which the tools’ own folders are then read.",
    addFolder: "Add folder…",
    addingFolder: "Adding…",
    noFolders: "No folder was added.",
    removeFolder: "Remove",
    removed: (path: string) => `${path} is no longer looked into; nothing on the disk changed`,
    folderFailed: "The folder was not added",
    folderKinds: {
      skill: "one skill",
      skills: "folder of skills",
      project: "project",
      empty: "holds no skills now",
    },
    skills: (count: number) => plural(count, "skill", "skills"),
    tools: "Tools",
    toolsHelp:
      "A tool found on this machine is read by itself. One that left only a folder behind is read once you switch it on. Another folder changes only where Skillhold looks and copies to: the tool itself stays as it is.",
    noTools: "No tool was found on this machine. Switch one on to read its folders all the same.",
    showAllTools: (count: number) => `Show all (${count} more)`,
    showFewerTools: "Show only those found or set",
    detection: { detected: "found", folderOnly: "folder only", notFound: "not found" },
    read: (tool: string) => `Whether the folders of ${tool} are read`,
    choices: { auto: "Automatic", on: "On", off: "Off" },
    automatic: (on: boolean) => `Automatic: ${on ? "on" : "off"}`,
    isOff: "off",
    isPlaced: "read, as Skillhold placed skills there",
    isUnread: (skills: number) => `${plural(skills, "skill", "skills")}, not read`,
    overridden: "your folder",
    useFolder: "Use another folder…",
    useFolderHelp: (tool: string) =>
      `Skillhold then reads and copies to that folder only. ${tool} itself is not changed.`,
    folderUsed: (tool: string, path: string) =>
      `Skillhold now looks in ${path} for ${tool}, which itself was not changed`,
    folderReset: (tool: string) => `Skillhold looks in the folders that ${tool} reads by itself`,
    reset: "Reset",
    resetHelp: "Goes back to the folders that the tool reads by itself",
    toolFailed: (tool: string) => `${tool} was left as it was`,
  },

  unread: {
    title: (folders: number) =>
      folders === 1 ? "A folder that is not read" : `${folders} folders that are not read`,
    help: (folders: number) =>
      folders === 1
        ? "It belongs to a tool that was not found here."
        : "They belong to tools that were not found here.",
    skills: (count: number) => plural(count, "skill", "skills"),
    switchOn: "Switch on",
    keepOff: "Keep off",
    keepAllOff: "Keep all off",
    keepOffHelp: "Not read, and not offered again. Settings, under Tools, switches it on.",
    more: (count: number) => `${count} more in Settings`,
    isOn: (names: string[]) => `${names.join(", ")}: switched on`,
    isOff: (names: string[]) =>
      `${names.join(", ")}: kept off. Settings, under Tools, switches it on.`,
    failed: "It could not be switched on",
  },
};
