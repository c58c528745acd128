/**
 * The page on the fake host: for development in a browser, for the tests and for pictures. It is
 * an entry of its own and never part of the program. The address says what to play, as in
 * `fake.html?first&theme=dark`.
 */
import { mount } from "svelte";
import App from "./App.svelte";
import { fakeHost } from "./lib/host/fake";
import "./styles/tokens.css";
import "./styles/base.css";

const asked = new URLSearchParams(location.search);
const theme = asked.get("theme");
const host = fakeHost({
  pace: Number(asked.get("pace") ?? 12),
  firstRun: asked.has("first"),
  empty: asked.has("empty"),
  broken: asked.has("broken"),
  sharing: asked.has("sharing"),
  kept: asked.has("kept"),
  grave: asked.has("grave"),
  changes: asked.has("changes"),
  many: Number(asked.get("many") ?? 0),
  theme: theme === "dark" || theme === "light" ? theme : "system",
});
Object.assign(window, { fake: host });

const target = document.getElementById("app");
if (target) mount(App, { target, props: { host } });
