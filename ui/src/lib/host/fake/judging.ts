/** What the fake finds wrong with its skills, how that is put right, and what others make of it. */
import type { CheckView } from "../../bindings/CheckView";
import type { FixView } from "../../bindings/FixView";
import type { OutcomeView } from "../../bindings/OutcomeView";
import type { ReaderView } from "../../bindings/ReaderView";
import type { VisibilityRow } from "../../bindings/VisibilityRow";
import * as content from "./content";
import { failure, type State } from "./state";
import { pathOf, reads, type Copy } from "./world";

/** How many rules of inspection the fake pretends to have. */
export const RULES = 84;

/** A rule that is broken, and what the skill would be without that. */
interface Broken {
  check: Omit<CheckView, "fixes" | "excerpt">;
  fixes: { title: string; fixed: Pick<Copy, "name" | "files"> }[];
}

const FORM = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, "-");

function broken(copy: Copy): Broken[] {
  const { name, files } = copy;
  const main = files["SKILL.md"] ?? "";
  const lines = main.split("\n");
  const line = (start: string): number => lines.findIndex((one) => one.startsWith(start));
  const replaced = (at: number, by: string) => ({
    name,
    files: { ...files, "SKILL.md": lines.map((one, i) => (i === at ? by : one)).join("\n") },
  });
  const at = (index: number, column: number) => ({ file: "SKILL.md", line: index + 1, column });
  const found: Broken[] = [];

  const description = line("description:");
  const value = (lines[description] ?? "").slice("description: ".length);
  if (!value.startsWith('"') && value.includes(": ")) {
    found.push({
      check: {
        code: "frontmatter-unquoted-colon",
        severity: "error",
        message: "the value of `description` has “: ” in it and is not quoted",
        help: "put the value in quotes: some tools drop the whole skill, others all of its fields",
        ...at(description, value.indexOf(": ") + "description: ".length + 1),
      },
      fixes: [
        {
          title: "quote the value",
          fixed: replaced(description, `description: "${value.replaceAll('"', '\\"')}"`),
        },
      ],
    });
  }

  const field = content.field(main, "name") ?? name;
  if (!FORM.test(field)) {
    found.push({
      check: {
        code: "name-form",
        severity: "error",
        message: `the name “${field}” has characters other than a to z, 0 to 9 and hyphens`,
        help: "use a to z, 0 to 9 and single hyphens, none at an end",
        ...at(line("name:"), 7),
      },
      fixes: [
        {
          title: `change the name to ${plain(field)}`,
          fixed: replaced(line("name:"), `name: ${plain(field)}`),
        },
      ],
    });
  } else if (field !== name) {
    found.push({
      check: {
        code: "name-folder",
        severity: "warning",
        message: `the folder is called “${name}”, the skill “${field}”`,
        help: "rename the folder or change the field, so that both are equal",
        ...at(line("name:"), 7),
      },
      fixes: [
        { title: `rename the folder to ${field}`, fixed: { name: field, files } },
        ...(FORM.test(name)
          ? [
              {
                title: `change the name to ${name}`,
                fixed: replaced(line("name:"), `name: ${name}`),
              },
            ]
          : []),
      ],
    });
  }

  const tools = line("allowed-tools: [");
  if (tools >= 0) {
    const list = (/\[(.*)\]/.exec(lines[tools] ?? "")?.[1] ?? "").split(/, */);
    found.push({
      check: {
        code: "allowed-tools-list",
        severity: "warning",
        message: "`allowed-tools` is a list, which some tools do not read",
        help: "write the tools as one text with spaces between them",
        ...at(tools, "allowed-tools: ".length + 1),
      },
      fixes: [
        {
          title: "write it as one text",
          fixed: replaced(
            tools,
            `allowed-tools: ${list.map((one) => one.replace(/^"|"$/g, "")).join(" ")}`,
          ),
        },
      ],
    });
  }
  return found;
}

function change(copy: Copy, fixed: Pick<Copy, "name" | "files">): FixView["change"] {
  if (fixed.name !== copy.name) return { kind: "rename", from: copy.name, to: fixed.name };
  const before = (copy.files["SKILL.md"] ?? "").split("\n");
  const after = (fixed.files["SKILL.md"] ?? "").split("\n");
  const differs = (line: string, at: number) => line !== before[at];
  return {
    kind: "edits",
    file: "SKILL.md",
    before: before.filter((line, at) => line !== after[at]),
    after: after.filter(differs),
  };
}

/** Diagnostics and findings, worst first. */
export function checks(copy: Copy): CheckView[] {
  const diagnostics = broken(copy).map(({ check, fixes }): CheckView => ({
    ...check,
    excerpt: null,
    fixes: fixes.map(({ title, fixed }, at) => ({
      id: `${check.code}-${at}`,
      title,
      change: change(copy, fixed),
    })),
  }));
  const rank = ["grave", "error", "warning", "note"];
  return [...content.findings(copy.files), ...diagnostics].sort(
    (a, b) => rank.indexOf(a.severity) - rank.indexOf(b.severity),
  );
}

/** Puts another content, or another name, in the place of a copy. */
function put(state: State, copy: Copy, fixed: Pick<Copy, "name" | "files">): OutcomeView {
  const taken = state.copies.some(
    (one) => one !== copy && one.root === copy.root && one.name === fixed.name,
  );
  if (taken) {
    const message = `${copy.root}/${fixed.name} is there already`;
    throw failure("disk", message, "Rename or remove it first.");
  }
  const after = { ...copy, ...fixed };
  if (fixed.name !== copy.name) after.id = content.digits(pathOf(after)).slice(0, 16);
  const tool = state.tools.find((one) => reads(one, copy.root))?.id ?? "";
  const path = pathOf(after);
  const items = [{ name: after.name, tool, path, result: "replaced" as const, error: null }];
  const id = state.fresh("change");
  state.changes.set(id, { before: state.kept(), items });
  state.copies = state.copies.map((one) => (one === copy ? after : one));
  const edited = fixed.files !== copy.files;
  const renamed = after.name !== copy.name;
  const said = edited
    ? `in SKILL.md of ${pathOf(copy)}${renamed ? `, renamed to ${after.name}` : ""}`
    : `by renaming ${pathOf(copy)} to ${after.name}`;
  state.log("fixed", after.name, said, { files: after.files, change: id });
  state.emit("library", "activity");
  return { change: id, name: after.name, items };
}

function writable(copy: Copy): void {
  if (copy.readOnly) throw failure("disk", `${pathOf(copy)} may not be written`);
}

export function applyFix(state: State, copy: Copy, id: string): OutcomeView {
  writable(copy);
  for (const { check, fixes } of broken(copy)) {
    for (const [at, { fixed }] of fixes.entries()) {
      if (`${check.code}-${at}` === id) return put(state, copy, fixed);
    }
  }
  const hint = "Look at it again: it was edited meanwhile.";
  throw failure("changed", `${pathOf(copy)} is not as it was checked`, hint);
}

export function applyAllFixes(state: State, copy: Copy): OutcomeView {
  writable(copy);
  let fixed: Copy = copy;
  for (let next = broken(fixed)[0]?.fixes[0]; next; next = broken(fixed)[0]?.fixes[0]) {
    fixed = { ...fixed, ...next.fixed };
  }
  if (fixed === copy) throw failure("changed", `there is nothing in ${copy.name} to fix`);
  const { name, files } = fixed;
  return put(state, copy, { name, files });
}

export function readers(copy: Copy): ReaderView[] {
  const codes = new Set(broken(copy).map(({ check }) => check.code));
  const yaml: Pick<ReaderView, "outcome" | "message"> = codes.has("frontmatter-unquoted-colon")
    ? { outcome: "drops", message: "the front matter is not YAML: a mapping inside of a value" }
    : { outcome: "loads", message: "name and description as written" };
  const strict: Pick<ReaderView, "outcome" | "message"> =
    yaml.outcome === "drops"
      ? yaml
      : codes.has("name-form")
        ? { outcome: "drops", message: "the name has characters that are not allowed" }
        : codes.has("name-folder")
          ? { outcome: "drops", message: "the name is not that of the folder" }
          : yaml;
  const list: Pick<ReaderView, "outcome" | "message"> = codes.has("allowed-tools-list")
    ? { outcome: "partly", message: "all but `allowed-tools`, which is not one text" }
    : yaml;
  return [
    { reader: "Servers in strict mode", ...strict },
    { reader: "Readers of YAML 1.1, as PyYAML", ...yaml },
    { reader: "Readers of YAML 1.2", ...yaml },
    {
      reader: "Readers of one line at a time",
      ...(list.outcome === "partly"
        ? list
        : { outcome: "loads" as const, message: "name and description as written" }),
    },
    { reader: "skills-ref", ...strict },
  ];
}

/** Which of the tools that are read see which copy of a name. */
export function visibility(state: State, group: Copy[]): VisibilityRow[] {
  return state.tools
    .flatMap((tool) => {
      const seen = tool.roots.flatMap((root) => group.filter((copy) => copy.root === root));
      const project = group.filter((copy) => copy.project?.tools.includes(tool.id));
      return [...seen, ...project].map((copy, at): VisibilityRow => {
        const row = { tool: tool.id, copy: copy.id, root: copy.root };
        if (copy.project) {
          return { ...row, seen: "seen", reason: `When it works in ${copy.project.path}.` };
        }
        if (readers(copy)[2]?.outcome === "drops" && tool.id !== "claude-code") {
          return { ...row, seen: "notSeen", reason: "It drops a skill whose YAML is broken." };
        }
        if (at > 0 && tool.id === "opencode") {
          return { ...row, seen: "unknown", reason: "No source says which of two it takes." };
        }
        return at === 0
          ? { ...row, seen: "seen", reason: "The only copy in its folders, or the first." }
          : { ...row, seen: "shadowed", reason: `The copy in ${seen[0]?.root ?? ""} comes first.` };
      });
    })
    .filter(({ tool }) => state.on(tool));
}
