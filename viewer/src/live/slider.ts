import { element } from "../ui/dom";
import { scalingFor, unitText } from "../ui/units";

export interface SliderOptions {
  name: string;
  unit: string;
  min: number;
  max: number;
  value: number;
  /** The user set a value. */
  set(value: number): void;
  /** A joint: it can be let go, by a double click or its button. */
  free?(): void;
}

/** A range and a number field for the same value, with its unit. */
export class Slider {
  readonly root: HTMLElement;
  private readonly range: HTMLInputElement;
  private readonly field: HTMLInputElement;
  private readonly release: HTMLButtonElement | null = null;
  private readonly scaling;
  /** The user moves it now: what the server says comes too late to be shown. */
  private held = false;
  private heldUntil = 0;

  constructor(private readonly options: SliderOptions) {
    const { name, unit, min, max } = options;
    this.scaling = scalingFor(unit, Math.max(Math.abs(min), Math.abs(max)));
    const shownUnit = unitText(this.scaling.unit);
    const step = (max - min) / 1000;
    this.range = element("input", { type: "range", min, max, step, "aria-label": `${name} [${shownUnit}]` });
    this.field = element("input", { type: "number", step: "any", "aria-label": `${name}, number [${shownUnit}]` });
    this.range.addEventListener("input", () => this.take(this.range.valueAsNumber));
    this.range.addEventListener("pointerdown", () => (this.held = true));
    for (const event of ["pointerup", "pointercancel", "blur"] as const) this.range.addEventListener(event, () => (this.held = false));
    this.field.addEventListener("change", () => {
      const value = this.field.valueAsNumber / this.scaling.factor;
      if (Number.isFinite(value)) this.take(value); // beyond the range the server cuts it, and says so
    });
    // the number is set: keys are the page's again
    this.field.addEventListener("keydown", (event) => event.key === "Enter" && this.field.blur());
    if (options.free) {
      const free = options.free;
      this.release = element("button", { type: "button", class: "hold", title: "Let this joint go", onclick: free }, "free");
      this.range.addEventListener("dblclick", free);
      this.range.title = "Drag to hold the joint; double click lets it go";
    }
    this.root = element(
      "div",
      { class: "slider", "data-name": name },
      element("span", { class: "name", title: name }, name),
      this.release,
      element("span", { class: "number" }, this.field, element("span", { class: "quiet" }, shownUnit)),
      this.range,
    );
    this.show(options.value);
  }

  /** Shows what the server says, unless the user moves the slider just now. `held`: a joint is held there. */
  update(value: number, held = true): void {
    this.root.classList.toggle("free", !held);
    if (this.release) {
      this.release.textContent = held ? "held" : "free";
      this.release.disabled = !held || this.range.disabled;
    }
    if (this.held || performance.now() < this.heldUntil) return;
    this.show(value);
  }

  setEnabled(on: boolean): void {
    this.range.disabled = !on;
    this.field.disabled = !on;
  }

  private take(value: number): void {
    this.heldUntil = performance.now() + 400;
    this.show(value);
    this.options.set(value);
  }

  private show(value: number): void {
    const { min, max } = this.options;
    this.range.value = String(value);
    const part = Math.min(1, Math.max(0, (value - min) / (max - min)));
    this.range.style.setProperty("--part", String(part));
    this.range.style.setProperty("--zero", String(Math.min(1, Math.max(0, -min / (max - min)))));
    if (document.activeElement !== this.field) this.field.value = (value * this.scaling.factor).toFixed(this.decimals());
  }

  /** Three digits of the largest value. */
  private decimals(): number {
    const { min, max } = this.options;
    const size = Math.max(Math.abs(min), Math.abs(max)) * this.scaling.factor;
    return Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(size || 1))));
  }
}
