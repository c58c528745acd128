/** Every view and dialog in both themes and two sizes: no complaint of axe, nothing cut off. */
import type { Page } from "playwright-core";
import { browser, everyView, place, skill, tab, type View } from "./browser";

const window = browser();

async function offer(page: Page, server: RegExp, name: string): Promise<void> {
  await place(page, server).click();
  await skill(page, name);
}

/** What is looked at: how to get there. */
const VIEWS: View[] = [
  { name: "welcome", play: "first", go: (page) => page.getByText("Found").first().waitFor() },
  { name: "library", go: (page) => skill(page, "pdf") },
  {
    name: "files",
    go: async (page) => {
      await skill(page, "pdf");
      await tab(page, "Files").click();
      await page.getByRole("treeitem", { name: "fields.py" }).click();
      await page.getByText("Lists the fields of a form").waitFor();
    },
  },
  {
    name: "binary",
    go: async (page) => {
      await skill(page, "spreadsheet");
      await tab(page, "Files").click();
      await page.getByRole("treeitem", { name: "template.xlsx" }).click();
      await page.getByText("The first bytes").waitFor();
    },
  },
  {
    name: "manifest",
    go: async (page) => {
      await skill(page, "pdf");
      await tab(page, "Manifest").click();
      await page.getByText("Copy as JSON").waitFor();
    },
  },
  {
    name: "checks",
    go: async (page) => {
      await skill(page, "Deploy_Staging");
      await tab(page, "Checks").click();
      await page.getByText("frontmatter-unquoted-colon").waitFor();
    },
  },
  {
    name: "checks-read-only",
    go: async (page) => {
      await skill(page, "spreadsheet");
      await tab(page, "Checks").click();
      await page.getByText("This copy can only be read").waitFor();
    },
  },
  {
    name: "checks-none",
    go: async (page) => {
      await skill(page, "pdf");
      await tab(page, "Checks").click();
      await page.getByText("nothing found by 84 rules").waitFor();
    },
  },
  {
    name: "checks-rename",
    go: async (page) => {
      await skill(page, "Deploy_Staging");
      await page.getByRole("button", { name: "Fix…" }).click();
      await page.getByRole("button", { name: /^Change the name to deploy-staging/ }).click();
      await page.getByRole("button", { name: /^Rename the folder to deploy-staging/ }).waitFor();
    },
  },
  {
    name: "grave",
    play: "grave&sharing",
    go: async (page) => {
      await page.getByRole("listbox").getByText("1 grave").waitFor();
      await skill(page, "quick-start");
      await page.getByText("downloads a program and runs it unseen").waitFor();
    },
  },
  {
    name: "sharing-grave",
    play: "grave&sharing",
    go: async (page) => {
      await place(page, /^Sharing/).click();
      const list = page.getByRole("list", { name: "Skills that are shared" });
      await list.scrollIntoViewIfNeeded();
      await list.getByText("1 grave").waitFor();
    },
  },
  {
    name: "where",
    go: async (page) => {
      await skill(page, "code-review");
      await tab(page, "Where").click();
      await page.getByRole("button", { name: /^Compare with/ }).waitFor();
    },
  },
  {
    name: "compare",
    go: async (page) => {
      await skill(page, "code-review");
      await tab(page, "Where").click();
      await page.getByRole("button", { name: /^Compare with/ }).click();
      await page.getByRole("region", { name: "How SKILL.md differs" }).waitFor();
    },
  },
  {
    name: "where-project",
    go: async (page) => {
      await skill(page, "commit-messages");
      await tab(page, "Where").click();
      await page.getByText("When it works in ~/src/acme.").first().waitFor();
    },
  },
  {
    name: "history",
    go: async (page) => {
      await skill(page, "sql-explain");
      await tab(page, "History").click();
      await page.getByText("into OpenCode").waitFor();
    },
  },
  { name: "chinese", go: (page) => skill(page, "meeting-notes") },
  { name: "arabic", go: (page) => skill(page, "tarjama") },
  {
    name: "long-name",
    go: (page) => skill(page, "extremely-thorough-release-notes-writer-for-very-large-monorepos"),
  },
  { name: "attention", go: (page) => place(page, /^Needs attention/).click() },
  { name: "to-review", go: (page) => place(page, /^To review/).click() },
  { name: "tool", go: (page) => place(page, /Cursor/).click() },
  { name: "server", go: (page) => place(page, /^docs-server/).click() },
  {
    name: "unreachable",
    go: async (page) => {
      await place(page, /^lab/).click();
      await page.getByText("Start the server, then retry.").waitFor();
    },
  },
  {
    name: "needs-sign-in",
    go: async (page) => {
      await place(page, /^notes/).click();
      await page.getByText("the server asks to sign in").first().waitFor();
    },
  },
  {
    name: "sign-in",
    go: async (page) => {
      await place(page, /^notes/).click();
      await page.getByRole("button", { name: "Sign in…" }).click();
      await page.getByText("https://login.example/authorize").waitFor();
    },
  },
  {
    name: "refused",
    go: async (page) => {
      await place(page, /^scripts/).click();
      await page.getByText("What its program wrote").click();
      await page.getByText("listening on stdio").waitFor();
    },
  },
  { name: "offer-new", go: (page) => offer(page, /^docs-server/, "release-checklist") },
  { name: "offer-changed", go: (page) => offer(page, /^docs-server/, "changelog") },
  { name: "offer-refused", go: (page) => offer(page, /^docs-server/, "Secrets") },
  { name: "offer-unverifiable", go: (page) => offer(page, /^docs-server/, "live-status") },
  { name: "offer-approved", go: (page) => offer(page, /^docs-server/, "sql-explain") },
  { name: "activity", go: (page) => place(page, /^Activity/).click() },
  {
    name: "settings",
    go: async (page) => {
      await place(page, /^Settings/).click();
      await page.getByText("Data folder").waitFor();
    },
  },
  {
    name: "settings-tools",
    go: async (page) => {
      await place(page, /^Settings/).click();
      await page.getByRole("button", { name: "Show all (3 more)" }).last().click();
      await page.getByRole("button", { name: "Use another folder… Cursor" }).click();
      await page.getByRole("button", { name: "Reset Cursor" }).waitFor();
      await page
        .getByRole("combobox", { name: "Whether the folders of Goose are read" })
        .selectOption("off");
      await place(page, /Goose/).waitFor({ state: "detached" });
    },
  },
  {
    name: "settings-refused",
    go: async (page) => {
      await place(page, /^Settings/).click();
      const add = page.getByRole("button", { name: "Add folder…" });
      await add.click();
      await page.getByText("~/Documents/skills").waitFor();
      await add.click();
      await page.getByText("The folder was not added").waitFor();
    },
  },
  {
    name: "settings-empty",
    play: "empty",
    go: async (page) => {
      await place(page, /^Settings/).click();
      await page.getByText("No folder was added.").waitFor();
      await page.getByText("No tool was found on this machine.").waitFor();
    },
  },
  {
    name: "sharing-off",
    go: async (page) => {
      await place(page, /^Sharing/).click();
      await page.getByText("Nobody, because sharing is off.").waitFor();
    },
  },
  {
    name: "sharing-on",
    play: "sharing",
    go: async (page) => {
      await place(page, /^Sharing/).click();
      await page.getByText("and they differ").waitFor();
    },
  },
  {
    name: "sharing-token",
    play: "sharing",
    go: async (page) => {
      await place(page, /^Sharing/).click();
      await page.getByLabel("Tool", { exact: true }).selectOption("codex");
      await page.getByRole("button", { name: "Show Token" }).click();
      await page.getByText(/^skh_/).waitFor();
      await page.getByText("Connect a program").scrollIntoViewIfNeeded();
      await page.getByRole("heading", { name: "How it is shared" }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "sharing-new-token",
    play: "sharing",
    go: async (page) => {
      await place(page, /^Sharing/).click();
      await page.getByRole("button", { name: "New token…" }).click();
      await page.getByRole("dialog", { name: "Make a new token?" }).waitFor();
    },
  },
  {
    name: "sharing-use",
    play: "sharing",
    go: async (page) => {
      await place(page, /^Sharing/).click();
      await page.getByRole("button", { name: "Show 3 more" }).click();
      await page.getByText("no such resource, or a wrong parameter").waitFor();
      await page.getByRole("heading", { name: "Who uses it" }).scrollIntoViewIfNeeded();
      await page.getByRole("table").scrollIntoViewIfNeeded();
    },
  },
  {
    name: "sharing-failed",
    go: async (page) => {
      await place(page, /^Sharing/).click();
      await page.getByLabel("Port").fill("8080");
      await page.keyboard.press("Enter");
      await page.getByRole("switch", { name: "Share my skills" }).check();
      await page.getByText("port 8080 is taken").waitFor();
    },
  },
  {
    name: "sharing-empty",
    play: "empty",
    go: async (page) => {
      await place(page, /^Sharing/).click();
      await page.getByText("No settings are ready-made").waitFor();
    },
  },
  {
    name: "empty",
    play: "empty",
    go: (page) => page.getByText("No skills on this machine yet").waitFor(),
  },
  {
    name: "broken",
    play: "broken",
    go: (page) => page.getByText("could not be read").first().waitFor(),
  },
  {
    name: "nothing-found",
    go: async (page) => {
      await skill(page, "pdf");
      await page.keyboard.press("/");
      await page.keyboard.type("zebra crossing");
      await page.getByText("Nothing has").waitFor();
    },
  },
  {
    name: "review-grave",
    go: async (page) => {
      await offer(page, /^Samples/, "helpful-setup");
      await page.getByRole("button", { name: "Review…" }).click();
      await page.getByText("Approve waits for").waitFor();
      await page.getByText("First get the tools").waitFor();
    },
  },
  {
    name: "review-left-out",
    go: async (page) => {
      await offer(page, /^docs-server/, "release-checklist");
      await page.getByRole("button", { name: "Review…" }).click();
      await page.getByRole("button", { name: "Show what is left out" }).click();
    },
  },
  {
    name: "review-changed",
    go: async (page) => {
      await offer(page, /^docs-server/, "changelog");
      await page.getByRole("button", { name: "Review…" }).click();
      await page.getByText("Changed since you approved it").waitFor();
    },
  },
  {
    name: "review-mismatch",
    go: async (page) => {
      await offer(page, /^docs-server/, "log-digest");
      await page.getByRole("button", { name: "Review…" }).click();
      await page.getByText("It cannot be approved").waitFor();
      await page.getByText("os.system").waitFor();
    },
  },
  {
    name: "review-nested",
    go: async (page) => {
      await offer(page, /^docs-server/, "team-handbook");
      await page.getByRole("button", { name: "Review…" }).click();
      await page.getByText("This skill contains others").waitFor();
    },
  },
  {
    name: "review-fetching",
    play: "pace=400",
    go: async (page) => {
      await offer(page, /^Samples/, "csv-report");
      await page.getByRole("button", { name: "Review…" }).click();
      await page.getByText("Fetching 3 files").waitFor();
    },
  },
  {
    name: "copy",
    go: async (page) => {
      await skill(page, "code-review");
      await page.getByRole("button", { name: "Copy to…" }).click();
      await page.getByRole("checkbox", { name: "Gemini CLI" }).check();
      await page.getByRole("checkbox", { name: "Cursor" }).check();
      await page.getByLabel("What to do in Cursor").selectOption("rename");
      await page.getByRole("button", { name: "Copy to 2 tools" }).waitFor();
    },
  },
  {
    name: "installed",
    go: async (page) => {
      await offer(page, /^docs-server/, "sql-explain");
      await page.getByRole("button", { name: "Install…" }).click();
      await page.getByRole("checkbox", { name: "Claude Code" }).check();
      await page.getByRole("checkbox", { name: "Codex" }).check();
      await page.getByRole("button", { name: "Install into 2 tools" }).click();
      await page.getByText("2 tools have it now").waitFor();
    },
  },
  {
    name: "add-server",
    go: async (page) => {
      await place(page, /^Add server/).click();
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("a label is needed").waitFor();
    },
  },
  {
    name: "add-command",
    go: async (page) => {
      await place(page, /^Add server/).click();
      await page.getByLabel("By command").check();
      await page.getByLabel("Label").fill("acme");
      await page.getByLabel("Command", { exact: true }).fill('uvx acme-skills --root "My Skills"');
      await page.getByRole("button", { name: "Show what would run" }).click();
      await page.getByText("Argument 3").waitFor();
    },
  },
  {
    name: "add-values",
    go: async (page) => {
      await place(page, /^Add server/).click();
      await page.getByLabel("Token").fill("hunter2");
      await page.getByRole("button", { name: "Add a header" }).click();
      await page.getByLabel("Headers 1: Name").fill("X-Team");
      await page.getByLabel("Headers 1: Value").fill("core");
    },
  },
  {
    name: "add-from-tool",
    go: async (page) => {
      await place(page, /^Add server/).click();
      await page.getByLabel("From another tool").check();
      await page.getByRole("button", { name: "Fill in what shelf needs" }).click();
      await page.getByLabel("SHELF_TOKEN").waitFor();
    },
  },
  {
    name: "add-from-tool-command",
    go: async (page) => {
      await place(page, /^Add server/).click();
      await page.getByLabel("From another tool").check();
      await page.getByRole("button", { name: "Add airtable" }).click();
      await page.getByText("This decides which code runs.").first().waitFor();
    },
  },
  {
    name: "add-from-no-tool",
    play: "empty",
    go: async (page) => {
      await place(page, /^Add server/).click();
      await page.getByLabel("From another tool").check();
      await page.getByText("No server was found in the settings").waitFor();
      await page.getByText("Looked in 7 places").click();
    },
  },
  {
    name: "add-pasted",
    go: async (page) => {
      await place(page, /^Add server/).click();
      await page.getByLabel("Paste settings").check();
      await page
        .getByLabel("Settings", { exact: true })
        .fill('{ "mcpServers": { "docs": { "url": "https://docs.example/mcp" } } }');
      await page.getByRole("button", { name: "Read" }).click();
      await page.getByRole("button", { name: "Add docs" }).waitFor();
    },
  },
  {
    name: "server-settings",
    go: async (page) => {
      await place(page, /^docs-server/).click();
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Settings…" }).click();
      await page.getByLabel("Address").fill("http://127.0.0.1:9000/mcp");
      await page.getByText("Another address is another server").waitFor();
    },
  },
  {
    name: "rename-server",
    go: async (page) => {
      await place(page, /^docs-server/).click();
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Rename…" }).click();
    },
  },
  {
    name: "remove-server",
    go: async (page) => {
      await place(page, /^docs-server/).click();
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Remove…" }).click();
    },
  },
  {
    name: "keys",
    go: async (page) => {
      await skill(page, "pdf");
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
    },
  },
  {
    name: "palette",
    go: async (page) => {
      await skill(page, "pdf");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("re");
    },
  },
];

everyView(window, VIEWS);
