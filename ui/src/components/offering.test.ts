import { render, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { fakeHost } from "../lib/host/fake";
import type { Host } from "../lib/host/types";
import Playing from "./Playing.test-part.svelte";
import LookUp from "./server/LookUp.svelte";
import ExportOffer from "./skill/ExportOffer.svelte";
import OfferFolder from "./skill/OfferFolder.svelte";

// jsdom has no modal dialogs.
beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
});

const button = (name: string) => screen.getByRole("button", { name });

function play(part: unknown, given: Record<string, unknown>, change: Partial<Host>) {
  const user = userEvent.setup();
  render(Playing, { part, given, change } as never);
  return user;
}

test("a pasted URI is looked up, and a refusal is shown where it was typed", async () => {
  const view = await fakeHost().servers();
  const [server] = view.servers;
  const [row] = server?.offers ?? [];
  if (!server || !row) throw new Error("the fake offers nothing");
  const lookUpOffer = vi
    .fn<Host["lookUpOffer"]>()
    .mockRejectedValueOnce({ code: "protocol", message: "no such skill", hint: null, causes: [] })
    .mockResolvedValueOnce(row);
  const onclose = vi.fn();
  const user = play(LookUp, { server, onclose }, { lookUpOffer });
  expect(button("Look up")).toBeDisabled();
  await user.type(screen.getByLabelText("URI of its SKILL.md"), "  skill://x/SKILL.md ");
  await user.click(button("Look up"));
  expect(await screen.findByText("no such skill")).toBeInTheDocument();
  expect(onclose).not.toHaveBeenCalled();
  await user.click(button("Look up"));
  await waitFor(() => expect(onclose).toHaveBeenCalledOnce());
  expect(lookUpOffer).toHaveBeenLastCalledWith(server.id, "skill://x/SKILL.md");
});

test("an unverified copy is written only after the warning, and then it is said where", async () => {
  const exportOffer = vi
    .fn<Host["exportOffer"]>()
    .mockResolvedValueOnce(null)
    .mockResolvedValueOnce({
      change: "c",
      name: "x",
      items: [{ name: "x", tool: "", path: "~/out/x-unverified", result: "written", error: null }],
    });
  const given = { server: "s", uri: "skill://x/SKILL.md", name: "x", onclose: vi.fn() };
  const user = play(ExportOffer, given, { exportOffer });
  expect(screen.getByText("Nothing in this copy is checked")).toBeInTheDocument();
  expect(exportOffer).not.toHaveBeenCalled();
  // The person may choose no folder after all.
  await user.click(button("Choose a folder…"));
  expect(exportOffer).toHaveBeenCalledExactlyOnceWith("s", "skill://x/SKILL.md", true);
  expect(screen.getByText("Nothing in this copy is checked")).toBeInTheDocument();
  await user.click(button("Choose a folder…"));
  expect(await screen.findByText("~/out/x-unverified")).toBeInTheDocument();
});

test("a file that the server shows and does not list is called out", async () => {
  const offerFolder = vi.fn<Host["offerFolder"]>().mockResolvedValue({
    files: [
      { path: "SKILL.md", listed: true },
      { path: "new.sh", listed: false },
    ],
    changed: true,
    notices: [],
  });
  const user = play(OfferFolder, { server: "s", uri: "skill://x/SKILL.md" }, { offerFolder });
  expect(offerFolder).not.toHaveBeenCalled();
  await user.click(button("Show the folder"));
  expect(await screen.findByText("This skill has changed")).toBeInTheDocument();
  expect(screen.getByText("not listed")).toBeInTheDocument();
});
