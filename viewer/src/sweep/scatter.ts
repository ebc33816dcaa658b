import type { Theme } from "../stage/stage";
import { inks } from "../plots/colors";
import { element, onResize } from "../ui/dom";
import { tickText, unitText } from "../ui/units";
import { shade } from "./palette";
import { type Column, niceTicks, type Rows, scalingOf, span } from "./table";

const k_font = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
const k_left = 76;
const k_right = 14;
const k_top = 12;
const k_bottom = 46;
const k_bar = 12;
const k_barSpace = 92;
/** How near to a point the mouse has to be [px]. */
const k_reach = 12;

export interface ScatterHost {
  theme: Theme;
  /** A row is pointed at; null: none. */
  hover(row: number | null): void;
  choose(row: number): void;
}

interface Axis {
  label: string;
  factor: number;
  low: number;
  high: number;
}

/** A point a run; runs that are not complete are crosses, at the lower edge where they have no y. */
export class Scatter {
  readonly root: HTMLElement;
  private readonly canvas = element("canvas", { tabindex: "0", role: "img" });
  private readonly context = this.canvas.getContext("2d")!;
  private x!: Column;
  private y!: Column;
  private color: Column | null = null;
  /** Where rows are drawn [px]; NaN: nowhere. */
  private lefts = new Float64Array(0);
  private tops = new Float64Array(0);
  private hovered: number | null = null;
  chosen: number | null = null;

  constructor(
    private readonly rows: Rows,
    private readonly host: ScatterHost,
  ) {
    this.root = element("div", { class: "scatter" }, this.canvas);
    onResize(this.root, () => this.draw());
    this.canvas.addEventListener("pointermove", (event) => this.point(this.nearest(event)));
    this.canvas.addEventListener("pointerleave", () => this.point(null));
    this.canvas.addEventListener("click", (event) => {
      const row = this.nearest(event);
      if (row !== null) this.host.choose(row);
    });
    this.canvas.addEventListener("keydown", (event) => this.step(event));
  }

  show(x: Column, y: Column, color: Column | null): void {
    this.x = x;
    this.y = y;
    this.color = color;
    this.draw();
  }

  choose(row: number): void {
    this.chosen = row;
    this.draw();
  }

  /** Where a row is drawn in the window [px]; null: it is not. */
  placeOf(row: number): { left: number; top: number } | null {
    const { left, top } = this.canvas.getBoundingClientRect();
    return Number.isFinite(this.lefts[row]) ? { left: left + this.lefts[row], top: top + this.tops[row] } : null;
  }

  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (width === 0 || height === 0 || !this.x) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const context = this.context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const ink = inks[this.host.theme];
    context.fillStyle = ink.background;
    context.fillRect(0, 0, width, height);
    const right = width - k_right - (this.color ? k_barSpace : 0);
    const bottom = height - k_bottom;
    const x = axisOf(this.x);
    const y = axisOf(this.y);
    this.drawAxes(x, y, right, bottom);
    this.place(x, y, right, bottom);
    const color = this.color ? axisOf(this.color, 0) : null;
    this.drawPoints(color);
    if (color) this.drawBar(color, right + 16, bottom);
    const failed = this.rows.status.filter((status) => status !== 0).length;
    this.canvas.setAttribute("aria-label", `${this.y.name} over ${this.x.name} of ${this.rows.numbers.length} runs, ${failed} failed`);
  }

  private place(x: Axis, y: Axis, right: number, bottom: number): void {
    const count = this.rows.numbers.length;
    this.lefts = new Float64Array(count).fill(NaN);
    this.tops = new Float64Array(count).fill(NaN);
    for (let row = 0; row < count; row++) {
      const hasY = Number.isFinite(this.y.values[row]);
      if (!Number.isFinite(this.x.values[row]) || (!hasY && this.rows.status[row] === 0)) continue;
      this.lefts[row] = k_left + ((this.x.values[row] * x.factor - x.low) / (x.high - x.low)) * (right - k_left);
      this.tops[row] = hasY ? bottom - ((this.y.values[row] * y.factor - y.low) / (y.high - y.low)) * (bottom - k_top) : bottom;
    }
  }

  private drawAxes(x: Axis, y: Axis, right: number, bottom: number): void {
    const context = this.context;
    const ink = inks[this.host.theme];
    context.font = k_font;
    context.lineWidth = 1;
    const xs = niceTicks(x.low, x.high, Math.max(2, (right - k_left) / 90));
    const ys = niceTicks(y.low, y.high, Math.max(2, (bottom - k_top) / 50));
    context.strokeStyle = ink.grid;
    context.fillStyle = ink.faint;
    context.textAlign = "center";
    for (const value of xs.values) {
      const left = k_left + ((value - x.low) / (x.high - x.low)) * (right - k_left);
      line(context, left, k_top, left, bottom);
      context.fillText(tickText(value, xs.step), left, bottom + 16);
    }
    context.textAlign = "right";
    for (const value of ys.values) {
      const top = bottom - ((value - y.low) / (y.high - y.low)) * (bottom - k_top);
      line(context, k_left, top, right, top);
      context.fillText(tickText(value, ys.step), k_left - 6, top + 4);
    }
    context.strokeStyle = ink.axis;
    context.strokeRect(k_left, k_top, right - k_left, bottom - k_top);
    context.fillStyle = ink.text;
    context.textAlign = "center";
    context.fillText(x.label, (k_left + right) / 2, bottom + 36, right - k_left);
    upright(context, y.label, 16, (k_top + bottom) / 2, bottom - k_top);
  }

  private drawPoints(color: Axis | null): void {
    const context = this.context;
    const count = this.rows.numbers.length;
    const radius = count > 5000 ? 1.5 : count > 500 ? 2.5 : 4;
    const dark = this.host.theme === "dark";
    const plain = dark ? "#69aef2" : "#2f6db3";
    context.globalAlpha = 0.85;
    for (let row = 0; row < count; row++) {
      if (this.rows.status[row] !== 0 || !Number.isFinite(this.lefts[row])) continue;
      const value = color ? this.color!.values[row] * color.factor : NaN;
      context.fillStyle = !color ? plain : Number.isFinite(value) ? shade((value - color.low) / (color.high - color.low)) : "#9a9a9a";
      dot(context, this.lefts[row], this.tops[row], radius);
      context.fill();
    }
    context.globalAlpha = 1;
    // failed runs lie above: they are few, and what a user looks for
    context.strokeStyle = dark ? "#ff8a7a" : "#b3261c";
    context.lineWidth = 1.6;
    for (let row = 0; row < count; row++) {
      if (this.rows.status[row] === 0 || !Number.isFinite(this.lefts[row])) continue;
      const [left, top] = [this.lefts[row], this.tops[row]];
      line(context, left - 4, top - 4, left + 4, top + 4);
      line(context, left - 4, top + 4, left + 4, top - 4);
    }
    context.strokeStyle = inks[this.host.theme].text;
    for (const [row, width] of [
      [this.hovered, 1.2],
      [this.chosen, 2.4],
    ]) {
      if (row === null || !Number.isFinite(this.lefts[row])) continue;
      context.lineWidth = width!;
      dot(context, this.lefts[row], this.tops[row], radius + 4);
      context.stroke();
    }
  }

  private drawBar(color: Axis, left: number, bottom: number): void {
    const context = this.context;
    const ink = inks[this.host.theme];
    const height = bottom - k_top;
    for (let top = 0; top < height; top++) {
      context.fillStyle = shade(1 - top / height);
      context.fillRect(left, k_top + top, k_bar, 1.5);
    }
    const ticks = niceTicks(color.low, color.high, 5);
    context.font = k_font;
    context.fillStyle = ink.faint;
    context.textAlign = "left";
    for (const value of ticks.values) {
      context.fillText(tickText(value, ticks.step), left + k_bar + 6, bottom - ((value - color.low) / (color.high - color.low)) * height + 4);
    }
    context.fillStyle = ink.text;
    context.textAlign = "center";
    upright(context, color.label, left + k_barSpace - 20, (k_top + bottom) / 2, height);
  }

  private nearest(event: MouseEvent): number | null {
    const { left, top } = this.canvas.getBoundingClientRect();
    let found: number | null = null;
    let least = k_reach ** 2;
    for (let row = 0; row < this.lefts.length; row++) {
      const distance = (this.lefts[row] - event.clientX + left) ** 2 + (this.tops[row] - event.clientY + top) ** 2;
      if (distance <= least) [found, least] = [row, distance];
    }
    return found;
  }

  private point(row: number | null): void {
    if (row === this.hovered) return;
    this.hovered = row;
    this.canvas.style.cursor = row === null ? "" : "pointer";
    this.draw();
    this.host.hover(row);
  }

  /** Arrows walk from run to run, Enter chooses. */
  private step(event: KeyboardEvent): void {
    const way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const last = this.rows.numbers.length - 1;
    if (way !== 0) this.point(Math.max(0, Math.min(last, (this.hovered ?? this.chosen ?? (way > 0 ? -1 : last + 1)) + way)));
    else if (event.key === "Enter" && this.hovered !== null) this.host.choose(this.hovered);
    else return;
    event.preventDefault();
  }
}

/** @param air  part of the range that is left free at both ends. */
function axisOf(column: Column, air = 0.05): Axis {
  const { factor, unit } = scalingOf(column);
  const [low, high] = (span(column.values) ?? [0, 1]).map((value) => value * factor);
  const size = Math.max(Math.abs(low), Math.abs(high));
  const margin = high - low > 1e-9 * size && high > low ? air * (high - low) : size > 0 ? 0.1 * size : 1;
  const label = unit && unit !== "1" ? `${column.name} [${unitText(unit)}]` : column.name;
  return { label, factor, low: low - margin, high: high + margin };
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

function dot(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

function upright(context: CanvasRenderingContext2D, text: string, x: number, y: number, longest: number): void {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 2);
  context.fillText(text, 0, 4, longest);
  context.restore();
}
