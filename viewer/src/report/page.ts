import type { ReportPage, Run } from "../contract";
import { FrameTrack } from "../data/track";
import { Board } from "../plots/board";
import { Series } from "../plots/series";
import { Stage } from "../stage/stage";
import { element, nextPicture } from "../ui/dom";
import { ThemeSwitch } from "../ui/theme";
import { offerHooks, PictureCounter } from "../hooks";
import { changeText, reportHeader, statusBanner } from "./header";
import { Help, modesHelp, reportHelp } from "./help";
import { listenForKeys } from "./keyboard";
import { Playback } from "./playback";
import { StageTools } from "./stage_tools";
import { type Clock, secondsClock, Timeline } from "./timeline";
import { DiagramBoard } from "../sequence/diagram_board";
import { ModeList } from "../sequence/mode_list";
import { alongText, decodePath, jumpsOf, type Path, placeAt, stabilityAfter } from "../sequence/path";
import { numberText, unitText } from "../ui/units";

/** Builds the page of one run, or of two that are compared. */
export async function showReport(page: ReportPage, root: HTMLElement): Promise<void> {
  const { runs } = page;
  const theme = new ThemeSwitch();
  const help = new Help(runs.some((run) => run.sequence?.kind === "modes") ? modesHelp : reportHelp, [[["Drag a plot"], "set the time"], [["Shift drag"], "enlarge a plot (double click: all)"]], page.version);
  const container = element("div", { class: "stage" });
  const view = element("section", { class: "view", "aria-label": "Robot in 3D" }, container);
  const note = element("p", { class: "loading", role: "status" }, "Reading the run \u2026");
  const body = element("main", { class: "report" }, view);
  view.append(note);
  root.replaceChildren(reportHeader(page, theme, () => help.toggle()), statusBanner(runs) ?? "", body);
  await nextPicture();

  const stagePromise = Stage.create(container, { theme: theme.theme });
  const [stage, series, ...tracks] = await Promise.all([stagePromise, Series.decode(runs), ...runs.map((run) => FrameTrack.decode(run))]);
  const sequence = runs.length === 1 ? runs[0].sequence : undefined;
  const path = sequence?.kind === "path" ? await decodePath(sequence, series.times[0], runs[0].label) : null;
  const modes = sequence?.kind === "modes" ? sequence : null;
  const tones = runs.length === 2 ? (["first", "second"] as const) : (["normal"] as const);
  await stage.setRuns(runs.map((run, i) => ({ scene: run.scene, track: tracks[i], tone: tones[i], jumps: path ? jumpsOf(path) : [] })));

  const times = mergedTimes(tracks.map((track) => track.times));
  const moving = times.length > 1;
  const labels = runs.map((run) => run.label);
  const pick = (time: number): void => playback.setTime(time);
  const table = sequence?.kind === "table";
  const plots = moving && !path && series.curves.length > 0;
  const board = plots ? new Board(series, { title: page.title, labels, timeUnit: table ? "row" : "s", pick }, theme.theme) : null;
  const diagrams = path ? new DiagramBoard(series, path, { title: page.title, pick }, theme.theme) : null;
  const list: ModeList | null = modes ? new ModeList(modes, (mode) => playback.setPart(mode.begin, mode.end)) : null;
  const playback: Playback = new Playback(
    times,
    () => {
      stage.setTime(playback.time);
      timeline?.update();
      board?.setTime(playback.time);
      diagrams?.setTime(playback.time);
    },
    table ? k_rows_a_second : 1,
  );
  const clock = path ? pathClock(path) : list ? modeClock(list) : table ? rowClock(playback) : secondsClock(playback);
  const timeline = moving ? new Timeline(playback, clock) : null;
  // of modes, which are no one motion, neither a trace nor a stroboscopic picture tells anything
  const tools = new StageTools({ stage, title: page.title, scenes: runs.map((run) => run.scene), moving: moving && !modes, traces: moving && !modes && !table });
  if (modes || table) stage.setTraces(runs[0].scene.links.map(() => false));
  const over = runs.length === 2 ? [tools.root, comparedLegend(runs)] : [tools.root];
  view.append(...over);
  const beside = (board ?? diagrams ?? list)?.root;
  if (beside) body.append(beside);
  else body.classList.add("alone");
  if (timeline) body.append(timeline.root);
  stage.keepClear(...over);
  theme.onChange((now) => {
    stage.setTheme(now);
    board?.setTheme(now);
    diagrams?.setTheme(now);
  });
  await board?.update();
  await diagrams?.choose();
  playback.setTime(playback.start);
  list?.choose(0);
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
    ...(list ? { ArrowUp: () => list.step(-1), ArrowDown: () => list.step(1) } : {}),
    f: () => tools.fit(),
    s: () => tools.toggleStroboscope(),
    c: (shift) => (shift ? tools.toggleContactShapes() : tools.nextColoring()),
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
    diagrams: () => (diagrams?.diagrams ?? []).map(({ title, unit, place }) => ({ title, unit, place })),
    mode: () => list?.index ?? -1,
    chooseMode: (index) => list?.choose(index),
    series: async (name, run = 0) => {
      const samples = (await series.samples(series.find(name)))[run];
      return samples && { times: Array.from(samples.times), values: Array.from(samples.values) };
    },
  });
}

/** Of a table, at speed 1. */
const k_rows_a_second = 4;

/** Where on the path: "load factor 0.512", and whether it is stable there. */
function pathClock(path: Path): Clock {
  let row = 0;
  const unit = path.unit ? ` ${unitText(path.unit)}` : "";
  return {
    text: (time) => {
      const place = placeAt(path, time);
      row = place.row;
      return `${alongText(path)} ${numberText(place.parameter)}${unit}`;
    },
    rest: () => {
      const what = path.point[row] === 0 ? stabilityAfter(path, row) : ["", "fold", "branch point"][path.point[row]];
      return ` \u00b7 ${path.branches.length > 1 ? `branch ${path.branch[row]}, ` : ""}${what}`;
    },
  };
}

function modeClock(list: ModeList): Clock {
  return { text: () => `mode ${list.index + 1}`, rest: () => "" };
}

function rowClock(playback: Playback): Clock {
  return { text: (time) => `row ${Math.round(time)}`, rest: () => ` / ${playback.end}` };
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
