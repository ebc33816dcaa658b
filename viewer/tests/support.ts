import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import type {} from "../src/hooks";

/** From the environment: what the tests run, and where the robots are. */
function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name}: found nothing in the environment, expected a path`);
  return value;
}

export const tool = (): string => setting("CUTTLE_TOOL");
export const model = (path: string): string => join(setting("CUTTLE_MODELS"), path);

/** A folder for a test's files. */
export const folder = mkdtempSync(join(process.env.CUTTLE_TEST_FOLDER ?? tmpdir(), "cuttle-viewer-"));

/** Runs the tool; what it prints is in the error if it fails. */
export function cuttle(...parameters: string[]): string {
  return execFileSync(tool(), parameters, { encoding: "utf8", cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
}

/** A model's scenario, simulated: NAME.h5 and NAME.csv in the folder. */
export function simulate(scenario: string, name: string, ...options: string[]): Table {
  cuttle("simulate", model(scenario), "-o", `${name}.h5`, "--csv", ...options);
  return readTable(readFileSync(join(folder, `${name}.csv`), "utf8"));
}

/** Rows of a CSV file by the names of its columns. */
export type Table = Map<string, number[]>;

export function readTable(text: string): Table {
  const [head, ...rows] = text.trimEnd().split("\n");
  const cells = rows.map((row) => row.split(",").map((cell) => (cell === "" ? NaN : Number(cell))));
  return new Map(head.split(",").map((name, column) => [name, cells.map((row) => row[column])]));
}

export function column(table: Table, name: string): number[] {
  const values = table.get(name);
  if (!values) throw new Error(`table: found no column '${name}', expected one of ${[...table.keys()].join(", ")}`);
  return values;
}

/** Chromium, drawing without a graphics card. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env.CUTTLE_CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) {
    throw new Error(`chromium: found no '${executablePath}'. Install it: scripts/setup.sh test   (on Debian: apt-get install chromium)`);
  }
  const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const software = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...quiet, ...software] });
}

export const desktop = { width: 1280, height: 720 };
export const phone = { width: 390, height: 844 };

/** A page of the browser with what went wrong in it. */
export interface Opened {
  page: Page;
  /** Errors and warnings of the console, exceptions, and requests that left the page. */
  complaints: string[];
}

/** How long to wait for a state of a page [ms]: many times what a quiet machine needs, since others may compute beside. */
const k_patience = 300000;

/** Opens an address and waits until the robot is there. */
export async function open(browser: Browser, address: string, viewport = desktop): Promise<Opened> {
  const touch = viewport.width < 500;
  const page = await browser.newPage({ viewport, hasTouch: touch, isMobile: touch, acceptDownloads: true });
  page.setDefaultTimeout(k_patience);
  page.setDefaultNavigationTimeout(k_patience);
  const complaints: string[] = [];
  page.on("console", (message) => {
    // what software rendering says of itself is no fault of the page
    const ofDriver = message.text().includes("GPU stall due to ReadPixels");
    if (["error", "warning"].includes(message.type()) && !ofDriver) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    const own = new URL(address);
    const inside = ["data:", "blob:"].includes(protocol) || (protocol === own.protocol && host === own.host);
    if (!inside) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  await page.evaluate(() => window.cuttle.ready);
  return { page, complaints };
}

export const fileAddress = (name: string): string => `file://${join(folder, name)}`;

/** Waits until a condition of the page holds. */
export async function until(page: Page, condition: string, what: string): Promise<void> {
  await page.waitForFunction(condition, undefined, { timeout: k_patience }).catch((error: Error) => {
    throw new Error(`${what}: expected ${condition} within ${k_patience / 1000} s, found: ${error.message}`);
  });
}

/** What reaches out of the window sideways: selectors of elements, for a message. */
export function overflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const out: string[] = [];
    if (document.documentElement.scrollWidth > window.innerWidth) out.push(`page: ${document.documentElement.scrollWidth}`);
    for (const item of document.querySelectorAll("button, input, select, h1, h2, h3, canvas, .entry, .clock")) {
      const { left, right, width } = item.getBoundingClientRect();
      if (width > 0 && (left < -1 || right > window.innerWidth + 1)) out.push(`${item.tagName} ${item.className} ${left} .. ${right}`);
    }
    return out;
  });
}
