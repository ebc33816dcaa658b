import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { folder, model, open, type Opened, openBrowser, overflow, phone, tool, until } from "./support";

const k_joint = "shoulder.joint";

/** What tests look at inside of the stage. */
interface Viewed {
  view: {
    camera: { updateMatrixWorld(): void; position: { x: number; toArray(): number[] }; matrixWorldInverse: { elements: number[] }; projectionMatrix: { elements: number[] } };
    controls: { target: { x: number }; dispatchEvent(event: { type: string }): void };
  };
  recent: { clear(): void };
}

let browser: Browser;
const servers: ChildProcess[] = [];
let address: string;
let opened: Opened;
let page: Page;

/** Starts `cuttle live` and reads from its first line where it is. */
function startServer(...parameters: string[]): Promise<string> {
  const server = spawn(tool(), ["live", ...parameters, "--port", "0", "--no-open", "--output-dir", folder], { stdio: ["ignore", "pipe", "inherit"] });
  servers.push(server);
  return new Promise((resolve, reject) => {
    let text = "";
    server.stdout!.on("data", (bytes: Buffer) => {
      text += bytes.toString();
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    server.on("exit", (code) => reject(new Error(`cuttle live: ended with ${code}, expected an address; said: ${text}`)));
  });
}

const tipOf = (of: Page): Promise<number[]> => of.evaluate(() => window.cuttle.tipPosition!());
const distance = (a: number[], b: number[]): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const timeOf = (of: Page): Promise<number> => of.evaluate(() => window.cuttle.time!);

/** Waits until the robot has moved on by so much of its own time, however long a slow machine takes for it. */
async function pass(of: Page, seconds: number): Promise<void> {
  await until(of, `cuttle.time > ${(await timeOf(of)) + seconds}`, "time going on");
}

/** Waits until the time that the page shows stands: a frame may be on its way. */
async function standing(of: Page): Promise<number> {
  for (let last = NaN; ; ) {
    const now = await timeOf(of);
    if (now === last) return now;
    last = now;
    await of.waitForTimeout(500);
  }
}

/** Begins again. Paused meanwhile: a slow browser must not miss the short time after a reset. */
async function reset(): Promise<void> {
  await page.locator('button[aria-label="Pause"]').click();
  await page.locator('button[aria-label="Go on"]').waitFor();
  await page.locator('button[aria-label="Reset"]').click();
  await until(page, "cuttle.time < 0.05", "time after a reset");
  await page.locator('button[aria-label="Go on"]').click();
  await page.locator('button[aria-label="Pause"]').waitFor();
}

before(async () => {
  browser = await openBrowser();
  address = await startServer(model("pustina2025/hybrid_arm.yaml"));
  opened = await open(browser, address, { width: 1280, height: 720 });
  page = opened.page;
});
after(async () => {
  await browser?.close();
  for (const server of servers) {
    server.removeAllListeners("exit");
    server.kill("SIGINT");
  }
  rmSync(folder, { recursive: true, force: true });
});

describe("the live page", () => {
  test("shows the robot, and its time goes on", async () => {
    await until(page, "cuttle.time > 0.1", "time");
    const statistics = await page.evaluate(() => window.cuttle.pixelStatistics!());
    assert.ok(statistics.covered > 0.003 && statistics.colors > 12, JSON.stringify(statistics));
    assert.deepEqual(await overflow(page), []);
  });

  test("a slider moves a joint, and the tip with it", async () => {
    // without gravity and from rest nothing but the slider moves the robot
    await page.locator('button[aria-label="Gravity"]').click();
    await until(page, `document.querySelector('button[aria-label="Gravity"]').getAttribute("aria-pressed") === "false"`, "gravity");
    await reset();
    const still = await tipOf(page);
    await pass(page, 0.2);
    const later = await tipOf(page);
    assert.ok(distance(still, later) < 1e-3, `tip without the slider: moved by ${distance(still, later)}`);
    const slider = page.locator(`.slider[data-name^="${k_joint}"]`).first();
    const start = Number(await slider.locator("input[type=number]").inputValue());
    const target = start + 0.6;
    await slider.locator("input[type=number]").fill(String(target));
    await slider.locator("input[type=number]").press("Enter");
    await page.waitForFunction((tip) => {
      const now = window.cuttle.tipPosition!();
      return Math.hypot(now[0] - tip[0], now[1] - tip[1], now[2] - tip[2]) > 0.1;
    }, later);
    assert.equal(await slider.locator(".hold").textContent(), "held");
    await slider.locator(".hold").click();
    await until(page, `document.querySelector('.slider[data-name^="${k_joint}"] .hold').textContent === "free"`, "the joint let go");
  });

  test("dragging the robot pushes it", async () => {
    await reset();
    const before_ = await tipOf(page);
    const at = await page.evaluate(() => {
      const { stage, tipPosition } = window.cuttle;
      const { camera } = (stage as unknown as Viewed).view;
      const times = (m: number[], v: number[]): number[] => [0, 1, 2, 3].map((r) => m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] * v[3]);
      const clip = times(camera.projectionMatrix.elements, times(camera.matrixWorldInverse.elements, [...tipPosition!(), 1]));
      const box = document.querySelector(".stage canvas")!.getBoundingClientRect();
      return { x: box.left + (0.5 + clip[0] / clip[3] / 2) * box.width, y: box.top + (0.5 - clip[1] / clip[3] / 2) * box.height };
    });
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    for (let i = 1; i <= 8; i++) await page.mouse.move(at.x - 10 * i, at.y - 5 * i);
    await page.waitForFunction((tip) => {
      const now = window.cuttle.tipPosition!();
      return Math.hypot(now[0] - tip[0], now[1] - tip[1], now[2] - tip[2]) > 0.02;
    }, before_);
    await page.mouse.up();
  });

  test("pauses, and steps while it is paused", async () => {
    await page.locator('button[aria-label="Pause"]').click();
    await page.locator('button[aria-label="Go on"]').waitFor();
    const paused = await standing(page);
    await page.waitForTimeout(200);
    assert.equal(await timeOf(page), paused);
    await page.locator('button[aria-label="One step"]').click();
    await until(page, `cuttle.time > ${paused}`, "time after a step");
    await page.locator('button[aria-label="Go on"]').click();
    await until(page, `cuttle.time > ${paused + 0.2}`, "time after going on");
  });

  test("keys act whatever was clicked last", async () => {
    const state = (label: string): Promise<string | null> => page.locator(`button[aria-label="${label}"]`).getAttribute("aria-pressed");
    const gravity = await state("Gravity");
    await page.locator('button[aria-label="Gravity"]').click();
    await until(page, `document.querySelector('button[aria-label="Gravity"]').getAttribute("aria-pressed") !== "${gravity}"`, "gravity");
    await page.keyboard.press(" ");
    await page.locator('button[aria-label="Go on"]').waitFor();
    assert.notEqual(await state("Gravity"), gravity, "the space bar switched gravity");
    await page.keyboard.press("g");
    await until(page, `document.querySelector('button[aria-label="Gravity"]').getAttribute("aria-pressed") === "${gravity}"`, "gravity by its key");
    const field = page.locator(".slider input[type=number]").first();
    await field.focus();
    await page.keyboard.press("g");
    await field.press("Enter");
    await page.keyboard.press(" ");
    await page.locator('button[aria-label="Pause"]').waitFor();
    // what was sent before has been answered by now
    assert.equal(await state("Gravity"), gravity, "who types a number presses no keys of the page");
  });

  test("saves the state and records", async () => {
    const saved = page.locator(".banner", { hasText: "written" });
    await page.locator('button[aria-label="Save the state as a scenario"]').click();
    await saved.waitFor();
    const scenario = /(\S+\.yaml)/.exec((await saved.textContent())!)![1];
    const text = readFileSync(join(folder, scenario), "utf8");
    assert.match(text, /robot\.gravity=\[0, 0, 0\]/, "gravity is switched off");
    await page.keyboard.press(" ");
    await page.locator('button[aria-label="Go on"]').waitFor();
    await page.keyboard.press(" ");
    await page.locator('button[aria-label="Pause"]').waitFor();
    assert.equal(readdirSync(folder).filter((name) => name.endsWith(".yaml")).length, 1, "the space bar saved once more");
    await page.locator('button[aria-label="Record"]').click();
    await page.locator(".recording").waitFor();
    await pass(page, 0.1);
    await page.locator('button[aria-label="Record"]').click();
    const recorded = page.locator(".banner", { hasText: ".h5" });
    await recorded.waitFor();
    const file = /(\S+\.h5)/.exec((await recorded.textContent())!)![1];
    assert.ok(existsSync(join(folder, file)), file);
  });

  test("a second browser watches until it takes control", async () => {
    const other = await open(browser, address, phone);
    await until(other.page, "cuttle.time > 0", "time of the second page");
    assert.match((await other.page.locator(".banner").first().textContent())!, /You are watching/);
    assert.ok(await other.page.locator(".slider input").first().isDisabled());
    assert.deepEqual(await overflow(other.page), []);
    await other.page.getByRole("button", { name: "Take control" }).click();
    await until(other.page, '!document.querySelector(".slider input").disabled', "sliders of the second page");
    assert.equal(await other.page.locator(".banner", { hasText: "watching" }).count(), 0);
    await page.locator(".banner", { hasText: "You are watching" }).waitFor();
    assert.ok(await page.locator(".slider input").first().isDisabled());
    assert.deepEqual(opened.complaints, []);
    await page.close();
    assert.deepEqual(other.complaints, []);
    page = other.page;
  });

  test("says that the connection is lost", async () => {
    servers[0].removeAllListeners("exit");
    servers[0].kill("SIGINT");
    await page.locator(".banner", { hasText: "connection" }).waitFor();
  });
});

describe("set-points of controllers", () => {
  test("are sliders, and the robot goes there", async () => {
    const { page: flight } = await open(browser, await startServer(model("examples/drone_arm_scenario.yaml")), { width: 1280, height: 720 });
    await until(flight, "cuttle.time > 0.1", "time");
    const group = flight.locator('section[aria-label="Set-points"]');
    assert.deepEqual(await group.locator(".slider .name").allTextContents(), ["hold: x", "hold: y", "hold: z"]);
    // the drone, which is held there: where its arm is depends on when, as tendons bend it meanwhile
    const place = (): number => window.cuttle.tipPosition!(0, 0)[1];
    const still = await flight.evaluate(place);
    const field = group.locator(".slider input[type=number]").nth(1);
    const unit = await group.locator(".slider .number .quiet").nth(1).textContent();
    await field.fill(unit === "mm" ? "200" : unit === "cm" ? "20" : "0.2");
    await field.press("Enter");
    await flight.waitForFunction((y) => window.cuttle.tipPosition!(0, 0)[1] - y > 0.1, still);
    await flight.close();
  });
});

describe("the camera of the live page", () => {
  let swing: Page;

  before(async () => {
    const { page } = await open(browser, await startServer(model("examples/pendulum.yaml")), { width: 900, height: 560 });
    swing = page;
    await until(swing, "cuttle.time > 0.3", "time");
    await swing.keyboard.press("g");
  });

  const camera = (): Promise<number[]> => swing.evaluate(() => (window.cuttle.stage as unknown as Viewed).view.camera.position.toArray());
  /** Whether the tip is in the picture. */
  const inside = (): boolean => {
    const { camera } = (window.cuttle.stage as unknown as Viewed).view;
    const times = (m: number[], v: number[]): number[] => [0, 1, 2, 3].map((r) => m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] * v[3]);
    const clip = times(camera.projectionMatrix.elements, times(camera.matrixWorldInverse.elements, [...window.cuttle.tipPosition!(), 1]));
    return Math.abs(clip[0]) < clip[3] && Math.abs(clip[1]) < clip[3];
  };
  const isInside = (): Promise<boolean> => swing.evaluate(inside);
  /** Waits until the robot is in sight and the camera stands. */
  async function settled(what: string): Promise<void> {
    await swing.waitForFunction(inside).catch(() => assert.fail(what));
    await until(swing, "cuttle.stage.view.glide === 0", "the camera's way");
    assert.ok(await isInside(), what);
  }
  /** Turns the joint; after it the robot is there. */
  async function turn(angle: number): Promise<void> {
    const field = swing.locator(".slider input[type=number]").first();
    await field.fill(String(angle));
    await field.press("Enter");
    await swing.waitForFunction((q) => {
      const [x, , z] = window.cuttle.tipPosition!();
      return Math.hypot(x + Math.sin(q), z + Math.cos(q)) < 0.1;
    }, angle);
  }

  test("follows a robot that leaves the picture, and then stands", async () => {
    const start = await camera();
    await turn(2.8);
    await settled("the camera lost the robot");
    assert.ok(distance(await camera(), start) > 0.05, "the camera stood: the test shows nothing");
    // on a busy machine the robot may still be on its way
    let followed = start;
    let moved = Infinity;
    for (let second = 0; second < 20 && moved > 1e-9; ++second) {
      followed = await camera();
      await pass(swing, 1.0);
      moved = distance(await camera(), followed);
    }
    assert.ok(moved <= 1e-9, "the camera moves though the robot is in sight");
  });

  test("stands while the user holds it", async () => {
    // long ago: only where the robot is now counts
    await swing.evaluate(() => (window.cuttle.stage as unknown as Viewed).recent.clear());
    await until(swing, "cuttle.stage.recent.balls.length > 0", "the robot's place");
    await swing.keyboard.press("1");
    const start = await camera();
    const box = (await swing.locator(".stage canvas").first().boundingBox())!;
    await swing.mouse.move(box.x + box.width - 30, box.y + 30);
    await swing.mouse.down({ button: "right" });
    await turn(0);
    assert.ok(!(await isInside()), "the tip is in the picture: the test shows nothing");
    assert.ok(distance(await camera(), start) < 1e-9, "the camera moved in the user's hand");
    await swing.mouse.up({ button: "right" });
    await settled("the camera lost the robot");
  });

  test("comes back by key and by button", async () => {
    for (const back of [() => swing.keyboard.press("f"), () => swing.locator('button[aria-label="Whole robot"]').click()]) {
      // the user holds it, or it would come by itself
      await swing.evaluate(() => {
        const { camera, controls } = (window.cuttle.stage as unknown as Viewed).view;
        controls.dispatchEvent({ type: "start" });
        camera.position.x += 50;
        controls.target.x += 50;
        camera.updateMatrixWorld();
      });
      assert.ok(!(await isInside()));
      await back();
      await settled("the robot is out of sight");
      await swing.evaluate(() => (window.cuttle.stage as unknown as Viewed).view.controls.dispatchEvent({ type: "end" }));
    }
  });
});
