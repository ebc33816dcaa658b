import type { SweepPage } from "../contract";
import { offerHooks } from "../hooks";
import { themeButton } from "../report/header";
import { element, nextPicture } from "../ui/dom";
import { ThemeSwitch } from "../ui/theme";
import { numberText, unitText } from "../ui/units";
import { Band } from "./bands";
import { Scatter } from "./scatter";
import { type Column, decodeRows, type Rows, scalingOf } from "./table";

const k_status = ["complete", "failed", "killed"];

/** Builds the page of a sweep: a point a run, bands over time, and the run that is chosen. */
export async function showSweep(page: SweepPage, root: HTMLElement): Promise<void> {
  const theme = new ThemeSwitch();
  const rows = await decodeRows(page);
  const bands = await Band.decodeAll(page, theme.theme);
  const details = new Details(page, rows);
  const host = {
    theme: theme.theme,
    hover: (row: number | null) => details.hover(row),
    choose: (row: number) => {
      scatter.choose(row);
      details.choose(row);
    },
  };
  const scatter: Scatter = new Scatter(rows, host);
  const named = (name: string): Column | null => rows.columns.find((column) => column.name === name) ?? null;
  const axes = { ...page.axes };
  const show = (): void => scatter.show(named(axes.x)!, named(axes.y)!, named(axes.color));
  const choice = (label: string, axis: keyof typeof axes, none: boolean): HTMLElement => {
    const select = element("select", { "aria-label": label }, none ? element("option", { value: "" }, "none") : null);
    for (const { name } of rows.columns) select.append(element("option", { value: name }, name));
    select.value = axes[axis];
    select.addEventListener("change", () => {
      axes[axis] = select.value;
      show();
    });
    return element("label", { class: "axis-choice" }, label, select);
  };
  const failed = rows.status.filter((status) => status !== 0).length;
  const facts: [string, string][] = [
    ["runs", rows.numbers.length === page.count ? `${page.count}` : `${rows.numbers.length} of ${page.count}`],
    ["failed", `${failed}`],
  ];
  const header = element(
    "header",
    { class: "page-header" },
    element("h1", { title: page.title }, page.title),
    element("dl", { class: "facts" }, ...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
    element("div", { class: "buttons" }, themeButton(theme)),
  );
  const choices = element("div", { class: "axis-choices" }, choice("x", "x", false), choice("y", "y", false), choice("color", "color", true));
  if (failed > 0) choices.append(element("span", { class: "failed-key" }, "\u00d7 failed"));
  const left = element("section", { class: "sweep-plots", "aria-label": "All runs" }, choices, scatter.root, ...bands.map((band) => band.root));
  root.replaceChildren(header, element("main", { class: "sweep" }, left, details.root));
  await nextPicture();
  show();
  for (const band of bands) band.draw();
  theme.onChange((now) => {
    host.theme = now;
    scatter.draw();
    for (const band of bands) band.setTheme(now);
  });
  offerHooks({
    kind: "sweep",
    points: () =>
      Array.from(rows.numbers).flatMap((run, row) => {
        const place = scatter.placeOf(row);
        return place ? [{ run, ...place, complete: rows.status[row] === 0 }] : [];
      }),
    chosenRun: () => (scatter.chosen === null ? null : rows.numbers[scatter.chosen]),
  });
}

/** What a run is: its numbers, why it failed, and the run itself where somebody makes it. */
class Details {
  readonly root: HTMLElement;
  private readonly words = element("div", { class: "run-words" });
  private readonly shown = element("div", { class: "run-shown" });
  private chosen: number | null = null;

  constructor(
    private readonly page: SweepPage,
    private readonly rows: Rows,
  ) {
    this.root = element("section", { class: "sweep-run", "aria-label": "A run" }, this.words, this.shown);
    this.describe(null);
  }

  hover(row: number | null): void {
    this.describe(row ?? this.chosen);
  }

  choose(row: number): void {
    this.chosen = row;
    this.describe(row);
    const number = this.rows.numbers[row];
    if (!this.page.served) {
      const command = `cuttle view ${shellWord(this.page.file)} --run ${number}`;
      this.shown.replaceChildren(element("p", { class: "quiet" }, "This page is alone. The run itself is shown by"), element("code", {}, command));
      return;
    }
    const address = `run/${number}`;
    const frame = element("iframe", { title: `run ${number}`, src: address });
    const wait = element("p", { class: "quiet", role: "status" }, `Making run ${number} again \u2026`);
    frame.addEventListener("load", () => wait.remove());
    this.shown.replaceChildren(element("p", {}, element("a", { href: address, target: "_blank" }, `run ${number} alone`)), wait, frame);
  }

  private describe(row: number | null): void {
    if (row === null) {
      this.words.replaceChildren(element("p", { class: "quiet" }, "Click a run to see it."), element("p", { class: "quiet" }, this.page.plan));
      return;
    }
    const number = this.rows.numbers[row];
    const status = this.rows.status[row];
    const lines = this.rows.columns
      .filter(({ name, kind }) => kind !== "other" || name === "seconds")
      .map((column) => {
        const { factor, unit } = scalingOf(column);
        const value = numberText(column.values[row] * factor, 6);
        return element("div", { class: column.kind }, element("dt", {}, column.name), element("dd", {}, unit && unit !== "1" ? `${value} ${unitText(unit)}` : value));
      });
    this.words.replaceChildren(
      element("h2", {}, `run ${number}`),
      status === 0 ? "" : element("p", { class: "banner failed", role: "alert" }, `${k_status[status]}: ${this.page.reasons[String(number)] ?? ""}`),
      element("dl", {}, ...lines),
    );
  }
}

/** A word of a command, in quotes if a shell would read it otherwise. */
function shellWord(text: string): string {
  return /^[\w./+@%:,-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}
