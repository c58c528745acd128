import type { ErrorView } from "./bindings/ErrorView";

function isErrorView(thrown: object): thrown is ErrorView {
  return (
    "code" in thrown &&
    typeof thrown.code === "string" &&
    "message" in thrown &&
    typeof thrown.message === "string"
  );
}

/**
 * Whatever was thrown, as an error that can be shown. The check of permissions in front of the
 * commands throws plain strings.
 */
export function asError(thrown: unknown): ErrorView {
  if (typeof thrown === "object" && thrown !== null && isErrorView(thrown)) {
    return { ...thrown, hint: thrown.hint ?? null, causes: thrown.causes ?? [] };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "internal", message, hint: null, causes: [] };
}
