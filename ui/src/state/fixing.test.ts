import { describe, expect, test, vi } from "vitest";
import { fakeHost } from "../lib/host/fake";
import { fixable } from "./fixing.svelte";
import { Screen } from "./screen.svelte";

/** A screen that shows a skill of the library. */
async function shown(name: string) {
  const host = fakeHost();
  const made = new Screen(host);
  made.start();
  await Promise.all([
    made.library.refresh(),
    made.servers.refresh(),
    made.activity.refresh(),
    made.settings.refresh(),
  ]);
  made.listing.choose(`skill:${name}`);
  await made.detail.show(made.listing.row);
  const skill = () => {
    if (!made.detail.skill) throw new Error("no skill is shown");
    return made.detail.skill;
  };
  const fix = (code: string) => {
    const found = skill().checks.find((check) => check.code === code)?.fixes[0];
    if (!found) throw new Error(`nothing fixes ${code}`);
    return found;
  };
  const codes = () => skill().checks.map(({ code }) => code);
  const count = (call: string) => host.calls.filter((one) => one.startsWith(call)).length;
  return { host, made, skill, fix, codes, count };
}

/** The line of a field in the front matter as it is on the disk now. */
const valueOf = (skill: { frontMatter: { key: string; value: string }[] }, key: string) =>
  skill.frontMatter.find((field) => field.key === key)?.value;

describe("putting a skill right", () => {
  test("counts the changes to be made: one may put several checks right", async () => {
    const { skill } = await shown("Deploy_Staging");
    const before = skill();
    const [first] = before.checks.filter(({ fixes }) => fixes.length > 0);
    expect(fixable(before)).toBe(2);
    const again = first ? [{ ...first, code: "another-rule" }] : [];
    expect(fixable({ ...before, checks: [...before.checks, ...again] })).toBe(2);
    expect(fixable(null)).toBe(0);
  });

  test("does away with what was wrong, says so and offers to take it back", async () => {
    const { made, skill, fix, codes } = await shown("Deploy_Staging");
    expect(codes()).toEqual(["frontmatter-unquoted-colon", "name-form"]);
    expect(await made.fixing.apply(skill(), fix("frontmatter-unquoted-colon"))).toBe(true);
    expect(codes()).toEqual(["name-form"]);
    const notice = made.notices.shown.at(-1);
    expect(notice?.text).toBe("Fixed “Deploy_Staging”: quote the value");
    expect(notice?.action?.label).toBe("Undo");
    expect(made.activity.rows[0]?.kind).toBe("fixed");
    notice?.action?.run();
    await vi.waitFor(() =>
      expect(made.notices.shown.at(-1)?.text).toBe(
        "Undone: “Deploy_Staging” is as it was before it was fixed",
      ),
    );
    await made.detail.show(made.listing.row);
    expect(codes()).toEqual(["frontmatter-unquoted-colon", "name-form"]);
  });

  test("asked for twice at once does it once", async () => {
    const { made, skill, fix, count } = await shown("Deploy_Staging");
    const quote = fix("frontmatter-unquoted-colon");
    const done = await Promise.all([
      made.fixing.apply(skill(), quote),
      made.fixing.apply(skill(), quote),
    ]);
    expect(done).toEqual([true, false]);
    expect(count("applyFix")).toBe(1);
  });

  test("writes a list of tools as one text", async () => {
    const { made, skill, fix } = await shown("issue-triage");
    expect(fix("allowed-tools-list").change).toEqual({
      kind: "edits",
      file: "SKILL.md",
      before: ['allowed-tools: [Read, Grep, "Bash(gh issue:*)"]'],
      after: ["allowed-tools: Read Grep Bash(gh issue:*)"],
    });
    await made.fixing.apply(skill(), fix("allowed-tools-list"));
    expect(valueOf(skill(), "allowed-tools")).toBe("Read Grep Bash(gh issue:*)");
    expect(skill().checks).toEqual([]);
  });

  test("goes on with a folder that was renamed, and back when that is taken back", async () => {
    const { made, skill, fix, codes } = await shown("Deploy_Staging");
    made.detail.tab = "checks";
    await made.fixing.apply(skill(), fix("name-form"));
    expect(codes()).toEqual(["frontmatter-unquoted-colon", "name-folder"]);
    expect(fix("name-folder").change).toEqual({
      kind: "rename",
      from: "Deploy_Staging",
      to: "deploy-staging",
    });
    await made.fixing.apply(skill(), fix("name-folder"));
    expect(skill().path).toBe("~/.cursor/skills/deploy-staging");
    expect(made.listing.row?.name).toBe("deploy-staging");
    expect(made.detail.tab).toBe("checks");
    await made.activity.undoLast();
    expect(skill().path).toBe("~/.cursor/skills/Deploy_Staging");
    expect(made.listing.row?.name).toBe("Deploy_Staging");
  });

  test("leaves one notice, for what came last, and none once that is taken back", async () => {
    const { made, skill, fix } = await shown("Deploy_Staging");
    await made.fixing.apply(skill(), fix("frontmatter-unquoted-colon"));
    await made.fixing.apply(skill(), fix("name-form"));
    const said = () => made.notices.shown.map(({ text }) => text);
    expect(said()).toEqual(["Fixed “Deploy_Staging”: change the name to deploy-staging"]);
    await made.activity.undoLast();
    expect(said()).toEqual(["Undone: “Deploy_Staging” is as it was before it was fixed"]);
  });

  test("says what is left where not all could be fixed at once", async () => {
    const { made, host, skill } = await shown("Deploy_Staging");
    const all = skill();
    const fix = all.checks[0]?.fixes[0]?.id ?? "";
    host.applyAllFixes = (copy) => host.applyFix(copy, fix);
    await made.fixing.applyAll(all);
    expect(made.notices.shown.at(-1)?.text).toBe("Fixed “Deploy_Staging”; 1 more can be fixed");
  });

  test("all at once is one change that is taken back whole", async () => {
    const { made, skill, codes, count } = await shown("Deploy_Staging");
    expect(await made.fixing.applyAll(skill())).toBe(true);
    expect(codes()).toEqual([]);
    expect(skill().path).toBe("~/.cursor/skills/deploy-staging");
    expect(made.notices.shown.at(-1)?.text).toBe("Fixed “Deploy_Staging”");
    await made.activity.undoLast();
    expect(codes()).toEqual(["frontmatter-unquoted-colon", "name-form"]);
    expect(count("undo ")).toBe(1);
  });

  test("of a folder that was edited meanwhile changes nothing and says why", async () => {
    const { made, host, skill, fix } = await shown("Deploy_Staging");
    const message = "~/.cursor/skills/Deploy_Staging is not as it was checked";
    host.applyFix = () => Promise.reject({ code: "changed", message, hint: null, causes: [] });
    expect(await made.fixing.apply(skill(), fix("name-form"))).toBe(false);
    expect(made.fixing.failed?.error.message).toBe(message);
    expect(made.fixing.running).toBeNull();
    expect(made.notices.shown).toEqual([]);
  });

  test("that failed at its place is no success", async () => {
    const { made, host, skill, fix } = await shown("Deploy_Staging");
    host.applyFix = () =>
      Promise.resolve({
        change: "c",
        name: "x",
        items: [
          {
            name: "x",
            tool: "cursor",
            path: skill().path,
            result: "failed",
            error: { code: "disk", message: "no space left", hint: null, causes: [] },
          },
        ],
      });
    expect(await made.fixing.apply(skill(), fix("name-form"))).toBe(false);
    expect(made.fixing.failed?.error.message).toBe("no space left");
    expect(made.notices.shown).toEqual([]);
  });

  test("does not pull the person back to a skill that was left meanwhile", async () => {
    const { made, skill, fix } = await shown("Deploy_Staging");
    const running = made.fixing.apply(skill(), fix("name-form"));
    made.listing.choose("skill:pdf");
    await made.detail.show(made.listing.row);
    await running;
    expect(made.listing.row?.name).toBe("pdf");
    expect(made.detail.skill?.name).toBe("pdf");
  });

  test("is shown but refused where the folder can only be read", async () => {
    const { made, skill, fix } = await shown("spreadsheet");
    expect(skill().writable).toBe(false);
    expect(fix("allowed-tools-list").title).toBe("write it as one text");
    expect(await made.fixing.apply(skill(), fix("allowed-tools-list"))).toBe(false);
    expect(made.fixing.failed?.error.code).toBe("disk");
  });
});

describe("folders and tools", () => {
  test("an added folder is an origin in the list, and goes with what lies in it", async () => {
    const { made } = await shown("pdf");
    expect(made.listing.origins).toEqual(["~/src/acme"]);
    expect(made.listing.origined).toBe(true);
    expect(await made.settings.addFolder()).toBe(true);
    expect(made.settings.folders.at(-1)).toEqual({
      path: "~/Documents/skills",
      kind: "skills",
      count: 2,
      problem: null,
    });
    made.listing.origin = "~/Documents/skills";
    expect(made.listing.rows.map(({ name }) => name)).toEqual(["house-style", "meeting-agenda"]);
    await made.settings.removeFolder("~/Documents/skills");
    expect(made.listing.origins).toEqual(["~/src/acme"]);
    expect(made.library.rows.some(({ name }) => name === "house-style")).toBe(false);
  });

  test("a folder that may not be added says why, at the folders", async () => {
    const { made } = await shown("pdf");
    await made.settings.addFolder();
    expect(await made.settings.addFolder()).toBe(false);
    expect(made.settings.failed?.what).toBe("add");
    expect(made.settings.failed?.error.hint).toBe("Choose a folder inside of it.");
    expect(made.settings.busy).toBeNull();
  });

  test("choosing no folder changes nothing", async () => {
    const { made, host, count } = await shown("pdf");
    host.addFolder = () => Promise.resolve(false);
    const before = count("library");
    expect(await made.settings.addFolder()).toBe(false);
    expect(made.settings.failed).toBeNull();
    expect(count("library")).toBe(before);
  });

  test("a tool that is switched off is listed nowhere, and one that is not found can be on", async () => {
    const { made } = await shown("pdf");
    const found = () => made.library.found.map(({ id }) => id);
    const others = () => made.library.others.map(({ id }) => id);
    expect(await made.settings.setToolOn("gemini-cli", false)).toBe(true);
    expect(found()).not.toContain("gemini-cli");
    expect(others()).not.toContain("gemini-cli");
    expect(made.library.rows.some(({ name }) => name === "tarjama")).toBe(false);
    await made.settings.setToolOn("amp", true);
    expect(found()).toContain("amp");
    await made.settings.setToolOn("gemini-cli", null);
    expect(found()).toContain("gemini-cli");
  });

  test("a tool's folders are replaced and come back", async () => {
    const { made } = await shown("pdf");
    await made.settings.chooseToolRoot("cursor");
    expect(made.library.tool("cursor")?.roots).toEqual(["~/elsewhere/cursor/skills"]);
    expect(made.library.tool("cursor")?.overridden).toBe(true);
    await made.settings.resetToolRoots("cursor");
    expect(made.library.tool("cursor")?.roots).toEqual(["~/.cursor/skills", "~/.agents/skills"]);
    expect(made.library.tool("cursor")?.overridden).toBe(false);
  });

  test("a theme that is being kept is not overwritten by an older answer", async () => {
    const { made, host } = await shown("pdf");
    let kept: () => void = () => undefined;
    host.setTheme = () => new Promise((done) => (kept = done));
    const setting = made.settings.setTheme("dark");
    await made.settings.refresh();
    expect(made.settings.theme).toBe("dark");
    kept();
    await setting;
    expect(made.settings.theme).toBe("dark");
  });
});
