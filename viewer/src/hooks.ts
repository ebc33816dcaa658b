import type { PixelStatistics, Stage } from "./stage/stage";

/**
 * What `window.cuttle` offers to tests and to the browser's console:
 *
 *     await cuttle.ready; cuttle.setTime(0.5); cuttle.tipPosition()
 */
export interface CuttleHooks {
  kind: "report" | "live" | "sweep";
  stage: Stage;
  /** Present time [s]. */
  readonly time: number;
  /** Tip of a link of a run in the world [m]; of the last link of the first run unless given. */
  tipPosition(run?: number, link?: number): number[];
  /** Of what the canvas shows now. */
  pixelStatistics(): PixelStatistics;
  /** Pictures drawn a second, since the last call. */
  framesPerSecond(): number;
  /** Report: length of the run [s], and its timeline. */
  readonly duration?: number;
  readonly playing?: boolean;
  setTime?(time: number): void;
  play?(): void;
  pause?(): void;
  /** Report: panels as they are drawn; `data` is their times and then a row for each line. */
  panels?(): { title: string; unit: string; lines: string[]; data: (number | null)[][] }[];
  /** Report of a path: its diagrams, and where they mark the present point: quantity, parameter. */
  diagrams?(): { title: string; unit: string; place: [number, number] }[];
  /** Report of modes: the one that swings, from 0; -1: there are none. */
  mode?(): number;
  chooseMode?(index: number): void;
  /** Sweep: where runs are drawn in the window [px], by their numbers. */
  points?(): { run: number; left: number; top: number; complete: boolean }[];
  /** Sweep: the run that is chosen; null: none. */
  chosenRun?(): number | null;
  /** Report: all numbers of a curve. */
  series?(name: string, run?: number): Promise<{ times: number[]; values: number[] } | null>;
}

type Offered = CuttleHooks & { ready: Promise<true>; isReady: boolean };

declare global {
  interface Window {
    cuttle: Partial<Offered> & Pick<Offered, "ready" | "isReady">;
  }
}

let finish: () => void;

/** Before anything is shown: `cuttle.ready` can be waited for. */
export function promiseHooks(): void {
  const ready = new Promise<true>((resolve) => (finish = () => resolve(true)));
  window.cuttle = { ready, isReady: false };
}

/** The page is there. */
export function offerHooks(hooks: Partial<CuttleHooks> & Pick<CuttleHooks, "kind">): void {
  Object.defineProperties(window.cuttle, Object.getOwnPropertyDescriptors(hooks));
  window.cuttle.isReady = true;
  finish();
}

/** Counts the pictures that a stage draws. */
export class PictureCounter {
  private since = performance.now();
  private drawn: number;

  constructor(private readonly stage: Stage) {
    this.drawn = stage.drawn;
  }

  /** Pictures a second since the last call. */
  rate(): number {
    const now = performance.now();
    const rate = (1000 * (this.stage.drawn - this.drawn)) / Math.max(1, now - this.since);
    this.since = now;
    this.drawn = this.stage.drawn;
    return rate;
  }
}
