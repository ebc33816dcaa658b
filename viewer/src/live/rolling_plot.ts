import { type Line, Panel, type PanelHost } from "../plots/panel";
import type { Theme } from "../stage/stage";

const k_seconds = 10;
const k_most_rows = 1200;

/** The last ten seconds of some values. */
export class RollingPlot implements PanelHost {
  readonly timeUnit = "s";
  readonly panel: Panel;
  theme: Theme = "light";
  private times: number[] = [];
  private rows: number[][];

  constructor(
    title: string,
    unit: string,
    private readonly names: string[],
  ) {
    this.panel = new Panel(this, title, unit);
    this.panel.root.classList.add("rolling");
    this.rows = names.map(() => []);
    this.refresh();
  }

  /** One more row; a time that goes back begins again. */
  add(time: number, values: number[]): void {
    const last = this.times[this.times.length - 1];
    if (time === last) return;
    if (time < last) this.clear();
    this.times.push(time);
    values.forEach((value, i) => this.rows[i].push(value));
    let old = 0;
    while (old < this.times.length - 2 && (this.times[old] < time - k_seconds || this.times.length - old > k_most_rows)) old++;
    if (old > 0) {
      this.times.splice(0, old);
      for (const row of this.rows) row.splice(0, old);
    }
  }

  clear(): void {
    this.times = [];
    this.rows = this.names.map(() => []);
  }

  /** Draws what was added. */
  refresh(): void {
    const lines: Line[] = this.names.map((name, color) => ({ name, color, dashed: false, samples: { times: this.times, values: this.rows[color] } }));
    this.panel.update(lines);
    this.panel.setTime(this.times[this.times.length - 1] ?? 0);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.panel.draw();
  }

  pick(): void {}
  hover(time: number | null): void {
    this.panel.setReading(time);
  }
  zoom(): void {}
}
