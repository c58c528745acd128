/** The real program behind the page: every method is the command of the same name. */
import { Channel, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type { Changed } from "../bindings/Changed";
import type { Host } from "./types";

function channel<T>(onMessage: (message: T) => void): Channel<T> {
  const messages = new Channel<T>();
  messages.onmessage = onMessage;
  return messages;
}

export const tauriHost: Host = {
  library: () => invoke("library"),
  skillDetail: (copy) => invoke("skill_detail", { copy }),
  skillFile: (copy, path) => invoke("skill_file", { copy, path }),
  compare: (left, right) => invoke("compare", { left, right }),
  compareSidesFile: (left, right, path) => invoke("compare_sides_file", { left, right, path }),
  applyFix: (copy, fix) => invoke("apply_fix", { copy, fix }),
  applyAllFixes: (copy) => invoke("apply_all_fixes", { copy }),
  revealSkill: (copy) => invoke("reveal_skill", { copy }),
  openLink: (url) => invoke("open_link", { url }),

  servers: () => invoke("servers"),
  addHttpServer: (label, url, given) => invoke("add_http_server", { label, url, given }),
  previewCommand: (line, variables) => invoke("preview_command", { line, variables }),
  confirmCommand: (label, token) => invoke("confirm_command", { label, token }),
  findServers: () => invoke("find_servers"),
  pasteServers: (text) => invoke("paste_servers", { text }),
  addFound: (found, label, filled) => invoke("add_found", { found, label, filled }),
  serverSettings: (server) => invoke("server_settings", { server }),
  changeServer: (server, change) => invoke("change_server", { server, change }),
  renameServer: (server, label) => invoke("rename_server", { server, label }),
  removeServer: (server) => invoke("remove_server", { server }),
  setServerEnabled: (server, enabled) => invoke("set_server_enabled", { server, enabled }),
  refreshServer: (server) => invoke("refresh_server", { server }),
  serverWords: (server) => invoke("server_words", { server }),
  previewSignIn: (server) => invoke("preview_sign_in", { server }),
  signIn: (token, job, onPage) => invoke("sign_in", { token, job, onPage: channel(onPage) }),
  signOut: (server) => invoke("sign_out", { server }),

  offerDetail: (server, uri) => invoke("offer_detail", { server, uri }),
  offerFile: (server, uri, path) => invoke("offer_file", { server, uri, path }),
  lookUpOffer: (server, uri) => invoke("look_up_offer", { server, uri }),
  offerFolder: (server, uri) => invoke("offer_folder", { server, uri }),
  exportOffer: (server, uri, understood) => invoke("export_offer", { server, uri, understood }),
  exportBundle: (copies) => invoke("export_bundle", { copies }),
  importSkills: (from) => invoke("import_skills", { from }),

  startReview: (job, server, uri, onProgress) =>
    invoke("start_review", { job, server, uri, onProgress: channel(onProgress) }),
  reviewFile: (review, path) => invoke("review_file", { review, path }),
  approve: (review, fingerprint, grant, ticked, note) =>
    invoke("approve", { review, fingerprint, grant, ticked, note }),
  reject: (review, fingerprint) => invoke("reject", { review, fingerprint }),
  acceptSame: (server, uri) => invoke("accept_same", { server, uri }),
  closeReview: (review) => invoke("close_review", { review }),

  plan: (source, targets) => invoke("plan", { source, targets }),
  applyPlan: (job, plan, onProgress) =>
    invoke("apply_plan", { job, plan, onProgress: channel(onProgress) }),
  planChanges: (changes) => invoke("plan_changes", { changes }),
  applyChanges: (job, batch, onProgress) =>
    invoke("apply_changes", { job, batch, onProgress: channel(onProgress) }),
  changeItems: (change) => invoke("change_items", { change }),
  trash: () => invoke("trash"),
  emptyTrash: (ids) => invoke("empty_trash", { ids }),
  undo: (change) => invoke("undo", { change }),
  activity: () => invoke("activity"),

  cancel: (job) => invoke("cancel", { job }),

  settings: () => invoke("settings"),
  setTheme: (theme) => invoke("set_theme", { theme }),
  setSamples: (on) => invoke("set_samples", { on }),
  setApprovals: (approvals) => invoke("set_approvals", { approvals }),
  setNeverInstall: (server, on) => invoke("set_never_install", { server, on }),
  setWelcomed: () => invoke("set_welcomed"),

  addFolder: () => invoke("add_folder"),
  removeFolder: (path) => invoke("remove_folder", { path }),
  setToolOn: (tool, on) => invoke("set_tool_on", { tool, on }),
  chooseToolRoot: (tool) => invoke("choose_tool_root", { tool }),
  resetToolRoots: (tool) => invoke("reset_tool_roots", { tool }),

  sharing: () => invoke("sharing"),
  setSharing: (change) => invoke("set_sharing", { change }),
  addSharedFolder: () => invoke("add_shared_folder"),
  removeSharedFolder: (path) => invoke("remove_shared_folder", { path }),
  sharingToken: () => invoke("sharing_token"),
  renewSharingToken: () => invoke("renew_sharing_token"),

  onChanged: (listener) => listen<Changed>("changed", (event) => listener(event.payload)),
};
