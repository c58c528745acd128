/** The main job from end to end, and what must hold around it. */
import { describe, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import { browser, fake, focused, nothingCutOff, picture, row, rows } from "./browser";

const window = browser();

/** Presses Tab until something with this name has the keyboard. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never leads to “${name}”`);
}

describe("with the keyboard alone", () => {
  test("a skill is found, reviewed, approved, installed and taken back", async () => {
    const page = await window.page();
    await rows(page).first().waitFor();

    await page.keyboard.press("Control+3");
    await page.getByRole("listbox", { name: "To review" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("release");
    await page.keyboard.press("Enter");
    expect(await rows(page).count()).toBe(1);
    await page.getByRole("heading", { name: "release-checklist", exact: true }).waitFor();
    await page.getByRole("button", { name: "Review…" }).waitFor();
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("Review…");

    await page.keyboard.press("Enter");
    const review = page.getByRole("dialog", { name: "Review “release-checklist”" });
    await review.getByText("Approves exactly this content from docs-server.").waitFor();
    expect(await review.getByLabel("Grant the tools it asks for").isChecked()).toBe(false);
    await tabTo(page, "Approve");
    await page.keyboard.press("Enter");
    await review.waitFor({ state: "detached" });
    await page.getByText("Approved “release-checklist”").waitFor();

    await page.getByRole("main").getByRole("button", { name: "Install…" }).waitFor();
    expect(await focused(page)).toBe("Install…");
    await page.keyboard.press("Enter");

    const dialog = page.getByRole("dialog", { name: "Install “release-checklist”" });
    await dialog.getByRole("checkbox", { name: "Claude Code" }).waitFor();
    await dialog.getByText("allowed-tools will be left out").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    // How the first one gets it comes before the second.
    await dialog.getByLabel("How Claude Code gets it").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await dialog.getByRole("button", { name: "Install into 2 tools" }).waitFor();
    await tabTo(page, "Install into 2 tools");
    await page.keyboard.press("Enter");
    await dialog.getByText("2 tools have it now").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Install…");

    await page.keyboard.press("Control+k");
    await page.keyboard.type("library");
    await page.keyboard.press("Enter");
    const installed = row(page, "release-checklist");
    await installed.waitFor();
    await page.keyboard.press("Control+z");
    await page.getByText(/^Undone: “release-checklist” taken out of Claude Code, /).waitFor();
    await installed.waitFor({ state: "detached" });
    await page.context().close();
  });

  test("lists move by one, by a page and to the ends, and Escape leads back", async () => {
    const page = await window.page({ play: "many=10000" });
    const list = page.getByRole("listbox", { name: "Library" });
    await list.focus();
    const chosen = () => page.locator("[role=option][aria-selected=true]");
    await page.keyboard.press("ArrowDown");
    expect(await chosen().getAttribute("aria-posinset")).toBe("2");
    await page.keyboard.press("End");
    expect(await chosen().getAttribute("aria-posinset")).toBe("10012");
    await page.keyboard.press("PageUp");
    expect(Number(await chosen().getAttribute("aria-posinset"))).toBeLessThan(10_010);
    await page.keyboard.press("Home");
    expect(await chosen().getAttribute("aria-posinset")).toBe("1");
    expect(await rows(page).count()).toBeLessThan(60);
    await page.getByRole("button", { name: "Copy to…" }).waitFor();
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("Copy to…");
    await page.keyboard.press("Escape");
    expect(await list.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.context().close();
  });

  test("Escape closes the top thing and the keyboard returns where it was", async () => {
    const page = await window.page();
    await rows(page).first().waitFor();
    const add = page.getByRole("button", { name: "Add server…" });
    await add.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Add a server" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Add server…");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.context().close();
  });
});

describe("servers of other tools", () => {
  test("are added by the keyboard alone, a command after it was shown", async () => {
    const page = await window.page();
    await rows(page).first().waitFor();
    await page.getByRole("button", { name: "Add server…" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("radio", { name: "By address" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("button", { name: "Add notion" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Add notion");
    await page.keyboard.press("Enter");
    await page.getByText("added as “notion”").waitFor();
    expect(await focused(page)).toBe("added as “notion”");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Add airtable");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Add airtable" });
    await dialog.getByText("airtable-mcp-server", { exact: true }).waitFor();
    expect(await focused(page)).toBe("Back");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Run and add");
    await page.keyboard.press("Enter");
    await page.getByText("added as “airtable”").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^airtable/ }).waitFor();
    await page.context().close();
  });
});

describe("putting right", () => {
  test("goes from Fix… through each fix to Undo by the keyboard alone", async () => {
    const page = await window.page();
    await row(page, "Deploy_Staging").click();
    const list = page.getByRole("listbox", { name: "Library" });
    await page.getByRole("button", { name: "Fix…" }).waitFor();
    await list.focus();
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("Fix…");
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: "Checks", selected: true }).waitFor();
    await expect
      .poll(() => focused(page))
      .toMatch(/^Quote the value: the value of description has/);

    await page.keyboard.press("Enter");
    await page.getByText("Fixed “Deploy_Staging”: quote the value").waitFor();
    await page.getByText("frontmatter-unquoted-colon").waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toMatch(/^Change the name to deploy-staging/);
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toMatch(/^Rename the folder to deploy-staging/);

    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "deploy-staging", exact: true }).waitFor();
    await page.getByText("Rules for skills: none is broken.").waitFor();
    expect(await page.getByText("is no longer there").count()).toBe(0);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("role")))
      .toBe("tabpanel");
    await picture(page, "fixed");

    await page.keyboard.press("Control+z");
    await page.getByRole("heading", { name: "Deploy_Staging", exact: true }).waitFor();
    await page.getByText("name-folder").waitFor();
    await row(page, "Deploy_Staging").waitFor();
    await page.context().close();
  });

  test("with one button for all is one change, and its notice takes it back", async () => {
    const page = await window.page();
    await row(page, "Deploy_Staging").click();
    await page.getByRole("tab", { name: "Checks" }).click();
    await page.getByRole("button", { name: "Fix all 2" }).click();
    await page.getByText("Fixed “Deploy_Staging”", { exact: true }).waitFor();
    await row(page, "deploy-staging").waitFor();
    await page.getByRole("button", { name: "Copy to…" }).waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("is as it was before it was fixed").waitFor();
    await row(page, "Deploy_Staging").waitFor();
    await page.getByRole("button", { name: "Fix all 2" }).waitFor();
    await page.context().close();
  });

  test("is shown as something that happened, and a click on a place opens its line", async () => {
    const page = await window.page();
    await row(page, "issue-triage").click();
    await page.getByRole("button", { name: "Fix…" }).click();
    await page.getByRole("button", { name: "SKILL.md:4:16" }).click();
    await page.getByRole("tab", { name: "Files", selected: true }).waitFor();
    await page.getByText("allowed-tools: [").waitFor();
    await page.getByRole("tab", { name: "Checks" }).click();
    await page.getByRole("button", { name: /^Write it as one text/ }).click();
    await page.getByText("Inspection: nothing found by 84 rules.").waitFor();
    await page.getByRole("navigation").getByRole("button", { name: "Activity" }).click();
    await page.getByText("in SKILL.md of ~/.copilot/skills/issue-triage").waitFor();
    await page.getByText("Fixed", { exact: true }).waitFor();
    await picture(page, "activity-fixed");
    await page.context().close();
  });
});

describe("sharing", () => {
  const nav = (page: Page) => page.getByRole("navigation");
  const sharing = (page: Page) => nav(page).getByRole("button", { name: /^Sharing/ });

  test("is switched on, a program connected and the token renewed by the keyboard alone", async () => {
    const page = await window.page();
    await rows(page).first().waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("start sharing");
    await page.keyboard.press("Enter");
    await page.getByText("http://127.0.0.1:8000/mcp", { exact: true }).waitFor();
    await page.getByText("Sharing is on, at http://127.0.0.1:8000/mcp").waitFor();
    expect((await sharing(page).textContent())?.trim()).toMatch(/on$/);

    await page.getByLabel("Tool", { exact: true }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.getByText("~/.codex/config.toml").waitFor();
    await tabTo(page, "Copy with the token");
    await page.keyboard.press("Enter");
    await page.getByText("Copied with the token in it").waitFor({ state: "attached" });
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/Authorization = "Bearer skh_[0-9a-f]{40}" }\n$/);
    expect(await page.getByText("skh_").count()).toBe(0);

    await tabTo(page, "New token…");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Make a new token?" });
    await tabTo(page, "Make a new token");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(await focused(page)).toBe("New token…");
    await page.getByText("There is a new token.").waitFor();

    await page.getByRole("cell", { name: "claude-code 2.1.9" }).first().waitFor();
    await page.getByRole("button", { name: "1 program in the last minute" }).focus();
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("Who uses it");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("stop sharing");
    await page.keyboard.press("Enter");
    await page.getByText("Nobody, because sharing is off.").waitFor();
    expect(await sharing(page).textContent()).not.toMatch(/on$/);
    await page.context().close();
  });

  test("on a taken port says so, and goes on with another", async () => {
    const page = await window.page();
    await sharing(page).click();
    await page.getByLabel("Port").fill("8080");
    await page.keyboard.press("Enter");
    await page.getByRole("switch", { name: "Share my skills" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("alert").getByText("port 8080 is taken by another program").waitFor();
    await page.getByLabel("Port").fill("0");
    await tabTo(page, "Use this port");
    await page.keyboard.press("Enter");
    await page.getByText("http://127.0.0.1:49731/mcp", { exact: true }).waitFor();
    await page.getByText("Each start takes another free port").waitFor();
    await page.context().close();
  });

  test("keeps the keyboard when a folder goes, and hides the token when it is left", async () => {
    const page = await window.page({ play: "sharing" });
    await sharing(page).click();
    await page.getByRole("button", { name: "Remove /mnt/share/skills" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("/mnt/share/skills is no longer shared").waitFor();
    await expect.poll(() => focused(page)).toBe("Add folder…");
    await page.getByRole("button", { name: "Show Token" }).click();
    await page.getByText(/^skh_/).waitFor();
    await page.keyboard.press("Control+1");
    await rows(page).first().waitFor();
    await sharing(page).click();
    await page.getByRole("button", { name: "Show Token" }).waitFor();
    expect(await page.getByText(/^skh_/).count()).toBe(0);
    await page.context().close();
  });

  test("is whole at 200 percent", async () => {
    const page = await window.page({ play: "sharing", width: 620, height: 400 });
    await sharing(page).click();
    await page.getByText("and they differ").waitFor();
    await nothingCutOff(page);
    const wide = await page
      .getByRole("main")
      .locator(".page")
      .evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(wide).toBe(0);
    await page.getByText("different content").scrollIntoViewIfNeeded();
    await picture(page, "sharing-200-left-out");
    await page.getByRole("heading", { name: "Token" }).scrollIntoViewIfNeeded();
    await picture(page, "sharing-200-token");
    await page.getByRole("table").scrollIntoViewIfNeeded();
    await picture(page, "sharing-200-use");
    await page.context().close();
  });
});

describe("folders and tools", () => {
  test("an added folder fills the library and can be filtered by, and its removal keeps the keyboard", async () => {
    const page = await window.page();
    await page.getByRole("navigation").getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Add folder…" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("folder of skills · 2 skills").waitFor();
    await page.keyboard.press("Control+1");
    await row(page, "house-style").waitFor();
    await page.getByRole("combobox", { name: "Origin" }).selectOption("~/Documents/skills");
    expect(await rows(page).count()).toBe(2);
    await page.getByRole("navigation").getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Remove ~/Documents/skills" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("~/Documents/skills is no longer looked into").waitFor();
    await expect.poll(() => focused(page)).toBe("Remove /mnt/share/skills");
    await page.context().close();
  });

  test("a tool that is switched off leaves the sidebar, and comes back", async () => {
    const page = await window.page();
    const nav = page.getByRole("navigation");
    await nav.getByRole("button", { name: "Settings" }).click();
    const choice = page.getByRole("combobox", { name: "Whether the folders of Cursor are read" });
    await choice.selectOption("off");
    await nav.getByRole("button", { name: /Cursor/ }).waitFor({ state: "detached" });
    expect(await choice.evaluate((element: HTMLSelectElement) => element.value)).toBe("off");
    await choice.selectOption("auto");
    await nav.getByRole("button", { name: /Cursor/ }).waitFor();
    await page.getByRole("button", { name: "Use another folder… Cursor" }).click();
    await page.getByText("~/elsewhere/cursor/skills", { exact: true }).waitFor();
    await page.getByText("Skillhold now looks in ~/elsewhere/cursor/skills for Cursor").waitFor();
    expect(await focused(page)).toBe("Use another folder… Cursor");
    await page.getByRole("button", { name: "Reset Cursor" }).focus();
    await page.keyboard.press("Enter");
    await page
      .getByText("~/elsewhere/cursor/skills", { exact: true })
      .waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("Use another folder… Cursor");
    await page.context().close();
  });

  test("a folder of a tool that is not here is switched on in the list, and the keyboard goes on", async () => {
    const page = await window.page();
    const notice = page.getByRole("region", { name: "A folder that is not read" });
    await notice.getByText("~/.qwen/skills").waitFor();
    expect(await row(page, "glossary").count()).toBe(0);
    await page.getByRole("button", { name: "Switch on Qwen Code" }).focus();
    await page.keyboard.press("Enter");
    await row(page, "glossary").waitFor();
    await notice.waitFor({ state: "detached" });
    await page.getByText("Qwen Code: switched on").waitFor();
    await expect.poll(() => focused(page)).toBe("Library");
    await page.context().close();
  });

  test("a folder that is kept off is not asked about again until it is automatic again", async () => {
    const page = await window.page();
    const nav = page.getByRole("navigation");
    await page.getByRole("button", { name: "Keep off" }).click();
    await page
      .getByRole("region", { name: "A folder that is not read" })
      .waitFor({ state: "detached" });
    await nav.getByRole("button", { name: "Settings" }).click();
    const choice = page.getByRole("combobox", {
      name: "Whether the folders of Qwen Code are read",
    });
    expect(await choice.evaluate((element: HTMLSelectElement) => element.value)).toBe("off");
    await choice.selectOption("auto");
    await page.getByText("folder only · 2 skills, not read").waitFor();
    await nav.getByRole("button", { name: /^Library/ }).click();
    await page.getByRole("region", { name: "A folder that is not read" }).waitFor();
    await page.context().close();
  });

  test("a tool of which only a folder is here says so where it is looked at", async () => {
    const page = await window.page();
    await page.getByRole("button", { name: /^Show all/ }).click();
    await page
      .getByRole("navigation")
      .getByRole("button", { name: /Qwen Code/ })
      .click();
    await page.getByText("Only a folder of Qwen Code is here").waitFor();
    await picture(page, "tool-folder-only");
    await page.getByRole("button", { name: "Switch on", exact: true }).click();
    await row(page, "glossary").waitFor();
    await page.context().close();
  });

  test("what is copied for a tool that is not here is shown from then on, and undone with it", async () => {
    const page = await window.page();
    const nav = page.getByRole("navigation");
    await row(page, "api-design").click();
    await page.getByRole("button", { name: "Copy to…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /not found or switched off/ }).click();
    await dialog.getByRole("list", { name: "Not found on this machine" }).waitFor();
    await picture(page, "copy-not-found");
    await dialog.getByRole("checkbox", { name: "Junie" }).click();
    await dialog.getByRole("button", { name: "Copy to 1 tool" }).click();
    await nav.getByRole("button", { name: /Junie/ }).waitFor();
    await dialog.getByRole("button", { name: "Undo" }).click();
    await nav.getByRole("button", { name: /Junie/ }).waitFor({ state: "detached" });
    await page.context().close();
  });

  test("checks and settings can be used at 200 % zoom", async () => {
    const page = await window.page({ width: 620, height: 400 });
    await row(page, "Deploy_Staging").click();
    await page.getByRole("button", { name: "Fix…" }).click();
    await page.getByRole("button", { name: /^Quote the value/ }).waitFor();
    await picture(page, "zoom-200-checks");
    const panel = page.getByRole("tabpanel");
    expect(
      await panel.evaluate((element) => element.scrollWidth - element.clientWidth),
    ).toBeLessThanOrEqual(0);
    await page.getByRole("navigation").getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Add folder…" }).waitFor();
    await picture(page, "zoom-200-settings");
    const wide = await page
      .getByRole("main")
      .locator(".page")
      .evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(wide).toBeLessThanOrEqual(0);
    await page.context().close();
  });
});

describe("a review", () => {
  const open = async (page: Page, server: string, name: string): Promise<void> => {
    await page
      .getByRole("navigation")
      .getByRole("button", { name: new RegExp(`^${server}`) })
      .click();
    await row(page, name).click();
    await page.getByRole("button", { name: "Review…" }).click();
  };

  test("with grave findings waits for a tick at each", async () => {
    const page = await window.page();
    await open(page, "Samples", "helpful-setup");
    const approve = page.getByRole("button", { name: "Approve", exact: true });
    await approve.waitFor();
    expect(await approve.isDisabled()).toBe(true);
    for (const tick of await page.getByRole("checkbox", { name: /^I have seen this/ }).all()) {
      expect(await approve.isDisabled()).toBe(true);
      await tick.check();
    }
    expect(await approve.isEnabled()).toBe(true);
    await page.context().close();
  });

  test("of a file that does not match shows expected and actual and cannot be approved", async () => {
    const page = await window.page();
    await open(page, "docs-server", "log-digest");
    await page.getByText("It cannot be approved").waitFor();
    await page.getByText("Expected").first().waitFor();
    expect(await page.getByRole("button", { name: "Approve", exact: true }).isDisabled()).toBe(
      true,
    );
    await page.context().close();
  });

  test("of a skill with another inside goes through both", async () => {
    const page = await window.page();
    await open(page, "docs-server", "team-handbook");
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("dialog", { name: "Review “reviews”" }).waitFor();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("Approved “team-handbook”").waitFor();
    await page.getByRole("main").getByRole("button", { name: "Install…" }).waitFor();
    await page.context().close();
  });

  test("can be stopped while it fetches", async () => {
    const page = await window.page({ play: "pace=200" });
    await open(page, "Samples", "csv-report");
    await page.getByRole("progressbar").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.context().close();
  });

  test("of content that changes meanwhile is refused, and fetched again on request", async () => {
    const page = await window.page();
    await open(page, "docs-server", "release-checklist");
    await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
    await fake(page, (host) => host.changeOffer("srv-docs", "skill://release-checklist/SKILL.md"));
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("changed release-checklist during the review").waitFor();
    await page.getByRole("button", { name: "Fetch again" }).click();
    await page.getByRole("treeitem", { name: "CHANGED.md" }).waitFor();
    await page.context().close();
  });

  test("of the sample that changes takes the approval back and shows what changed first", async () => {
    const page = await window.page();
    await open(page, "Samples", "changing-guide");
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("main").getByText("changed", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Review…" }).click();
    await page.getByText("Changed since you approved it").waitFor();
    await page.getByText("send the answers to").waitFor();
    await page.context().close();
  });
});

describe("what happens elsewhere", () => {
  test("a skill deleted while it is open says so", async () => {
    const page = await window.page();
    await row(page, "api-design").click();
    await page.getByRole("heading", { name: "api-design", exact: true }).waitFor();
    await fake(page, (host) => host.removeFromDisk("api-design"));
    await page.getByText("“api-design” is no longer there").waitFor();
    await page.context().close();
  });

  test("the first screen leads to the samples", async () => {
    const page = await window.page({ play: "first" });
    await page.getByRole("button", { name: "Look at the samples" }).click();
    await row(page, "helpful-setup").waitFor();
    await page.context().close();
  });

  test("the chosen theme holds whatever the system says", async () => {
    const page = await window.page({ theme: "light" });
    await page.getByRole("button", { name: "Settings" }).click();
    const window_ = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await window_();
    await page.getByRole("radio", { name: "Dark" }).check();
    expect(await window_()).not.toBe(light);
    await page.getByRole("radio", { name: "As the system" }).check();
    expect(await window_()).toBe(light);
    await page.context().close();
  });

  test("at 200 % zoom everything can still be reached", async () => {
    const page = await window.page({ width: 620, height: 400 });
    await rows(page).first().waitFor();
    await picture(page, "zoom-200");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(620);
    await page.context().close();
  });
});

describe("what a newcomer relies on", () => {
  const offer = async (page: Page, server: string, name: string): Promise<void> => {
    await page
      .getByRole("navigation")
      .getByRole("button", { name: new RegExp(`^${server}`) })
      .click();
    await row(page, name).click();
    await page.getByRole("heading", { name, exact: true }).waitFor();
  };

  test("an offer that was not inspected says so and leads to the review", async () => {
    const page = await window.page();
    await offer(page, "docs-server", "release-checklist");
    await page.getByRole("tab", { name: "Checks" }).click();
    await page.getByText("Nothing was inspected yet").waitFor();
    expect(await page.getByText("Every rule that was checked holds.").count()).toBe(0);
    await page.getByRole("tabpanel").getByRole("button", { name: "Review…" }).click();
    const review = page.getByRole("dialog", { name: "Review “release-checklist”" });
    await review.getByRole("checkbox", { name: "Grant the tools it asks for" }).waitFor();
    await review.getByRole("tab", { name: "Left out" }).click();
    await review.getByRole("checkbox", { name: "Grant the tools it asks for" }).check();
    expect(await review.getByRole("tab", { name: "Left out" }).count()).toBe(0);
    expect(await review.getByText("Show what is left out").count()).toBe(0);
    await page.context().close();
  });

  test("an approval without the tools says so before and after the install", async () => {
    const page = await window.page();
    await offer(page, "docs-server", "release-checklist");
    await page.getByRole("button", { name: "Review…" }).click();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("without the tools it asks for: allowed-tools will be left out").waitFor();
    await page.getByText("left out on install", { exact: true }).waitFor();
    await picture(page, "approved-without");
    await page.getByRole("main").getByRole("button", { name: "Install…" }).click();
    await page.getByRole("checkbox", { name: "Claude Code" }).check();
    await page.getByRole("button", { name: "Install into 1 tool" }).click();
    await page.getByText("Without the tools it asks for: allowed-tools left out.").waitFor();
    await page.getByRole("dialog").locator("footer").getByRole("button", { name: "Close" }).click();
    await page.getByText("Installed in Claude Code").first().waitFor();
    await picture(page, "installed-without");
    await page.context().close();
  });

  test("an install that waits for an approval leads to the review", async () => {
    const page = await window.page();
    await offer(page, "docs-server", "team-handbook");
    await page.getByRole("button", { name: "Review…" }).click();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    const inner = page.getByRole("dialog", { name: "Review “reviews”" });
    await inner.getByRole("button", { name: "Approve", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await inner.waitFor({ state: "detached" });
    await page.getByRole("main").getByRole("button", { name: "Install…" }).click();
    const install = page.getByRole("dialog", { name: "Install “team-handbook”" });
    await install.getByText("It cannot be installed yet").waitFor();
    expect(await install.getByRole("checkbox").count()).toBe(0);
    expect(await install.getByText("Tick the tools that should have it.").count()).toBe(0);
    await picture(page, "install-blocked");
    await install.getByRole("button", { name: "Review…" }).click();
    await page.getByRole("dialog", { name: "Review “team-handbook”" }).waitFor();
    await install.waitFor({ state: "detached" });
    await page.context().close();
  });

  test("long lines wrap in files and in diffs", async () => {
    const page = await window.page({ width: 880, height: 560 });
    await offer(page, "Samples", "helpful-setup");
    await page.getByRole("button", { name: "Review…" }).click();
    const file = page.getByRole("region", { name: "Content of SKILL.md" });
    await file.waitFor();
    const over = await file.evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(over).toBeLessThanOrEqual(0);
    await picture(page, "wrapped");
    await page.context().close();
  });

  test("the state in the heading leads to what explains it", async () => {
    const page = await window.page();
    await row(page, "Deploy_Staging").click();
    await page.getByRole("button", { name: "Show in Checks" }).waitFor();
    await picture(page, "invalid-overview");
    await page.getByRole("main").getByRole("button", { name: "invalid", exact: true }).click();
    await page.getByRole("tab", { name: "Checks", selected: true }).waitFor();
    await row(page, "code-review").click();
    await page.getByRole("main").getByRole("button", { name: "diverged", exact: true }).click();
    await page.getByRole("tab", { name: "Where", selected: true }).waitFor();
    await page.context().close();
  });

  test("another name that is taken or cannot be one says why", async () => {
    const page = await window.page();
    await row(page, "code-review").click();
    await page.getByRole("button", { name: "Copy to…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("checkbox", { name: "Cursor" }).check();
    await dialog.getByLabel("What to do in Cursor").selectOption("rename");
    const name = dialog.getByLabel("Name in Cursor");
    await name.fill("Bad Name");
    await dialog.getByText("Use 1 to 64 of a–z, 0–9 and single hyphens.").waitFor();
    expect(await dialog.getByText("Use 1 to 64").count()).toBe(1);
    await name.fill("code-review");
    await dialog.getByText("“code-review” exists already in Cursor").waitFor();
    await picture(page, "name-taken");
    await page.context().close();
  });

  test("a dialog with a field begins in it, and unticked boxes look empty in the dark", async () => {
    const page = await window.page({ theme: "dark" });
    await page.getByRole("button", { name: "Add server…" }).click();
    const label = page.getByRole("textbox", { name: "Label" });
    await label.waitFor();
    expect(await label.evaluate((element) => element === document.activeElement)).toBe(true);
    const fill = (name: string) =>
      page
        .getByRole("radio", { name })
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    const panel = await page
      .getByRole("dialog")
      .evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await fill("By command")).toBe(panel);
    expect(await fill("By address")).not.toBe(panel);
    await picture(page, "dark-fields");
    await page.context().close();
  });

  test("no overview overflows sideways in the smallest window, and tabs stay where they are", async () => {
    const page = await window.page({ width: 880, height: 560 });
    await rows(page).first().waitFor();
    const places = new Set<string>();
    for (const name of ["pdf", "code-review", "Deploy_Staging", "meeting-notes", "spreadsheet"]) {
      await row(page, name).click();
      await page.getByRole("heading", { name, exact: true, level: 2 }).waitFor();
      const panel = page.getByRole("tabpanel");
      const over = await panel.evaluate((element) => element.scrollWidth - element.clientWidth);
      expect(over, name).toBeLessThanOrEqual(0);
      const box = await page.getByRole("tab", { name: "History" }).boundingBox();
      places.add(String(Math.round(box?.x ?? 0)));
    }
    expect(places.size).toBe(1);
    await picture(page, "smallest");
    await page.context().close();
  });

  test("a tool that is not here says so", async () => {
    const page = await window.page();
    await page.getByRole("button", { name: /^Show all/ }).click();
    await page
      .getByRole("navigation")
      .getByRole("button", { name: /not found/ })
      .first()
      .click();
    await page.getByText("was not found on this machine").waitFor();
    await picture(page, "tool-not-found");
    await page.context().close();
  });
});

describe("what an inspection found", () => {
  test("is said in the row, needs attention, and is kept by the filters", async () => {
    const page = await window.page({ play: "grave" });
    await row(page, "quick-start").getByText("1 grave").waitFor();
    await page.getByRole("button", { name: "Has findings" }).click();
    expect(await row(page, "quick-start").count()).toBe(1);
    await page.getByRole("combobox", { name: "State" }).selectOption("grave");
    expect(await rows(page).count()).toBe(1);
    await page.keyboard.press("Control+2");
    await row(page, "quick-start").waitFor();
    await page.context().close();
  });

  test("leads from its place to the line, and the keyboard with it", async () => {
    const page = await window.page({ play: "grave" });
    await row(page, "quick-start").click();
    await page.getByRole("tab", { name: /^Checks/ }).click();
    await page.getByRole("button", { name: "SKILL.md:7:1" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("Content of SKILL.md");
    await page.context().close();
  });
});

describe("the keyboard stays in the page", () => {
  const inPage = (page: Page) =>
    page.evaluate(
      () => document.activeElement !== null && document.activeElement !== document.body,
    );

  test("Control and a digit lead to the list, from anywhere", async () => {
    const page = await window.page();
    await rows(page).first().waitFor();
    const nav = page.getByRole("navigation");
    for (const [key, list] of [
      ["Control+2", "Needs attention"],
      ["Control+3", "To review"],
      ["Control+1", "Library"],
    ] as const) {
      await nav.getByRole("button", { name: "Settings" }).click();
      await page.keyboard.press(key);
      await expect.poll(() => focused(page)).toBe(list);
    }
    await page.context().close();
  });

  test("after the palette led to a place without a list", async () => {
    const page = await window.page();
    await rows(page).first().waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sharing");
    await page.keyboard.press("Enter");
    await page.getByRole("switch", { name: "Share my skills" }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
    await page.context().close();
  });

  test("after Undo in Activity, and through the steps of a copy", async () => {
    const page = await window.page();
    await row(page, "api-design").click();
    await page.getByRole("button", { name: "Copy to…" }).click();
    const dialog = page.getByRole("dialog", { name: "Copy “api-design”" });
    await dialog.getByRole("checkbox", { name: "Gemini CLI" }).check();
    await dialog.getByRole("button", { name: "Copy to 1 tool" }).click();
    await dialog.getByText("1 tool has it now").waitFor();
    await expect.poll(() => focused(page)).toBe("Close");
    await page.keyboard.press("Control+z");
    await dialog.getByText("Everything is as it was before").waitFor();
    await expect.poll(() => focused(page)).toBe("Close");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("Copy to…");

    await page.keyboard.press("Enter");
    await dialog.getByRole("checkbox", { name: "Gemini CLI" }).check();
    await dialog.getByRole("button", { name: "Copy to 1 tool" }).click();
    await dialog.getByText("1 tool has it now").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("navigation").getByRole("button", { name: "Activity" }).click();
    const undo = page.getByRole("button", { name: /^Undo/ }).first();
    await undo.focus();
    const before = await page.getByRole("button", { name: /^Undo/ }).count();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("button", { name: /^Undo/ }).count()).toBe(before - 1);
    await expect.poll(() => inPage(page)).toBe(true);
    await page.context().close();
  });

  test("after adding a server was closed", async () => {
    const page = await window.page({ play: "first" });
    await page.getByRole("button", { name: "Add a server" }).click();
    await page.getByRole("dialog", { name: "Add a server" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => inPage(page)).toBe(true);
    await page.context().close();
  });

  test("a choice that has it lets / search all the same", async () => {
    const page = await window.page();
    await rows(page).first().waitFor();
    await page.getByRole("combobox", { name: "State" }).focus();
    await page.keyboard.press("/");
    await expect.poll(() => focused(page)).toBe("Search Library");
    await page.context().close();
  });
});

describe("moving through the list", () => {
  test("keeps the tab that is open", async () => {
    const page = await window.page();
    await row(page, "pdf").click();
    await page.getByRole("tab", { name: "Manifest" }).click();
    await row(page, "code-review").click();
    await page.getByRole("heading", { name: "code-review", level: 2 }).waitFor();
    const tab = page.getByRole("tab", { name: "Manifest" });
    expect(await tab.getAttribute("aria-selected")).toBe("true");
    await page.context().close();
  });
});

describe("a narrow window", () => {
  test("says by names what the icons stand for, with counts, and that sharing is on", async () => {
    const page = await window.page({ width: 900, height: 600, play: "sharing" });
    const nav = page.getByRole("navigation");
    await nav.getByRole("button", { name: "Sharing on" }).waitFor();
    const titles = await nav
      .getByRole("button")
      .evaluateAll((all) => all.map((one) => one.getAttribute("title") ?? ""));
    expect(titles).toContain("Sharing, on");
    expect(titles).toContain("Library, 12");
    expect(titles).toContain("docs-server, connected, 10 skills");
    expect(titles.filter((title) => title === "")).toEqual([]);
    await page.context().close();
  });
});

describe("sharing that failed", () => {
  test("keeps its error within its card", async () => {
    const page = await window.page({ play: "sharing" });
    await page
      .getByRole("navigation")
      .getByRole("button", { name: /^Sharing/ })
      .click();
    await page.getByLabel("Port").fill("8080");
    await page.keyboard.press("Enter");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    const card = await page.getByRole("region", { name: "Share my skills" }).boundingBox();
    const error = await alert.boundingBox();
    const bottom = (box: typeof card) => (box?.y ?? 0) + (box?.height ?? 0);
    expect(bottom(error)).toBeLessThan(bottom(card));
    await page.context().close();
  });
});

describe("a server with a long label", () => {
  test("keeps to its column, and says in the sidebar that it is off", async () => {
    const page = await window.page();
    const nav = page.getByRole("navigation");
    await nav.getByRole("button", { name: /^docs-server/ }).click();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Rename…" }).click();
    const label = "A label of a server that somebody really did write out in full, to the end";
    await page.getByLabel("Label").fill(label);
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await page.getByLabel("Switched on").uncheck();
    await nav.getByRole("button", { name: `${label} off` }).waitFor();
    const right = async (locator: Locator) => {
      const box = await locator.boundingBox();
      return (box?.x ?? 0) + (box?.width ?? 0);
    };
    const list = await right(page.getByRole("region", { name: label }));
    expect(await right(page.getByRole("searchbox"))).toBeLessThan(list);
    expect(await right(page.getByRole("combobox", { name: "Order" }))).toBeLessThan(list);
    expect(await right(nav.getByText("off", { exact: true }))).toBeLessThanOrEqual(
      await right(nav),
    );
    await page.context().close();
  });
});
