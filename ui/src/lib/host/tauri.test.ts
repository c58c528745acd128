import { mockIPC } from "@tauri-apps/api/mocks";
import { expect, test } from "vitest";
import { tauriHost } from "./tauri";

test("every method is the command of the same name, with the arguments under their names", async () => {
  const calls: [string, unknown][] = [];
  mockIPC((command, args) => {
    calls.push([command, args]);
    return null;
  });
  await tauriHost.library();
  await tauriHost.skillFile("0123", "a/b.md");
  await tauriHost.approve("r", "f", true, ["hidden-characters"], "read twice");
  await tauriHost.plan({ kind: "copy", id: "0123" }, [
    { tool: "codex", onConflict: "keep", name: null },
  ]);
  expect(calls).toEqual([
    ["library", {}],
    ["skill_file", { copy: "0123", path: "a/b.md" }],
    [
      "approve",
      {
        review: "r",
        fingerprint: "f",
        grant: true,
        ticked: ["hidden-characters"],
        note: "read twice",
      },
    ],
    [
      "plan",
      {
        source: { kind: "copy", id: "0123" },
        targets: [{ tool: "codex", onConflict: "keep", name: null }],
      },
    ],
  ]);
});

test("fixes, folders and tools go under the names that the commands take", async () => {
  const calls: [string, unknown][] = [];
  mockIPC((command, args) => {
    calls.push([command, args]);
    return null;
  });
  await tauriHost.applyFix("0123", "f");
  await tauriHost.applyAllFixes("0123");
  await tauriHost.addFolder();
  await tauriHost.removeFolder("~/a");
  await tauriHost.setToolOn("codex", null);
  await tauriHost.chooseToolRoot("codex");
  await tauriHost.resetToolRoots("codex");
  expect(calls).toEqual([
    ["apply_fix", { copy: "0123", fix: "f" }],
    ["apply_all_fixes", { copy: "0123" }],
    ["add_folder", {}],
    ["remove_folder", { path: "~/a" }],
    ["set_tool_on", { tool: "codex", on: null }],
    ["choose_tool_root", { tool: "codex" }],
    ["reset_tool_roots", { tool: "codex" }],
  ]);
});

test("sharing goes under the names that the commands take", async () => {
  const calls: [string, unknown][] = [];
  mockIPC((command, args) => {
    calls.push([command, args]);
    return null;
  });
  await tauriHost.sharing();
  await tauriHost.setSharing({ kind: "listFiles", listFiles: true });
  await tauriHost.addSharedFolder();
  await tauriHost.removeSharedFolder("~/a");
  await tauriHost.sharingToken();
  await tauriHost.renewSharingToken();
  expect(calls).toEqual([
    ["sharing", {}],
    ["set_sharing", { change: { kind: "listFiles", listFiles: true } }],
    ["add_shared_folder", {}],
    ["remove_shared_folder", { path: "~/a" }],
    ["sharing_token", {}],
    ["renew_sharing_token", {}],
  ]);
});

test("what is given to servers goes under the names that the commands take", async () => {
  const calls: [string, unknown][] = [];
  mockIPC((command, args) => {
    calls.push([command, args]);
    return null;
  });
  const headers = [{ name: "X-Team", value: "core" }];
  const change = {
    address: "http://x",
    token: { kind: "keep" as const },
    headers: [{ name: "X-Team", value: null }],
    variables: [],
  };
  await tauriHost.addHttpServer("a", "http://x", { token: null, headers });
  await tauriHost.previewCommand("npx srv", [{ name: "KEY", value: "v" }]);
  await tauriHost.findServers();
  await tauriHost.pasteServers("{}");
  await tauriHost.addFound("f", "a", []);
  await tauriHost.serverSettings("s");
  await tauriHost.changeServer("s", change);
  await tauriHost.serverWords("s");
  await tauriHost.previewSignIn("s");
  await tauriHost.signIn("t", "j", () => undefined);
  await tauriHost.signOut("s");
  expect(calls).toEqual([
    ["add_http_server", { label: "a", url: "http://x", given: { token: null, headers } }],
    ["preview_command", { line: "npx srv", variables: [{ name: "KEY", value: "v" }] }],
    ["find_servers", {}],
    ["paste_servers", { text: "{}" }],
    ["add_found", { found: "f", label: "a", filled: [] }],
    ["server_settings", { server: "s" }],
    ["change_server", { server: "s", change }],
    ["server_words", { server: "s" }],
    ["preview_sign_in", { server: "s" }],
    ["sign_in", { token: "t", job: "j", onPage: expect.anything() as unknown }],
    ["sign_out", { server: "s" }],
  ]);
});

test("changes of many skills go under the names that the commands take", async () => {
  const calls: [string, unknown][] = [];
  mockIPC((command, args) => {
    calls.push([command, args]);
    return null;
  });
  const changes = [{ kind: "remove" as const, copy: "0123" }];
  const left = { kind: "copy" as const, id: "0123" };
  const right = { kind: "installed" as const, copy: "0123" };
  await tauriHost.planChanges(changes);
  await tauriHost.compare(left, right);
  await tauriHost.compareSidesFile(left, right, "SKILL.md");
  await tauriHost.changeItems("c");
  await tauriHost.trash();
  await tauriHost.emptyTrash(["t"]);
  await tauriHost.acceptSame("s", "skill://a/SKILL.md");
  await tauriHost.setApprovals("sameContent");
  await tauriHost.setNeverInstall("s", true);
  expect(calls).toEqual([
    ["plan_changes", { changes }],
    ["compare", { left, right }],
    ["compare_sides_file", { left, right, path: "SKILL.md" }],
    ["change_items", { change: "c" }],
    ["trash", {}],
    ["empty_trash", { ids: ["t"] }],
    ["accept_same", { server: "s", uri: "skill://a/SKILL.md" }],
    ["set_approvals", { approvals: "sameContent" }],
    ["set_never_install", { server: "s", on: true }],
  ]);
});

test("progress goes through a channel under its own name", async () => {
  let given: unknown;
  mockIPC((_, args) => {
    given = args;
    return null;
  });
  await tauriHost.applyPlan("job", "plan", () => undefined);
  expect(Object.keys(given as object)).toEqual(["job", "plan", "onProgress"]);
});
