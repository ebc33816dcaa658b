import uPlot from "uplot";
import type { Theme } from "../stage/stage";
import { element, onResize } from "../ui/dom";
import { numberText, scalingFor, tickText, timeText, unitText, type Scaling } from "../ui/units";
import { curveColor, inks } from "./colors";
import { type Samples, valueAt } from "./series";

/** One line of a panel. */
export interface Line {
  name: string;
  samples: Samples;
  /** Place in the row of colors. */
  color: number;
  dashed: boolean;
}

/** What panels of one page have in common. */
export interface PanelHost {
  theme: Theme;
  /** Unit of the times: "s", or "row" of a table. */
  timeUnit: string;
  /** The user points at a time: [s]. */
  pick(time: number): void;
  /** The user reads values at a time; null: no longer. */
  hover(time: number | null): void;
  /** The user chose a part of the times; null: all of them. */
  zoom(range: [number, number] | null): void;
}

const k_font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

/** Lines over time, with a mark at the present time and a legend that reads values. */
export class Panel {
  readonly root: HTMLElement;
  private readonly holder = element("div", { class: "plot" });
  private readonly legend = element("div", { class: "plot-legend" });
  private readonly note = element("span", { class: "note" });
  private readonly mark = element("div", { class: "time-mark" });
  private readonly readMark = element("div", { class: "read-mark" });
  private plot: uPlot | null = null;
  private scaling: Scaling = { factor: 1, unit: "" };
  private lines: Line[] = [];
  private readouts: HTMLElement[] = [];
  private time = 0;
  private reading: number | null = null;
  private range: [number, number] | null = null;

  constructor(
    private readonly host: PanelHost,
    readonly title: string,
    readonly unit: string,
    ...tools: HTMLElement[]
  ) {
    const name = element("h3", {}, title);
    this.root = element(
      "section",
      { class: "panel", "aria-label": `Plot of ${title}` },
      element("header", {}, name, element("span", { class: "unit" }), this.note, element("span", { class: "tools" }, ...tools)),
      this.holder,
      this.legend,
    );
    onResize(this.holder, () => this.fit());
  }

  /** A remark beside the title. */
  setNote(text: string): void {
    this.note.textContent = text;
  }

  /** Takes the place of all lines. */
  show(lines: Line[]): void {
    this.lines = lines;
    this.rescale();
    this.draw();
  }

  /** Other numbers of the lines that are shown: quicker than to show them anew. */
  update(lines: Line[]): void {
    if (!this.plot || lines.length !== this.lines.length) return this.show(lines);
    this.lines = lines;
    this.rescale();
    this.plot.setData(this.aligned());
    this.read();
  }

  private rescale(): void {
    let largest = 0;
    for (const { samples } of this.lines) {
      for (let i = 0; i < samples.values.length; i++) largest = Math.max(largest, Math.abs(samples.values[i]) || 0);
    }
    this.scaling = scalingFor(this.unit, largest);
    this.root.querySelector(".unit")!.textContent = this.scaling.unit ? `[${unitText(this.scaling.unit)}]` : "";
  }

  /** Draws all of it again, as with another theme. */
  draw(): void {
    this.plot?.destroy();
    this.plot = null;
    this.holder.replaceChildren();
    const { theme } = this.host;
    this.readouts = this.lines.map(() => element("b", {}));
    this.legend.replaceChildren(
      ...this.lines.map(({ name, color, dashed }, i) => {
        const swatch = element("i", { class: dashed ? "swatch dashed" : "swatch" });
        swatch.style.setProperty("--color", curveColor(theme, color));
        return element("span", { class: "entry" }, swatch, element("span", { class: "name", title: name }, name), this.readouts[i]);
      }),
    );
    if (this.holder.clientWidth > 0) this.make();
    this.read();
  }

  /** Marks the present time of the 3D view. */
  setTime(time: number): void {
    this.time = time;
    this.place();
    if (this.reading === null) this.read();
  }

  /** Marks a time whose values are read here or in another panel. */
  setReading(time: number | null): void {
    this.reading = time;
    this.place();
    this.read();
  }

  setRange(range: [number, number] | null): void {
    this.range = range;
    if (!this.plot) return;
    const times = this.plot.data[0];
    const [min, max] = range ?? [times[0], times[times.length - 1]];
    this.plot.setScale("x", { min, max });
    this.place();
  }

  get lineNames(): string[] {
    return this.lines.map(({ name }) => name);
  }

  /** Samples as they are drawn, for tests: what lies on the canvas; nothing before the panel has its size. */
  get drawnData(): uPlot.AlignedData | [] {
    return this.plot?.data ?? [];
  }

  /** The plot with its title and legend, as a picture. */
  picture(): Promise<Blob> {
    const source = this.plot!.ctx.canvas;
    const ratio = uPlot.pxRatio;
    const { theme } = this.host;
    const ink = inks[theme];
    const canvas = document.createElement("canvas");
    const top = 26 * ratio;
    const line = 18 * ratio;
    const context = canvas.getContext("2d")!;
    context.font = `${12 * ratio}px ${k_font.slice(5)}`;
    const entries = this.layLegend(context, source.width, ratio);
    canvas.width = source.width;
    canvas.height = source.height + top + line * (1 + Math.max(...entries.map(({ row }) => row)));
    context.fillStyle = ink.background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(source, 0, top);
    context.fillStyle = ink.text;
    context.font = `600 ${13 * ratio}px ${k_font.slice(5)}`;
    const unit = this.scaling.unit ? ` [${unitText(this.scaling.unit)}]` : "";
    context.fillText(this.title + unit, 10 * ratio, 18 * ratio);
    context.font = `${12 * ratio}px ${k_font.slice(5)}`;
    entries.forEach(({ x, row }, i) => {
      const y = top + source.height + line * row + 8 * ratio;
      context.strokeStyle = curveColor(theme, this.lines[i].color);
      context.lineWidth = 2 * ratio;
      context.setLineDash(this.lines[i].dashed ? [5 * ratio, 3 * ratio] : []);
      context.beginPath();
      context.moveTo(x, y - 4 * ratio);
      context.lineTo(x + 18 * ratio, y - 4 * ratio);
      context.stroke();
      context.fillText(this.lines[i].name, x + 24 * ratio, y);
    });
    return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), "image/png"));
  }

  private layLegend(context: CanvasRenderingContext2D, width: number, ratio: number): { x: number; row: number }[] {
    let x = 10 * ratio;
    let row = 0;
    return this.lines.map(({ name }) => {
      const size = context.measureText(name).width + 42 * ratio;
      if (x > 10 * ratio && x + size > width) {
        x = 10 * ratio;
        row++;
      }
      const place = { x, row };
      x += size;
      return place;
    });
  }

  private make(): void {
    const { theme } = this.host;
    const ink = inks[theme];
    const axis = { stroke: ink.faint, font: k_font, grid: { stroke: ink.grid, width: 1 }, ticks: { stroke: ink.axis, width: 1, size: 4 }, gap: 4 };
    const options: uPlot.Options = {
      width: this.holder.clientWidth,
      height: this.holder.clientHeight,
      pxAlign: 0,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      scales: { x: { time: false }, y: { range: (_plot, min, max) => padded(min, max) } },
      axes: [
        { ...axis, size: 26, space: 60, values: (plot, splits) => labels(plot, splits, 1, this.host.timeUnit) },
        { ...axis, size: 52, space: 24, values: (plot, splits) => labels(plot, splits, this.scaling.factor) },
      ],
      cursor: {
        y: false,
        x: false,
        points: { size: 6, width: 1 },
        drag: { x: true, y: false, setScale: false },
        // a plain drag moves the time; with Shift it chooses a part
        bind: {
          mousedown: (_plot, _target, handler) => (event) => (event.shiftKey ? handler(event) : null),
          dblclick: () => () => (this.host.zoom(null), null),
        },
      },
      hooks: {
        setCursor: [(plot) => this.host.hover(plot.cursor.left! < 0 || plot.cursor.idx == null ? null : plot.data[0][plot.cursor.idx])],
        setSelect: [(plot) => this.select(plot)],
        setScale: [() => this.place()],
        setSize: [() => this.place()],
      },
      series: [
        {},
        ...this.lines.map(({ color, dashed }) => ({
          stroke: curveColor(theme, color),
          width: 1.6,
          dash: dashed ? [6, 4] : undefined,
          points: { show: false },
          spanGaps: true,
        })),
      ],
    };
    this.plot = new uPlot(options, this.aligned(), this.holder);
    this.plot.over.append(this.mark, this.readMark);
    this.listen(this.plot);
    if (this.range) this.setRange(this.range);
    this.place();
  }

  private aligned(): uPlot.AlignedData {
    const sets = [...new Set(this.lines.map(({ samples }) => samples.times))];
    const plain = (values: ArrayLike<number>): (number | null)[] => Array.from(values, (value) => (Number.isFinite(value) ? value : null));
    if (sets.length === 0) return [[0]];
    if (sets.length === 1) return [Array.from(sets[0]), ...this.lines.map(({ samples }) => plain(samples.values))];
    return uPlot.join(this.lines.map(({ samples }) => [Array.from(samples.times), plain(samples.values)]));
  }

  private listen(plot: uPlot): void {
    const over = plot.over;
    const pick = (event: PointerEvent): void => {
      const left = event.clientX - over.getBoundingClientRect().left;
      this.host.pick(plot.posToVal(Math.max(0, Math.min(left, over.clientWidth)), "x"));
    };
    over.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.shiftKey) return;
      over.setPointerCapture(event.pointerId);
      pick(event);
    });
    over.addEventListener("pointermove", (event) => {
      if (over.hasPointerCapture(event.pointerId)) pick(event);
    });
  }

  private select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 5) return;
    this.host.zoom([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (width === 0 || height === 0) return;
    if (!this.plot) this.make();
    else if (this.plot.width !== width || this.plot.height !== height) this.plot.setSize({ width, height });
  }

  private place(): void {
    if (!this.plot) return;
    const put = (mark: HTMLElement, time: number | null): void => {
      const left = time === null ? -1 : this.plot!.valToPos(time, "x");
      mark.hidden = !(left >= -0.5 && left <= this.plot!.over.clientWidth + 0.5);
      mark.style.transform = `translateX(${left}px)`;
    };
    put(this.mark, this.time);
    put(this.readMark, this.reading);
  }

  private read(): void {
    const time = this.reading ?? this.time;
    const { timeUnit } = this.host;
    this.legend.title = timeUnit === "s" ? `values at ${timeText(time)} s` : `values of ${timeUnit} ${Math.round(time)}`;
    this.lines.forEach(({ samples }, i) => {
      this.readouts[i].textContent = numberText(valueAt(samples, time) * this.scaling.factor);
    });
  }
}

/** Limits with some air; equal ones move apart. */
function padded(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [-1, 1];
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (max - min <= 1e-9 * size || size === 0) {
    const half = size > 0 ? 0.1 * size : 1;
    return [min - half, max + half];
  }
  const air = 0.06 * (max - min);
  return [min - air, max + air];
}

function labels(_plot: uPlot, splits: number[], factor: number, unit = ""): string[] {
  const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) * factor : 1;
  const last = splits.length - 1;
  return splits.map((value, i) => tickText(value * factor, step) + (i === last && unit ? ` ${unit}` : ""));
}
