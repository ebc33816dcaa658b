import { iconButton } from "../ui/controls";
import { element } from "../ui/dom";

export type HelpLine = [keys: string[], meaning: string];

export const reportHelp: HelpLine[] = [
  [["Space"], "play, pause"],
  [["\u2190", "\u2192"], "one frame back, on"],
  [["Shift", "\u2190", "\u2192"], "ten frames"],
  [["Home", "End"], "first, last frame"],
  [["[", "]"], "slower, faster"],
  [["F"], "bring the whole robot into sight"],
  [["S"], "stroboscope"],
  [["C"], "next coloring"],
  [["Shift", "C"], "shapes by which links touch"],
  [["1", "\u2026", "5"], "cameras"],
  [["6"], "with, without perspective"],
  [["T"], "light, dark"],
  [["Enter"], "press what has the focus"],
  [["Esc"], "close a menu"],
];

export const modesHelp: HelpLine[] = [[["\u2191", "\u2193"], "mode before, next mode"], ...reportHelp.filter(([keys]) => keys[0] !== "S")];

export const liveHelp: HelpLine[] = [
  [["Space"], "pause, go on"],
  [["\u2192"], "one step while paused"],
  [["R"], "reset"],
  [["G"], "gravity on, off"],
  [["F"], "bring the whole robot into sight"],
  [["C"], "next coloring"],
  [["Shift", "C"], "shapes by which links touch"],
  [["1", "\u2026", "5"], "cameras"],
  [["6"], "with, without perspective"],
  [["T"], "light, dark"],
  [["Enter"], "press what has the focus"],
  [["Esc"], "close a menu"],
];

const k_mouse: HelpLine[] = [
  [["Drag"], "turn the view"],
  [["Right drag"], "move the view (two fingers)"],
  [["Wheel"], "nearer, farther"],
];

/** A window that says what keys and pointer do. */
export class Help {
  private readonly dialog: HTMLDialogElement;

  constructor(lines: HelpLine[], pointer: HelpLine[], version: string) {
    const close = iconButton("close", "Close", () => this.dialog.close());
    const table = (all: HelpLine[]): HTMLElement =>
      element(
        "dl",
        { class: "keys" },
        ...all.flatMap(([keys, meaning]) => [
          element("dt", {}, ...keys.map((key) => (key === "\u2026" ? element("span", {}, key) : element("kbd", {}, key)))),
          element("dd", {}, meaning),
        ]),
      );
    this.dialog = element(
      "dialog",
      { class: "help", "aria-label": "Help" },
      element("header", {}, element("h2", {}, "Keys and pointer"), close),
      table(lines),
      element("hr"),
      table([...k_mouse, ...pointer]),
      element("p", { class: "quiet" }, `Cuttle ${version}`),
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}
