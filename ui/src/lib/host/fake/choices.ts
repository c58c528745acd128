/** Folders that were added and tools that were set, as the fake remembers them. */
import type { AddedFolder } from "../../bindings/AddedFolder";
import type { SettingsView } from "../../bindings/SettingsView";
import { digits } from "./content";
import { failure, type State } from "./state";
import { pathOf, type Tool } from "./world";

const skill = (name: string, description: string) => ({
  "SKILL.md": `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nOne thing at a time.\n`,
});

/** Added folders with what is found through them now. */
export function settings(state: State): SettingsView {
  const count = (path: string) =>
    state.copies.filter((copy) => pathOf(copy) === path || copy.root.startsWith(path)).length;
  return {
    ...state.settings,
    folders: state.settings.folders.map((folder) => ({ ...folder, count: count(folder.path) })),
  };
}

/** What the person chooses in the system's dialog: first a folder of skills, then their home. */
export function addFolder(state: State): boolean {
  const path = "~/Documents/skills";
  if (state.settings.folders.some((folder) => folder.path === path)) {
    throw failure("badInput", "~ is your whole home folder", "Choose a folder inside of it.");
  }
  const added: AddedFolder = { path, kind: "skills", count: 0, problem: null };
  for (const name of ["meeting-agenda", "house-style"]) {
    const copy = { id: "", name, root: path, files: skill(name, `The ${name} of this team.`) };
    copy.id = digits(pathOf(copy)).slice(0, 16);
    state.copies = [...state.copies, copy];
  }
  state.settings = { ...state.settings, folders: [...state.settings.folders, added] };
  state.emit("library");
  return true;
}

export function removeFolder(state: State, path: string): void {
  const { folders } = state.settings;
  if (!folders.some((folder) => folder.path === path)) {
    throw failure("gone", `${path} was not added`);
  }
  state.copies = state.copies.filter((copy) => !copy.root.startsWith(path));
  state.settings = { ...state.settings, folders: folders.filter((one) => one.path !== path) };
  state.emit("library");
}

export function setTool(state: State, id: string, change: Partial<Tool>): void {
  if (!state.tools.some((tool) => tool.id === id)) {
    throw failure("badInput", `there is no tool ${id}`);
  }
  state.tools = state.tools.map((tool) => (tool.id === id ? { ...tool, ...change } : tool));
  state.emit("library");
}
