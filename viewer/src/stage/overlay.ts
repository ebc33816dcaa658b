import { type PerspectiveCamera, Vector3 } from "three";
import type { Palette } from "./colors";
import type { Box } from "./framing";
import { scalingFor, unitText } from "../ui/units";
import { roundLength } from "./ground";
import type { Legend } from "./interface";

const k_font = '"Inter", "Helvetica Neue", Helvetica, Arial, sans-serif';

/** What stands over the robot, in the picture itself. */
export interface OverlayParts {
  axes: boolean;
  scaleBar: boolean;
  legends: Legend[];
}

export interface OverlayContents extends OverlayParts {
  palette: Palette;
  camera: PerspectiveCamera;
  /** Size of a pixel at the camera's target [m]. */
  pixelSize: number;
}

/** Where the axes' origin is from the left and from below, and how long an axis is. */
const k_axes = { place: 46, size: 27 };
/** Of the right edge. */
const k_right = 22;
const k_legend = { bottom: 66, step: 56, above: 44, below: 8, beside: 10 };

const longestScaleBar = (width: number): number => Math.min(140, width / 3.2);
const legendWidth = (width: number): number => Math.min(170, width / 2.8);

/** Where these parts are in a picture. */
export function overlayBoxes(width: number, height: number, { axes, scaleBar, legends }: OverlayParts): Box[] {
  const boxes: Box[] = [];
  if (axes) boxes.push({ left: 0, top: height - 2 * k_axes.place, right: 2 * k_axes.place, bottom: height });
  if (scaleBar) boxes.push({ left: width - k_right - longestScaleBar(width), top: height - 46, right: width, bottom: height });
  if (legends.length > 0) {
    const { bottom, step, above, below, beside } = k_legend;
    const left = width - k_right - legendWidth(width) - beside;
    boxes.push({ left, top: height - bottom - step * (legends.length - 1) - above, right: width, bottom: height - bottom + below });
  }
  return boxes;
}

/** "10 cm": a round length in its usual unit. */
export function lengthText(length: number): string {
  for (const [unit, size] of [
    ["m", 1],
    ["cm", 0.01],
    ["mm", 0.001],
  ] as const) {
    if (length >= 0.999 * size) return `${Number((length / size).toPrecision(3))} ${unit}`;
  }
  return `${Number((length * 1e6).toPrecision(3))} µm`;
}

/** A number of a legend: at most three digits, in powers of ten only where plain digits would be long. */
export function numberText(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [digits, power] = value.toExponential(1).split("e");
    const raised = Number(power)
      .toString()
      .replace(/./g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(c)]);
    return `${Number(digits)}×10${raised}`.replace("-", "\u2212");
  }
  return Number(value.toPrecision(3)).toString().replace("-", "\u2212");
}

/** Draws the scale bar, the world's axes and legends, in CSS pixels of a picture. */
export function drawOverlay(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  contents: OverlayContents,
): void {
  context.lineCap = "round";
  context.lineJoin = "round";
  if (contents.axes) drawAxes(context, k_axes.place, height - k_axes.place, k_axes.size, contents);
  if (contents.scaleBar) drawScaleBar(context, width - k_right, height - 24, longestScaleBar(width), contents);
  // Above the scale bar: tools and the names of compared runs are at the top.
  let bottom = height - k_legend.bottom;
  for (const legend of contents.legends) {
    drawLegend(context, width - k_right, bottom, legendWidth(width), legend, contents.palette);
    bottom -= k_legend.step;
  }
}

function drawAxes(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  size: number,
  contents: OverlayContents,
): void {
  const { camera, palette } = contents;
  const axes = ["x", "y", "z"].map((name, i) => {
    const tip = new Vector3().setComponent(i, 1).transformDirection(camera.matrixWorldInverse);
    return { name, tip, color: palette.axes[i] };
  });
  context.font = `600 12px ${k_font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  // Those that point away first.
  for (const { name, tip, color } of axes.sort((first, second) => first.tip.z - second.tip.z)) {
    context.globalAlpha = tip.z < -0.3 ? 0.65 : 1;
    context.strokeStyle = color;
    context.fillStyle = color;
    context.lineWidth = 2;
    const flat = Math.hypot(tip.x, tip.y);
    const endX = x + size * tip.x;
    const endY = y - size * tip.y;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(endX, endY);
    context.stroke();
    if (flat > 0.12) {
      const alongX = tip.x / flat;
      const alongY = -tip.y / flat;
      context.beginPath();
      context.moveTo(endX + 5 * alongX, endY + 5 * alongY);
      context.lineTo(endX - 3.2 * alongY, endY + 3.2 * alongX);
      context.lineTo(endX + 3.2 * alongY, endY - 3.2 * alongX);
      context.fill();
    } else {
      context.beginPath();
      context.arc(endX, endY, 3.2, 0, 2 * Math.PI);
      context.fill();
    }
    const far = size + 13;
    context.fillText(name, flat > 0.12 ? x + far * tip.x : x - 11, flat > 0.12 ? y - far * tip.y : y + 11);
  }
  context.globalAlpha = 1;
}

function drawScaleBar(
  context: CanvasRenderingContext2D,
  right: number,
  bottom: number,
  most: number,
  contents: OverlayContents,
): void {
  const length = roundLength(most * contents.pixelSize);
  const pixels = length / contents.pixelSize;
  context.strokeStyle = contents.palette.ink;
  context.fillStyle = contents.palette.ink;
  context.lineWidth = 2;
  context.lineCap = "butt";
  context.beginPath();
  context.moveTo(right - pixels, bottom);
  context.lineTo(right, bottom);
  context.moveTo(right - pixels + 1, bottom - 4);
  context.lineTo(right - pixels + 1, bottom + 4);
  context.moveTo(right - 1, bottom - 4);
  context.lineTo(right - 1, bottom + 4);
  context.stroke();
  context.font = `500 12px ${k_font}`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.fillText(lengthText(length), right - pixels / 2, bottom - 8);
}

function drawLegend(
  context: CanvasRenderingContext2D,
  right: number,
  bottom: number,
  width: number,
  legend: Legend,
  palette: Palette,
): void {
  const left = right - width;
  // Readable where the robot is behind it too.
  context.globalAlpha = 0.78;
  context.fillStyle = palette.background;
  context.beginPath();
  const { above, below, beside } = k_legend;
  context.roundRect(left - beside, bottom - above, width + 2 * beside, above + below, 8);
  context.fill();
  context.globalAlpha = 1;
  const gradient = context.createLinearGradient(left, 0, right, 0);
  legend.colors.forEach((color, i) => gradient.addColorStop(i / (legend.colors.length - 1), color));
  context.fillStyle = gradient;
  context.fillRect(left, bottom - 22, width, 9);
  const { factor, unit } = scalingFor(legend.unit, Math.max(-legend.min, legend.max));
  context.font = `500 11.5px ${k_font}`;
  context.textBaseline = "alphabetic";
  context.fillStyle = palette.ink;
  context.textAlign = "left";
  context.fillText(`${legend.name} [${unitText(unit)}]`, left, bottom - 28, width + 8);
  context.fillStyle = palette.faint;
  context.font = `400 11px ${k_font}`;
  const span = legend.max - legend.min;
  const number = (value: number, align: CanvasTextAlign): void => {
    context.textAlign = align;
    context.fillText(numberText(factor * value), left + (width * (value - legend.min)) / span, bottom);
  };
  number(legend.min, "left");
  number(legend.max, "right");
  if (legend.min === 0 || legend.max === 0) number((legend.min + legend.max) / 2, "center");
  // zero, unless it is so near an end that their numbers would touch
  else if (Math.min(-legend.min, legend.max) > 0.25 * span) number(0, "center");
}
