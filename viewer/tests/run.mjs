// Bundles a test of this folder and runs it with Node's own runner, which knows no TypeScript:
//
//   node tests/run.mjs [data|page|live|sweep|contact|gallery]...      all but the gallery unless named
//
// CUTTLE_NODE_MODULES: folder of the installed packages, if it is not viewer/node_modules.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.env.CUTTLE_NODE_MODULES ?? join(here, "../node_modules"));
const { buildSync } = createRequire(import.meta.url)(join(modules, "esbuild"));
const names = process.argv.length > 2 ? process.argv.slice(2) : ["data", "page", "live", "sweep", "contact"];
const outputs = names.map((name) => {
  const entry = join(here, `${name}.test.ts`);
  if (!existsSync(entry)) throw new Error(`${entry}: found no such test`);
  // beside the packages, where those that are not bundled are found again
  const outfile = join(modules, "../.tests", `${name}.test.mjs`);
  const shared = { bundle: true, platform: "node", format: "esm", target: "node18", external: ["playwright-core", "gltf-validator"], logLevel: "error" };
  buildSync({ ...shared, entryPoints: [entry], outfile, nodePaths: [modules] });
  return outfile;
});
const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...outputs], { stdio: "inherit" });
process.exitCode = status ?? 1;
