/** How the fake adds and changes servers, and what it finds in the settings of other tools. */
import type { CommandPreview } from "../../bindings/CommandPreview";
import type { FoundServer } from "../../bindings/FoundServer";
import type { FoundServers } from "../../bindings/FoundServers";
import type { FoundSource } from "../../bindings/FoundSource";
import type { GivenValues } from "../../bindings/GivenValues";
import type { NamedValue } from "../../bindings/NamedValue";
import type { ServerChange } from "../../bindings/ServerChange";
import type { ServerSettings } from "../../bindings/ServerSettings";
import type { ServerStep } from "../../bindings/ServerStep";
import { failure, type State } from "./state";
import type { Server } from "./world";

/** What a server is given; values are never told again. */
export interface Given {
  token: boolean;
  headers: string[];
  variables: string[];
}

/** A command line that was shown. */
export interface Previewed {
  line: string;
  given: Given;
  server: string | null;
}

/** A row that can be added. */
export interface Findable {
  row: FoundServer;
}

const NOTHING: Given = { token: false, headers: [], variables: [] };

function names(list: NamedValue[]): string[] {
  return list.map(({ name }) => name);
}

function checked(url: string): string {
  if (!/^https?:\/\/[^\s/]+/.test(url)) {
    const hint = "Write it as in http://127.0.0.1:8000/mcp.";
    throw failure("badInput", `${url} is not an address`, hint);
  }
  return url;
}

function unreached(address: string, reached: Server["reached"]): Server["error"] {
  return reached === "http"
    ? failure("unreachable", `nothing answers at ${address}`, "Start the server, then retry.")
    : failure("protocol", `${address} ended before it said anything`, "Run it in a terminal.");
}

function add(
  state: State,
  label: string,
  address: string,
  reached: Server["reached"],
  given: Given,
): string {
  if (state.servers.some((server) => server.label === label)) {
    throw failure("badInput", `there is already a server called ${label}`, "Choose another label.");
  }
  const server: Server = {
    id: state.fresh("srv"),
    label,
    address,
    reached,
    enabled: true,
    protocol: "2026-07-28",
    source: "extension",
    error: unreached(address, reached),
    notices: [],
    offers: [],
  };
  const last = (one: Server) => one.reached === "samples";
  const others = state.servers.filter((one) => !last(one));
  state.servers = [...others, server, ...state.servers.filter(last)];
  state.given.set(server.id, given);
  state.log("serverAdded", label, `Added ${address}`);
  state.emit("servers", "activity");
  return server.id;
}

export function addHttp(state: State, label: string, url: string, given: GivenValues): string {
  for (const { name } of given.headers) {
    if (name.toLowerCase() === "host") {
      const why = "the connection or the protocol sets it";
      throw failure("badInput", `the header "${name}" cannot be sent: ${why}`);
    }
  }
  const token = given.token !== null && given.token !== "";
  const kept = { token, headers: names(given.headers), variables: [] };
  return add(state, label, checked(url), "http", kept);
}

/** Whether a variable decides which code runs. */
function decides(name: string): boolean {
  return /^(PATH|NODE_OPTIONS|PYTHONPATH|LD_.*|DYLD_.*)$/i.test(name);
}

export function preview(
  state: State,
  line: string,
  variables: NamedValue[],
  server: string | null = null,
): CommandPreview {
  if ((line.match(/"/g) ?? []).length % 2 === 1) {
    throw failure("badInput", "a quotation mark is not closed", "Close it, or leave it out.");
  }
  const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"|"$/g, ""));
  const [program, ...args] = words;
  if (!program) throw failure("badInput", "the command is empty");
  const token = state.fresh("preview");
  const given = { ...NOTHING, variables: names(variables) };
  state.previews.set(token, { line, given, server });
  return {
    token,
    program,
    args,
    resolved: program.startsWith("nosuch") ? null : `/usr/local/bin/${program}`,
    variables: variables.map(({ name, value }) => ({ name, value: decides(name) ? value : null })),
  };
}

export function confirm(state: State, label: string, token: string): string {
  const previewed = state.previews.get(token);
  if (!previewed) throw failure("badInput", "this command was not previewed");
  state.previews.delete(token);
  const { line, given, server } = previewed;
  return server === null
    ? add(state, label, line, "command", given)
    : changed(state, server, line, given);
}

export function settings(state: State, id: string): ServerSettings {
  const { address } = state.server(id);
  return { address, ...(state.given.get(id) ?? NOTHING), kept: "keychain" };
}

function changed(state: State, id: string, address: string, given: Given): string {
  const server = state.server(id);
  state.given.set(id, given);
  if (server.address !== address) {
    server.address = address;
    server.offers = [];
    server.error = unreached(address, server.reached);
    state.log("serverChanged", server.label, address);
  }
  state.emit("servers", "activity");
  return id;
}

export function change(state: State, id: string, change: ServerChange): ServerStep {
  const server = state.server(id);
  const before = state.given.get(id) ?? NOTHING;
  const { address, token, headers, variables } = change;
  if (server.reached === "command") {
    const same =
      address === server.address &&
      variables.every(({ value }) => value === null) &&
      names(variables).join() === before.variables.join();
    if (same) return { kind: "done", server: id };
    return { kind: "confirm", preview: preview(state, address, variables, id) };
  }
  const given = {
    token: token.kind === "set" || (token.kind === "keep" && before.token),
    headers: names(headers),
    variables: [],
  };
  return { kind: "done", server: changed(state, id, checked(address), given) };
}

function row(name: string, rest: Partial<FoundServer>): FoundServer {
  return {
    id: "",
    name,
    reached: "http",
    address: "",
    token: false,
    headers: [],
    variables: [],
    blanks: [],
    notes: [],
    refused: null,
    disabled: false,
    project: null,
    added: null,
    ...rest,
  };
}

/** What stands in the settings of the fake's tools. */
function sources(): FoundSource[] {
  const source = (tool: string, path: string, servers: FoundServer[]): FoundSource => ({
    tool,
    path,
    problem: null,
    leftOut: 0,
    servers,
  });
  return [
    source("Claude Code", "~/.claude.json", [
      row("notion", { address: "https://mcp.notion.example/mcp" }),
      row("asana", {
        reached: null,
        refused:
          "it speaks the older SSE transport, which Skillhold does not; ask whether the server has an address for streamable HTTP",
      }),
      row("airtable", {
        reached: "command",
        address: "npx -y airtable-mcp-server",
        variables: ["AIRTABLE_API_KEY", "NODE_OPTIONS"],
        project: "~/src/acme",
      }),
    ]),
    source("Cursor", "~/.cursor/mcp.json", [
      row("shelf", {
        address: "https://shelf.example/mcp",
        token: true,
        headers: ["X-Team"],
        blanks: [{ name: "SHELF_TOKEN", about: null, optional: false }],
      }),
      row("parked", { address: "https://parked.example/mcp", disabled: true }),
    ]),
    source("VS Code", "~/.config/Code/User/mcp.json", [
      row("zoned", {
        reached: "command",
        address: "uvx serve '--zone=${input:zone}'",
        blanks: [{ name: "input:zone", about: "Zone of the data centre", optional: true }],
        notes: ["The variables in .env are not taken along."],
      }),
    ]),
    {
      ...source("Codex", "~/.codex/config.toml", []),
      problem: "it is no valid TOML: line 12, column 4: invalid key",
    },
  ];
}

const LOOKED_IN = [
  "~/.claude.json",
  "~/.config/Claude/claude_desktop_config.json",
  "~/.cursor/mcp.json",
  "~/.config/Code/User/mcp.json",
  "~/.codex/config.toml",
  "~/.gemini/settings.json",
  "~/.config/goose/config.yaml",
];

function listed(state: State, sources: FoundSource[], lookedIn: string[]): FoundServers {
  const known = (found: FoundServer): FoundServer => {
    const id = state.fresh("found");
    const here = state.servers.find(({ address }) => address === found.address);
    const row = { ...found, id, added: here?.label ?? null };
    if (row.reached !== null) state.found.set(id, { row });
    return row;
  };
  const rows = sources.map((one) => ({ ...one, servers: one.servers.map(known) }));
  return { sources: rows, lookedIn, kept: "keychain" };
}

export function find(state: State): FoundServers {
  return listed(state, state.empty ? [] : sources(), LOOKED_IN);
}

export function paste(state: State, text: string): FoundServers {
  const servers = [...text.matchAll(/"([\w-]+)"\s*:\s*\{\s*"(url|command)"\s*:\s*"([^"]+)"/g)].map(
    ([, name, kind, address]) =>
      row(name ?? "", { address: address ?? "", reached: kind === "url" ? "http" : "command" }),
  );
  if (servers.length === 0) {
    const message = "what was pasted cannot be used: it is none of the forms that are known";
    throw failure("badInput", message);
  }
  return listed(state, [{ tool: "", path: "", problem: null, leftOut: 0, servers }], []);
}

export function addFound(
  state: State,
  id: string,
  label: string,
  filled: NamedValue[],
): ServerStep {
  const found = state.found.get(id);
  if (!found) throw failure("gone", "this list is out of date", "Look at it again.");
  const { row } = found;
  const missing = row.blanks.find(
    ({ name, optional }) =>
      !optional && !filled.some((one) => one.name === name && one.value !== ""),
  );
  if (missing) throw failure("badInput", `${missing.name} is not filled in`);
  if (row.reached === "command") {
    const variables = row.variables.map((name) => ({ name, value: "--require ./hook.js" }));
    return { kind: "confirm", preview: preview(state, row.address, variables) };
  }
  const given = { token: row.token, headers: row.headers, variables: [] };
  return { kind: "done", server: add(state, label, row.address, "http", given) };
}
