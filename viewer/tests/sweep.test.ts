import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { cuttle, fileAddress, folder, open, type Opened, openBrowser, overflow, phone, tool, until } from "./support";

// A cart of mass m that a force F pushes from rest for 2 s: its tip is at x = 0.5 m + F t^2 / (2 m).
const k_cart = `cuttle: 1
name: cart
gravity: [0, 0, 0]
links:
- {name: cart, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0], tip: {position: [0.5, 0, 0]}}}
actuators: [{name: motor, type: joint, link: cart}]
`;
const k_pushed = `cuttle: 1
robot: cart.yaml
simulation: {duration: 2, output_step: 0.01, integrator: {type: rk4, step: 0.01}, inputs: {motor: 3}}
`;

let browser: Browser;
let server: ChildProcess;
let served: Opened;
let page: Page;

/** Starts `cuttle view` of a sweep and reads where it is. */
function serve(...parameters: string[]): Promise<string> {
  server = spawn(tool(), ["view", ...parameters, "--port", "0", "--no-open"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    server.stdout!.on("data", (bytes: Buffer) => {
      text += bytes.toString();
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    server.on("exit", (code) => reject(new Error(`cuttle view: ended with ${code}, expected an address; said: ${text}`)));
  });
}

before(async () => {
  writeFileSync(join(folder, "cart.yaml"), k_cart);
  writeFileSync(join(folder, "pushed.yaml"), k_pushed);
  cuttle("sweep", "pushed.yaml", "--set", "links.cart.body.mass=-1:3:5", "--set", "simulation.inputs.motor=1,2,3", "--keep", "cart.tip.x", "--keep", "top=max:v", "-o", "cart.h5");
  browser = await openBrowser();
  served = await open(browser, await serve("cart.h5", "--bands", "cart.tip.x"));
  page = served.page;
});
after(async () => {
  server?.kill("SIGINT");
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Point {
  run: number;
  left: number;
  top: number;
  complete: boolean;
}
const points = (of: Page): Promise<Point[]> => of.evaluate(() => window.cuttle.points!());
async function click(of: Page, run: number): Promise<void> {
  const point = (await points(of)).find((one) => one.run === run)!;
  await of.mouse.click(point.left, point.top);
}

describe("the page of a sweep", () => {
  test("draws a point a run where its numbers are, and marks those that failed", async () => {
    const all = await points(page);
    assert.equal(all.length, 15);
    // masses -1 and 0 cannot be: runs 0 to 5
    assert.deepEqual(all.filter(({ complete }) => !complete).map(({ run }) => run), [0, 1, 2, 3, 4, 5]);
    const at = (run: number): Point => all.find((one) => one.run === run)!;
    // masses at equal distances; of one mass, forces at equal distances give positions at equal distances
    const step = at(9).left - at(6).left;
    assert.ok(step > 50, `distance of masses: found ${step} px`);
    assert.ok(Math.abs(at(12).left - at(9).left - step) < 0.01);
    assert.ok(Math.abs(at(6).top - at(7).top - (at(7).top - at(8).top)) < 0.01);
    // of F = 2: 4 m, 2 m and 4/3 m from the start
    const part = (at(10).top - at(7).top) / (at(13).top - at(7).top);
    assert.ok(Math.abs(part - (4 - 2) / (4 - 4 / 3)) < 1e-6, `positions of F = 2: found the part ${part}`);
  });

  test("shows a run that is clicked, made again", async () => {
    await click(page, 7);
    assert.equal(await page.evaluate(() => window.cuttle.chosenRun!()), 7);
    const words = await page.locator(".run-words").innerText();
    assert.ok(words.includes("run 7") && words.includes("4.50000 m"), `words: found '${words}'`);
    await page.locator("iframe").waitFor();
    const ready = `document.querySelector("iframe")?.contentWindow?.cuttle?.isReady === true`;
    await until(page, ready, "the run's page");
    const inside = `document.querySelector("iframe").contentWindow.cuttle`;
    await page.evaluate(`${inside}.setTime(${inside}.duration)`);
    // of F = 2 N and m = 1 kg after 2 s
    await until(page, `Math.abs(${inside}.tipPosition()[0] - 4.5) < 1e-3`, "the tip at the end of the run");
  });

  test("says why a run failed", async () => {
    await click(page, 2);
    const words = await page.locator(".run-words").innerText();
    assert.ok(words.includes("failed:") && words.includes("mass"), `words: found '${words}'`);
    await page.frameLocator("iframe").getByText("run 2:").waitFor();
  });

  test("takes other columns as axes and no color", async () => {
    const before = await points(page);
    await page.getByLabel("y", { exact: true }).selectOption("top");
    await page.getByLabel("x", { exact: true }).selectOption("simulation.inputs.motor");
    await page.getByLabel("color", { exact: true }).selectOption("");
    const now = await points(page);
    const left = (run: number): number => now.find((one) => one.run === run)!.left;
    assert.equal(left(6), left(9));
    assert.notEqual(before.find(({ run }) => run === 9)!.left, left(9));
  });

  test("has the band over time", async () => {
    assert.equal(await page.locator(".sweep-plots .panel canvas").count(), 1);
    assert.ok((await page.locator(".sweep-plots .panel .note").innerText()).includes("9 runs"));
  });

  test("is quiet, and asks nobody else", () => {
    const ours = served.complaints.filter((text) => !text.includes("404"));  // the run that cannot be made
    assert.deepEqual(ours, []);
  });
});

test("a page alone says the command that shows a run, also on a phone", async () => {
  cuttle("view", "cart.h5", "-o", "alone.html", "--no-open");
  const { page: alone, complaints } = await open(browser, fileAddress("alone.html"), phone);
  assert.deepEqual(await overflow(alone), []);
  await click(alone, 8);
  assert.equal(await alone.locator("code").innerText(), "cuttle view cart.h5 --run 8");
  cuttle("view", "cart.h5", "--run", "8", "--no-open");
  const { page: run } = await open(browser, fileAddress("cart_run_8.html"));
  assert.equal(await run.evaluate(() => window.cuttle.kind), "report");
  assert.deepEqual(complaints, []);
});
