import type { Theme } from "../stage/stage";
import { element, onResize } from "../ui/dom";
import { numberText, scalingFor, tickText, unitText, type Scaling } from "../ui/units";
import { curveColor, inks } from "../plots/colors";
import { alongText, type Path, placeAt, piecesOf, stabilityAfter, type StabilityName } from "./path";

/** What diagrams of one page have in common. */
export interface DiagramHost {
  theme: Theme;
  /** The user points at a point of the path: its time. */
  pick(time: number): void;
}

const k_margin = { left: 62, right: 16, top: 10, bottom: 40 };
export const dashes: Record<StabilityName, string> = { stable: "", unstable: "6 4", neutral: "1.5 3.5", unknown: "1.5 3.5" };
const k_font = 'font-family="system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Liberation Sans, Arial, sans-serif" font-size="11.5"';

interface Axis {
  low: number;
  high: number;
  ticks: number[];
  step: number;
  scaling: Scaling;
}

/** Numbers 1, 2 or 5 times a power of ten from low to high, about `count` of them. */
export function niceTicks(low: number, high: number, count: number): { ticks: number[]; step: number } {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= 0.999 * rough)!;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return { ticks, step };
}

function axisOf(values: ArrayLike<number>, unit: string, count: number): Axis {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  if (low > high) [low, high] = [-1, 1];
  const scaling = scalingFor(unit, Math.max(Math.abs(low), Math.abs(high)));
  [low, high] = [low * scaling.factor, high * scaling.factor];
  const size = Math.max(Math.abs(low), Math.abs(high), 1e-12);
  const air = high - low > 1e-9 * size ? 0.06 * (high - low) : 0.1 * size;
  return { low: low - air, high: high + air, ...niceTicks(low - air, high + air, count), scaling };
}

/** A path's parameter over a quantity of the robot: solid where stable, dashed where not; folds and branch points. */
export class Diagram {
  readonly root: HTMLElement;
  private readonly holder = element("div", { class: "diagram" });
  private readonly reading = element("b", {});
  private time = 0;
  private x: Axis | null = null;
  private y: Axis | null = null;
  private width = 0;
  private height = 0;

  constructor(
    private readonly host: DiagramHost,
    readonly title: string,
    readonly unit: string,
    private readonly path: Path,
    private readonly values: ArrayLike<number>,
    ...tools: HTMLElement[]
  ) {
    const reading = element("span", { class: "note" }, this.reading);
    this.root = element(
      "section",
      { class: "panel", "aria-label": `${alongText(path)} over ${title}` },
      element("header", {}, element("h3", {}, title), reading, element("span", { class: "tools" }, ...tools)),
      this.holder,
    );
    onResize(this.holder, () => this.draw());
    const pick = (event: PointerEvent): void => {
      const { left, top } = this.holder.getBoundingClientRect();
      const row = this.nearest(event.clientX - left, event.clientY - top);
      if (row >= 0) host.pick(path.times[row]);
    };
    this.holder.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.holder.setPointerCapture(event.pointerId);
      pick(event);
    });
    this.holder.addEventListener("pointermove", (event) => {
      if (this.holder.hasPointerCapture(event.pointerId)) pick(event);
    });
  }

  setTime(time: number): void {
    this.time = time;
    this.mark();
  }

  /** The quantity and the parameter at the present time. */
  get place(): [number, number] {
    const { row, parameter } = placeAt(this.path, this.time);
    const { times, branch } = this.path;
    const next = row + 1 < times.length && branch[row + 1] === branch[row];
    const part = next ? (this.time - times[row]) / (times[row + 1] - times[row]) : 0;
    const value = this.values[row] + (part > 0 ? Math.min(1, part) * (this.values[row + 1] - this.values[row]) : 0);
    return [value, parameter];
  }

  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (width < 120 || height < 90) return;
    [this.width, this.height] = [width, height];
    this.x = axisOf(this.values, this.unit, Math.max(2, Math.floor((width - 80) / 70)));
    this.y = axisOf(this.path.parameter, this.path.unit, Math.max(3, Math.floor((height - 50) / 34)));
    this.holder.innerHTML = this.svg();
    this.mark();
  }

  private px = (value: number): number => {
    const { low, high, scaling } = this.x!;
    return k_margin.left + ((value * scaling.factor - low) / (high - low)) * (this.width - k_margin.left - k_margin.right);
  };
  private py = (value: number): number => {
    const { low, high, scaling } = this.y!;
    return this.height - k_margin.bottom - ((value * scaling.factor - low) / (high - low)) * (this.height - k_margin.top - k_margin.bottom);
  };

  /** The row that is drawn nearest to a place of the holder. */
  private nearest(left: number, top: number): number {
    if (!this.x) return -1;
    let found = -1;
    let least = Infinity;
    for (let row = 0; row < this.values.length; row++) {
      const distance = (this.px(this.values[row]) - left) ** 2 + (this.py(this.path.parameter[row]) - top) ** 2;
      if (distance < least) [least, found] = [distance, row];
    }
    return found;
  }

  private svg(): string {
    const { path, values, width, height } = this;
    const ink = inks[this.host.theme];
    const [x, y] = [this.x!, this.y!];
    const [left, right, top, bottom] = [k_margin.left, width - k_margin.right, k_margin.top, height - k_margin.bottom];
    const parts: string[] = [];
    const line = (x1: number, y1: number, x2: number, y2: number, color: string): void =>
      void parts.push(`<path d="M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}" stroke="${color}" fill="none"/>`);
    const text = (at: [number, number], content: string, more: string, color = ink.faint): void =>
      void parts.push(`<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" fill="${color}" ${k_font} ${more}>${escaped(content)}</text>`);
    for (const tick of x.ticks) {
      const at = this.px(tick / x.scaling.factor);
      line(at, top, at, bottom, ink.grid);
      text([at, bottom + 15], tickText(tick, x.step), 'text-anchor="middle"');
    }
    for (const tick of y.ticks) {
      const at = this.py(tick / y.scaling.factor);
      line(left, at, right, at, ink.grid);
      text([left - 7, at + 4], tickText(tick, y.step), 'text-anchor="end"');
    }
    parts.push(`<rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top}" fill="none" stroke="${ink.axis}"/>`);
    const named = (name: string, { unit }: Scaling): string => (unit ? `${name} [${unitText(unit)}]` : name);
    text([(left + right) / 2, bottom + 33], named(this.title, x.scaling), 'text-anchor="middle"', ink.text);
    const [across, down] = [14, (top + bottom) / 2];
    text([across, down], named(alongText(path), y.scaling), `text-anchor="middle" transform="rotate(-90 ${across} ${down.toFixed(1)})"`, ink.text);
    const color = curveColor(this.host.theme, 0);
    for (const { first, last, stability } of piecesOf(path)) {
      const points: string[] = [];
      for (let row = first; row <= last; row++) points.push(`${this.px(values[row]).toFixed(1)},${this.py(path.parameter[row]).toFixed(1)}`);
      const dash = dashes[stability] ? ` stroke-dasharray="${dashes[stability]}"` : "";
      parts.push(`<polyline class="${stability}" points="${points.join(" ")}" fill="none" stroke="${color}" stroke-width="1.9" stroke-linejoin="round"${dash}/>`);
    }
    for (let row = 0; row < values.length; row++) {
      if (path.point[row] > 0) parts.push(markOf(path.point[row], this.px(values[row]), this.py(path.parameter[row]), ink));
    }
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${parts.join("")}<circle class="here" r="5.5"/></svg>`;
  }

  private mark(): void {
    const here = this.holder.querySelector<SVGCircleElement>(".here");
    if (!here || !this.x || !this.y) return;
    const [value, parameter] = this.place;
    here.setAttribute("cx", this.px(value).toFixed(1));
    here.setAttribute("cy", this.py(parameter).toFixed(1));
    const unit = this.x.scaling.unit ? `\u2009${unitText(this.x.scaling.unit)}` : "";
    this.reading.textContent = numberText(value * this.x.scaling.factor) + unit;
  }

  /** The diagram without the mark of the present point, as a picture of twice its size. */
  async picture(): Promise<Blob> {
    const scale = 2;
    const svg = this.svg().replace(/<circle class="here"[^>]*>/, "");
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [scale * this.width, scale * this.height];
    const context = canvas.getContext("2d")!;
    context.fillStyle = inks[this.host.theme].background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), "image/png"));
  }

  /** Its points as CSV, with all their digits. */
  csv(): string {
    const { path } = this;
    const name = (text: string, unit: string): string => `"${(unit ? `${text} [${unit}]` : text).replaceAll('"', '""')}"`;
    const lines = [`branch,point,stability,${name(path.along, path.unit)},${name(this.title, this.unit)}`];
    for (let row = 0; row < this.values.length; row++) {
      const point = ["regular", "fold", "branch point"][path.point[row]];
      lines.push(`${path.branch[row]},${point},${stabilityAfter(path, row)},${path.parameter[row]},${this.values[row]}`);
    }
    return lines.join("\n") + "\n";
  }
}

/** A fold is a dot, a branch point an open diamond. */
export function markOf(point: number, x: number, y: number, ink: { text: string; background: string }): string {
  const at = `${x.toFixed(1)} ${y.toFixed(1)}`;
  if (point === 1) return `<circle class="fold" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3.6" fill="${ink.text}" stroke="${ink.background}"/>`;
  return `<path class="branch-point" transform="translate(${at})" d="M0 -5L5 0L0 5L-5 0Z" fill="${ink.background}" stroke="${ink.text}" stroke-width="1.5"/>`;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
