/**
 * The program, played in memory: what is approved, installed and undone really changes what is
 * listed next. Anything it does not know is an error, as from the program itself.
 */
import type { FileContent } from "../bindings/FileContent";
import type { FileState } from "../bindings/FileState";
import { addFolder, removeFolder, setTool, settings } from "./fake/choices";
import * as adding from "./fake/adding";
import { applyChanges, planChanges } from "./fake/changing";
import { keep } from "./fake/kept";
import { compare, compareFile, emptyTrash, trash } from "./fake/comparing";
import * as bundles from "./fake/bundles";
import * as content from "./fake/content";
import type { Files } from "./fake/content";
import { libraryView, skillDetail } from "./fake/disk";
import { applyAllFixes, applyFix } from "./fake/judging";
import {
  acceptSame,
  fileState,
  offerDetail,
  offerRow,
  reach,
  reviewView,
  serversView,
} from "./fake/offers";
import { applyPlan, plan, undo } from "./fake/placing";
import * as sharing from "./fake/sharing";
import { State, failure, type FakeOptions } from "./fake/state";
import { servers, type Offer, type Server } from "./fake/world";
import type { Host } from "./types";

/** The host, and what a test may do to its world. */
export interface FakeHost extends Host {
  /** Every call, oldest first. */
  calls: string[];
  /** Removes a skill's folders, as a person would outside of the program. */
  removeFromDisk(name: string): void;
  /** Writes into every copy of a skill, as an editor would. */
  editOnDisk(name: string, path: string, text: string): void;
  /** The server offers other content from now on. */
  changeOffer(server: string, uri: string): void;
  /** A program asks for something that is shared. */
  askShared(client: string, method: string, uri: string | null, error: number | null): void;
}

function file(files: Files, path: string, owner: string, state: FileState): FileContent {
  const text = files[path];
  if (text === undefined) throw failure("gone", `${owner} has no file ${path}`);
  return { path, size: content.sizeOf(text), state, body: content.body(path, text) };
}

/** The sample that changes does so a moment after it was approved. */
function change(state: State, server: Server, offer: Offer): void {
  const files = offer.becomes;
  if (!files) return;
  delete offer.becomes;
  setTimeout(() => {
    offer.files = files;
    state.log("revoked", offer.name, `${server.label} changed it after it was approved`);
    state.emit("servers", "activity");
  }, state.pace * 150);
}

export function fakeHost(options: FakeOptions = {}): FakeHost {
  const state = new State(options);
  if (options.sharing) sharing.alreadyOn(state);
  if (options.kept) keep(state);

  function review(id: string) {
    const found = state.reviews.get(id);
    if (!found) throw failure("gone", "this review is over", "Open it again.");
    return found;
  }

  return {
    calls: state.calls,

    async library() {
      state.record("library");
      await state.wait(8);
      if (state.broken) {
        const message = `the library in ${state.settings.dataFolder} could not be read`;
        throw failure("disk", message, "Check the permissions of the folder.");
      }
      return libraryView(state);
    },

    async skillDetail(id) {
      state.record("skillDetail", id);
      await state.wait();
      return skillDetail(state, state.copy(id));
    },

    async skillFile(id, path) {
      state.record("skillFile", id, path);
      await state.wait();
      const copy = state.copy(id);
      return file(copy.files, path, copy.name, { kind: "local" });
    },

    async compare(left, right) {
      state.record("compare", left.kind, right.kind);
      await state.wait(2);
      return compare(state, left, right);
    },

    async compareSidesFile(left, right, path) {
      state.record("compareSidesFile", left.kind, right.kind, path);
      await state.wait();
      return compareFile(state, left, right, path);
    },

    async applyFix(id, fix) {
      state.record("applyFix", id, fix);
      await state.wait(20);
      return applyFix(state, state.copy(id), fix);
    },

    async applyAllFixes(id) {
      state.record("applyAllFixes", id);
      await state.wait(20);
      return applyAllFixes(state, state.copy(id));
    },

    async revealSkill(id) {
      state.record("revealSkill", id);
      state.copy(id);
    },

    async openLink(url) {
      state.record("openLink", url);
      if (!url.startsWith("https://")) throw failure("badInput", `${url} is not an https address`);
    },

    async servers() {
      state.record("servers");
      await state.wait(4);
      return serversView(state);
    },

    async addHttpServer(label, url, given) {
      state.record("addHttpServer", label, url);
      await state.wait(4);
      return adding.addHttp(state, label, url, given);
    },

    async previewCommand(line, variables) {
      state.record("previewCommand", line);
      await state.wait();
      return adding.preview(state, line, variables);
    },

    async confirmCommand(label, token) {
      state.record("confirmCommand", label, token);
      await state.wait(4);
      return adding.confirm(state, label, token);
    },

    async findServers() {
      state.record("findServers");
      await state.wait(6);
      return adding.find(state);
    },

    async pasteServers(text) {
      state.record("pasteServers");
      await state.wait(2);
      return adding.paste(state, text);
    },

    async addFound(found, label, filled) {
      state.record("addFound", label, ...filled.map(({ name }) => name));
      await state.wait(4);
      return adding.addFound(state, found, label, filled);
    },

    async serverSettings(id) {
      state.record("serverSettings", id);
      await state.wait();
      return adding.settings(state, id);
    },

    async changeServer(id, change) {
      state.record("changeServer", id, change.address, change.token.kind);
      await state.wait(4);
      return adding.change(state, id, change);
    },

    async renameServer(id, label) {
      state.record("renameServer", id, label);
      if (label.trim() === "") throw failure("badInput", "a label is needed");
      state.server(id).label = label;
      state.emit("servers");
    },

    async removeServer(id) {
      state.record("removeServer", id);
      const { label } = state.server(id);
      state.servers = state.servers.filter((server) => server.id !== id);
      for (const key of [...state.decisions.keys()]) {
        if (key.startsWith(`${id} `)) state.decisions.delete(key);
      }
      state.log("serverRemoved", label, "Removed with its approvals");
      state.emit("servers", "activity");
    },

    async setServerEnabled(id, enabled) {
      state.record("setServerEnabled", id, String(enabled));
      state.server(id).enabled = enabled;
      state.emit("servers");
    },

    async refreshServer(id) {
      state.record("refreshServer", id);
      await state.wait(20);
      state.server(id);
      state.emit("servers");
    },

    async serverWords(id) {
      state.record("serverWords", id);
      return state.server(id).words ?? [];
    },

    async previewSignIn(id) {
      state.record("previewSignIn", id);
      await state.wait(4);
      const { label, address } = state.server(id);
      return {
        token: id,
        label,
        address,
        issuer: "https://login.example",
        opens: "https://login.example/authorize",
        scopes: ["skills:read", "offline_access"],
        kept: "keychain",
      };
    },

    async signIn(token, job, onPage) {
      state.record("signIn", token);
      onPage("https://login.example/authorize?client_id=skillhold");
      await state.run(job, [{ what: "", bytes: 0 }], () => undefined);
      state.server(token).signedIn = true;
      state.emit("servers");
    },

    async signOut(id) {
      state.record("signOut", id);
      state.server(id).signedIn = false;
      state.emit("servers");
    },

    async offerDetail(id, uri) {
      state.record("offerDetail", id, uri);
      await state.wait();
      const { server, offer } = state.offer(id, uri);
      return offerDetail(state, server, offer);
    },

    async offerFile(id, uri, path) {
      state.record("offerFile", id, uri, path);
      await state.wait(6);
      const { server, offer } = state.offer(id, uri);
      reach(server);
      return file(offer.sent ?? offer.files, path, offer.name, fileState(offer, path));
    },

    async lookUpOffer(id, uri) {
      state.record("lookUpOffer", id, uri);
      await state.wait(6);
      const server = state.server(id);
      reach(server);
      if (!/^[a-z][a-z0-9+.-]*:\/\/.+\/SKILL\.md$/i.test(uri)) {
        throw failure(
          "badInput",
          `${uri} is not the URI of a skill`,
          "It looks like skill://name/SKILL.md.",
        );
      }
      const { offer } = state.offer(id, uri);
      offer.found = true;
      state.emit("servers");
      return offerRow(state, server, offer);
    },

    async offerFolder(id, uri) {
      state.record("offerFolder", id, uri);
      await state.wait(6);
      const { server, offer } = state.offer(id, uri);
      reach(server);
      const shown = Object.keys(offer.sent ?? offer.files).sort();
      const files = shown.map((path) => ({ path, listed: offer.files[path] !== undefined }));
      return { files, changed: files.some(({ listed }) => !listed), notices: [] };
    },

    async exportOffer(id, uri, understood) {
      state.record("exportOffer", id, uri, String(understood));
      await state.wait(6);
      const { server, offer } = state.offer(id, uri);
      reach(server);
      if (!understood || !offer.unverifiable) throw failure("badInput", "it needs a yes");
      return {
        change: state.fresh("change"),
        name: offer.name,
        items: [
          {
            name: offer.name,
            tool: "",
            path: `~/Documents/${offer.name}-unverified`,
            result: "written",
            error: null,
          },
        ],
      };
    },

    async exportBundle(copies) {
      state.record("exportBundle", ...copies);
      await state.wait(6);
      return bundles.exported(state, copies);
    },

    async importSkills(from) {
      state.record("importSkills", from);
      await state.wait(6);
      return bundles.imported(state, from);
    },

    async startReview(job, id, uri, onProgress) {
      state.record("startReview", id, uri);
      const { server, offer } = state.offer(id, uri);
      reach(server);
      if (offer.refused || offer.unverifiable || offer.gone) {
        throw failure("protocol", `${offer.name} cannot be reviewed`);
      }
      const { files } = content.manifest(offer.files, () => ({ kind: "declared" }));
      const steps = files.map(({ path, size }) => ({ what: path, bytes: size }));
      await state.run(job, steps, onProgress);
      const view = reviewView(state, state.fresh("review"), server, offer);
      state.reviews.set(view.id, { server, offer, ok: view.blockers.length === 0 });
      return view;
    },

    async reviewFile(id, path) {
      state.record("reviewFile", id, path);
      await state.wait();
      const { offer } = review(id);
      return file(offer.sent ?? offer.files, path, offer.name, fileState(offer, path));
    },

    async approve(id, fingerprint, grant, ticked, note) {
      state.record("approve", id, fingerprint.slice(0, 12), String(grant), ticked.join(","));
      await state.wait(4);
      const { server, offer, ok } = review(id);
      if (!ok) throw failure("protocol", `${offer.name} has files that do not match`);
      if (fingerprint !== content.fingerprint(offer.files)) {
        const message = `${server.label} changed ${offer.name} during the review`;
        throw failure("changed", message, "Fetch it again and look at what is different.");
      }
      const grave = content.findings(offer.files).filter(({ severity }) => severity === "grave");
      if (grave.some(({ code }) => !ticked.includes(code))) {
        throw failure("notApproved", "not every grave finding was ticked");
      }
      state.decide(server, offer, { granted: grant });
      const { files } = offer;
      const remark = note ? `: ${note}` : "";
      state.log("approved", offer.name, `Approved from ${server.label}${remark}`, { files });
      change(state, server, offer);
      state.emit("servers", "activity");
    },

    async reject(id, fingerprint) {
      state.record("reject", id, fingerprint.slice(0, 12));
      const { server, offer } = review(id);
      state.decide(server, offer, { kind: "rejected" });
      const { files } = offer;
      state.log("rejected", offer.name, `Rejected from ${server.label}`, { files });
      state.emit("servers", "activity");
    },

    async acceptSame(id, uri) {
      state.record("acceptSame", id, uri);
      await state.wait(4);
      acceptSame(state, id, uri);
    },

    async closeReview(id) {
      state.record("closeReview", id);
      review(id);
      state.reviews.delete(id);
    },

    async plan(source, targets) {
      state.record("plan", targets.map(({ tool }) => tool).join(","));
      await state.wait();
      return plan(state, source, targets);
    },

    async applyPlan(job, id, onProgress) {
      state.record("applyPlan", id);
      return applyPlan(state, job, id, onProgress);
    },

    async planChanges(changes) {
      state.record("planChanges", changes.map(({ kind }) => kind).join(","));
      await state.wait();
      return planChanges(state, changes);
    },

    async applyChanges(job, id, onProgress) {
      state.record("applyChanges", id);
      return applyChanges(state, job, id, onProgress);
    },

    async changeItems(id) {
      state.record("changeItems", id);
      const change = state.changes.get(id);
      if (!change) throw failure("gone", "this change is not known");
      return change.items;
    },

    async trash() {
      state.record("trash");
      await state.wait();
      return trash(state);
    },

    async emptyTrash(ids) {
      state.record("emptyTrash", ...ids);
      await state.wait();
      emptyTrash(state, ids);
    },

    async undo(id) {
      state.record("undo", id);
      await state.wait(4);
      return undo(state, id);
    },

    async activity() {
      state.record("activity");
      await state.wait();
      return { revision: state.revisions.activity, rows: state.activity };
    },

    async cancel(job) {
      state.record("cancel");
      state.stopped.add(job);
    },

    async settings() {
      state.record("settings");
      return settings(state);
    },

    async setTheme(theme) {
      state.record("setTheme", theme);
      state.settings = { ...state.settings, theme };
    },

    async setSamples(on) {
      state.record("setSamples", String(on));
      state.settings = { ...state.settings, samples: on };
      const samples = (server: Server) => server.reached === "samples";
      if (on && !state.servers.some(samples)) {
        state.servers = [...state.servers, ...servers().filter(samples)];
      }
      state.emit("servers");
    },

    async setApprovals(approvals) {
      state.record("setApprovals", approvals);
      state.settings = { ...state.settings, approvals };
      state.emit("servers");
    },

    async setNeverInstall(id, on) {
      state.record("setNeverInstall", id, String(on));
      state.server(id).neverInstall = on;
      state.emit("servers");
    },

    async setWelcomed() {
      state.record("setWelcomed");
      state.settings = { ...state.settings, welcomed: true };
    },

    async addFolder() {
      state.record("addFolder");
      await state.wait(4);
      return addFolder(state);
    },

    async removeFolder(path) {
      state.record("removeFolder", path);
      await state.wait();
      removeFolder(state, path);
    },

    async setToolOn(id, on) {
      state.record("setToolOn", id, String(on));
      await state.wait();
      setTool(state, id, { chosen: on });
    },

    async chooseToolRoot(id) {
      state.record("chooseToolRoot", id);
      await state.wait(4);
      const tool = state.tools.find((one) => one.id === id);
      setTool(state, id, { own: tool?.own ?? tool?.roots, roots: [`~/elsewhere/${id}/skills`] });
      return true;
    },

    async resetToolRoots(id) {
      state.record("resetToolRoots", id);
      await state.wait();
      const tool = state.tools.find((one) => one.id === id);
      setTool(state, id, { own: undefined, roots: tool?.own ?? tool?.roots ?? [] });
    },

    async sharing() {
      state.record("sharing");
      await state.wait(2);
      return sharing.view(state);
    },

    async setSharing(change) {
      state.record("setSharing", ...Object.values(change).map(String));
      await state.wait();
      sharing.set(state, change);
    },

    async addSharedFolder() {
      state.record("addSharedFolder");
      await state.wait(4);
      return sharing.addFolder(state);
    },

    async removeSharedFolder(path) {
      state.record("removeSharedFolder", path);
      await state.wait();
      sharing.removeFolder(state, path);
    },

    async sharingToken() {
      state.record("sharingToken");
      await state.wait(2);
      return sharing.token(state);
    },

    async renewSharingToken() {
      state.record("renewSharingToken");
      await state.wait(4);
      sharing.renew(state);
    },

    async onChanged(listener) {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },

    editOnDisk(name, path, text) {
      state.copies = state.copies.map((copy) =>
        copy.name === name ? { ...copy, files: { ...copy.files, [path]: text } } : copy,
      );
      state.emit("library");
    },

    removeFromDisk(name) {
      const lost = state.copies.filter((copy) => copy.name === name && copy.placed);
      state.gone = [...state.gone, ...lost];
      state.copies = state.copies.filter((copy) => copy.name !== name);
      state.emit("library");
    },

    askShared(client, method, uri, error) {
      sharing.ask(state, client, method, uri, error);
    },

    changeOffer(id, uri) {
      const { offer } = state.offer(id, uri);
      offer.files = { ...offer.files, "CHANGED.md": "# Changed\n" };
      state.emit("servers");
    },
  };
}
