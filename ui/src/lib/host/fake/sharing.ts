/** Sharing, played: starting takes a moment, one port is taken, and programs come and ask. */
import type { SharedFolder } from "../../bindings/SharedFolder";
import type { SharingChange } from "../../bindings/SharingChange";
import type { SharingClient } from "../../bindings/SharingClient";
import type { SharingRequest } from "../../bindings/SharingRequest";
import type { SharingState } from "../../bindings/SharingState";
import type { SharingView } from "../../bindings/SharingView";
import { digits, fingerprint } from "./content";
import { checks } from "./judging";
import { failure, type State } from "./state";
import { isOn, pathOf, type Copy } from "./world";

/** What is shared, as the fake remembers it. */
export interface Shared {
  on: boolean;
  state: SharingState;
  strict: boolean;
  listFiles: boolean;
  discovery: boolean;
  /** Ids of the tools whose folders are shared. */
  tools: ReadonlySet<string>;
  folders: SharedFolder[];
  port: number;
  /** Which token, counted from the first. */
  token: number;
  /** How often it was started; a start that was overtaken comes to nothing. */
  starts: number;
  clients: SharingClient[];
  requests: SharingRequest[];
}

/** The port on which another program listens. */
const TAKEN = 8080;
/** The port that is free when any will do. */
const FREE = 49_731;

export function token(state: State): string {
  return `skh_${digits(`token ${state.shared.token}`).slice(0, 40)}`;
}

function update(state: State, change: Partial<Shared>): void {
  state.shared = { ...state.shared, ...change };
  state.emit("sharing");
}

/** What of the shared folders is given to others, and what is not. */
function given(state: State): { skills: string[]; warnings: string[] } {
  const { tools, folders, strict } = state.shared;
  const roots = state.tools.filter(({ id }) => tools.has(id)).flatMap((tool) => tool.roots);
  const shared = state.copies.filter(
    (copy) =>
      roots.includes(copy.root) || folders.some(({ path }) => pathOf(copy).startsWith(path)),
  );
  const groups = new Map<string, Copy[]>();
  for (const copy of shared) groups.set(copy.name, [...(groups.get(copy.name) ?? []), copy]);
  const warnings: string[] = [];
  const skills: string[] = [];
  for (const [name, group] of groups) {
    const paths = group.map(pathOf);
    const broken = group.flatMap(checks).find(({ severity }) => severity === "error");
    if (strict && new Set(group.map((copy) => fingerprint(copy.files))).size > 1) {
      const roots = paths.map((path) => `"${path}"`).join(", ");
      warnings.push(
        `the skill "${name}" is left out: it is in more than one folder, and they differ: ${roots}`,
      );
    } else if (strict && broken) {
      warnings.push(`the skill "${name}" is left out: ${broken.message}`);
    } else {
      skills.push(name);
    }
  }
  return { skills, warnings };
}

export function view(state: State): SharingView {
  const { on, state: now, strict, listFiles, discovery, tools, folders } = state.shared;
  const { port, clients, requests } = state.shared;
  const { skills, warnings } = given(state);
  const running = now.kind === "on";
  return {
    revision: state.revisions.sharing,
    on,
    state: now,
    strict,
    listFiles,
    discovery,
    folders,
    port,
    clients,
    requests,
    tools: state.tools.filter(isOn).map(({ id, name, monogram, roots }) => ({
      id,
      name,
      monogram,
      roots,
      shared: tools.has(id),
    })),
    skills: running ? skills.length : null,
    shared: running ? skills.sort() : [],
    tokenKept: "keychain",
    warnings: running ? warnings : [],
    snippets: state.empty ? [] : snippets(state),
  };
}

function snippets(state: State): SharingView["snippets"] {
  const { state: now, port } = state.shared;
  const url = now.kind === "on" ? now.url : `http://127.0.0.1:${port || "PORT"}/mcp`;
  const headers = { Authorization: "Bearer TOKEN" };
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return [
    {
      tool: "claude-code",
      name: "Claude Code",
      place: "run this in a terminal",
      language: "sh",
      text: `claude mcp add --transport http skillhold ${url} --header "Authorization: Bearer TOKEN"\n`,
    },
    {
      tool: "claude-desktop",
      name: "Claude Desktop",
      place:
        "~/Library/Application Support/Claude/claude_desktop_config.json (it sends no token to an address, so it starts Skillhold itself)",
      language: "json",
      text: json({
        mcpServers: { skillhold: { command: "skillhold", args: ["serve", "--stdio"] } },
      }),
    },
    {
      tool: "codex",
      name: "Codex",
      place: "~/.codex/config.toml",
      language: "toml",
      text: `[mcp_servers.skillhold]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer TOKEN" }\n`,
    },
    {
      tool: "cursor",
      name: "Cursor",
      place: "~/.cursor/mcp.json",
      language: "json",
      text: json({ mcpServers: { skillhold: { url, headers } } }),
    },
    {
      tool: "gemini-cli",
      name: "Gemini CLI",
      place: "~/.gemini/settings.json",
      language: "json",
      text: json({ mcpServers: { skillhold: { httpUrl: url, headers } } }),
    },
    {
      tool: "opencode",
      name: "OpenCode",
      place: "~/.config/opencode/opencode.json",
      language: "json",
      text: json({ mcp: { skillhold: { type: "remote", url, headers } } }),
    },
  ];
}

/** Opens the port, a moment after it was asked to. */
function start(state: State): void {
  const starts = state.shared.starts + 1;
  update(state, { on: true, state: { kind: "starting" }, starts, clients: [] });
  void state.wait(40).then(() => {
    if (state.shared.starts !== starts) return;
    const { port } = state.shared;
    if (port === TAKEN) {
      const message = `port ${port} is taken by another program`;
      const hint = "choose another port, or 0 for any that is free";
      update(state, { state: { kind: "failed", message, hint } });
      return;
    }
    update(state, { state: { kind: "on", url: `http://127.0.0.1:${port || FREE}/mcp` } });
    if (state.pace > 0) void visit(state, starts);
  });
}

function stop(state: State): void {
  const starts = state.shared.starts + 1;
  update(state, { on: false, state: { kind: "off" }, starts, clients: [] });
}

/** A program connects some time after the start, and reads a skill. */
async function visit(state: State, starts: number): Promise<void> {
  for (const [method, uri] of [
    ["server/discover", null],
    ["skills/list", null],
    ["resources/read", "skill://pdf/SKILL.md"],
  ] as const) {
    await state.wait(120);
    if (state.shared.starts !== starts || state.shared.state.kind !== "on") return;
    ask(state, "claude-code 2.1.9", method, uri, null);
  }
}

/** Keeps what was chosen, and starts again with it where it is on. */
function keep(state: State, change: Partial<Shared>): void {
  update(state, change);
  if (state.shared.on) start(state);
}

export function set(state: State, change: SharingChange): void {
  switch (change.kind) {
    case "on":
      if (change.on) start(state);
      else stop(state);
      return;
    case "tool": {
      const rest = [...state.shared.tools].filter((id) => id !== change.tool);
      keep(state, { tools: new Set(change.shared ? [...rest, change.tool] : rest) });
      return;
    }
    case "strict":
      keep(state, { strict: change.strict });
      return;
    case "listFiles":
      keep(state, { listFiles: change.listFiles });
      return;
    case "discovery":
      keep(state, { discovery: change.discovery });
      return;
    case "port":
      keep(state, { port: change.port });
  }
}

/** What the person chooses in the system's dialog: first a folder of skills, then their home. */
export function addFolder(state: State): boolean {
  const path = "~/Documents/skills";
  const { folders } = state.shared;
  if (folders.some((folder) => folder.path === path)) {
    throw failure("badInput", "~ is your whole home folder", "Choose a folder inside of it.");
  }
  keep(state, { folders: [...folders, { path, kind: "skills" }] });
  return true;
}

export function removeFolder(state: State, path: string): void {
  const folders = state.shared.folders.filter((folder) => folder.path !== path);
  if (folders.length === state.shared.folders.length) {
    throw failure("gone", `${path} is not shared`);
  }
  keep(state, { folders });
}

/** Makes another token; whoever has the old one is let go. */
export function renew(state: State): void {
  keep(state, { token: state.shared.token + 1 });
}

/** A program asks for something. */
export function ask(
  state: State,
  client: string,
  method: string,
  uri: string | null,
  error: number | null,
  at = new Date().toISOString(),
): void {
  const { clients, requests } = state.shared;
  const before = clients.find(({ name }) => name === client);
  const now: SharingClient = {
    id: before?.id ?? state.fresh("client"),
    name: client,
    since: before?.since ?? at,
    last: at,
    requests: (before?.requests ?? 0) + 1,
  };
  update(state, {
    clients: [now, ...clients.filter((one) => one !== before)],
    requests: [{ at, client, method, uri, error }, ...requests].slice(0, 100),
  });
}

/** It was switched on some time ago, and two programs have used it since. */
export function alreadyOn(state: State): void {
  const { port } = state.shared;
  const folders: SharedFolder[] = [{ path: "/mnt/share/skills", kind: "empty" }];
  const on: SharingState = { kind: "on", url: `http://127.0.0.1:${port}/mcp` };
  const tools = new Set(["claude-code", "codex", "cursor"]);
  update(state, { on: true, state: on, starts: 1, tools, folders });
  const claude = "claude-code 2.1.9";
  const odd =
    "⟨U+202E⟩<b>helper</b> of a team that gave it a name much longer than any list has room for";
  const asked: [string, string, string | null, number | null][] = [
    [claude, "server/discover", null, null],
    [claude, "skills/list", null, null],
    [claude, "skills/get", "skill://pdf/SKILL.md", null],
    [claude, "resources/read", "skill://pdf/SKILL.md", null],
    [claude, "resources/read", "skill://pdf/scripts/fields.py", null],
    [odd, "initialize", null, null],
    [odd, "resources/list", null, null],
    [odd, "tools/list", null, -32601],
    [odd, "resources/read", "skill://pdf/..%2f..%2f..%2fetc%2fpasswd", -32602],
    ["", "resources/templates/list", null, null],
    [claude, "resources/read", "skill://commit-messages/SKILL.md", null],
    [claude, "resources/read", "skill://commit-messages/examples/good.txt", null],
    [claude, "resources/directory/read", "skill://commit-messages", null],
  ];
  for (const [index, [client, method, uri, error]] of asked.entries()) {
    const at = new Date(Date.now() - (asked.length - index) * 4_000).toISOString();
    ask(state, client, method, uri, error, at);
  }
}
