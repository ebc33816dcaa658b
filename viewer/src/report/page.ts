import type { ReportPage, Run } from "../contract";
import { FrameTrack } from "../data/track";
import { Board } from "../plots/board";
import { Series } from "../plots/series";
import { Stage } from "../stage/stage";
import { element, nextPicture } from "../ui/dom";
import { ThemeSwitch } from "../ui/theme";
import { offerHooks, PictureCounter } from "../hooks";
import { changeText, reportHeader, statusBanner } from "./header";
import { Help, reportHelp } from "./help";
import { listenForKeys } from "./keyboard";
import { Playback } from "./playback";
import { StageTools } from "./stage_tools";
import { Timeline } from "./timeline";

/** Builds the page of one run, or of two that are compared. */
export async function showReport(page: ReportPage, root: HTMLElement): Promise<void> {
  const { runs } = page;
  const theme = new ThemeSwitch();
  const help = new Help(reportHelp, [[["Drag a plot"], "set the time"], [["Shift drag"], "enlarge a plot (double click: all)"]], page.version);
  const container = element("div", { class: "stage" });
  const view = element("section", { class: "view", "aria-label": "Robot in 3D" }, container);
  const note = element("p", { class: "loading", role: "status" }, "Reading the run \u2026");
  const body = element("main", { class: "report" }, view);
  view.append(note);
  root.replaceChildren(reportHeader(page, theme, () => help.toggle()), statusBanner(runs) ?? "", body);
  await nextPicture();

  const stagePromise = Stage.create(container, { theme: theme.theme });
  const [stage, series, ...tracks] = await Promise.all([stagePromise, Series.decode(runs), ...runs.map((run) => FrameTrack.decode(run))]);
  const tones = runs.length === 2 ? (["first", "second"] as const) : (["normal"] as const);
  await stage.setRuns(runs.map((run, i) => ({ scene: run.scene, track: tracks[i], tone: tones[i] })));

  const times = mergedTimes(tracks.map((track) => track.times));
  const moving = times.length > 1;
  const labels = runs.map((run) => run.label);
  const board = moving && series.curves.length > 0 ? new Board(series, { title: page.title, labels, pick: (time) => playback.setTime(time) }, theme.theme) : null;
  const playback: Playback = new Playback(times, () => {
    stage.setTime(playback.time);
    timeline?.update();
    board?.setTime(playback.time);
  });
  const timeline = moving ? new Timeline(playback) : null;
  const tools = new StageTools({ stage, title: page.title, scenes: runs.map((run) => run.scene), moving, traces: moving });
  const over = runs.length === 2 ? [tools.root, comparedLegend(runs)] : [tools.root];
  view.append(...over);
  if (board) body.append(board.root);
  else body.classList.add("alone");
  if (timeline) body.append(timeline.root);
  stage.keepClear(...over);
  theme.onChange((now) => {
    stage.setTheme(now);
    board?.setTheme(now);
  });
  await board?.update();
  playback.setTime(playback.start);
  note.remove();

  const cameras = Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [String(number), () => tools.chooseCamera(number)]));
  listenForKeys({
    ...cameras,
    " ": () => playback.toggle(),
    ArrowLeft: (shift) => playback.step(-1, shift ? 10 : 1),
    ArrowRight: (shift) => playback.step(1, shift ? 10 : 1),
    Home: () => playback.setTime(playback.start),
    End: () => playback.setTime(playback.end),
    "[": () => playback.changeSpeed(-1),
    "]": () => playback.changeSpeed(1),
    f: () => tools.fit(),
    s: () => tools.toggleStroboscope(),
    c: () => tools.nextColoring(),
    t: () => theme.toggle(),
    "?": () => help.toggle(),
  });
  const pictures = new PictureCounter(stage);
  offerHooks({
    kind: "report",
    stage,
    get time() {
      return playback.time;
    },
    get duration() {
      return playback.end - playback.start;
    },
    get playing() {
      return playback.playing;
    },
    setTime: (time) => {
      playback.setTime(time);
      stage.drawNow();
    },
    play: () => playback.play(),
    pause: () => playback.pause(),
    tipPosition: (run = 0, link = runs[run].scene.links.length - 1) => stage.tipPosition(run, link).toArray(),
    pixelStatistics: () => stage.pixelStatistics(),
    framesPerSecond: () => pictures.rate(),
    panels: () => (board?.panels ?? []).map(({ title, panel }) => ({ title, unit: panel.unit, lines: panel.lineNames, data: panel.drawnData as (number | null)[][] })),
    series: async (name, run = 0) => {
      const samples = (await series.samples(series.find(name)))[run];
      return samples && { times: Array.from(samples.times), values: Array.from(samples.values) };
    },
  });
}

/** Times of all runs in one row. */
function mergedTimes(all: ArrayLike<number>[]): ArrayLike<number> {
  if (all.length === 1) return all[0];
  return [...new Set(all.flatMap((times) => Array.from(times)))].sort((first, second) => first - second);
}

/** Which run has which color, and what was changed in only one of them. */
function comparedLegend(runs: Run[]): HTMLElement {
  const changes = runs.map((run) => run.changes ?? []);
  const lines = runs.flatMap(({ label }, run) => {
    const own = changes[run].filter((change) => !changes[1 - run].includes(change)).map(changeText);
    return [
      element("span", { class: `run-${run}` }, element("i", {}), element("b", {}, "AB"[run]), element("span", { title: label }, label)),
      ...own.map((change) => element("small", { title: change }, change)),
    ];
  });
  return element("div", { class: "compared-legend" }, ...lines);
}
