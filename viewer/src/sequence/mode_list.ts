import type { ModesSequence, SwingingMode } from "../contract";
import { element } from "../ui/dom";
import { numberText } from "../ui/units";

/** What a mode does, for people: "2.31 Hz", "decays without turning". */
export function frequencyText(mode: SwingingMode): string {
  if (mode.turns) return `${numberText(mode.frequency, 3)} Hz`;
  if (mode.growth > 0) return "grows";
  return mode.growth < 0 ? "decays" : "moves freely";
}

export function dampingText(mode: SwingingMode): string {
  if (!mode.turns) return mode.growth === 0 ? "" : `in ${numberText(1 / Math.abs(mode.growth), 3)} s`;
  return numberText(mode.damping, 3);
}

/** The modes of a robot, one of which swings. */
export class ModeList {
  readonly root: HTMLElement;
  private readonly rows: HTMLButtonElement[];
  private at = 0;

  /** @param chosen  called with the mode that shall swing. */
  constructor(
    private readonly sequence: ModesSequence,
    private readonly chosen: (mode: SwingingMode, index: number) => void,
  ) {
    this.rows = sequence.modes.map((mode, i) =>
      element(
        "button",
        { type: "button", class: mode.growth > 0 ? "mode grows" : "mode", role: "option", onclick: () => this.choose(i) },
        element("span", { class: "number" }, String(i + 1)),
        element("b", {}, frequencyText(mode)),
        element("span", {}, dampingText(mode)),
        element("span", { class: "moves", title: mode.moves }, mode.moves),
      ),
    );
    const more = sequence.all > sequence.modes.length ? `The lowest ${sequence.modes.length} of ${sequence.all} modes.` : "";
    this.root = element(
      "section",
      { class: "plots", "aria-label": "Modes" },
      element("header", { class: "plots-bar" }, element("h2", {}, "Modes")),
      element(
        "div",
        { class: "modes", role: "listbox", "aria-label": "Modes" },
        element("div", { class: "mode head", "aria-hidden": "true" }, element("span", {}, ""), element("span", {}, "frequency"), element("span", {}, "damping ratio"), element("span", {}, "moves most")),
        ...this.rows,
      ),
      element("p", { class: "quiet modes-note" }, `Each mode swings once in two seconds, as wide as is well seen and without its decay. ${more}`),
    );
  }

  get index(): number {
    return this.at;
  }

  choose(index: number): void {
    this.at = Math.min(this.rows.length - 1, Math.max(0, index));
    this.rows.forEach((row, i) => row.setAttribute("aria-selected", String(i === this.at)));
    this.rows[this.at].scrollIntoView({ block: "nearest" });
    this.chosen(this.sequence.modes[this.at], this.at);
  }

  /** The next one up or down the list. */
  step(direction: -1 | 1): void {
    this.choose(this.at + direction);
  }
}
