import { Color } from "three";
import type { StageRun, Theme } from "./interface";

/** Evenly spaced colors from the least to the most. */
export type ColorMap = readonly string[];

/** Perceptually uniform, readable in gray and by the color-blind. */
export const viridis: ColorMap = [
  "#440154", "#481a6c", "#472f7d", "#414487", "#39568c", "#31688e", "#2a788e", "#23888e",
  "#1f988b", "#22a884", "#35b779", "#54c568", "#7ad151", "#a5db36", "#d2e21b", "#fde725",
]; // prettier-ignore

/** Everything on the stage that has a color of its own. */
export interface Palette {
  background: string;
  /** Soft parts; neighboring links take turns. */
  soft: [string, string];
  rigid: string;
  joint: string;
  mass: string;
  /** Parts without the field that colors the others. */
  plain: string;
  edge: string;
  edgeOpacity: number;
  ghost: string;
  ghostEnds: string;
  force: string;
  torque: string;
  normal: string;
  friction: string;
  /** Sites of contacts: apart, sticks, slips. */
  dots: [string, string, string];
  trace: string;
  push: string;
  grid: string;
  gridStrong: string;
  shadow: number;
  ink: string;
  /** Color of the overlay's text that is less important. */
  faint: string;
  axes: [string, string, string];
  /** Slack to taut. */
  tension: ColorMap;
  /** Negative, neutral, positive. */
  pressure: ColorMap;
  /** Scale of all lights. */
  light: number;
}

export const palettes: Record<Theme, Palette> = {
  light: {
    background: "#f7f4ee",
    soft: ["#e0795c", "#e89a7d"],
    rigid: "#a9afb7",
    joint: "#4a525c",
    mass: "#4a525c",
    plain: "#d3d1cb",
    edge: "#4a2118",
    edgeOpacity: 0.35,
    ghost: "#8f959c",
    ghostEnds: "#2f6db3",
    force: "#2c5d8f",
    torque: "#7a4b9a",
    normal: "#6b7480",
    friction: "#e07b00",
    dots: ["#9aa2ad", "#1f7a3c", "#d1332e"],
    trace: "#2f6db3",
    push: "#1f7a6c",
    grid: "#dcd7cc",
    gridStrong: "#c6c0b2",
    shadow: 0.26,
    ink: "#33363b",
    faint: "#7d7a73",
    axes: ["#c8503c", "#4f8f3a", "#3a6fb5"],
    tension: ["#8d9096", "#c39a55", "#e2761f", "#b5121b"],
    pressure: ["#1d5fa8", "#7fb0da", "#e9e6df", "#e79a77", "#b3261c"],
    light: 1,
  },
  dark: {
    background: "#15181d",
    soft: ["#e2775a", "#eb9a7c"],
    rigid: "#8b929c",
    joint: "#c9ced6",
    mass: "#c9ced6",
    plain: "#666b73",
    edge: "#1d0d09",
    edgeOpacity: 0.45,
    ghost: "#9aa1ab",
    ghostEnds: "#58a0ea",
    force: "#7fb8f0",
    torque: "#c79be6",
    normal: "#aab2bd",
    friction: "#ffa640",
    dots: ["#7d8590", "#5fd07f", "#ff6b62"],
    trace: "#69aef2",
    push: "#4fd1b8",
    grid: "#272c34",
    gridStrong: "#3a414c",
    shadow: 0.6,
    ink: "#e6e4df",
    faint: "#989ca4",
    axes: ["#ee7b66", "#84c46a", "#6fa8ee"],
    tension: ["#7c828b", "#c19a52", "#f5913a", "#ff5a45"],
    pressure: ["#4b9bf0", "#7d9fc4", "#8b8d90", "#d58f74", "#ff6a55"],
    light: 0.92,
  },
};

/** Of two runs that lie over each other; blue and orange differ for the color-blind too. */
export const tones: Record<Theme, Record<Exclude<StageRun["tone"], "normal">, [string, string]>> = {
  light: { first: ["#3f78b5", "#6b9bcd"], second: ["#e08a2e", "#eba85e"] },
  dark: { first: ["#4f94dd", "#7fb2e8"], second: ["#eb9a3c", "#f2b56e"] },
};

/** A color map as linear red, green, blue of `steps` colors, as vertex colors want them. */
export function linearTable(map: ColorMap, steps = 256): Float32Array {
  const table = new Float32Array(3 * steps);
  const anchors = map.map((text) => new Color(text));
  const mixed = new Color();
  for (let step = 0; step < steps; step++) {
    const place = (step / (steps - 1)) * (anchors.length - 1);
    const anchor = Math.min(Math.floor(place), anchors.length - 2);
    mixed.lerpColors(anchors[anchor], anchors[anchor + 1], place - anchor).toArray(table, 3 * step);
  }
  return table;
}

/** Sets a color from a map's table at 0 .. 1. */
export function pick(table: Float32Array, part: number, color: Color): Color {
  const steps = table.length / 3;
  const step = Math.round(Math.min(1, Math.max(0, part)) * (steps - 1));
  return color.setRGB(table[3 * step], table[3 * step + 1], table[3 * step + 2]);
}
