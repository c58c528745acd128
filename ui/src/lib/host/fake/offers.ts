/** What the fake's servers offer, as the program would show it. */
import type { FileState } from "../../bindings/FileState";
import type { LeftOut } from "../../bindings/LeftOut";
import type { OfferDetail } from "../../bindings/OfferDetail";
import type { OfferRow } from "../../bindings/OfferRow";
import type { ReviewView } from "../../bindings/ReviewView";
import type { ServerState } from "../../bindings/ServerState";
import type { ServersView } from "../../bindings/ServersView";
import type { Standing } from "../../bindings/Standing";
import * as content from "./content";
import type { Files } from "./content";
import { seers } from "./disk";
import { RULES } from "./judging";
import { ago, failure, type State } from "./state";
import { pathOf, type Offer, type Server } from "./world";

const ASKING = ["allowed-tools", "hooks"];

export function standing(state: State, server: Server, offer: Offer): Standing {
  if (offer.refused) return { kind: "refused", reasons: offer.refused };
  if (offer.unverifiable) return { kind: "unverifiable", reason: offer.unverifiable };
  if (offer.gone) return { kind: "noLongerOffered" };
  const decision = state.decision(server, offer);
  if (!decision) return { kind: "unreviewed" };
  const { at, granted } = decision;
  const same = decision.fingerprint === content.fingerprint(offer.files);
  if (decision.kind === "rejected") return same ? { kind: "rejected", at } : { kind: "unreviewed" };
  return same ? { kind: "approved", at, granted } : { kind: "changed", at: decision.endedAt ?? at };
}

export function offerRow(state: State, server: Server, offer: Offer): OfferRow {
  const known = !offer.refused && !offer.unverifiable;
  const texts = Object.values(offer.files);
  const same = sameAs(state, server, offer);
  return {
    uri: offer.uri,
    name: offer.name,
    description: content.field(offer.files["SKILL.md"] ?? "", "description") ?? "",
    standing: standing(state, server, offer),
    files: known ? texts.length : null,
    total: known ? texts.reduce((sum, one) => sum + content.sizeOf(one), 0) : null,
    fingerprint: known ? content.fingerprint(offer.files) : null,
    alsoOfferedBy: state.servers
      .filter((other) => other !== server && other.offers.some(({ name }) => name === offer.name))
      .map(({ label }) => label),
    existsLocally: state.copies.some(({ name }) => name === offer.name),
    installedIn: state.copies
      .filter(({ placed }) => placed?.server === server.id && placed.uri === offer.uri)
      .flatMap((copy) => seers(state, copy.root)),
    listed: !offer.unlisted,
    ...(same ? { sameAs: same } : {}),
    note: null,
  };
}

/** Label of another server from which exactly this content is approved. */
function sameAs(state: State, server: Server, offer: Offer): string | null {
  if (state.settings.approvals === "always") return null;
  if (standing(state, server, offer).kind !== "unreviewed") return null;
  const print = content.fingerprint(offer.files);
  const other = state.servers.find((one) =>
    one.offers.some((known) => {
      const decision = one === server ? undefined : state.decision(one, known);
      return decision?.kind === "approved" && !decision.endedAt && decision.fingerprint === print;
    }),
  );
  return other?.label ?? null;
}

export function acceptSame(state: State, id: string, uri: string): void {
  const { server, offer } = state.offer(id, uri);
  const from = sameAs(state, server, offer);
  if (from === null) {
    throw failure("notApproved", `${offer.name} has to be reviewed`, "Open its review.");
  }
  state.decide(server, offer, {});
  const { files } = offer;
  state.log("approved", offer.name, `From ${server.label}, the same as from ${from}`, { files });
  state.emit("servers", "activity");
}

function asks(server: Server): boolean {
  return (server.asks ?? false) && !server.signedIn;
}

function serverState(server: Server): ServerState {
  if (asks(server)) {
    const message = `cannot connect to ${server.address}: the server asks to sign in`;
    const error = failure("protocol", message, "sign in, or give it a token");
    return { kind: "needsSignIn", error };
  }
  const { error } = server;
  const again = ago(-0.01);
  if (error) return { kind: error.code === "protocol" ? "refused" : "unreachable", error, again };
  return { kind: "connected", protocol: server.protocol, source: server.source };
}

export function serversView(state: State): ServersView {
  return {
    revision: state.revisions.servers,
    servers: state.servers
      .filter((server) => server.reached !== "samples" || state.settings.samples)
      .map((server) => ({
        id: server.id,
        label: server.label,
        address: server.address,
        reached: server.reached,
        imported: server.imported ?? null,
        enabled: server.enabled,
        signedIn: server.signedIn ?? false,
        neverInstall: server.neverInstall ?? false,
        state: !server.enabled ? { kind: "off" } : serverState(server),
        offers: server.offers
          .filter(({ unlisted, found }) => !unlisted || found)
          .map((offer) => offerRow(state, server, offer)),
        notices: server.notices,
        listedAt: server.error || asks(server) ? null : ago(0.1),
      })),
  };
}

/** What is left out of the main file unless it is granted. */
export function leftOut(files: Files): LeftOut | null {
  const main = files["SKILL.md"] ?? "";
  const names = ASKING.filter((name) => content.field(main, name) !== null);
  if (names.length === 0) return null;
  const shorter = content.without(main, names);
  return {
    fields: names,
    diff: content.diff(main, shorter),
    servedFingerprint: content.fingerprint(files),
    installedFingerprint: content.fingerprint({ ...files, "SKILL.md": shorter }),
    impossible: null,
  };
}

/** What is known of a file once it was fetched. */
export function fileState(offer: Offer, path: string): FileState {
  const sent = (offer.sent ?? offer.files)[path] ?? "";
  const declared = offer.files[path] ?? "";
  if (sent === declared) return { kind: "verified", lineEndingsRestored: path.endsWith(".txt") };
  return {
    kind: "mismatch",
    expected: `${content.sizeOf(declared)} bytes, sha256:${content.digits(declared)}`,
    actual: `${content.sizeOf(sent)} bytes, sha256:${content.digits(sent)}`,
  };
}

export function nestedIn(state: State, server: Server, offer: Offer): ReviewView["nested"] {
  return Object.keys(offer.files)
    .filter((path) => path.endsWith("/SKILL.md"))
    .map((path) => {
      const uri = offer.uri.replace(/SKILL\.md$/, path);
      const inner = state.offer(server.id, uri).offer;
      return { uri, path, standing: standing(state, server, inner) };
    });
}

export function offerDetail(state: State, server: Server, offer: Offer): OfferDetail {
  const row = offerRow(state, server, offer);
  const known = row.files !== null;
  return {
    server: server.id,
    label: server.label,
    address: server.address,
    row,
    frontMatter: content.fields(offer.files["SKILL.md"] ?? ""),
    manifest: known ? content.manifest(offer.files, () => ({ kind: "declared" })) : null,
    checks: (offer.refused ?? []).map((message) => ({
      code: "entry",
      severity: "error",
      message,
      help: "Only the server’s author can put this right.",
      file: null,
      line: null,
      column: null,
      excerpt: null,
      fixes: [],
    })),
    nested: known ? nestedIn(state, server, offer).map(({ uri }) => uri) : [],
    showsFolder: known && server.source === "extension",
    canExport: offer.unverifiable !== undefined,
    history: state.activity.filter(({ subject }) => subject === offer.name),
  };
}

/** Fails as the program does where a server cannot be asked. */
export function reach(server: Server): void {
  if (!server.enabled) {
    throw failure("unreachable", `${server.label} is switched off`, "Switch it on first.");
  }
  if (server.error) throw server.error;
}

function changed(state: State, server: Server, offer: Offer): ReviewView["changed"] {
  const old = state.decision(server, offer);
  if (!old || standing(state, server, offer).kind !== "changed") return null;
  return Object.keys(offer.files)
    .filter((path) => old.files[path] !== offer.files[path])
    .map((path) => ({
      path,
      change: old.files[path] === undefined ? "added" : "changed",
      now: content.fileRow(path, offer.files[path] ?? "", fileState(offer, path)),
      diff: content.diff(old.files[path] ?? "", offer.files[path] ?? ""),
    }));
}

export function reviewView(state: State, id: string, server: Server, offer: Offer): ReviewView {
  const now = offer.sent ?? offer.files;
  const main = now["SKILL.md"] ?? "";
  const paths = Object.keys(offer.files);
  const row = offerRow(state, server, offer);
  const wrong = paths.filter((path) => fileState(offer, path).kind === "mismatch");
  const detail = wrong.length === 0 ? null : `${wrong.join(", ")} is not what was declared`;
  return {
    id,
    server: server.id,
    label: server.label,
    address: server.address,
    uri: offer.uri,
    name: offer.name,
    description: content.field(main, "description") ?? "",
    standing: row.standing,
    sameName: [
      ...row.alsoOfferedBy,
      ...state.copies.filter(({ name }) => name === offer.name).map(pathOf),
    ],
    frontMatter: content.fields(main),
    html: content.rendered(main),
    requests: content.requests(now),
    contains: {
      files: paths.length,
      bytes: row.total ?? 0,
      scripts: content.scripts(now),
      binaries: content.binaries(now),
    },
    verifications: [
      { what: "size and digest of every file", holds: wrong.length === 0, detail },
      { what: "paths stay inside the skill", holds: true, detail: null },
      { what: "front matter equals the entry", holds: true, detail: "under YAML 1.2" },
      { what: "limits of 512 files and 16 MB", holds: true, detail: null },
    ],
    findings: content.findings(now),
    rules: RULES,
    manifest: content.manifest(offer.files, (path) => fileState(offer, path)),
    changed: changed(state, server, offer),
    leftOut: leftOut(now),
    nested: nestedIn(state, server, offer),
    blockers: wrong.map((path) => `${path} does not match what ${server.label} declared`),
    note: null,
    said: offer.said ?? null,
  };
}
