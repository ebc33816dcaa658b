import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { column, cuttle, fileAddress, folder, open, type Opened, openBrowser, readTable } from "./support";

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// 0.5 m/s and friction 0.5: it slides for 0.102 s, on its four lower corners
const block = `cuttle: 1
name: block
gravity: [0, 0, -9.81]
links:
  - name: block
    attach: {pose: {position: [0, 0, 0.02]}}
    joint: {type: free}
    contact: {shape: box, size: [0.1, 0.06, 0.04]}
    body: {type: rigid, mass: 0.2, inertia: [1.0e-4, 2.0e-4, 2.0e-4, 0, 0, 0]}
obstacles: [{name: ground, shape: plane}]
contacts: [{name: floor, a: block, b: ground, modulus: 1.0e+7, friction: 0.5, record: sites}]
`;
const slide = `cuttle: 1
robot: block.yaml
simulation: {duration: 0.3, output_step: 0.01, initial: {block: {v: [0, 0, 0, 0.5, 0, 0]}}}
`;

describe("a block that slides and comes to rest", () => {
  let opened: Opened;
  before(async () => {
    writeFileSync(join(folder, "block.yaml"), block);
    writeFileSync(join(folder, "slide.yaml"), slide);
    cuttle("simulate", "slide.yaml", "-o", "slide.h5", "--csv");
    cuttle("view", "slide.h5", "--no-open");
    opened = await open(browser, fileAddress("slide.html"));
  });
  const counts = (time: number): Promise<number[]> =>
    opened.page.evaluate((t) => {
      window.cuttle.setTime!(t);
      window.cuttle.pixelStatistics!(); // draws
      return window.cuttle.stage!.dotCounts();
    }, time);

  test("has a dot for each site, in the color of what it does", async () => {
    assert.deepEqual(await counts(0.05), [4, 0, 4]);
    assert.deepEqual(await counts(0.25), [4, 4, 0]);
    const table = readTable(readFileSync(join(folder, "slide.csv"), "utf8"));
    const name = [...table.keys()].find((key) => key.endsWith("sites.state.0"));
    assert.ok(name !== undefined, `columns: found ${[...table.keys()].join(", ")}`);
    const times = column(table, "time");
    for (const row of [3, 8, 15, 30]) {
      const expected = [0, 0, 0];
      for (let k = 0; k < 8; ++k) ++expected[column(table, name.replace(/0$/, String(k)))[row]];
      assert.deepEqual(await counts(times[row]), expected, `at ${times[row]} s`);
    }
  });

  test("hides them with the loads", async () => {
    const shown = async (visible: boolean): Promise<{ mean: number[] | number; colors: number }> =>
      opened.page.evaluate((v) => {
        window.cuttle.stage!.setVisible("loads", v);
        return window.cuttle.pixelStatistics!() as never;
      }, visible);
    const withDots = await shown(true);
    const without = await shown(false);
    assert.notDeepEqual(withDots, without);
  });

  test("complains of nothing", () => assert.deepEqual(opened.complaints, []));
});
