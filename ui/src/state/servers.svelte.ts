import type { ServersView } from "../lib/bindings/ServersView";
import type { ServerView } from "../lib/bindings/ServerView";
import type { Host } from "../lib/host/types";
import { offerRows } from "../lib/rows";
import { Latest } from "./latest.svelte";

/** The servers and what they offer. */
export class Servers extends Latest<ServersView> {
  list = $derived(this.view?.servers ?? []);
  rows = $derived(this.list.flatMap(offerRows));

  constructor(host: Host) {
    super(() => host.servers());
  }

  server(id: string): ServerView | undefined {
    return this.list.find((server) => server.id === id);
  }
}
