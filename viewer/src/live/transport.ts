import type { ClientMessage, HelloMessage, StateMessage } from "../contract";
import { iconButton, setIcon, setPressed } from "../ui/controls";
import { element } from "../ui/dom";

/** Pause, step, reset, gravity, save, record: the strip below the robot, and how fast time runs. */
export class Transport {
  readonly root: HTMLElement;
  readonly status = element("span", { class: "live-status quiet" });
  private readonly pause: HTMLButtonElement;
  private readonly stepper: HTMLButtonElement;
  private readonly gravity: HTMLButtonElement;
  private readonly record: HTMLButtonElement;
  private readonly save: HTMLButtonElement;
  private readonly recordText = element("span", {}, "Record");
  private readonly now = element("output", { class: "now" }, "0.00");
  private state: StateMessage | null = null;
  private enabled = false;

  constructor(private readonly send: (message: ClientMessage) => void) {
    this.pause = iconButton("pause", "Pause", () => this.togglePause(), "Space");
    this.pause.classList.add("primary");
    this.stepper = iconButton("stepForward", "One step", () => this.step(), "\u2192");
    this.gravity = withText(iconButton("gravity", "Gravity", () => this.toggleGravity(), "G"), element("span", {}, "Gravity"));
    this.record = withText(iconButton("record", "Record", () => this.toggleRecord()), this.recordText);
    this.save = withText(iconButton("save", "Save the state as a scenario", () => send({ type: "save" })), element("span", {}, "Save scenario"));
    const reset = withText(iconButton("reset", "Reset", () => this.reset(), "R"), element("span", {}, "Reset"));
    this.root = element(
      "section",
      { class: "timeline transport", "aria-label": "Simulation" },
      element("div", { class: "buttons" }, this.pause, this.stepper, reset),
      element("span", { class: "clock" }, this.now, element("span", { class: "quiet" }, " s")),
      element("div", { class: "buttons" }, this.gravity, this.save, this.record),
    );
  }

  /** What the files are called that saving and recording write. */
  files({ scenarioFile, recordFile }: HelloMessage): void {
    this.save.title = `Save the state as ${scenarioFile}`;
    this.record.title = `Record into ${recordFile}`;
  }

  update(state: StateMessage): void {
    this.state = state;
    const name = state.paused ? "Go on" : "Pause";
    if (this.pause.getAttribute("aria-label") !== name) setIcon(this.pause, state.paused ? "play" : "pause", name, "Space");
    setPressed(this.gravity, state.gravity);
    setPressed(this.record, state.recording);
    this.record.classList.toggle("recording", state.recording);
    this.recordText.textContent = state.recording ? `Stop (${state.recorded} rows)` : "Record";
    const pages = state.viewers > 1 ? ` \u00b7 ${state.viewers} pages` : "";
    this.status.textContent = (state.paused ? "paused" : `${state.speed.toFixed(2)}\u00d7 real time`) + pages;
    this.enable();
  }

  setTime(time: number): void {
    this.now.textContent = time.toFixed(2);
  }

  setEnabled(on: boolean): void {
    this.enabled = on;
    this.enable();
  }

  togglePause(): void {
    if (this.state?.failure) return;
    this.send({ type: "pause", on: !this.state?.paused });
  }

  step(): void {
    if (this.state?.paused && !this.state.failure) this.send({ type: "step" });
  }

  reset(): void {
    this.send({ type: "reset" });
  }

  toggleGravity(): void {
    this.send({ type: "gravity", on: !this.state?.gravity });
  }

  private toggleRecord(): void {
    this.send({ type: "record", on: !this.state?.recording });
  }

  private enable(): void {
    for (const button of this.root.querySelectorAll("button")) button.disabled = !this.enabled;
    // after a failure only a reset helps
    const failed = Boolean(this.state?.failure);
    this.pause.disabled ||= failed;
    this.stepper.disabled ||= failed || !this.state?.paused;
  }
}

function withText(button: HTMLButtonElement, text: HTMLElement): HTMLButtonElement {
  button.append(text);
  button.classList.add("with-text");
  return button;
}
