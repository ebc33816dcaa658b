import { iconButton, setIcon, setPressed } from "../ui/controls";
import { element } from "../ui/dom";
import { timeText } from "../ui/units";
import { type Playback, speeds } from "./playback";

/** What the timeline says of a time. */
export interface Clock {
  /** "1.250", "load 0.512". */
  text(time: number): string;
  /** Behind it, quietly: " / 5.000 s". */
  rest(): string;
}

export function secondsClock(playback: Playback): Clock {
  return { text: timeText, rest: () => ` / ${timeText(playback.end)} s` };
}

/** Play, step, scrub: the strip below the robot. */
export class Timeline {
  readonly root: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly scrubber: HTMLInputElement;
  private readonly now = element("output", { class: "now" });
  private readonly rest = element("span", { class: "quiet total" });
  private readonly speed: HTMLSelectElement;

  constructor(
    private readonly playback: Playback,
    private readonly clock: Clock,
  ) {
    const { start, end } = playback;
    this.play = iconButton("play", "Play", () => playback.toggle(), "Space");
    this.play.classList.add("primary");
    this.loop = iconButton("loop", "Repeat", () => playback.setLoop(!playback.loop));
    // twice as fine as a wide screen has pixels
    this.scrubber = element("input", { type: "range", class: "scrubber", min: start, max: end, step: (end - start) / 8000, "aria-label": "Time" });
    this.scrubber.addEventListener("input", () => playback.setTime(this.scrubber.valueAsNumber));
    this.speed = element("select", { "aria-label": "Speed", title: "Speed ([ and ])" });
    for (const speed of speeds) this.speed.append(element("option", { value: speed }, `${speed}\u00d7`));
    this.speed.addEventListener("change", () => playback.setSpeed(Number(this.speed.value)));
    this.root = element(
      "section",
      { class: "timeline", "aria-label": "Timeline" },
      element(
        "div",
        { class: "buttons" },
        iconButton("stepBack", "One frame back", () => playback.step(-1), "\u2190"),
        this.play,
        iconButton("stepForward", "One frame on", () => playback.step(1), "\u2192"),
      ),
      element("div", { class: "scrub" }, this.scrubber),
      element("span", { class: "clock" }, this.now, this.rest),
      element("div", { class: "buttons" }, this.speed, this.loop),
    );
    this.update();
  }

  /** Shows the playback's time and state. */
  update(): void {
    const { time, start, end, playing, loop, speed } = this.playback;
    setIconOnce(this.play, playing);
    setPressed(this.loop, loop);
    if (this.scrubber.min !== String(start) || this.scrubber.max !== String(end)) {
      this.scrubber.min = String(start);
      this.scrubber.max = String(end);
      this.scrubber.step = String((end - start) / 8000);
    }
    this.scrubber.value = String(time);
    this.scrubber.style.setProperty("--part", String(end > start ? (time - start) / (end - start) : 0));
    const text = this.clock.text(time);
    const rest = this.clock.rest();
    this.scrubber.setAttribute("aria-valuetext", rest.endsWith(" s") ? `${text} s` : text);
    this.now.textContent = text;
    if (this.rest.textContent !== rest) this.rest.textContent = rest;
    if (this.speed.value !== String(speed)) this.speed.value = String(speed);
  }
}

function setIconOnce(button: HTMLButtonElement, playing: boolean): void {
  const name = playing ? "Pause" : "Play";
  if (button.getAttribute("aria-label") !== name) setIcon(button, playing ? "pause" : "play", name, "Space");
}
