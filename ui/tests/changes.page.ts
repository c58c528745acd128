/** Changing skills that are here, one and many: selection, dialog, outcome and undo in a browser. */
import { describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import {
  accessible,
  browser,
  dialog,
  focused,
  nothingCutOff,
  picture,
  row,
  rows,
  type Theme,
} from "./browser";

const window = browser();

const THEMES: Theme[] = ["light", "dark"];

const list = (page: Page) => page.getByRole("listbox", { name: "Library" });
const main = (page: Page) => page.getByRole("main");

async function playing(theme: Theme = "light", width = 1240): Promise<Page> {
  const page = await window.page({ play: "changes", theme, width });
  await rows(page).first().waitFor();
  return page;
}

/** Shows a row that may lie outside of what is drawn. */
async function choose(page: Page, name: string, more: "Control"[] = []): Promise<void> {
  if ((await row(page, name).count()) === 0) {
    await list(page).evaluate((box) => (box.scrollTop = 0));
    if ((await row(page, name).count()) === 0) {
      await list(page).evaluate((box) => (box.scrollTop = box.scrollHeight));
    }
  }
  await row(page, name).click({ modifiers: more });
}

async function select(page: Page, ...names: string[]): Promise<void> {
  const [first = "", ...others] = names;
  await choose(page, first);
  for (const name of others) await choose(page, name, ["Control"]);
  await page.getByRole("heading", { name: `${names.length} skills selected` }).waitFor();
}

describe("with the keyboard alone", () => {
  test("rows are selected, removed together and put back", async () => {
    const page = await playing();
    await list(page).focus();
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByRole("heading", { name: "3 skills selected" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.getByRole("heading", { name: "4 skills selected" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: /selected/ }).waitFor({ state: "detached" });
    await page.keyboard.press("Control+a");
    await page.getByRole("heading", { name: "20 skills selected" }).waitFor();

    await page.keyboard.press("Delete");
    const removing = dialog(page, /^Remove \d+ skills$/);
    await removing.getByRole("button", { name: "Remove 6 skills" }).waitFor();
    await removing
      .getByText("Codex, Cursor, Gemini CLI, GitHub Copilot, Goose and OpenCode lose it")
      .waitFor();
    for (let presses = 0; (await focused(page)) !== "Remove 6 skills"; presses += 1) {
      if (presses > 40) throw new Error("Tab never leads to the button");
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await removing.getByText("7 folders moved into the trash").waitFor();
    expect(await focused(page)).toBe("Close");
    await page.keyboard.press("Control+z");
    await removing.getByText("Everything is as it was before").waitFor();
    await page.keyboard.press("Escape");
    await removing.waitFor({ state: "detached" });
    expect(await list(page).evaluate((box) => box === document.activeElement)).toBe(true);
    await page.getByText("20 skills", { exact: true }).waitFor();
    await page.context().close();
  });

  test("the keys are told, and the palette has what can be done", async () => {
    const page = await playing();
    await choose(page, "release-checklist");
    await page.keyboard.press("?");
    const keys = dialog(page, "Keys");
    await keys.getByText("Select a row, or leave it out").waitFor();
    await keys.getByText("Remove what is selected").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("disable");
    await page.keyboard.press("Enter");
    const disabling = dialog(page, "Disable “release-checklist”");
    await disabling.getByRole("button", { name: "Disable in 6 tools" }).waitFor();
    await page.keyboard.press("Escape");
    await disabling.waitFor({ state: "detached" });
    await page.context().close();
  });

  test("the menu of a skill gives the keyboard back", async () => {
    const page = await playing();
    await choose(page, "release-checklist");
    await main(page).getByRole("button", { name: "More actions" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Rename…" }).press("Enter");
    const renaming = dialog(page, "Rename “release-checklist”");
    expect(
      await renaming.getByLabel("New name").evaluate((it) => it === document.activeElement),
    ).toBe(true);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Not a name");
    await renaming.getByText("Use 1 to 64 of a–z, 0–9 and single hyphens.").waitFor();
    await page.keyboard.press("Escape");
    await renaming.waitFor({ state: "detached" });
    expect(await focused(page)).toBe("More actions");
    await page.context().close();
  });
});

describe.each(THEMES)("in the %s theme", (theme) => {
  test("a selection says what can be done with how many, and why not with the rest", async () => {
    const page = await playing(theme);
    await select(page, "api-design", "changelog", "csv-report", "old-habits", "plain-words");
    const pane = page.getByRole("region", { name: "Selection" });
    await pane
      .getByText("1 was not placed by Skillhold, 1 is disabled, 1 has no folder here")
      .first()
      .waitFor();
    await accessible(page);
    await nothingCutOff(page);
    await picture(page, `selection-${theme}`);
    await page.setViewportSize({ width: 880, height: 560 });
    await nothingCutOff(page);
    await picture(page, `selection-small-${theme}`);
    await page.context().close();
  });

  test("an edited copy is kept or taken, and what is not approved leads to its review", async () => {
    const page = await playing(theme);
    await select(page, "changelog", "csv-report", "release-checklist", "reviews");
    await main(page).getByRole("button", { name: "Update…" }).click();
    const updating = dialog(page, "Update 4 skills");
    await updating.getByRole("button", { name: "Update 2 skills" }).waitFor();
    await updating.getByText("edited here", { exact: true }).waitFor();
    await accessible(page);
    await nothingCutOff(page);
    await picture(page, `update-${theme}`);
    await updating.getByRole("button", { name: "See the difference" }).click();
    await page.getByRole("dialog").nth(1).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").nth(1).waitFor({ state: "detached" });
    await updating.getByLabel(/^What to do with the edits in/).selectOption("take");
    await updating.getByRole("button", { name: "Update 3 skills" }).click();
    await updating.getByText("4 folders updated, 1 could not be done").waitFor();
    await accessible(page);
    await picture(page, `updated-${theme}`);
    await updating.getByRole("button", { name: "Close" }).last().click();
    await updating.waitFor({ state: "detached" });
    await page.context().close();
  });

  test("several skills are copied to several tools, as copies or links", async () => {
    const page = await playing(theme);
    await select(page, "api-design", "code-review");
    await main(page).getByRole("button", { name: "Copy to…" }).click();
    const copying = dialog(page, "Copy 2 skills");
    await copying.getByText("Tick the tools that should have it.").waitFor();
    await copying.getByRole("checkbox", { name: "Cursor" }).check();
    await copying.getByLabel("How Cursor gets it").selectOption("link");
    await copying.getByText("Whether Cursor sees skills that are links is not known").waitFor();
    await copying.getByText("A link leads to one copy that all links share.").waitFor();
    await copying.getByLabel("What to do with code-review in Cursor").selectOption("rename");
    await copying.getByRole("button", { name: "Copy 2 skills to 1 tool" }).waitFor();
    await accessible(page);
    await nothingCutOff(page);
    await picture(page, `copy-many-${theme}`);
    await copying.getByRole("button", { name: "Copy 2 skills to 1 tool" }).click();
    await copying.getByText("2 copies written").waitFor();
    expect(await copying.getByText("as a link", { exact: true }).count()).toBe(2);
    await picture(page, `copied-many-${theme}`);
    await page.context().close();
  });

  test("what is disabled or missing has a page that leads on", async () => {
    const page = await playing(theme);
    await choose(page, "old-habits");
    await page.getByText("This skill is disabled: no tool sees it.").waitFor();
    await accessible(page);
    await picture(page, `disabled-${theme}`);
    await choose(page, "plain-words");
    await page
      .getByText("Skillhold placed this skill, and its folder is not there any more.")
      .waitFor();
    await accessible(page);
    await picture(page, `missing-${theme}`);
    await page.getByRole("button", { name: "Forget ~/.codex/skills/plain-words" }).click();
    const forgetting = dialog(page, "Forget “plain-words”");
    await forgetting.getByRole("button", { name: "Forget 1 folder" }).click();
    await forgetting.getByText("taken off the record").waitFor();
    await page.keyboard.press("Escape");
    await forgetting.waitFor({ state: "detached" });
    expect(await row(page, "plain-words").count()).toBe(0);

    await page
      .getByRole("navigation")
      .getByRole("button", { name: /^Claude Code/ })
      .click();
    const lost = rows(page).filter({ has: page.getByText("standup-notes", { exact: true }) });
    await lost.getByText("disabled", { exact: true }).waitFor();
    await lost.click();
    await page.getByRole("button", { name: "Enable ~/.claude/skills/standup-notes" }).click();
    const enabling = dialog(page, "Enable “standup-notes”");
    await enabling.getByRole("button", { name: "Enable in 2 tools" }).click();
    await enabling.getByText("1 folder put back").waitFor();
    await page.keyboard.press("Escape");
    await page.context().close();
  });

  test("what Skillhold did not place is not removed, and two ways lead on", async () => {
    const page = await playing(theme);
    await choose(page, "api-design");
    await page.keyboard.press("Delete");
    const removing = dialog(page, "Remove “api-design”");
    await removing.getByText("1 was not placed by Skillhold.").waitFor();
    await accessible(page);
    await picture(page, `not-ours-${theme}`);
    await removing.getByRole("button", { name: "Adopt…" }).click();
    const adopting = dialog(page, "Adopt “api-design”");
    await adopting.getByRole("button", { name: "Adopt 1 folder" }).click();
    await adopting.getByText("1 folder adopted").waitFor();
    await page.keyboard.press("Escape");
    await adopting.waitFor({ state: "detached" });
    await page.keyboard.press("Delete");
    await removing.getByRole("button", { name: "Remove from 2 tools" }).waitFor();
    await page.context().close();
  });

  test("installing asks how, and which files are programs", async () => {
    const page = await window.page({ theme });
    await rows(page).first().waitFor();
    await page
      .getByRole("navigation")
      .getByRole("button", { name: /^Samples/ })
      .click();
    await rows(page).filter({ hasText: "helpful-setup" }).click();
    await main(page).getByRole("button", { name: "Review…" }).click();
    const review = dialog(page, "Review “helpful-setup”");
    await review.getByText(/^Approve waits for/).waitFor();
    for (const tick of await review.getByRole("checkbox", { name: /I have seen this/ }).all()) {
      await tick.check();
    }
    await review.getByRole("button", { name: "Approve" }).click();
    await review.waitFor({ state: "detached" });
    await main(page).getByRole("button", { name: "Install…" }).click();
    const installing = dialog(page, "Install “helpful-setup”");
    await installing.getByText("Files that look like programs").waitFor();
    await installing.getByRole("checkbox", { name: "Make scripts/after.sh executable" }).check();
    await installing.getByRole("checkbox", { name: "Goose" }).isVisible();
    await installing.getByRole("checkbox", { name: "Codex" }).check();
    await installing.getByLabel("How Codex gets it").selectOption("link");
    await accessible(page);
    await nothingCutOff(page);
    await picture(page, `install-modes-${theme}`);
    await installing.getByRole("button", { name: "Install into 1 tool" }).click();
    await installing.getByText("as a link", { exact: true }).waitFor();
    await page.context().close();
  });
});
