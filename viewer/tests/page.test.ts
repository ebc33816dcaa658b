import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { validateBytes } from "gltf-validator";
import type { Browser, Download, Page } from "playwright-core";
import { column, cuttle, desktop, fileAddress, folder, model, open, type Opened, openBrowser, overflow, phone, readTable, simulate, type Table, until } from "./support";

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const near = (found: number, expected: number, tolerance: number, what: string): void =>
  assert.ok(Math.abs(found - expected) <= tolerance, `${what}: found ${found}, expected ${expected} +- ${tolerance}`);

async function downloaded(page: Page, action: () => Promise<unknown>): Promise<Buffer> {
  const [download] = (await Promise.all([page.waitForEvent("download"), action()])) as [Download, unknown];
  return readFileSync((await download.path())!);
}

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

describe("the report of a run", () => {
  let table: Table;
  let opened: Opened;
  let page: Page;
  before(async () => {
    table = simulate("pustina2025/hybrid_arm_scenario.yaml", "arm");
    cuttle("view", "arm.h5", "--no-open");
    opened = await open(browser, fileAddress("arm.html"));
    page = opened.page;
  });

  const pressed = (label: string): Promise<string | null> => page.locator(`button[aria-label="${label}"]`).getAttribute("aria-pressed");
  const time = (): Promise<number> => page.evaluate(() => window.cuttle.time!);
  const setTime = (value: number): Promise<void> => page.evaluate((t) => window.cuttle.setTime!(t), value);

  test("draws the robot, another picture at each time", async () => {
    const seen: string[] = [];
    for (const part of [0, 0.3, 0.7]) {
      await page.evaluate((t) => window.cuttle.setTime!(t * window.cuttle.duration!), part);
      const statistics = await page.evaluate(() => window.cuttle.pixelStatistics!());
      assert.ok(statistics.covered > 0.003 && statistics.covered < 0.9, `covered: found ${statistics.covered}`);
      assert.ok(statistics.colors > 12, `colors: found ${statistics.colors}`);
      assert.ok(statistics.deviation > 2, `deviation: found ${statistics.deviation}`);
      seen.push(`${statistics.covered} ${statistics.mean} ${statistics.deviation}`);
    }
    assert.equal(new Set(seen).size, seen.length, `pictures: found the same twice: ${seen.join("; ")}`);
  });

  test("has the tip where the result has it, at the times of rows", async () => {
    const times = column(table, "time");
    for (const row of [0, 37, 250, times.length - 1]) {
      await setTime(times[row]);
      const found = await page.evaluate(() => window.cuttle.tipPosition!());
      ["x", "y", "z"].forEach((axis, i) => {
        // frames are rounded to about a hundred thousandth of the robot
        near(found[i], column(table, `soft_finger.tip.${axis}`)[row], 5e-5, `tip.${axis} at ${times[row]} s`);
      });
    }
  });

  test("plots what the result has, every number of it", async () => {
    await until(page, "cuttle.panels().every(({ data }) => data.length > 0)", "panels");
    const panels = await page.evaluate(() => window.cuttle.panels!());
    assert.ok(panels.length >= 3, `panels: found ${panels.length}`);
    let compared = 0;
    for (const { lines, data } of panels) {
      assert.deepEqual(data[0], column(table, "time"));
      for (const [i, name] of lines.entries()) {
        if (!table.has(name)) continue; // computed for the page, not a column
        const expected = column(table, name);
        // both are written with all digits, but some are computed from q on two ways
        const tolerance = 1e-13 * Math.max(...expected.map(Math.abs));
        assert.equal(data[i + 1].length, expected.length);
        data[i + 1].forEach((value, row) => near(value!, expected[row], tolerance, `${name}, row ${row}`));
        compared++;
      }
    }
    assert.ok(compared >= 20, `curves that are columns: found ${compared}`);
  });

  test("saves a panel's numbers with all digits, and pictures", async () => {
    const csv = await downloaded(page, () => page.locator('button[aria-label="Save Configuration q of joints as CSV"]').first().click());
    const saved = readTable(csv.toString());
    assert.deepEqual(column(saved, "time [s]"), column(table, "time"));
    assert.deepEqual(column(saved, "shoulder.joint.q0 [rad]"), column(table, "shoulder.joint.q0"));
    const plot = await downloaded(page, () => page.locator('button[aria-label="Save Configuration q of joints as PNG"]').first().click());
    assert.deepEqual(plot.subarray(0, 4), png);
    const view = await downloaded(page, () => page.locator('button[aria-label="Save the view as PNG"]').click());
    assert.deepEqual(view.subarray(0, 4), png);
    assert.ok(view.length > 5000, `view: found ${view.length} bytes`);
  });

  test("reads values under the pointer, and a click sets the time of the robot", async () => {
    await page.locator(".panel .u-over").first().scrollIntoViewIfNeeded();
    const over = (await page.locator(".panel .u-over").first().boundingBox())!;
    await setTime(0);
    const legend = page.locator(".panel .plot-legend b").first();
    const atStart = await legend.textContent();
    await page.mouse.move(over.x + 0.62 * over.width, over.y + over.height / 2);
    await until(page, `document.querySelector(".panel .plot-legend b").textContent !== ${JSON.stringify(atStart)}`, "legend");
    assert.equal(await time(), 0, "reading must not move the robot");
    const row = Math.round(0.62 * (column(table, "time").length - 1));
    const read = Number((await legend.textContent())!.replace("\u2212", "-"));
    const around = column(table, "soft_finger.tip.x").slice(row - 2, row + 3);
    assert.ok(around.some((value) => Math.abs(value - read) <= 6e-4 * Math.abs(value)), `legend: found ${read}, expected one of ${around}`);
    await page.mouse.click(over.x + 0.62 * over.width, over.y + over.height / 2);
    const duration = await page.evaluate(() => window.cuttle.duration!);
    near(await time(), 0.62 * duration, 0.01 * duration, "time after a click");
    await page.mouse.move(300, 300);
  });

  test("plays on, at the chosen speed", async () => {
    await setTime(0);
    await page.keyboard.press("[");
    await page.keyboard.press("[");
    assert.equal(await page.locator(".timeline select").inputValue(), "0.2");
    await page.evaluate(() => window.cuttle.play!());
    await until(page, "cuttle.time > 0.05", "time while it plays");
    await page.evaluate(() => window.cuttle.pause!());
    const stopped = await time();
    await page.waitForTimeout(150);
    assert.equal(await time(), stopped);
    await page.keyboard.press("]");
    await page.keyboard.press("]");
    assert.equal(await page.locator(".timeline select").inputValue(), "1");
  });

  test("obeys keys", async () => {
    await page.mouse.click(400, 640);
    await page.keyboard.press("Home");
    assert.equal(await time(), 0);
    await page.keyboard.press("ArrowRight");
    assert.equal(await time(), column(table, "time")[1]);
    await page.keyboard.press("End");
    assert.equal(await time(), column(table, "time").at(-1));
    await page.keyboard.press("ArrowLeft");
    assert.equal(await time(), column(table, "time").at(-2));
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowRight");
    assert.equal(await time(), column(table, "time")[10]);
    await page.keyboard.press("Shift+ArrowLeft");
    assert.equal(await time(), 0);
    await page.keyboard.press(" ");
    assert.equal(await page.evaluate(() => window.cuttle.playing), true);
    await page.keyboard.press(" ");
    assert.equal(await page.evaluate(() => window.cuttle.playing), false);
    await page.keyboard.press("s");
    assert.equal(await pressed("Stroboscope"), "true");
    await page.keyboard.press("s");
    await page.keyboard.press("c");
    assert.equal(await pressed("Colors"), "true");
    const before_ = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.keyboard.press("t");
    assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), before_);
    await page.keyboard.press("?");
    assert.ok(await page.locator("dialog[open]").isVisible());
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog[open]").count(), 0);
  });

  test("obeys keys whatever was clicked last", async () => {
    const playing = (): Promise<boolean> => page.evaluate(() => window.cuttle.playing!);
    await page.evaluate(() => window.cuttle.pause!());
    await page.locator('button[aria-label="Stroboscope"]').click();
    assert.equal(await pressed("Stroboscope"), "true");
    await page.keyboard.press(" ");
    assert.equal(await playing(), true);
    assert.equal(await pressed("Stroboscope"), "true", "the space bar pressed the button");
    await page.keyboard.press("Enter"); // that is for what has the focus
    assert.equal(await pressed("Stroboscope"), "false");
    await page.locator('button[aria-label="Layers"]').click();
    const grid = page.locator(".check-line", { hasText: "Ground grid" }).locator("input");
    await grid.click();
    await page.keyboard.press(" ");
    assert.equal(await playing(), false);
    assert.equal(await grid.isChecked(), false, "the space bar changed the layer");
    await page.keyboard.press("Enter");
    assert.equal(await grid.isChecked(), true);
    await page.keyboard.press("Escape");
    await page.locator(".timeline select").selectOption("2");
    await page.locator(".timeline select").focus();
    await page.keyboard.press("Home");
    assert.equal(await time(), 0);
    await page.keyboard.press("[");
    assert.equal(await page.locator(".timeline select").inputValue(), "1");
    await page.getByRole("button", { name: "Curves" }).click();
    await page.getByRole("searchbox").press("s");
    assert.equal(await pressed("Stroboscope"), "false", "who types a name presses no keys of the page");
    await page.keyboard.press("Escape");
  });

  test("shows first where the tip goes and where the energy is, and nothing without meaning", async () => {
    await page.reload();
    await page.evaluate(() => window.cuttle.ready);
    await until(page, "cuttle.panels().every(({ data }) => data.length > 0)", "panels");
    const panels = await page.evaluate(() => window.cuttle.panels!());
    const titles = panels.map(({ title }) => title);
    assert.deepEqual(titles.slice(0, 3), ["Positions of tips", "Energies and works", "Configuration q of soft parts"]);
    assert.deepEqual(panels[0].lines, ["x", "y", "z"].map((axis) => `soft_finger.tip.${axis}`));
    for (const { title, unit, lines, data } of panels) {
      const largest = Math.max(...data.slice(1).flatMap((row) => row.map((value) => Math.abs(value!))));
      assert.ok(largest > 1e-9, `${title} [${unit}] of ${lines.join(", ")}: found nothing above ${largest}`);
    }
    assert.match((await page.locator(".panel .note").first().textContent())!, /^3 of \d+ shown$/);
    const balance = panels.some(({ title }) => title === "Energy balance error");
    const silent = (await page.locator(".silent").textContent())!;
    assert.ok(balance || silent.includes("Energy balance error"), `not shown: found '${silent}'`);
    assert.match(silent, /^Not shown: .*(\(zero\)|\(only rounding\))/);
  });

  for (const size of [desktop, { width: 1920, height: 1080 }, { width: 900, height: 560 }, phone]) {
    test(`nothing lies over the robot at ${size.width} x ${size.height}`, async () => {
      const { page: sized } = await open(browser, fileAddress("arm.html"), size);
      const covered = await sized.evaluate(() => {
        type Inside = { robots: { visible: boolean }; renderer: { domElement: HTMLCanvasElement } };
        const stage = window.cuttle.stage!;
        const inside = stage as unknown as Inside;
        for (const layer of ["grid", "shadow", "traces"] as const) stage.setVisible(layer, false);
        const canvas = inside.renderer.domElement;
        const tools = document.querySelector(".stage-tools")!.getBoundingClientRect();
        const page = canvas.getBoundingClientRect();
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [page.width, page.height];
        const context = copy.getContext("2d", { willReadFrequently: true })!;
        const pixels = (x: number, y: number, width: number, height: number): Uint8ClampedArray => {
          context.drawImage(canvas, 0, 0, copy.width, copy.height);
          return context.getImageData(x, y, width, height).data;
        };
        const differing = (time: number, box: [number, number, number, number]): number => {
          window.cuttle.setTime!(time);
          const one = pixels(...box);
          inside.robots.visible = false;
          stage.drawNow();
          const other = pixels(...box);
          inside.robots.visible = true;
          return one.filter((value, i) => value !== other[i]).length;
        };
        const duration = window.cuttle.duration!;
        const under = Array.from({ length: 9 }, (_, k) => differing((k / 8) * duration, [tools.left - page.left, tools.top - page.top, tools.width, tools.height]));
        const anywhere = differing(0, [0, 0, page.width, page.height]);
        return { under, anywhere };
      });
      assert.deepEqual(covered.under, Array(9).fill(0), "numbers of the robot's pixels under the tools");
      assert.ok(covered.anywhere > 3000, `the robot's pixels: found ${covered.anywhere}`);
      await sized.close();
    });
  }

  test("says on the page what colors mean", async () => {
    /** Pixels of the overlay that are of a color, and whether all of them are in its right half. */
    const ofColor = (color: string): Promise<{ count: number; right: boolean }> =>
      page.evaluate((color) => {
        window.cuttle.stage!.drawNow();
        const overlay = document.querySelectorAll<HTMLCanvasElement>(".stage canvas")[1];
        const copy = document.createElement("canvas"); // the page's own would warn of being read
        [copy.width, copy.height] = [overlay.width, overlay.height];
        const context = copy.getContext("2d", { willReadFrequently: true })!;
        context.drawImage(overlay, 0, 0);
        const { data, width } = context.getImageData(0, 0, copy.width, copy.height);
        const wanted = [1, 3, 5].map((place) => parseInt(color.slice(place, place + 2), 16));
        let count = 0;
        let right = true;
        for (let i = 0; i < data.length; i += 4) {
          if (data[i + 3] < 255 || wanted.some((value, channel) => Math.abs(data[i + channel] - value) > 8)) continue; // a gradient ends in it
          count++;
          right &&= (i / 4) % width > width / 2;
        }
        return { count, right };
      }, color);
    await page.evaluate(() => window.cuttle.stage!.setColoring("material"));
    assert.equal((await page.evaluate(() => window.cuttle.stage!.legends())).coloring, null);
    const most = "#fde725";
    assert.equal((await ofColor(most)).count, 0, "pixels of a legend that is not there");
    await page.evaluate(() => window.cuttle.stage!.setColoring("energy"));
    const { coloring } = await page.evaluate(() => window.cuttle.stage!.legends());
    assert.equal(coloring!.unit, "J/m³");
    assert.equal(coloring!.min, 0);
    assert.ok(coloring!.max > 0 && Number(coloring!.max.toPrecision(2)) === coloring!.max, `most: found ${coloring!.max}`);
    assert.equal(coloring!.colors.at(-1), most);
    const found = await ofColor(most);
    assert.ok(found.count > 10 && found.right, `pixels of the legend: found ${JSON.stringify(found)}`);
  });

  test("finds curves by name", async () => {
    await page.getByRole("button", { name: "Curves" }).click();
    await page.getByRole("searchbox").fill("forearm tip");
    const names = await page.locator(".picker .check-line span").allTextContents();
    assert.ok(names.length > 0 && names.every((name) => name.includes("forearm.tip")), `found ${names.join(", ")}`);
    await page.locator(".picker .check-line", { hasText: "forearm.tip.x" }).click();
    await until(page, 'cuttle.panels().some((panel) => panel.lines.includes("forearm.tip.x"))', "panel of forearm.tip.x");
    await page.keyboard.press("Escape");
  });

  test("fits a small laptop and a phone", async () => {
    assert.deepEqual(await overflow(page), []);
    const fits = await page.evaluate(() => document.documentElement.scrollHeight <= window.innerHeight);
    assert.ok(fits, `${desktop.width}x${desktop.height}: the page scrolls`);
    const small = await open(browser, fileAddress("arm.html"), phone);
    assert.deepEqual(await overflow(small.page), []);
    const tops = await small.page.evaluate(() => [".view", ".timeline", ".plots"].map((part) => document.querySelector(part)!.getBoundingClientRect().top));
    assert.ok(tops[0] < tops[1] && tops[1] < tops[2], `tops: found ${tops.join(", ")}, expected the robot, the timeline, the plots`);
    const sizes = await small.page.evaluate(() => [...document.querySelectorAll(".icon-button")].filter((button) => button.checkVisibility()).map((button) => button.getBoundingClientRect().height));
    assert.ok(Math.min(...sizes) >= 40, `buttons: found ${Math.min(...sizes)} px, expected 40 or more`);
    assert.deepEqual(small.complaints, []);
    await small.page.close();
  });

  test("asked for nothing outside and complained of nothing", () => assert.deepEqual(opened.complaints, []));
});

describe("the report of two runs", () => {
  test("shows both, and what B has more than A", async () => {
    const first = simulate("pustina2025/simulation6_pcc_scenario.yaml", "pcc", "--duration", "0.4");
    const second = simulate("pustina2025/simulation7_pac_scenario.yaml", "pac", "--duration", "0.4");
    cuttle("view", "--compare", "pcc.h5", "pac.h5", "-o", "both.html", "--no-open");
    const { page, complaints } = await open(browser, fileAddress("both.html"));
    const labels = await page.locator(".compared-legend > span").allTextContents();
    assert.ok(/^A.*pcc/.test(labels[0]) && /^B.*pac/.test(labels[1]), `legend: found ${labels.join(", ")}`);
    await until(page, "cuttle.panels().every(({ data }) => data.length > 0)", "panels");
    const panels = await page.evaluate(() => window.cuttle.panels!());
    const name = "segment2.tip.x";
    const both = panels.find(({ lines }) => lines.includes(`${name} \u00b7 A`) && lines.includes(`${name} \u00b7 B`));
    assert.ok(both, `${name}: found it in none of ${panels.map(({ lines }) => lines.join(" ")).join("; ")}`);
    const change = panels.find(({ lines }) => lines.includes(`${name} \u00b7 B\u2212A`))!;
    const found = change.data[1 + change.lines.indexOf(`${name} \u00b7 B\u2212A`)];
    const expected = column(second, name).map((value, row) => value - column(first, name)[row]);
    assert.equal(found.length, expected.length);
    found.forEach((value, row) => near(value!, expected[row], 1e-13, `${name}, row ${row}`));
    assert.ok(expected.some((value) => Math.abs(value) > 1e-6), "the two runs are the same: the test shows nothing");
    const one = await page.evaluate(() => [0, 1].map((run) => window.cuttle.tipPosition!(run)));
    await page.evaluate(() => window.cuttle.setTime!(0.4));
    const two = await page.evaluate(() => [0, 1].map((run) => window.cuttle.tipPosition!(run)));
    assert.notDeepEqual(one, two);
    near(two[0][0], column(first, name).at(-1)!, 5e-5, "tip of A");
    near(two[1][0], column(second, name).at(-1)!, 5e-5, "tip of B");
    assert.deepEqual(await overflow(page), []);
    assert.deepEqual(complaints, []);
    await page.close();
  });
});

describe("what was changed and what is wrong", () => {
  const stiffness = "robot.materials.silicone.young_modulus";

  test("stands on the page, also beside another run", async () => {
    const scenario = "examples/tendon_arm_scenario.yaml";
    simulate(scenario, "soft", "--duration", "0.2");
    simulate(scenario, "stiff", "--duration", "0.2", "--set", `${stiffness}=2.0e6`);
    cuttle("view", "stiff.h5", "--no-open");
    const one = await open(browser, fileAddress("stiff.html"));
    await one.page.locator('button[aria-label="About this run"]').click();
    const about = (await one.page.locator(".about").innerText()).replace(/\s+/g, " ");
    assert.ok(about.includes(`changed ${stiffness} = 2.0e6`), about);
    assert.ok(/rejected steps \d+/.test(about) && !/failures/.test(about), about);
    await one.page.close();
    cuttle("view", "--compare", "soft.h5", "stiff.h5", "-o", "changed.html", "--no-open");
    const two = await open(browser, fileAddress("changed.html"));
    const legend = await two.page.locator(".compared-legend").innerText();
    assert.match(legend, /A\s+soft\s+B\s+stiff\s+robot\.materials\.silicone\.young_modulus = 2\.0e6/);
    assert.deepEqual(two.complaints, []);
    await two.page.close();
  });

  test("a warning is seen at once", async () => {
    const warning = "the energies do not balance: the error is 54 % of the peak kinetic energy";
    const html = readFileSync(join(folder, "arm.html"), "utf8");
    const doubtful = html.replace('"warnings":[]', `"warnings":[${JSON.stringify(warning)}]`);
    assert.notEqual(doubtful, html);
    writeFileSync(join(folder, "doubtful.html"), doubtful);
    const { page } = await open(browser, fileAddress("doubtful.html"));
    assert.ok((await page.locator(".banner").innerText()).includes(warning));
    assert.equal(await page.locator(".status").textContent(), "complete, with warning");
    assert.deepEqual(await overflow(page), []);
    await page.close();
  });
});

describe("a slow computer", () => {
  test("still draws tendons and chambers", async () => {
    simulate("examples/tendon_arm_scenario.yaml", "slow", "--duration", "0.2");
    cuttle("view", "slow.h5", "--no-open");
    const { page } = await open(browser, fileAddress("slow.html"));
    const lost = await page.evaluate(() => {
      type Inside = { pacer: { level: number }; renderer: { domElement: HTMLCanvasElement } };
      const stage = window.cuttle.stage!;
      const inside = stage as unknown as Inside;
      const canvas = inside.renderer.domElement;
      const pixels = (): Uint8ClampedArray => {
        stage.drawNow();
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [canvas.width, canvas.height];
        const context = copy.getContext("2d", { willReadFrequently: true })!;
        context.drawImage(canvas, 0, 0);
        return context.getImageData(0, 0, copy.width, copy.height).data;
      };
      /** Share of the picture that a layer changes. */
      const share = (layer: "tendons" | "chambers"): number => {
        const one = pixels();
        stage.setVisible(layer, false);
        const other = pixels();
        stage.setVisible(layer, true);
        return one.filter((value, i) => value !== other[i]).length / one.length;
      };
      const of = (): number[] => [share("tendons"), share("chambers")];
      const quick = of();
      while (inside.pacer.level < 2) inside.pacer.level++;
      return { quick, slowest: of() };
    });
    lost.quick.forEach((share, layer) => {
      assert.ok(share > 1e-4, `${["tendons", "chambers"][layer]}: found a share of ${share}`);
      near(lost.slowest[layer], share, 0.4 * share, ["tendons", "chambers"][layer]);
    });
    await page.close();
  });
});

describe("scenes for other programs", () => {
  // rods, tendons and a chamber; a volume whose shape morphs; rigid shapes
  for (const [scenario, duration] of [
    ["examples/tendon_arm_scenario.yaml", "0.5"],
    ["examples/fem_finger_scenario.yaml", "0.2"],
    ["pustina2025/hybrid_arm_scenario.yaml", "0.5"],
  ]) {
    test(`${scenario} is valid glTF, without warnings`, async () => {
      const name = basename(scenario, "_scenario.yaml");
      simulate(scenario, `${name}_scene`, "--duration", duration);
      cuttle("export", `${name}_scene.h5`, "--gltf", `${name}.glb`);
      const { issues, info } = await validateBytes(new Uint8Array(readFileSync(join(folder, `${name}.glb`))));
      const said = JSON.stringify(issues.messages.slice(0, 4));
      assert.equal(issues.numErrors, 0, said);
      assert.equal(issues.numWarnings, 0, said);
      assert.ok(info.animationCount > 0 && info.totalTriangleCount > 0, JSON.stringify(info));
    });
  }
});

describe("other pages", () => {
  test("a robot at rest has no timeline and no plots", async () => {
    cuttle("view", model("pustina2025/hybrid_arm.yaml"), "-o", "rest.html", "--no-open");
    const { page, complaints } = await open(browser, fileAddress("rest.html"));
    assert.equal(await page.locator(".timeline, .plots").count(), 0);
    assert.ok((await page.evaluate(() => window.cuttle.pixelStatistics!())).covered > 0.003);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("offers no colors where nothing has them", async () => {
    cuttle("view", model("examples/pendulum.yaml"), "-o", "rigid.html", "--no-open");
    const { page, complaints } = await open(browser, fileAddress("rigid.html"));
    assert.deepEqual(await page.evaluate(() => window.cuttle.stage!.colorings()), ["material"]);
    assert.equal(await page.locator('button[aria-label="Colors"]').count(), 0);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("a run that failed says so", async () => {
    const html = readFileSync(join(folder, "arm.html"), "utf8");
    const failed = html.replace('"status":"complete"', '"status":"failed"').replace('"message":""', '"message":"step too small at 0.3 s"');
    assert.notEqual(failed, html);
    writeFileSync(join(folder, "failed.html"), failed);
    const { page } = await open(browser, fileAddress("failed.html"));
    assert.match((await page.locator(".banner.failed").textContent())!, /This run failed\. step too small at 0\.3 s/);
    await page.close();
  });

  test("a page without anything in it says so", async () => {
    const html = readFileSync(join(folder, "arm.html"), "utf8").replace(/(id="cuttle-page">)[^<]*(?:<\\[^<]*)*</, "$1null<");
    writeFileSync(join(folder, "empty.html"), html);
    const page = await browser.newPage();
    await page.goto(fileAddress("empty.html"));
    await page.getByRole("alert").waitFor();
    assert.match((await page.getByRole("alert").textContent())!, /This page is empty/);
    await page.close();
  });
});
