// A moving picture of a run, for README.md:
//
//   node scripts/site/moving_picture.mjs PAGE.html OUTPUT.gif [FRAMES] [WIDTH]
//
// PAGE.html is what `cuttle view RESULT.h5 -o PAGE.html --no-open` wrote. NODE_PATH has playwright-core (build/viewer/node_modules),
// CHROMIUM is the browser's path (/usr/bin/chromium). Frames become a GIF by Debian's python3-pil.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(join(process.env.NODE_PATH ?? ".", "_"))("playwright-core");
const [pagePath, output, frames = "40", width = "480"] = process.argv.slice(2);
if (!output) {
  console.error("usage: node scripts/site/moving_picture.mjs PAGE.html OUTPUT.gif [FRAMES] [WIDTH]");
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "cuttle_picture_"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
  await page.goto(pathToFileURL(resolve(pagePath)).href);
  await page.waitForFunction(() => window.cuttle?.stage && window.cuttle.duration);
  for (let frame = 0; frame < Number(frames); ++frame) {
    const data = await page.evaluate(
      async ({ part, width }) => {
        const { stage, duration } = window.cuttle;
        window.cuttle.pause?.();
        window.cuttle.setTime?.(part * duration);
        stage.drawNow();
        const bytes = new Uint8Array(await (await stage.picture(width, Math.round((width * 2) / 3))).arrayBuffer());
        let text = "";
        for (const byte of bytes) text += String.fromCharCode(byte);
        return btoa(text);
      },
      { part: frame / (Number(frames) - 1), width: 2 * Number(width) },  // letters half as large
    );
    writeFileSync(join(folder, `${String(frame).padStart(3, "0")}.png`), Buffer.from(data, "base64"));
  }
} finally {
  await browser.close();
}
const program = `
import glob, sys
from PIL import Image
frames = [Image.open(name).convert("RGB").resize((int(sys.argv[3]), int(sys.argv[3]) * 2 // 3), Image.LANCZOS) for name in sorted(glob.glob(sys.argv[1] + "/*.png"))]
frames = [frame.quantize(64, dither=0) for frame in frames]
frames[0].save(sys.argv[2], save_all=True, append_images=frames[1:], duration=80, loop=0, optimize=True)`;
execFileSync("/usr/bin/python3", ["-c", program, folder, output, width]);
rmSync(folder, { recursive: true });
