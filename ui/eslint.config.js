import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["dist", "node_modules", "src/lib/bindings"] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      eqeqeq: "error",
      "no-console": "error",
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            { group: ["@tauri-apps/*"], message: "only lib/host/tauri.ts talks to Tauri" },
          ],
        },
      ],
    },
  },
  { files: ["src/lib/host/tauri*.ts"], rules: { "no-restricted-imports": "off" } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: {
      "prefer-const": "off",
      "svelte/prefer-const": "error",
      // A space that has to stay is written as an expression.
      "svelte/no-useless-mustaches": "off",
      // State that is a set or a map is replaced as a whole, never changed.
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
  { files: ["tests/**", "*.config.*"], languageOptions: { globals: { ...globals.node } } },
);
