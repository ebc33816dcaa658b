import type { PageData } from "../src/contract";
import { FrameTrack } from "../src/data/track";
import { Stage } from "../src/stage/stage";
import { syntheticPage, type SyntheticKind } from "./synthetic";

// The stage alone, for working on it: /dev/stage.html?rods, ?blocks, ?heavy, two of them, or ?page=url of a report.
const query = new URLSearchParams(location.search);
const kinds = [...query.keys()].filter((key): key is SyntheticKind => ["rods", "blocks", "heavy"].includes(key));

async function page(): Promise<PageData> {
  const url = query.get("page");
  if (!url) return syntheticPage([...kinds, ...query.getAll("and")] as SyntheticKind[]);
  const text = await (await fetch(url)).text();
  const document_ = new DOMParser().parseFromString(text, "text/html");
  return JSON.parse(document_.getElementById("cuttle-page")!.textContent!) as PageData;
}

const data = await page();
if (data.kind !== "report") throw new Error(`page: found kind '${data.kind}', expected 'report'`);
const stage = await Stage.create(document.getElementById("stage")!);
const runs = await Promise.all(
  data.runs.map(async (run, i) => ({
    scene: run.scene,
    track: await FrameTrack.decode(run),
    tone: data.runs.length === 1 ? ("normal" as const) : (["first", "second"] as const)[i],
  })),
);
await stage.setRuns(runs);
Object.assign(window, { stage, runs, ready: true });
