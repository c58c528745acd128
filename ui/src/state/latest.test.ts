import { expect, test } from "vitest";
import { Latest } from "./latest.svelte";

interface View {
  revision: number;
  what: string;
}

/** A question whose answers the test gives when it likes. */
function asked() {
  const waiting: ((view: View) => void)[] = [];
  const failing: ((thrown: unknown) => void)[] = [];
  const latest = new Latest<View>(
    () =>
      new Promise((resolve, reject) => {
        waiting.push(resolve);
        failing.push(reject);
      }),
  );
  return { latest, waiting, failing };
}

test("a reply with an older revision is dropped", () => {
  const { latest } = asked();
  expect(latest.accept({ revision: 7, what: "new" })).toBe(true);
  expect(latest.accept({ revision: 6, what: "old" })).toBe(false);
  expect(latest.view?.what).toBe("new");
});

test("a reply with the same revision is taken", () => {
  const { latest } = asked();
  latest.accept({ revision: 7, what: "one" });
  expect(latest.accept({ revision: 7, what: "two" })).toBe(true);
  expect(latest.view?.what).toBe("two");
});

test("questions while one is on its way become one further question", async () => {
  const { latest, waiting } = asked();
  const done = latest.refresh();
  void latest.refresh();
  void latest.refresh();
  expect(waiting.length).toBe(1);
  waiting[0]?.({ revision: 1, what: "first" });
  await Promise.resolve();
  await Promise.resolve();
  await Promise.resolve();
  expect(waiting.length).toBe(2);
  waiting[1]?.({ revision: 2, what: "second" });
  await done;
  expect(waiting.length).toBe(2);
  expect(latest.view?.what).toBe("second");
  expect(latest.asking).toBe(false);
});

test("an error keeps what was there, and the next answer takes it away", async () => {
  const { latest, waiting, failing } = asked();
  latest.accept({ revision: 1, what: "kept" });
  const failed = latest.refresh();
  failing[0]?.({ code: "disk", message: "no", hint: null, causes: [] });
  await failed;
  expect(latest.view?.what).toBe("kept");
  expect(latest.error?.message).toBe("no");
  const again = latest.refresh();
  waiting[1]?.({ revision: 2, what: "there" });
  await again;
  expect(latest.error).toBeNull();
});
