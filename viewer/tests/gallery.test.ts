// A picture of every shipped robot, and the page that shows them: `make gallery`.
//
// CUTTLE_GALLERY: folder for NAME.png and README.md; CUTTLE_ROBOTS: names of some robots, with commas; empty: all.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import type { CameraName, Coloring } from "../src/stage/stage";
import { cuttle, fileAddress, folder, model, open, openBrowser } from "./support";

/** How a robot is shown where the usual way is not the best. */
interface Look {
  /** Of the run, 0 .. 1. */
  at?: number;
  camera?: CameraName;
  coloring?: Coloring;
  strobe?: boolean;
  /** Instead of the scenario's [s]. */
  duration?: number;
  /** Without arrows of loads and contacts and marks of joints. */
  bare?: true;
}
const looks: Record<string, Look> = {
  arm: { strobe: false, at: 0.3 },
  arm_rods: { strobe: false, coloring: "curvature" },
  fem_catheter: { strobe: false, at: 0.95, coloring: "energy", bare: true },
  fem_finger: { strobe: false, at: 0.6, coloring: "energy" },
  fem_wrapping_finger: { strobe: false, at: 1, bare: true },
  hand_over: { strobe: false, at: 0.58, bare: true },
  inchworm: { at: 0.5 },
  parallel_robot: { camera: "top" },
  soft_hand: { strobe: false, at: 1, bare: true },
  ritz_block: { strobe: false, coloring: "energy" },
  swimmer: { strobe: false, duration: 3, at: 0.9 },
  tendon_arm: { strobe: false, at: 0.25 },
  wire_in_bend: { strobe: false, at: 0.6, bare: true },
};

const size = { width: 672, height: 448 }; // drawn at twice that
const output = process.env.CUTTLE_GALLERY ?? join(process.cwd(), "gallery");
const chosen = (process.env.CUTTLE_ROBOTS ?? "").split(",").filter(Boolean);

interface Robot {
  name: string;
  group: string;
  file: string;
  scenario: string | null;
}

/** Robot files, and the scenarios beside them. */
function robots(): Robot[] {
  const found: Robot[] = [];
  for (const group of readdirSync(model("")).sort()) {
    const files = readdirSync(model(group)).sort();
    for (const file of files.filter((each) => each.endsWith(".yaml") && !each.endsWith("_scenario.yaml"))) {
      const name = basename(file, ".yaml");
      const scenario = `${name}_scenario.yaml`;
      found.push({ name, group, file: `${group}/${file}`, scenario: files.includes(scenario) ? `${group}/${scenario}` : null });
    }
  }
  return found.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
}

/** The first comment of a robot file, in one line. */
function description(file: string): string {
  const lines = readFileSync(model(file), "utf8").split("\n");
  const first = lines.findIndex((line) => line.startsWith("#"));
  if (first < 0) return "";
  const comment: string[] = [];
  for (const line of lines.slice(first)) {
    if (!line.startsWith("#")) break;
    comment.push(line.replace(/^#+\s*/, ""));
  }
  return comment.join(" ").split(/(?<=[.]) (?=[A-Z])/)[0].replace(/[|<>]/g, " ").trim();
}

let browser: Browser;
before(async () => {
  browser = await openBrowser();
  mkdirSync(output, { recursive: true });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const robot of robots()) {
  test(robot.name, async () => {
    const look = looks[robot.name] ?? {};
    let shown = model(robot.file);
    if (robot.scenario) {
      shown = `${robot.name}.h5`;
      cuttle("simulate", model(robot.scenario), "-o", shown, ...(look.duration ? ["--duration", String(look.duration)] : []));
    }
    cuttle("view", shown, "-o", `${robot.name}.html`, "--no-open");
    const { page, complaints } = await open(browser, fileAddress(`${robot.name}.html`));
    const picture = await page.evaluate(
      async ({ look, size, moves }) => {
        const { stage, duration = 0 } = window.cuttle;
        if (moves) {
          window.cuttle.pause?.();
          window.cuttle.setTime?.((look.at ?? 0.4) * duration);
          if (look.strobe !== false) await stage!.setStroboscope(true, 5);
        }
        if (look.bare) {
          stage!.setVisible("loads", false);
          stage!.setVisible("joints", false);
        }
        if (look.coloring) stage!.setColoring(look.coloring);
        if (look.camera) stage!.setCamera(look.camera, { animate: false });
        stage!.drawNow();
        const bytes = new Uint8Array(await (await stage!.picture(size.width, size.height)).arrayBuffer());
        let text = "";
        for (const byte of bytes) text += String.fromCharCode(byte);
        return { data: btoa(text), statistics: window.cuttle.pixelStatistics!() };
      },
      { look, size, moves: robot.scenario !== null },
    );
    writeFileSync(join(output, `${robot.name}.png`), Buffer.from(picture.data, "base64"));
    assert.deepEqual(complaints, []);
    assert.ok(picture.statistics.covered > 0.003, `nothing to be seen: ${JSON.stringify(picture.statistics)}`);
    await page.close();
  });
}

test("the gallery's page names them all", { skip: chosen.length > 0 }, () => {
  const lines = [
    "# Gallery",
    "",
    "Every robot of [`models`](../../models), as `cuttle view` shows it: the first configuration and the last in blue, between them",
    "gray, and one in its own colors. Robots without a scenario are at rest. `make gallery` makes these pictures again.",
    "",
  ];
  let group = "";
  for (const robot of robots()) {
    if (robot.group !== group) lines.push(`## ${(group = robot.group)}`, "");
    const text = description(robot.file);
    lines.push(`### ${robot.name}`, "", text, "", `![${robot.name}](${robot.name}.png)`, "");
    const command = robot.scenario ? `build/cuttle simulate models/${robot.scenario} -o out/${robot.name}.h5 && build/cuttle view out/${robot.name}.h5` : `build/cuttle view models/${robot.file}`;
    lines.push("```sh", command, "```", "");
  }
  writeFileSync(join(output, "README.md"), lines.join("\n").replace(/\n{3,}/g, "\n\n").trimEnd() + "\n");
});
