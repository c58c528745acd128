import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";

/** The rules of the real window, so that the page in a browser breaks where the window would. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'none'; base-uri 'none'; form-action 'none'";

export default defineConfig(({ command, mode }) => ({
  base: mode === "fake" ? "./" : "/",
  plugins: [
    svelte(),
    svelteTesting(),
    {
      name: "content-security-policy",
      transformIndexHtml: (html) =>
        command === "build" && mode === "fake"
          ? html.replace(
              "<head>",
              `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
            )
          : html,
    },
  ],
  clearScreen: false,
  server: { port: 1420, strictPort: true, host: "127.0.0.1" },
  build: {
    target: "safari16",
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    outDir: mode === "fake" ? "../target/page" : "dist",
    emptyOutDir: true,
    rollupOptions: { input: mode === "fake" ? "fake.html" : "index.html" },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.ts"],
    setupFiles: ["src/setup.test-env.ts"],
    restoreMocks: true,
    // Looking things up by role is slow in jsdom, and slower on a busy machine.
    testTimeout: 30_000,
  },
}));
