import { defineConfig } from "vitest/config";

/** The whole page in a real browser; `npm run test:page` builds it first. */
export default defineConfig({
  test: {
    environment: "node",
    include: ["tests/**/*.page.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
