import type { Theme } from "../stage/stage";
import { fillPicker } from "../plots/picker";
import { curveColor, inks } from "../plots/colors";
import type { NamedCurve, Series } from "../plots/series";
import { iconButton, Menu } from "../ui/controls";
import { element } from "../ui/dom";
import { download, fileName } from "../ui/download";
import { dashes, Diagram, type DiagramHost, markOf } from "./diagram";
import { type Path, piecesOf } from "./path";

/** What the board tells the page. */
export interface DiagramBoardHost {
  title: string;
  pick(time: number): void;
}

/** The diagrams of a path beside the robot: one for each chosen curve. */
export class DiagramBoard implements DiagramHost {
  readonly root = element("section", { class: "plots", "aria-label": "Diagrams" });
  private readonly list = element("div", { class: "panels" });
  private readonly key = element("div", { class: "diagram-key" });
  private readonly empty = element("p", { class: "quiet" }, "No quantity is chosen. \u201cQuantities\u201d lists them all.");
  private readonly chosen = new Set<NamedCurve>();
  private shown: Diagram[] = [];
  private time = 0;
  private updates = 0;

  constructor(
    private readonly series: Series,
    private readonly path: Path,
    private readonly host: DiagramBoardHost,
    public theme: Theme,
  ) {
    const curves = element("button", { type: "button", class: "text-button", title: "Choose quantities by name" }, "Quantities");
    const picker = new Menu(curves, (sheet) => fillPicker(sheet, series.curves, this.chosen, () => void this.update()), "picker");
    this.root.append(element("header", { class: "plots-bar" }, element("h2", {}, "Equilibria"), picker.root), this.list, this.key);
  }

  /** Chooses what says most: coordinates of the last tip, at most two, that change most. */
  async choose(): Promise<void> {
    const candidates = this.series.curves.filter(({ group, shown, noise }) => group === "tips" && shown && !noise);
    const spans = await Promise.all(candidates.map(async (curve) => ({ curve, span: spanOf((await this.series.samples(curve))[0]?.values ?? []) })));
    spans.sort((first, second) => second.span - first.span);
    const most = spans[0]?.span ?? 0;
    for (const { curve, span } of spans.slice(0, 2)) if (span > 0.02 * most) this.chosen.add(curve);
    if (this.chosen.size === 0) {
      const first = this.series.curves.find(({ noise }) => !noise) ?? this.series.curves[0];
      if (first) this.chosen.add(first);
    }
    await this.update();
  }

  async update(): Promise<void> {
    const update = ++this.updates;
    const curves = this.series.curves.filter((curve) => this.chosen.has(curve));
    const values = await Promise.all(curves.map(async (curve) => (await this.series.samples(curve))[0]?.values ?? []));
    if (update !== this.updates) return;
    this.shown = curves.map((curve, i) => this.diagramOf(curve, values[i]));
    this.list.replaceChildren(...(this.shown.length > 0 ? this.shown.map(({ root }) => root) : [this.empty]));
    for (const diagram of this.shown) diagram.setTime(this.time);
    this.drawKey();
  }

  setTime(time: number): void {
    this.time = time;
    for (const diagram of this.shown) diagram.setTime(time);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    for (const diagram of this.shown) diagram.draw();
    this.drawKey();
  }

  pick(time: number): void {
    this.host.pick(time);
  }

  /** Diagrams that are shown, for tests. */
  get diagrams(): readonly Diagram[] {
    return this.shown;
  }

  private diagramOf(curve: NamedCurve, values: ArrayLike<number>): Diagram {
    const { name, unit } = curve;
    const file = (end: string): string => fileName(this.host.title, name) + end;
    const hide = (): void => {
      this.chosen.delete(curve);
      void this.update();
    };
    const diagram: Diagram = new Diagram(
      this,
      name,
      unit,
      this.path,
      values,
      iconButton("picture", `Save ${name} as PNG`, () => void diagram.picture().then((blob) => download(blob, file(".png")))),
      iconButton("table", `Save ${name} as CSV`, () => download(diagram.csv(), file(".csv"))),
      iconButton("close", `Hide ${name}`, hide),
    );
    return diagram;
  }

  /** What lines and marks mean, of those that are there. */
  private drawKey(): void {
    const ink = inks[this.theme];
    const color = curveColor(this.theme, 0);
    const swatch = (content: string): string => `<svg width="30" height="14" viewBox="0 0 30 14" aria-hidden="true">${content}</svg>`;
    const entries: [string, string][] = [];
    const there = new Set(piecesOf(this.path).map(({ stability }) => stability));
    for (const name of ["stable", "unstable", "neutral", "unknown"] as const) {
      if (!there.has(name)) continue;
      const dash = dashes[name] ? ` stroke-dasharray="${dashes[name]}"` : "";
      entries.push([name, swatch(`<path d="M1 7H29" stroke="${color}" stroke-width="2"${dash}/>`)]);
    }
    const points = new Set(Array.from(this.path.point));
    if (points.has(1)) entries.push(["fold", swatch(markOf(1, 15, 7, ink))]);
    if (points.has(2)) entries.push(["branch point", swatch(markOf(2, 15, 7, ink))]);
    this.key.innerHTML = entries.map(([name, picture]) => `<span>${picture}${name}</span>`).join("");
  }
}

function spanOf(values: ArrayLike<number>): number {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  return high - low;
}
