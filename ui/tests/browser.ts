/** The built page on the fake host in Chromium, served from this machine to itself. */
import AxeBuilder from "@axe-core/playwright";
import { createServer, type Server } from "node:http";
import { mkdir, readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { FakeHost } from "../src/lib/host/fake";

const BUILT = process.env.PAGE ?? fileURLToPath(new URL("../../target/page", import.meta.url));
const PICTURES =
  process.env.SCREENSHOTS ??
  fileURLToPath(new URL("../../target/screenshots/page", import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
};

export type Theme = "light" | "dark";

export interface Look {
  theme?: Theme;
  width?: number;
  height?: number;
  /** What to play, as in `first` or `many=10000`. */
  play?: string;
  reducedMotion?: boolean;
}

/** A browser and the pages opened in it. */
class Window {
  #browser: Browser;
  #server: Server;
  #complaints: string[] = [];

  private constructor(browser: Browser, server: Server) {
    this.#browser = browser;
    this.#server = server;
  }

  static async open(): Promise<Window> {
    const server = createServer((request, response) => {
      const path = normalize(new URL(request.url ?? "/", "http://page").pathname);
      readFile(join(BUILT, path)).then(
        (body) => {
          response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain" });
          response.end(body);
        },
        () => {
          response.writeHead(path === "/favicon.ico" ? 204 : 404);
          response.end();
        },
      );
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    await mkdir(PICTURES, { recursive: true });
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--force-color-profile=srgb"],
    });
    return new Window(browser, server);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await new Promise((closed) => this.#server.close(closed));
  }

  async page(look: Look = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: look.width ?? 1240, height: look.height ?? 800 },
      colorScheme: look.theme ?? "light",
      reducedMotion: look.reducedMotion === false ? "no-preference" : "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    page.on("pageerror", (error) => this.#complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") {
        this.#complaints.push(message.text());
      }
    });
    const { port } = this.#server.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/fake.html?${look.play ?? ""}&pace=4`);
    return page;
  }

  /** What the pages complained about since the last time this was asked. */
  complaints(): string[] {
    return this.#complaints.splice(0);
  }
}

/** Opens a browser for a file of tests; whatever a page complains about fails the test. */
export function browser(): Pick<Window, "page"> {
  let window: Window;
  beforeAll(async () => {
    window = await Window.open();
  });
  afterAll(() => window.close());
  afterEach(() => {
    expect(window.complaints()).toEqual([]);
  });
  return { page: (look) => window.page(look) };
}

/** The rows of the list; the choices of a filter are options too. */
export const rows = (page: Page) => page.locator("[role=option]");
export const row = (page: Page, name: string) =>
  rows(page).filter({ has: page.getByText(name, { exact: true }) });
export const place = (page: Page, name: RegExp) =>
  page.getByRole("navigation").getByRole("button", { name });
export const tab = (page: Page, name: string | RegExp) => page.getByRole("tab", { name });
export const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
/** What has the keyboard, by its name. */
export const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute("aria-label") ?? element?.textContent?.trim() ?? "";
  });

/** Does something to the host in memory; `act` is sent as text. */
export const fake = (page: Page, act: (host: FakeHost) => void): Promise<void> =>
  page.evaluate(`(${act.toString()})(window.fake)`);

/** Opens a skill of the list. */
export async function skill(page: Page, name: string): Promise<void> {
  await row(page, name).click();
  await page.getByRole("heading", { name, exact: true, level: 2 }).waitFor();
}

/** Takes a picture once the page stands still. */
export async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Asks axe about all its rules, or only these; everything it finds fails the test. */
export async function accessible(page: Page, rules: string[] = []): Promise<void> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules.length > 0 ? axe.withRules(rules) : axe).analyze();
  const found = violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.html} ${node.failureSummary ?? ""}`),
  );
  expect(found).toEqual([]);
}

/** Nothing that matters may lie outside of the window. */
export async function nothingCutOff(page: Page): Promise<void> {
  const wide = await page.evaluate(() => ({
    page: document.documentElement.scrollWidth,
    window: window.innerWidth,
    outside: [...document.querySelectorAll("button, input, select, h1, h2, [role=tab]")]
      .filter((element) => {
        const box = element.getBoundingClientRect();
        const seen = box.width > 2 && box.height > 2 && element.checkVisibility();
        return (
          seen &&
          !element.closest(".scroll, .tabs") &&
          (box.right > window.innerWidth + 1 || box.left < -1)
        );
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  }));
  expect(wide.page).toBeLessThanOrEqual(wide.window);
  expect(wide.outside).toEqual([]);
}

/** What is looked at: how to get there. */
export interface View {
  name: string;
  play?: string;
  go: (page: Page) => Promise<unknown>;
}

/** A test for each view: no complaint of axe and nothing cut off, in both themes and two sizes. */
export function everyView(window: Pick<Window, "page">, views: View[]): void {
  test.each(views)("$name has no fault in either theme and either size", async (view) => {
    const { name, play, go } = view;
    const page = await window.page({ play });
    await go(page);
    await picture(page, `${name}-light`);
    await accessible(page);
    await nothingCutOff(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await picture(page, `${name}-dark`);
    await accessible(page, ["color-contrast"]);
    await page.setViewportSize({ width: 900, height: 600 });
    await picture(page, `${name}-dark-900`);
    await nothingCutOff(page);
    await page.emulateMedia({ colorScheme: "light" });
    await picture(page, `${name}-light-900`);
    await page.context().close();
  });
}
