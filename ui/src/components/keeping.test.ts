import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { OfferDetail } from "../lib/bindings/OfferDetail";
import type { ReviewView } from "../lib/bindings/ReviewView";
import type { ServerView } from "../lib/bindings/ServerView";
import { fakeHost } from "../lib/host/fake";
import type { Host } from "../lib/host/types";
import { offerRows } from "../lib/rows";
import { Screen } from "../state/screen.svelte";
import Server from "../views/Server.svelte";
import Playing from "./Playing.test-part.svelte";
import OfferPane from "./skill/OfferPane.svelte";
import ReviewSummary from "./skill/ReviewSummary.svelte";

// jsdom has no modal dialogs.
beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
});

const button = (name: string | RegExp) => screen.queryByRole("button", { name });

async function offered(
  server: string,
  name: string,
  change: Partial<OfferDetail["row"]> = {},
): Promise<{ row: unknown; offer: OfferDetail }> {
  const host = fakeHost({ kept: true });
  const view = (await host.servers()).servers.find(({ id }) => id === server);
  const row = view && offerRows(view).find((one) => one.name === name);
  if (!row?.offer) throw new Error(`the fake has no ${name}`);
  const offer = await host.offerDetail(server, row.offer.row.uri);
  return { row, offer: { ...offer, row: { ...offer.row, ...change } } };
}

async function reviewed(change: Partial<ReviewView>): Promise<ReviewView> {
  const host = fakeHost();
  const uri = "skill://release-checklist/SKILL.md";
  const view = await host.startReview("job", "srv-docs", uri, () => undefined);
  return { ...view, ...change };
}

describe("a server of which nothing is installed", () => {
  test("is switched so in its page, and goes back when that could not be kept", async () => {
    const error = { code: "disk", message: "read-only", hint: null, causes: [] };
    const setNeverInstall = vi.fn<Host["setNeverInstall"]>().mockRejectedValue(error);
    const server = (await fakeHost().servers()).servers[0] as ServerView;
    render(Playing, { part: Server, given: { server }, change: { setNeverInstall } });
    const box = screen.getByRole("checkbox", { name: "Never install from this server" });
    await userEvent.setup().click(box);
    expect(setNeverInstall).toHaveBeenCalledExactlyOnceWith("srv-docs", true);
    expect(box).not.toBeChecked();
  });

  test("offers no Install button after an approval either", async () => {
    const made = new Screen(fakeHost({ kept: true }));
    await made.servers.refresh();
    await made.review.start("srv-local", "skill://changelog/SKILL.md", "changelog");
    made.review.seen = true;
    await made.review.approve();
    const told = made.notices.shown.find(({ text }) => text === "Approved “changelog”");
    expect(told?.action).toBeNull();
  });
});

describe("the same content from another server", () => {
  test("is accepted with one button that says from where, and can still be reviewed", async () => {
    const acceptSame = vi.fn<Host["acceptSame"]>().mockResolvedValue();
    const given = await offered("srv-mirror", "sql-explain");
    render(Playing, { part: OfferPane, given, change: { acceptSame } });
    expect(screen.getByText("Exactly this content is approved from “docs-server”")).toBeVisible();
    await userEvent.setup().click(screen.getByRole("button", { name: "Accept" }));
    expect(acceptSame).toHaveBeenCalledExactlyOnceWith(
      "srv-mirror",
      "skill://sql-explain/SKILL.md",
    );
    expect(screen.getByRole("menuitem", { name: "Review…", hidden: true })).toBeInTheDocument();
  });

  test("that is not known of has to be reviewed", async () => {
    const given = await offered("srv-mirror", "sql-explain", { sameAs: undefined });
    render(Playing, { part: OfferPane, given });
    expect(button("Accept")).toBeNull();
    expect(button("Review…")).toBeVisible();
  });
});

describe("a review", () => {
  test("gives the note along, without blanks around it, and none where none was written", async () => {
    const approve = vi.fn<Host["approve"]>().mockResolvedValue();
    for (const note of ["  asked the team ", "   "]) {
      const made = new Screen({ ...fakeHost(), approve });
      await made.review.start("srv-docs", "skill://release-checklist/SKILL.md", "a");
      made.review.seen = true;
      made.review.note = note;
      await made.review.approve();
    }
    expect(approve.mock.calls.map((call) => call[4])).toEqual(["asked the team", null]);
  });

  test("says that exactly this was rejected before, and when", async () => {
    const standing = { kind: "rejected", at: "2026-11-20T10:00:00Z" } as const;
    const view = await reviewed({ standing });
    render(Playing, { part: ReviewSummary, given: { view, onjump: vi.fn(), onchanges: vi.fn() } });
    expect(
      screen.getByText("Rejected 20 Nov 2026, exactly as it is offered now"),
    ).toBeInTheDocument();
  });

  test("shows what a bundle says as information that is no approval", async () => {
    const said = {
      origin: "Team docs",
      approval: {
        sameContent: false,
        granted: true,
        at: "2026-11-20T10:00:00Z",
        note: "fine by me",
        findings: ["it asks for a tool"],
      },
      executable: ["scripts/run.sh"],
    };
    const view = await reviewed({ said });
    render(Playing, { part: ReviewSummary, given: { view, onjump: vi.fn(), onchanges: vi.fn() } });
    const heading = screen.getByRole("heading", { name: "What the bundle says" });
    const section = within(heading.closest("section") as HTMLElement);
    expect(section.getByText(/^This is no approval/)).toBeInTheDocument();
    expect(
      section.getByText("Approved there on 20 Nov 2026, with the tools it asks for."),
    ).toBeInTheDocument();
    expect(section.getByText("That approval was of other content than this.")).toBeInTheDocument();
    expect(section.getByText("Their note: fine by me")).toBeInTheDocument();
    expect(section.getByText("scripts/run.sh")).toBeInTheDocument();
  });

  test("of what came from a folder only tells which files were executable", async () => {
    const view = await reviewed({
      said: { origin: null, approval: null, executable: ["scripts/run.sh"] },
    });
    render(Playing, { part: ReviewSummary, given: { view, onjump: vi.fn(), onchanges: vi.fn() } });
    expect(screen.getByRole("heading", { name: "Executable files" })).toBeInTheDocument();
    expect(screen.queryByText(/This is no approval/)).toBeNull();
  });
});
