/** Files as the fake holds them, and what the backend would make of them. */
import type { CheckView } from "../../bindings/CheckView";
import type { DiffLine } from "../../bindings/DiffLine";
import type { Field } from "../../bindings/Field";
import type { FileBody } from "../../bindings/FileBody";
import type { FileRow } from "../../bindings/FileRow";
import type { FileState } from "../../bindings/FileState";
import type { ManifestView } from "../../bindings/ManifestView";
import type { Piece } from "../../bindings/Piece";
import type { Requests } from "../../bindings/Requests";
import { spelt } from "../../format";

/** Paths and what is in them; binaries begin with NUL. */
export type Files = Record<string, string>;

/** 64 digits that depend on every character. Not SHA-256: the fake has no need of it. */
export function digits(text: string): string {
  let out = "";
  for (let round = 0; out.length < 64; round += 1) {
    let hash = 0x811c9dc5 ^ (round * 0x9e3779b9);
    for (let at = 0; at < text.length; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    out += (hash >>> 0).toString(16).padStart(8, "0");
  }
  return out.slice(0, 64);
}

export function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

export function fileRow(path: string, text: string, state: FileState): FileRow {
  return { path, size: sizeOf(text), digest: `sha256:${digits(text)}`, state };
}

export function fingerprint(files: Files): string {
  return digits(
    Object.keys(files)
      .sort()
      .map((path) => `${path}\0${files[path] ?? ""}`)
      .join("\n"),
  );
}

export function manifest(
  files: Files,
  state: (path: string) => FileState,
  print = fingerprint(files),
): ManifestView {
  const rows = Object.keys(files)
    .sort()
    .map((path) => fileRow(path, files[path] ?? "", state(path)));
  return {
    files: rows,
    total: rows.reduce((sum, row) => sum + row.size, 0),
    fingerprint: print,
    maxFiles: 512,
    maxBytes: 16_777_216,
  };
}

/** The lines between the delimiters, and the text after them. */
export function split(skillMd: string): { front: string[]; body: string } {
  const parts = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(skillMd);
  return parts
    ? { front: (parts[1] ?? "").split("\n"), body: parts[2] ?? "" }
    : { front: [], body: skillMd };
}

export function fields(skillMd: string): Field[] {
  const found: Field[] = [];
  for (const line of split(skillMd).front) {
    const pair = /^([\w-]+):\s*(.*)$/.exec(line);
    if (pair) found.push({ key: pair[1] ?? "", value: (pair[2] ?? "").replace(/^"|"$/g, "") });
    else {
      const last = found.at(-1);
      if (last) last.value = `${last.value} ${line.trim()}`.trim();
    }
  }
  return found;
}

export function field(skillMd: string, key: string): string | null {
  return fields(skillMd).find((one) => one.key === key)?.value ?? null;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function inline(text: string): string {
  return escaped(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\[([^\]]+)\]\((https:[^)\s]+)\)/g, '<a href="$2">$1</a>');
}

/** The body as markup, as far as the fake's own skills need it. */
export function rendered(skillMd: string): string {
  const out: string[] = [];
  let list: string[] = [];
  const flush = () => {
    if (list.length > 0) out.push(`<ul>${list.join("")}</ul>`);
    list = [];
  };
  const blocks = split(skillMd).body.split(/(```[\s\S]*?```)/);
  for (const block of blocks) {
    if (block.startsWith("```")) {
      flush();
      out.push(`<pre><code>${escaped(block.replace(/^```\w*\n|```$/g, ""))}</code></pre>`);
      continue;
    }
    for (const paragraph of block.split(/\n{2,}/)) {
      const heading = /^(#{1,4})\s+(.*)$/.exec(paragraph.trim());
      const lines = paragraph.trim().split("\n").filter(Boolean);
      if (heading) {
        flush();
        const level = (heading[1] ?? "#").length;
        out.push(`<h${level}>${inline(heading[2] ?? "")}</h${level}>`);
      } else if (lines.length > 0 && lines.every((line) => line.startsWith("- "))) {
        list.push(...lines.map((line) => `<li>${inline(line.slice(2))}</li>`));
      } else if (lines.length > 0) {
        flush();
        out.push(`<p>${inline(lines.join(" "))}</p>`);
      }
    }
    flush();
  }
  return out.join("\n");
}

const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064]+/g;

function pieces(line: string, script: boolean): Piece[] {
  if (/^#{1,4} /.test(line) && !script) return [{ text: line, role: "markup" }];
  if (/^\s*(#|\/\/)/.test(line)) return [{ text: line, role: "comment" }];
  const pattern = script
    ? /(?<string>"[^"]*"|'[^']*')|(?<keyword>\b(?:import|from|def|return|for|in|if|else|echo|set|with|as)\b)|(?<number>\b\d+\b)|(?<hidden>[\u200b-\u200f\u202a-\u202e\u2060-\u2064]+)/g
    : /(?<name>^[\w-]+(?=:))|(?<string>`[^`]+`)|(?<hidden>[\u200b-\u200f\u202a-\u202e\u2060-\u2064]+)/g;
  const found: Piece[] = [];
  let at = 0;
  for (const match of line.matchAll(pattern)) {
    if (match.index > at) found.push({ text: line.slice(at, match.index), role: null });
    const role = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    found.push({ text: match[0], role: (role ?? null) as Piece["role"] });
    at = match.index + match[0].length;
  }
  if (at < line.length || found.length === 0) found.push({ text: line.slice(at), role: null });
  return found;
}

/** A 24 by 24 picture, so that an image can be shown. */
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABgAAAAYCAIAAABvFaqvAAAANklEQVR42mNgGAWjYBSMglEwCkbBKBgFo2AUjIJRMApGwSgYBaNgFIyCUTAKRsEoGAWjYBSMAgAH2AABk1Ur3wAAAABJRU5ErkJggg==";

export function body(path: string, text: string): FileBody {
  if (path.endsWith(".png")) return { kind: "image", dataUrl: PICTURE };
  if (text.startsWith("\0")) {
    const raw = [...new TextEncoder().encode(text)].slice(0, 512);
    const lines: string[] = [];
    for (let at = 0; at < raw.length; at += 16) {
      const row = raw.slice(at, at + 16);
      const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
      const plain = row
        .map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "."))
        .join("");
      lines.push(`${at.toString(16).padStart(8, "0")}  ${hex.padEnd(47)}  ${plain}`);
    }
    return { kind: "binary", lines, cut: raw.length === 512 };
  }
  const script = /\.(py|sh|js|ts)$/.test(path);
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  return { kind: "text", lines: lines.map((line) => pieces(line, script)), cut: false };
}

export function requests(files: Files): Requests {
  const main = files["SKILL.md"] ?? "";
  const tools = field(main, "allowed-tools");
  const hooks = field(main, "hooks");
  const all = Object.values(files).join("\n");
  const commands = [...split(main).body.matchAll(/```(?:bash|sh)\n([\s\S]*?)```/g)].flatMap(
    (block) => (block[1] ?? "").split("\n").filter(Boolean),
  );
  return {
    allowedTools: tools ? (tools.match(/[^\s,("[\]]+(\([^)]*\))?/g) ?? []) : [],
    hooks: hooks ? [hooks] : [],
    commands,
    addresses: [...new Set(all.match(/https?:\/\/[\w./-]+[\w/]/g) ?? [])],
    outside: [...new Set(all.match(/~\/\.[\w./-]+/g) ?? [])],
  };
}

export function scripts(files: Files): string[] {
  return Object.keys(files).filter((path) => /\.(py|sh|js|ts)$/.test(path));
}

export function binaries(files: Files): string[] {
  return Object.keys(files).filter((path) => (files[path] ?? "").startsWith("\0"));
}

/** What an inspection would find, as far as the fake's own skills go. */
export function findings(files: Files): CheckView[] {
  const found: CheckView[] = [];
  for (const path of Object.keys(files).sort()) {
    (files[path] ?? "").split("\n").forEach((line, index) => {
      const at = { file: path, line: index + 1, excerpt: spelt(line), fixes: [] };
      const hidden = line.search(HIDDEN);
      if (hidden >= 0) {
        found.push({
          code: "hidden-characters",
          severity: "grave",
          message: "characters that cannot be seen",
          help: "Text that only a model reads can carry instructions. Ask the author why it is there.",
          ...at,
          column: hidden + 1,
        });
      }
      const piped = line.search(/curl [^|]*\| *(ba)?sh/);
      if (piped >= 0) {
        found.push({
          code: "download-and-run",
          severity: "grave",
          message: "downloads a program and runs it unseen",
          help: "What runs can change at any time. Look for a way that pins what is run.",
          ...at,
          column: piped + 1,
        });
      }
      const comment = line.indexOf("<!--");
      if (comment >= 0) {
        found.push({
          code: "html-comment",
          severity: "warning",
          message: "a comment that is not shown when rendered",
          help: "Read it in the file itself.",
          ...at,
          column: comment + 1,
        });
      }
    });
  }
  const rank = ["grave", "error", "warning", "note"];
  return found.sort((a, b) => rank.indexOf(a.severity) - rank.indexOf(b.severity));
}

/** `SKILL.md` without the fields that ask for something. */
export function without(skillMd: string, names: string[]): string {
  return skillMd
    .split("\n")
    .filter((line) => !names.some((name) => line.startsWith(`${name}:`)))
    .join("\n");
}

/** A small diff: common head and tail, everything between as removed and added. */
export function diff(before: string, after: string, around = 3): DiffLine[] {
  const a = before.replace(/\n$/, "").split("\n");
  const b = after.replace(/\n$/, "").split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail += 1;
  }
  const out: DiffLine[] = [];
  const from = Math.max(0, head - around);
  if (from > 0) out.push({ kind: "gap", old: null, new: null, text: `${from} lines` });
  for (let at = from; at < head; at += 1) {
    out.push({ kind: "same", old: at + 1, new: at + 1, text: a[at] ?? "" });
  }
  for (let at = head; at < a.length - tail; at += 1) {
    out.push({ kind: "removed", old: at + 1, new: null, text: a[at] ?? "" });
  }
  for (let at = head; at < b.length - tail; at += 1) {
    out.push({ kind: "added", old: null, new: at + 1, text: b[at] ?? "" });
  }
  const until = Math.min(tail, around);
  for (let at = 0; at < until; at += 1) {
    const old = a.length - tail + at;
    const fresh = b.length - tail + at;
    out.push({ kind: "same", old: old + 1, new: fresh + 1, text: a[old] ?? "" });
  }
  if (tail > until) out.push({ kind: "gap", old: null, new: null, text: `${tail - until} lines` });
  return out;
}
