/** Bundles in the fake: a dialog of the system always chooses the same file or folder. */
import type { ImportFrom } from "../../bindings/ImportFrom";
import type { ImportView } from "../../bindings/ImportView";
import type { OutcomeView } from "../../bindings/OutcomeView";
import { State, ago, failure } from "./state";
import { md, type Server } from "./world";

/** The file that copies are exported into. */
const FILE = "~/Documents/skills.zip";

export function exported(state: State, copies: string[]): OutcomeView {
  const chosen = copies.map((id) => {
    const copy = state.copies.find((one) => one.id === id);
    if (!copy) throw failure("gone", "a skill that was chosen is no longer there");
    return copy;
  });
  if (chosen.length === 0) throw failure("badInput", "no skill was chosen");
  const names = chosen.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice) throw failure("badInput", `two skills called ${twice} were chosen`);
  const count = names.length === 1 ? "1 skill" : `${names.length} skills`;
  state.log("exported", count, `into ${FILE}`);
  state.emit("activity");
  return {
    change: "",
    name: count,
    items: [{ tool: "", name: count, path: FILE, result: "written", error: null }],
  };
}

/** What lies in the file, and in the folder, that the dialog chooses. */
const SOURCES: Record<ImportFrom, { name: string; skills: string[] }> = {
  file: { name: "team-skills.zip", skills: ["release-notes", "sql-review"] },
  folder: { name: "handmade", skills: ["sql-review"] },
};

export function imported(state: State, from: ImportFrom): ImportView {
  const { name, skills } = SOURCES[from];
  const leftOut = [
    { name: "old-notes", reason: "its SKILL.md has no description" },
    { name: "__MACOSX", reason: "it is what macOS adds to archives" },
  ];
  const known = state.servers.find(({ imported }) => imported?.name === name);
  if (known) {
    return { server: known.id, label: known.label, already: true, skills, leftOut };
  }
  const server: Server = {
    id: state.fresh("srv"),
    label: name,
    address: from === "folder" ? "imported from a folder on this machine" : "imported from a file",
    reached: "imported",
    imported: { from: from === "folder" ? "folder" : "bundle", name, at: ago(0) },
    enabled: true,
    protocol: "2026-07-28",
    source: "extension",
    notices: [],
    offers: skills.map((skill) => ({
      uri: `skill://${skill}/SKILL.md`,
      name: skill,
      files: {
        "SKILL.md": md(
          `name: ${skill}\ndescription: Does what ${skill} says, as the team does it.`,
          `\n# ${skill}\n\nOne step after the other.\n`,
        ),
        "scripts/run.sh": "#!/bin/sh\necho done\n",
      },
      said: {
        origin: "Team docs, https://docs.example.com/mcp",
        approval: {
          sameContent: true,
          granted: false,
          at: ago(200),
          note: null,
          findings: [],
        },
        executable: ["scripts/run.sh"],
      },
    })),
  };
  const last = (one: Server) => one.reached === "samples";
  const others = state.servers.filter((one) => !last(one));
  state.servers = [...others, server, ...state.servers.filter(last)];
  state.log("imported", name, skills.length === 1 ? "1 skill" : `${skills.length} skills`);
  state.emit("servers", "activity");
  return { server: server.id, label: server.label, already: false, skills, leftOut };
}
