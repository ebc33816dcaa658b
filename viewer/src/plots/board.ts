import type { Theme } from "../stage/stage";
import { iconButton, Menu, setPressed } from "../ui/controls";
import { download, fileName } from "../ui/download";
import { element } from "../ui/dom";
import { unitText } from "../ui/units";
import { csvText, type Column } from "./csv";
import { type Line, Panel, type PanelHost } from "./panel";
import { fillPicker } from "./picker";
import { difference, type NamedCurve, noiseText, type Series } from "./series";

/** What the board tells the page. */
export interface BoardHost {
  title: string;
  /** What tells runs apart; one: nothing needs to. */
  labels: string[];
  timeUnit: string;
  pick(time: number): void;
}

interface Shown {
  key: string;
  title: string;
  panel: Panel;
  columns: Column[];
}

/** The panels beside the robot: curves by name, grouped by what they are and their unit. */
export class Board implements PanelHost {
  readonly root = element("section", { class: "plots", "aria-label": "Plots" });
  private readonly list = element("div", { class: "panels" });
  private readonly silent = element("p", { class: "quiet silent" });
  private readonly empty = element("p", { class: "quiet" }, "No curve is chosen. \u201cCurves\u201d lists them all.");
  private readonly chosen = new Set<NamedCurve>();
  private differences: boolean;
  private shown: Shown[] = [];
  private time = 0;
  private range: [number, number] | null = null;
  /** The latest call of update: an earlier one that is still unpacking gives way. */
  private updates = 0;

  constructor(
    private readonly series: Series,
    private readonly host: BoardHost,
    public theme: Theme,
  ) {
    for (const curve of series.curves) if (curve.shown) this.chosen.add(curve);
    const compared = host.labels.length === 2;
    this.differences = compared;
    const curves = element("button", { type: "button", class: "text-button", title: "Choose curves by name" }, "Curves");
    const picker = new Menu(curves, (sheet) => fillPicker(sheet, series.curves, this.chosen, () => void this.update()), "picker");
    const bar = element("header", { class: "plots-bar" }, element("h2", {}, "Plots"), picker.root);
    if (compared) bar.append(this.differenceButton());
    this.root.append(bar, this.list);
  }

  /** Shows what is chosen; after it panels are there. */
  async update(): Promise<void> {
    const update = ++this.updates;
    const groups = new Map<string, NamedCurve[]>();
    for (const curve of this.series.curves) {
      const key = `${curve.group}/${curve.unit}`;
      groups.set(key, [...(groups.get(key) ?? []), curve]);
    }
    const made: Shown[] = [];
    for (const [key, all] of groups) {
      const curves = all.filter((curve) => this.chosen.has(curve));
      if (curves.length > 0) made.push(...(await this.panelsOf(key, curves, all)));
    }
    if (update !== this.updates) return;
    this.shown = made;
    this.list.replaceChildren(...(made.length > 0 ? made.map(({ panel }) => panel.root) : [this.empty]), this.silent);
    this.silent.textContent = this.silentText([...groups.values()]);
    for (const { panel } of made) {
      panel.setRange(this.range);
      panel.setTime(this.time);
    }
  }

  setTime(time: number): void {
    this.time = time;
    for (const { panel } of this.shown) panel.setTime(time);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    for (const { panel } of this.shown) panel.draw();
  }

  /** Panels that are shown, for tests. */
  get panels(): readonly Shown[] {
    return this.shown;
  }

  get timeUnit(): string {
    return this.host.timeUnit;
  }

  // --- of its panels ---------------------------------------------------------------------------------------------

  pick(time: number): void {
    this.host.pick(time);
  }

  hover(time: number | null): void {
    for (const { panel } of this.shown) panel.setReading(time);
  }

  zoom(range: [number, number] | null): void {
    this.range = range;
    for (const { panel } of this.shown) panel.setRange(range);
  }

  // --- panels ----------------------------------------------------------------------------------------------------

  /** Of panels that nobody chose because there is nothing to see in them: which, and why. */
  private silentText(groups: NamedCurve[][]): string {
    const names = (noise: "zero" | "rounding"): string[] =>
      groups
        .filter((all) => all.every((curve) => curve.noise && !this.chosen.has(curve)) && all.some((curve) => curve.noise === "rounding") === (noise === "rounding"))
        .map(([{ groupTitle, unit }]) => (unit ? `${groupTitle} [${unitText(unit)}]` : groupTitle));
    const lines = (["rounding", "zero"] as const).map((noise) => [noise, names(noise)] as const).filter(([, found]) => found.length > 0);
    return lines.length === 0 ? "" : `Not shown: ${lines.map(([noise, found]) => `${found.join(", ")} (${noiseText(noise)})`).join("; ")}.`;
  }

  /** @param all  curves that the panel could have */
  private async panelsOf(key: string, curves: NamedCurve[], all: NamedCurve[]): Promise<Shown[]> {
    const { labels } = this.host;
    const { groupTitle, unit } = curves[0];
    const samples = await Promise.all(curves.map((curve) => this.series.samples(curve)));
    const lines: Line[] = [];
    const changes: Line[] = [];
    curves.forEach(({ name }, color) => {
      samples[color].forEach((ofRun, run) => {
        if (!ofRun) return;
        const text = labels.length === 2 ? `${name} \u00b7 ${"AB"[run]}` : name;
        lines.push({ name: text, samples: ofRun, color, dashed: run === 1 });
      });
      const [first, second] = samples[color];
      if (first && second) changes.push({ name: `${name} \u00b7 B\u2212A`, samples: difference(first, second), color, dashed: false });
    });
    const panels = [this.panelOf(key, groupTitle, unit, lines, curves)];
    panels[0].panel.setNote(noteOf(curves, all));
    if (this.differences && changes.length > 0) {
      panels.push(this.panelOf(`${key}/difference`, `${groupTitle}: B \u2212 A`, unit, changes, null));
    }
    return panels;
  }

  private panelOf(key: string, title: string, unit: string, lines: Line[], curves: NamedCurve[] | null): Shown {
    const { labels } = this.host;
    const columns = lines.map(({ name, samples }) => ({ name, unit, samples }));
    const file = (end: string): string => fileName(this.host.title, title.replace("B \u2212 A", "difference")) + end;
    const tools = [
      iconButton("picture", `Save ${title} as PNG`, () => void panel.picture().then((blob) => download(blob, file(".png")))),
      iconButton("table", `Save ${title} as CSV`, () => download(csvText(columns), file(".csv"))),
    ];
    if (curves) tools.push(iconButton("close", `Hide ${title}`, () => this.hide(curves)));
    const panel = new Panel(this, title, unit, ...tools);
    if (labels.length === 2) panel.root.classList.add("compared");
    panel.show(lines);
    return { key, title, panel, columns };
  }

  private hide(curves: NamedCurve[]): void {
    for (const curve of curves) this.chosen.delete(curve);
    void this.update();
  }

  private differenceButton(): HTMLButtonElement {
    const button = element("button", { type: "button", class: "text-button", title: "Panels of B minus A" }, "Differences");
    setPressed(button, this.differences);
    button.addEventListener("click", () => {
      this.differences = !this.differences;
      setPressed(button, this.differences);
      void this.update();
    });
    return button;
  }
}

/** How many of a panel's curves are shown if not all are, and that they say nothing if they do not. */
function noteOf(curves: NamedCurve[], all: NamedCurve[]): string {
  const count = curves.length < all.length ? `${curves.length} of ${all.length} shown` : "";
  const silent = curves.every(({ noise }) => noise) ? noiseText(curves.some(({ noise }) => noise === "rounding") ? "rounding" : "zero") : "";
  return [count, silent].filter(Boolean).join(", ");
}
