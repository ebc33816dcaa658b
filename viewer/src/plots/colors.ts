import type { Theme } from "../stage/stage";

/** Colors of curves, in their order: told apart by the color-blind as far as eight can be. */
const k_curves: Record<Theme, string[]> = {
  light: ["#2f6db3", "#d2592b", "#2f8a5b", "#8a56b3", "#b3851a", "#1f95a3", "#bf4a78", "#6b7078"],
  dark: ["#69aef2", "#f0865c", "#5fc28c", "#b98be0", "#e0b34a", "#4fc3d1", "#ea7fa8", "#a6adb8"],
};

export function curveColor(theme: Theme, index: number): string {
  const colors = k_curves[theme];
  return colors[index % colors.length];
}

/** What axes are drawn with. */
export const inks: Record<Theme, { background: string; text: string; faint: string; grid: string; axis: string }> = {
  light: { background: "#fffdf9", text: "#2a2d32", faint: "#6d6a63", grid: "#ece7dd", axis: "#c6c0b2" },
  dark: { background: "#1b1f26", text: "#e6e4df", faint: "#a0a4ac", grid: "#2a3039", axis: "#434b57" },
};
