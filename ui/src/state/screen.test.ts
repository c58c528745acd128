import { describe, expect, test, vi } from "vitest";
import { fakeHost } from "../lib/host/fake";
import { Screen } from "./screen.svelte";

const DOCS = "srv-docs";
const RELEASE = "skill://release-checklist/SKILL.md";

async function screen() {
  const host = fakeHost();
  const made = new Screen(host);
  const stop = made.start();
  await Promise.all([
    made.library.refresh(),
    made.servers.refresh(),
    made.activity.refresh(),
    made.settings.refresh(),
  ]);
  const count = (call: string) => host.calls.filter((one) => one.startsWith(call)).length;
  return { host, made, stop, count };
}

async function approved() {
  const all = await screen();
  await all.made.review.start(DOCS, RELEASE, "release-checklist");
  await approve(all.made);
  await all.made.servers.refresh();
  return all;
}

/** Decides to approve with the content of a file on the screen. */
async function approve({ review }: Screen): Promise<void> {
  review.seen = true;
  await review.approve();
}

describe("a review", () => {
  test("opened twice fetches once", async () => {
    const { made, count } = await screen();
    await Promise.all([
      made.review.start(DOCS, RELEASE, "release-checklist"),
      made.review.start(DOCS, RELEASE, "release-checklist"),
    ]);
    expect(count("startReview")).toBe(1);
    expect(made.review.phase).toBe("ready");
  });

  test("approved twice with a double click approves once", async () => {
    const { made, count } = await screen();
    await made.review.start(DOCS, RELEASE, "release-checklist");
    await Promise.all([approve(made), approve(made)]);
    expect(count("approve ")).toBe(1);
    expect(made.review.phase).toBe("closed");
  });

  test("does not grant anything unless it was ticked", async () => {
    const { host } = await approved();
    expect(host.calls.find((call) => call.startsWith("approve "))).toMatch(/ false $/);
  });

  test("waits for a tick at every grave finding and sends their codes", async () => {
    const { made, host } = await screen();
    const { review } = made;
    await review.start("samples", "skill://helpful-setup/SKILL.md", "helpful-setup");
    review.seen = true;
    expect(review.grave.length).toBe(2);
    expect(review.canApprove).toBe(false);
    await review.approve();
    expect(host.calls.some((call) => call.startsWith("approve "))).toBe(false);
    for (const { index } of review.grave) review.tick(index, true);
    expect(review.canApprove).toBe(true);
    await review.approve();
    expect(host.calls.find((call) => call.startsWith("approve "))).toMatch(
      / download-and-run,hidden-characters$/,
    );
  });

  test("cannot be approved while a file does not match", async () => {
    const { made } = await screen();
    await made.review.start(DOCS, "skill://log-digest/SKILL.md", "log-digest");
    expect(made.review.view?.blockers).toEqual([
      "scripts/digest.py does not match what docs-server declared",
    ]);
    expect(made.review.canApprove).toBe(false);
  });

  test("goes on to the skill inside and ends after it", async () => {
    const { made } = await screen();
    const { review } = made;
    await review.start(DOCS, "skill://team-handbook/SKILL.md", "team-handbook");
    expect(review.steps.map(({ name }) => name)).toEqual(["team-handbook", "reviews"]);
    await approve(made);
    expect(review.view?.name).toBe("reviews");
    await approve(made);
    expect(review.phase).toBe("closed");
    expect(made.notices.shown.at(-1)?.text).toBe("Approved “team-handbook”");
  });

  test("waits until the content of a file was on the screen, at every skill anew", async () => {
    const { made, count } = await screen();
    const { review } = made;
    await review.start(DOCS, "skill://team-handbook/SKILL.md", "team-handbook");
    expect(review.canApprove).toBe(false);
    await review.approve();
    expect(count("approve ")).toBe(0);
    await approve(made);
    expect(review.view?.name).toBe("reviews");
    expect(review.canApprove).toBe(false);
  });

  test("of content that changed meanwhile can still reject what was seen", async () => {
    const { made, host } = await screen();
    await made.review.start(DOCS, RELEASE, "release-checklist");
    host.changeOffer(DOCS, RELEASE);
    await approve(made);
    expect(made.review.refusal?.hint).toBe("Fetch it again to see what the server offers now.");
    await made.review.reject();
    expect(made.notices.shown.map(({ text }) => text)).toEqual([
      "Rejected what you saw of “release-checklist”",
    ]);
  });

  test("that the server ends at once leaves one notice, and it leads to what changed", async () => {
    const { made } = await screen();
    const uri = "skill://changing-guide/SKILL.md";
    await made.review.start("samples", uri, "changing-guide");
    await approve(made);
    await vi.waitFor(() => {
      expect(made.notices.shown.map(({ text }) => text)).toEqual([
        "“changing-guide” changed on Samples after you approved it. Review the change.",
      ]);
    }, 4_000);
    made.notices.shown[0]?.action?.run();
    await vi.waitFor(() => expect(made.review.view?.changed?.length).toBe(1), 4_000);
    expect(made.listing.place).toEqual({ kind: "server", id: "samples" });
    await approve(made);
    expect(made.notices.shown.map(({ text }) => text)).toEqual(["Approved “changing-guide”"]);
  });

  test("of a change that is approved again is not said to have changed", async () => {
    const { made } = await screen();
    await made.review.start(DOCS, "skill://changelog/SKILL.md", "changelog");
    await approve(made);
    await made.servers.refresh();
    expect(made.notices.shown.map(({ text }) => text)).toEqual(["Approved “changelog”"]);
  });

  test("of content that changed meanwhile stays open and says why", async () => {
    const { made, host } = await screen();
    await made.review.start(DOCS, RELEASE, "release-checklist");
    host.changeOffer(DOCS, RELEASE);
    await approve(made);
    expect(made.review.phase).toBe("ready");
    expect(made.review.refusal?.code).toBe("changed");
    expect(made.review.deciding).toBeNull();
  });

  test("that cannot reach its server says so and can be tried again", async () => {
    const { made } = await screen();
    await made.review.start("srv-lab", "skill://x/SKILL.md", "x");
    expect(made.review.phase).toBe("failed");
    expect(made.review.error?.code).toBe("gone");
  });

  test("closed while it fetches tells the program to stop and forgets the answer", async () => {
    const { made, count } = await screen();
    const running = made.review.start(DOCS, RELEASE, "release-checklist");
    await made.review.close();
    await running;
    expect(count("cancel")).toBe(1);
    expect(made.review.phase).toBe("closed");
    expect(made.review.view).toBeNull();
  });
});

describe("installing", () => {
  const source = { kind: "offer", server: DOCS, uri: RELEASE } as const;

  test("of what is not approved is refused with a hint", async () => {
    const { made } = await screen();
    await made.install.open(source, "release-checklist");
    expect(made.install.error?.code).toBe("notApproved");
    expect(made.install.canApply).toBe(false);
  });

  test("with a double click applies once", async () => {
    const { made, count } = await approved();
    await made.install.open(source, "release-checklist");
    await made.install.choose("claude-code", { ticked: true });
    await Promise.all([made.install.apply(), made.install.apply()]);
    expect(count("applyPlan")).toBe(1);
    expect(made.install.outcome?.items).toEqual([
      {
        name: "release-checklist",
        tool: "claude-code",
        path: "~/.claude/skills/release-checklist",
        result: "written",
        error: null,
      },
    ]);
  });

  test("leaves out what was not granted", async () => {
    const { made } = await approved();
    await made.install.open(source, "release-checklist");
    expect(made.install.survey?.leftOut?.fields).toEqual(["allowed-tools"]);
  });

  test("asks only for what is ticked, with the way that was chosen", async () => {
    const { made } = await screen();
    const copy = made.library.view?.skills.find(({ name }) => name === "code-review")?.copies[0];
    await made.install.open({ kind: "copy", id: copy?.id ?? "" }, "code-review");
    expect(made.install.found("cursor")?.standing).toBe("foreign");
    await made.install.choose("cursor", { ticked: true });
    expect(made.install.plan?.writes).toBe(0);
    expect(made.install.canApply).toBe(false);
    await made.install.choose("cursor", { way: "replace" });
    expect(made.install.plan?.items[0]?.action).toBe("replace");
    await made.install.choose("cursor", { way: "rename", name: "Bad Name" });
    expect(made.install.canApply).toBe(false);
    await made.install.choose("cursor", { name: "code-review-2" });
    expect(made.install.plan?.items[0]?.path).toBe("~/.cursor/skills/code-review-2");
    expect(made.install.canApply).toBe(true);
  });

  test("undone puts everything back and cannot be undone twice", async () => {
    const { made, count } = await approved();
    await made.install.open(source, "release-checklist");
    await made.install.choose("codex", { ticked: true });
    await made.install.apply();
    await made.library.refresh();
    const has = () => made.library.rows.some(({ name }) => name === "release-checklist");
    expect(has()).toBe(true);
    await Promise.all([made.install.undo(), made.install.undo()]);
    await made.library.refresh();
    expect(has()).toBe(false);
    expect(count("undo")).toBe(1);
    expect(made.install.undone).toBe(true);
  });

  test("the dialog does not close while it writes", async () => {
    const { made } = await approved();
    await made.install.open(source, "release-checklist");
    await made.install.choose("codex", { ticked: true });
    const running = made.install.apply();
    expect(made.install.close()).toBe(false);
    await running;
    expect(made.install.close()).toBe(true);
  });
});

describe("the list", () => {
  test("shows what fits the search and the filters, and says which rows there are", async () => {
    const { made } = await screen();
    const { listing } = made;
    expect(listing.rows.length).toBe(12);
    listing.query = "pdf";
    expect(listing.rows.map(({ name }) => name)).toEqual(["pdf"]);
    listing.query = "";
    listing.state = "diverged";
    expect(listing.rows.map(({ name }) => name)).toEqual(["code-review"]);
    listing.go({ kind: "tool", id: "cursor" });
    expect(listing.filtered).toBe(false);
  });

  test("follows a change on the disk without being asked", async () => {
    const { made, host } = await screen();
    host.removeFromDisk("pdf");
    await made.library.refresh();
    expect(made.library.rows.some(({ name }) => name === "pdf")).toBe(false);
  });

  test("stops listening when the page is taken down", async () => {
    const { host, stop, count } = await screen();
    stop();
    const before = count("library");
    host.removeFromDisk("pdf");
    expect(count("library")).toBe(before);
  });
});

describe("undo", () => {
  async function installed(way?: "replace") {
    const all = await approved();
    const { install } = all.made;
    await install.open({ kind: "offer", server: DOCS, uri: RELEASE }, "release-checklist");
    await install.choose("codex", { ticked: true, way });
    await install.choose("cursor", { ticked: true, way });
    await install.apply();
    install.close();
    return all;
  }

  test("says what was taken out of which tools", async () => {
    const { made } = await installed();
    await made.activity.undoLast();
    expect(made.notices.shown.at(-1)?.text).toBe(
      "Undone: “release-checklist” taken out of Codex, Cursor",
    );
  });

  test("of what was edited since keeps it, shows it, and does not offer to undo again", async () => {
    const { made, host } = await installed();
    const path = made.install.outcome?.items[0]?.path ?? "";
    host.undo = () =>
      Promise.resolve({
        change: "another",
        name: "release-checklist",
        items: [
          {
            name: "release-checklist",
            tool: "codex",
            path,
            result: "failed",
            error: { code: "changed", message: `${path} was edited since`, hint: null, causes: [] },
          },
        ],
      });
    await made.activity.undoLast();
    const notice = made.notices.shown.at(-1);
    expect(notice?.text).toBe(
      "“release-checklist” in Codex was edited after it was installed, so it was kept",
    );
    notice?.action?.run();
    expect(made.listing.row?.name).toBe("release-checklist");
    expect(made.activity.last).toBeNull();
    await made.activity.undoLast();
    expect(made.notices.shown.at(-1)?.text).toBe("There is nothing to undo");
  });
});

test("a tool that reads others’ folders names those in which skills lie", async () => {
  const { made } = await screen();
  for (const tool of made.library.found.filter(({ count }) => count > 0)) {
    const holding = made.library.holding(tool);
    expect(holding.length).toBeGreaterThan(0);
    for (const root of holding) {
      const copies = made.library.rows.flatMap(({ skill }) => skill?.copies ?? []);
      expect(copies.some(({ path }) => path.startsWith(`${root}/`))).toBe(true);
    }
  }
});

test("undo takes back the newest change, and says when there is none", async () => {
  const { made } = await screen();
  await made.activity.undoLast();
  expect(made.notices.shown.at(-1)?.text).toBe("There is nothing to undo");
});

test("a setting that could not be kept goes back", async () => {
  const { made, host } = await screen();
  host.setTheme = () =>
    Promise.reject({ code: "disk", message: "read-only", hint: null, causes: [] });
  await made.settings.setTheme("dark");
  expect(made.settings.theme).toBe("system");
  expect(made.settings.error?.message).toBe("read-only");
});

test("a slow answer about another skill is dropped", async () => {
  const { made, host } = await screen();
  const [first, second] = made.library.rows;
  const slow = host.skillDetail.bind(host);
  const release: (() => void)[] = [];
  host.skillDetail = async (copy) => {
    const found = await slow(copy);
    await new Promise<void>((done) => release.push(done));
    return found;
  };
  const one = made.detail.show(first ?? null);
  const two = made.detail.show(second ?? null);
  await Promise.resolve();
  while (release.length < 2) await Promise.resolve();
  release[1]?.();
  await two;
  release[0]?.();
  await one;
  expect(made.detail.skill?.name).toBe(second?.name);
});

test("in a tool's list the copy that this tool sees is shown", async () => {
  const { made } = await screen();
  const row = made.library.rows.find(({ name }) => name === "code-review") ?? null;
  await made.detail.show(row);
  expect(made.detail.skill?.path).toBe("~/.claude/skills/code-review");
  await made.detail.show(row, "cursor");
  expect(made.detail.skill?.path).toBe("~/.cursor/skills/code-review");
});

describe("notices", () => {
  test("that say the same do not stack", async () => {
    const { made } = await screen();
    made.notices.show("There is nothing to undo");
    made.notices.show("There is nothing to undo");
    expect(made.notices.shown.map(({ text }) => text)).toEqual(["There is nothing to undo"]);
  });

  test("tell of a tool that is kept off, and take that back", async () => {
    const { made, host } = await screen();
    const tool = made.library.unread[0]?.tools[0] ?? "";
    expect(await made.decide([tool], false)).toBe(true);
    expect(made.library.tool(tool)?.chosen).toBe(false);
    made.notices.shown.at(-1)?.action?.run();
    await vi.waitFor(() => expect(made.library.tool(tool)?.chosen).toBeNull());
    expect(host.calls.filter((call) => call.startsWith("setToolOn")).length).toBe(2);
  });
});

test("the tab stays open from skill to skill", async () => {
  const { made } = await screen();
  const [one, two] = made.library.rows;
  await made.detail.show(one ?? null);
  made.detail.tab = "files";
  made.detail.path = "SKILL.md";
  await made.detail.show(two ?? null);
  expect([made.detail.tab, made.detail.path]).toEqual(["files", null]);
});
