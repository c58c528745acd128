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
  await tauriHost.approve("r", "f", true, ["hidden-characters"]);
  await tauriHost.plan({ kind: "copy", id: "0123" }, [
    { tool: "codex", onConflict: "keep", name: null },
  ]);
  expect(calls).toEqual([
    ["library", {}],
    ["skill_file", { copy: "0123", path: "a/b.md" }],
    ["approve", { review: "r", fingerprint: "f", grant: true, ticked: ["hidden-characters"] }],
    [
      "plan",
      {
        source: { kind: "copy", id: "0123" },
        targets: [{ tool: "codex", onConflict: "keep", name: null }],
      },
    ],
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
