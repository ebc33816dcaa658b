import { Group } from "three";
import { palettes, tones } from "./colors";
import type { StageRun, Theme } from "./interface";
import { ghostMaterial, Looks } from "./looks";
import { type Pace, Robot, type Scales } from "./robot";
import { Shadow } from "./shadow";
import { framesAlong, sampleVectors, tipPath } from "./survey";
import { Trace } from "./trace";

const k_most_trace_points = 4000;
const k_live_trace_points = 600;
const k_live_fade_seconds = 4;

/** A run on the stage: its robot, the paths of its tips, and its stroboscopic picture. */
export class Actor {
  readonly group = new Group();
  readonly traces: Trace[] = [];
  readonly shadow: Shadow;
  /** Configurations that stand for the whole run; of a live one those seen so far that matter. */
  samples: Float32Array[];
  private pace: Pace = "fine";
  private ghosts: { robot: Robot; end: boolean }[] = [];
  private readonly ghostLooks = [ghostMaterial(0.22), ghostMaterial(0.5)];
  private theme: Theme = "light";

  private constructor(
    readonly run: StageRun,
    readonly looks: Looks,
    readonly robot: Robot,
    /** The frame vector that is shown. */
    readonly vector: Float32Array,
  ) {
    this.shadow = new Shadow(run.scene);
    this.group.add(robot.group, this.shadow.mesh);
    this.samples = run.track ? sampleVectors(run.track) : [];
    for (let link = 0; link < run.scene.links.length; link++) {
      const trace = new Trace(run.track ? Math.min(k_most_trace_points, run.track.frames) : k_live_trace_points);
      if (run.track) trace.setPath(tipPath(run.scene, run.track, link), run.track.times, run.jumps);
      this.traces.push(trace);
      this.group.add(trace.mesh);
    }
  }

  static async create(run: StageRun): Promise<Actor> {
    if (run.track && run.track.size !== run.scene.size) {
      throw new Error(`${run.scene.name}: track: found ${run.track.size} numbers, expected ${run.scene.size}`);
    }
    const looks = new Looks(run.tone);
    const actor = new Actor(run, looks, await Robot.create(run.scene, looks), new Float32Array(run.scene.size));
    run.track?.at(run.track.start, actor.vector);
    return actor;
  }

  /** Live: takes a frame vector over. */
  take(vector: ArrayLike<number>, time: number): void {
    if (vector.length < this.vector.length) {
      throw new Error(`${this.run.scene.name}: frame: found ${vector.length} numbers, expected ${this.vector.length}`);
    }
    for (let i = 0; i < this.vector.length; i++) this.vector[i] = vector[i];
    this.run.scene.links.forEach(({ tip }, link) => {
      const { at } = this.run.scene.frames[tip];
      this.traces[link].append(vector[at], vector[at + 1], vector[at + 2], time, k_live_fade_seconds);
    });
  }

  /** @param height of the ground [m] */
  update(scales: Scales, time: number, height: number): void {
    this.robot.update(this.vector, scales);
    if (this.shadow.mesh.visible) this.shadow.update(this.vector, height, this.run.scene.reach);
    for (const trace of this.traces) trace.setNow(time);
  }

  /** Builds the stroboscopic picture: `count` configurations spread along the path of the last link's tip. */
  async showGhosts(count: number): Promise<void> {
    this.hideGhosts();
    const { scene, track } = this.run;
    if (track === null) throw new Error(`${scene.name}: stroboscope: found a live robot, expected a recorded run`);
    const path =
      scene.links.length > 0 ? tipPath(scene, track, scene.links.length - 1) : new Float32Array(3 * track.frames);
    const frames = framesAlong(path, Math.max(2, count));
    const vector = new Float32Array(track.size);
    for (const frame of frames) {
      const end = frame === frames[0] || frame === frames[frames.length - 1];
      const robot = await Robot.createGhost(scene, this.looks, this.ghostLooks[end ? 1 : 0]);
      track.at(track.times[frame], vector);
      robot.update(vector, null);
      robot.setPace(this.pace);
      // One after the other, not sorted anew from every side: blending then never flickers.
      robot.group.traverse((object) => (object.renderOrder = end ? 0.6 : 0.5));
      this.ghosts.push({ robot, end });
      this.group.add(robot.group);
    }
  }

  hideGhosts(): void {
    for (const { robot } of this.ghosts) {
      this.group.remove(robot.group);
      robot.dispose();
    }
    this.ghosts = [];
  }

  setPace(pace: Pace): void {
    this.pace = pace;
    this.robot.setPace(pace);
    for (const { robot } of this.ghosts) robot.setPace(pace);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.looks.setTheme(theme);
    this.robot.setTheme();
    const palette = palettes[theme];
    this.shadow.setColors(palette.background, palette.shadow);
    const tone = this.run.tone;
    this.ghostLooks[0].color.set(palette.ghost);
    this.ghostLooks[1].color.set(tone === "normal" ? palette.ghostEnds : tones[theme][tone][0]);
  }

  /** @param pixelRatio pixels of the picture to one of the page */
  setPictureSize(width: number, height: number, pixelRatio: number): void {
    const { tone } = this.run;
    const color = tone === "normal" ? palettes[this.theme].trace : tones[this.theme][tone][0];
    for (const trace of this.traces) trace.setLook(color, 2 * pixelRatio, { width, height });
  }

  dispose(): void {
    this.hideGhosts();
    this.robot.dispose();
    this.shadow.dispose();
    this.looks.dispose();
    for (const trace of this.traces) trace.dispose();
    for (const material of this.ghostLooks) material.dispose();
  }
}
