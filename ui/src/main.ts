import { mount } from "svelte";
import App from "./App.svelte";
import { tauriHost } from "./lib/host/tauri";
import "./styles/tokens.css";
import "./styles/base.css";

const target = document.getElementById("app");
if (target) mount(App, { target, props: { host: tauriHost } });
