import uPlot from "uplot";
import type { SweepPage } from "../contract";
import { decodeArray, type Numbers } from "../data/packed";
import { curveColor, inks } from "../plots/colors";
import type { Theme } from "../stage/stage";
import { element, onResize } from "../ui/dom";
import { tickText, unitText } from "../ui/units";
import { scalingOf } from "./table";

const k_font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

/** A column over time: the median, and the parts of runs about it. */
export class Band {
  readonly root: HTMLElement;
  private readonly holder = element("div", { class: "plot" });
  private plot: uPlot | null = null;

  private constructor(
    private readonly times: Numbers,
    private readonly quantiles: Numbers[],
    private readonly factor: number,
    title: string,
    unit: string,
    runs: number,
    private theme: Theme,
  ) {
    const words = unit ? `[${unitText(unit)}]` : "";
    this.root = element(
      "section",
      { class: "panel", "aria-label": `Band of ${title}` },
      element("header", {}, element("h3", {}, title), element("span", { class: "unit" }, words), element("span", { class: "note" }, `median, 50 % and 90 % of ${runs} runs`)),
      this.holder,
    );
    onResize(this.holder, () => this.draw());
  }

  static async decodeAll(page: SweepPage, theme: Theme): Promise<Band[]> {
    if (page.bands.columns.length === 0) return [];
    const times = await decodeArray(page.bands.times, "times");
    return Promise.all(
      page.bands.columns.map(async ({ name, unit, quantiles }) => {
        const curves = await Promise.all(quantiles.map((packed) => decodeArray(packed, name)));
        const scaling = scalingOf({ unit, values: Float64Array.from(curves.flatMap((curve) => [...curve])) });
        return new Band(times, curves, scaling.factor, name, scaling.unit, page.bands.runs, theme);
      }),
    );
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.draw();
  }

  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    this.plot?.destroy();
    this.plot = null;
    if (width === 0 || height === 0) return;
    const ink = inks[this.theme];
    const color = curveColor(this.theme, 0);
    const axis = { stroke: ink.faint, font: k_font, grid: { stroke: ink.grid, width: 1 }, ticks: { stroke: ink.axis, width: 1, size: 4 }, gap: 4 };
    const labels = (splits: number[], unit = ""): string[] => {
      const step = splits.length > 1 ? splits[1] - splits[0] : 1;
      return splits.map((value, i) => tickText(value, step) + (unit && i === splits.length - 1 ? ` ${unit}` : ""));
    };
    const edge = { stroke: "transparent", width: 0, points: { show: false } };
    const options: uPlot.Options = {
      width,
      height,
      pxAlign: 0,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false } },
      axes: [
        { ...axis, size: 26, space: 60, values: (_plot, splits) => labels(splits, "s") },
        { ...axis, size: 52, space: 24, values: (_plot, splits) => labels(splits) },
      ],
      series: [{}, edge, edge, { stroke: color, width: 1.8, points: { show: false } }, edge, edge],
      bands: [
        { series: [5, 1], fill: `${color}2e` },
        { series: [4, 2], fill: `${color}52` },
      ],
    };
    const scaled = this.quantiles.map((curve) => Array.from(curve, (value) => (Number.isFinite(value) ? value * this.factor : null)));
    this.plot = new uPlot(options, [Array.from(this.times), ...scaled], this.holder);
  }
}
