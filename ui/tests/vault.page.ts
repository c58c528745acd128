/** What was placed, changed and kept: comparing, the trash, bundles, and who decides what. */
import { describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { browser, dialog, everyView, fake, place, row, skill, tab, type View } from "./browser";

const window = browser();

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

async function where(page: Page, name: string): Promise<void> {
  await skill(page, name);
  await tab(page, "Where").click();
}

async function trash(page: Page): Promise<void> {
  await place(page, /^Activity/).click();
  await tab(page, /^Trash/).click();
  await button(page, "Empty the trash…").waitFor();
}

async function imported(page: Page): Promise<void> {
  await place(page, /^Import skills/).click();
  await button(page, "Choose a file…").click();
  await page.getByText("2 skills were imported from “team-skills.zip”").waitFor();
}

/** What is looked at: how to get there. */
const VIEWS: View[] = [
  {
    name: "where-edited",
    go: async (page) => {
      await where(page, "sql-explain");
      await button(page, "See what was edited").waitFor();
    },
  },
  {
    name: "where-update",
    go: async (page) => {
      await where(page, "branch-names");
      await button(page, "See what the update changes").waitFor();
    },
  },
  {
    name: "where-line-endings",
    go: async (page) => {
      await where(page, "query-notes");
      await page.getByText("Disabled or gone").waitFor();
    },
  },
  {
    name: "compare-edited",
    go: async (page) => {
      await where(page, "sql-explain");
      await button(page, "See what was edited").click();
      await dialog(page, "Compare “sql-explain”").getByText("Edited here.").waitFor();
    },
  },
  {
    name: "compare-update",
    go: async (page) => {
      await where(page, "branch-names");
      await button(page, "See what the update changes").click();
      const open = dialog(page, "Compare “branch-names”");
      await open.getByText("only right").waitFor();
      await open.getByText("team/topic-short").waitFor();
    },
  },
  {
    name: "compare-line-endings",
    go: async (page) => {
      await where(page, "query-notes");
      await button(page, "See what was edited").click();
      const open = dialog(page, "Compare “query-notes”");
      await open.getByText("Every line reads the same").waitFor();
    },
  },
  {
    name: "compare-same",
    go: async (page) => {
      await where(page, "pdf");
      await button(page, /^Compare with/).click();
      const open = dialog(page, "Compare “pdf”");
      await open.getByText("The same files, byte for byte.").waitFor();
    },
  },
  {
    name: "activity-kept",
    go: async (page) => {
      await place(page, /^Activity/).click();
      await page.getByText("No undo: what it removed is no longer in the trash").waitFor();
      await button(page, /^Show what Removed old-deploy/).click();
      await page.getByText("~/.cursor/skills/old-deploy").waitFor();
    },
  },
  { name: "trash", go: trash },
  {
    name: "trash-none",
    play: "",
    go: async (page) => {
      await place(page, /^Activity/).click();
      await tab(page, /^Trash/).click();
      await page.getByText("The trash is empty").waitFor();
    },
  },
  {
    name: "trash-ask",
    go: async (page) => {
      await trash(page);
      await button(page, "Empty the trash…").click();
      await page.getByText("cannot be undone").waitFor();
    },
  },
  {
    name: "settings-kept",
    go: async (page) => {
      await place(page, /^Settings/).click();
      await page.getByText("Accept the same content from another server").waitFor();
      await page.getByText(/^2 skills, .* Each is kept for 30 days/).waitFor();
    },
  },
  {
    name: "import",
    go: (page) => place(page, /^Import skills/).click(),
  },
  { name: "import-done", play: "", go: imported },
  {
    name: "imported-server",
    go: async (page) => {
      await place(page, /^team-skills.zip/).click();
      await page.getByText("These skills were imported from this machine.").waitFor();
    },
  },
  {
    name: "review-said",
    go: async (page) => {
      await place(page, /^team-skills.zip/).click();
      await skill(page, "release-notes");
      await button(page, "Review…").click();
      await page.getByText("What the bundle says").waitFor();
      await page.getByText("This is no approval").waitFor();
    },
  },
  {
    name: "offer-same",
    go: async (page) => {
      await place(page, /^mirror/).click();
      await skill(page, "sql-explain");
      await page.getByText("Exactly this content is approved from “docs-server”").waitFor();
    },
  },
  {
    name: "offer-never",
    go: async (page) => {
      await place(page, /^local tools/).click();
      await skill(page, "changelog");
      await page.getByText("Nothing is installed from local tools").waitFor();
    },
  },
  {
    name: "server-never",
    go: async (page) => {
      await place(page, /^local tools/).click();
      await page.getByLabel("Never install from this server").waitFor();
    },
  },
  {
    name: "review-rejected",
    go: async (page) => {
      await place(page, /^local tools/).click();
      await skill(page, "changelog");
      await button(page, "Review…").click();
      await dialog(page, "Review “changelog”").getByText("exactly as it is offered now").waitFor();
    },
  },
];

everyView(
  window,
  VIEWS.map((view) => ({ play: "kept", ...view })),
);

describe("comparing", () => {
  test("leads from file to file with the arrows, and to other versions with the choices", async () => {
    const page = await window.page({ play: "kept" });
    await where(page, "branch-names");
    await button(page, "See what the update changes").click();
    const open = dialog(page, "Compare “branch-names”");
    await open.getByRole("region", { name: "How SKILL.md differs" }).first().waitFor();
    await open.getByRole("listbox", { name: "Files" }).focus();
    await page.keyboard.press("ArrowDown");
    await open.getByRole("heading", { name: "examples.md" }).waitFor();
    await open.getByText("- team/login-form").waitFor();

    await open
      .getByLabel("Right")
      .selectOption({ label: "~/.claude/skills/branch-names, as it was installed" });
    await open.getByText("The same files, byte for byte.").waitFor();
    await page.keyboard.press("Escape");
    await open.waitFor({ state: "detached" });
    await page.context().close();
  });

  test("an edit from outside shows in the list, under Where, and line by line", async () => {
    const page = await window.page({ play: "kept" });
    await where(page, "branch-names");
    await fake(page, (host) =>
      host.editOnDisk(
        "branch-names",
        "SKILL.md",
        "---\nname: branch-names\ndescription: Mine.\n---\n",
      ),
    );
    await page.getByText("It was edited here, and its source has something else now.").waitFor();
    await button(page, "See what was edited").waitFor();
    await button(page, "See what the update changes").waitFor();
    await page.context().close();
  });
});

describe("the trash", () => {
  test("one is removed for good after a question that says what is lost", async () => {
    const page = await window.page({ play: "kept" });
    await trash(page);
    await button(page, /^Remove old-deploy of/).click();
    const question = dialog(page, "Remove “old-deploy” for good?");
    await question.getByText("no longer bring it back").waitFor();
    await question.getByRole("button", { name: "Remove for good" }).click();
    await question.waitFor({ state: "detached" });
    await page.getByText(/^“old-deploy” was removed for good/).waitFor();
    await tab(page, "What happened").click();
    await page.getByText("No undo: what it replaced was removed").waitFor();
    await page.context().close();
  });

  test("what is there now is compared with what was kept", async () => {
    const page = await window.page({ play: "kept" });
    await trash(page);
    await button(page, /^Compare sql-explain of/).click();
    await dialog(page, "Compare “sql-explain”")
      .getByText("Suggest changes, measure, go on.")
      .waitFor();
    await page.context().close();
  });

  test("what a change moved there comes back with Undo", async () => {
    const page = await window.page({ play: "kept" });
    await trash(page);
    await button(page, /^Undo the change that moved old-deploy/).click();
    await page
      .getByText(/^Undone/)
      .first()
      .waitFor();
    await place(page, /^Library/).click();
    await row(page, "old-deploy").waitFor();
    await page.context().close();
  });
});

describe("skills as files", () => {
  test("are imported, looked at, and reviewed like any other, with a note for the history", async () => {
    const page = await window.page();
    await imported(page);
    await page.getByText("its SKILL.md has no description").waitFor();
    await button(page, "Show them").click();
    await skill(page, "sql-review");
    await button(page, "Review…").click();
    const review = dialog(page, "Review “sql-review”");
    await review.getByText("This is no approval").waitFor();
    await review.getByLabel("Note").fill("asked the team");
    await review.getByRole("button", { name: "Approve" }).click();
    await review.waitFor({ state: "detached" });
    await tab(page, "History").click();
    await page.getByText("from team-skills.zip: asked the team").waitFor();
    await page.context().close();
  });

  test("the same content is not imported twice", async () => {
    const page = await window.page();
    await imported(page);
    await button(page, "Import more…").click();
    await button(page, "Choose a file…").click();
    await page.getByText("The same content was imported before").waitFor();
    await page.context().close();
  });

  test("an imported source has no address, and nothing to refresh or to set", async () => {
    const page = await window.page({ play: "kept" });
    await place(page, /^team-skills.zip/).click();
    await page
      .getByText(/imported from a bundle on/)
      .first()
      .waitFor();
    expect(await page.getByText("Address", { exact: true }).count()).toBe(0);
    expect(await button(page, "Refresh").count()).toBe(0);
    await button(page, "More actions").click();
    expect(await page.getByRole("menuitem").allInnerTexts()).toEqual(["Rename…", "Remove…"]);
    await page.context().close();
  });
});

describe("who decides", () => {
  test("the same content from another server is accepted with one click, and History says from where", async () => {
    const page = await window.page({ play: "kept" });
    await place(page, /^mirror/).click();
    await skill(page, "sql-explain");
    await page.getByRole("main").getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByText("the same as approved from “docs-server”").waitFor();
    await page.getByRole("main").getByRole("button", { name: "Install…" }).waitFor();
    await tab(page, "History").click();
    await page.getByText(/the same as from docs-server/).waitFor();
    await page.context().close();
  });

  test("without that setting the same content is reviewed", async () => {
    const page = await window.page({ play: "kept" });
    await place(page, /^Settings/).click();
    await page.getByLabel("Review every skill").check();
    await place(page, /^mirror/).click();
    await skill(page, "sql-explain");
    await page.getByRole("main").getByRole("button", { name: "Review…" }).waitFor();
    expect(await button(page, "Accept").count()).toBe(0);
    await page.context().close();
  });

  test("where nothing of a server is installed there is no Install button, and it says why", async () => {
    const page = await window.page({ play: "kept" });
    await place(page, /^mirror/).click();
    await page.getByLabel("Never install from this server").check();
    await skill(page, "branch-names");
    await page.getByText("Nothing is installed from mirror").waitFor();
    expect(await button(page, "Install…").count()).toBe(0);
    expect(await button(page, "Update…").count()).toBe(0);
    await page.getByRole("main").getByRole("button", { name: "Show the server" }).click();
    await page.getByLabel("Never install from this server").uncheck();
    await skill(page, "branch-names");
    // It is installed, and what was approved since is newer.
    await button(page, "Update…").waitFor();
    await page.context().close();
  });
});
