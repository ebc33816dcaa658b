import type { Vector3 } from "three";
import type { Scene } from "../contract";
import type { FrameTrack } from "../data/track";

/** A robot on the stage. */
export interface StageRun {
  scene: Scene;
  /** What moves it with setTime; null: setFrame does (live). */
  track: FrameTrack | null;
  /** Times at which it jumps, as from one branch of a path to the next: traces are interrupted there. */
  jumps?: number[];
  /** Two runs over each other wear two colors; one run alone has its own materials. */
  tone: "normal" | "first" | "second";
}

export type Coloring = "material" | "energy" | "curvature";
export type Theme = "light" | "dark";
export type CameraName = "fit" | "front" | "side" | "top" | "isometric";
export type Layer =
  | "grid"
  | "axes"
  | "scaleBar"
  | "shadow"
  | "obstacles"
  | "contactShapes"
  | "tendons"
  | "chambers"
  | "loads"
  | "joints"
  | "traces"
  | "frames";

/** What the colors on the stage mean: a gradient from `min` to `max` in `unit`. */
export interface Legend {
  name: string;
  unit: string;
  min: number;
  max: number;
  /** Colors "#rrggbb", evenly spaced from min to max. */
  colors: string[];
}

export interface Legends {
  coloring: Legend | null;
  tension: Legend | null;
  pressure: Legend | null;
}

/** Statistics of what the canvas shows, for tests. */
export interface PixelStatistics {
  width: number;
  height: number;
  /** Share of pixels that differ from the background. */
  covered: number;
  /** Number of different colors, five bits a channel. */
  colors: number;
  /** Mean and standard deviation of luma, 0 .. 255. */
  mean: number;
  deviation: number;
}

/** Someone grabs the robot with the pointer. The plane of the drag faces the camera and holds the grabbed point. */
export interface GrabHandlers {
  grab(run: number, link: number, point: Vector3): void;
  drag(hand: Vector3): void;
  release(): void;
}

export interface StageOptions {
  theme?: Theme;
}

/**
 * The 3D part of a page, inside of a container whose size it follows:
 *
 *     const stage = await Stage.create(container, { theme: "light" });
 *     await stage.setRuns([{ scene, track, tone: "normal" }]);   // camera: fit
 *     stage.setTime(0.4);
 *
 * It draws when something changes, and only then. Where no graphics processor draws but a program, moving pictures are
 * plain and quick, and a fine one follows as soon as nothing moves. The camera follows a live robot that leaves the picture. Lengths are in meters in the world, z up.
 */
export interface StageInterface {
  /** Takes the place of all that was shown, and fits the camera to the whole motion. */
  setRuns(runs: StageRun[], options?: { keepCamera?: boolean }): Promise<void>;
  /** Shows all runs that have a track at a time [s], held to the track's ends. */
  setTime(time: number): void;
  /** Live: shows a frame vector at a time [s]. The stage copies it. */
  setFrame(run: number, vector: ArrayLike<number>, time?: number): void;
  /** Live: a point that is pulled by a hand, both in the world; null: nobody pulls. */
  setPush(point: ArrayLike<number> | null, hand?: ArrayLike<number>): void;

  /** Colors soft parts by a field. Throws if no run has it; `colorings()` says which there are. */
  setColoring(mode: Coloring): void;
  colorings(): Coloring[];
  /** Of the present coloring, of tendons' tension, and of chambers' pressure, if they are there and visible. */
  legends(): Legends;
  /** Called when legends change (in live mode ranges grow as they are seen). */
  onLegends: (() => void) | null;

  /** `count` configurations spread along the tip's path: first and last blue, those between gray. Needs a track. */
  setStroboscope(on: boolean, count?: number): void;
  /** For each link whether the path of its tip is drawn; initially only the last link's. */
  setTraces(which: boolean[]): void;
  setVisible(layer: Layer, on: boolean): void;
  visible(layer: Layer): boolean;

  cameras(): CameraName[];
  /** Elements of the page over the canvas: named cameras leave the robot beside them. */
  keepClear(...elements: HTMLElement[]): void;
  setCamera(name: CameraName, options?: { animate?: boolean }): void;
  setProjection(projection: "perspective" | "orthographic"): void;
  setTheme(theme: Theme): void;

  /** Live: what happens when someone grabs the robot; null: the pointer only orbits. */
  setGrab(handlers: GrabHandlers | null): void;

  /** PNG of the stage with its scale bar, axes and legend; its own size in CSS pixels unless given. */
  picture(width?: number, height?: number): Promise<Blob>;
  /** Draws now instead of with the next animation frame. */
  drawNow(): void;
  /** Number of pictures drawn so far, for tests and for measuring. */
  readonly drawn: number;
  /** Where the tip of a link is now, in the world [m]. */
  tipPosition(run: number, link: number): Vector3;
  pixelStatistics(): PixelStatistics;
  dispose(): void;
}
