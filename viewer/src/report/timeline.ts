import { iconButton, setIcon, setPressed } from "../ui/controls";
import { element } from "../ui/dom";
import { timeText } from "../ui/units";
import { type Playback, speeds } from "./playback";

/** Play, step, scrub: the strip below the robot. */
export class Timeline {
  readonly root: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly scrubber: HTMLInputElement;
  private readonly now = element("output", { class: "now" });
  private readonly speed: HTMLSelectElement;

  constructor(private readonly playback: Playback) {
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
      element("span", { class: "clock" }, this.now, element("span", { class: "quiet total" }, ` / ${timeText(end)}`), element("span", { class: "quiet" }, " s")),
      element("div", { class: "buttons" }, this.speed, this.loop),
    );
    this.update();
  }

  /** Shows the playback's time and state. */
  update(): void {
    const { time, start, end, playing, loop, speed } = this.playback;
    setIconOnce(this.play, playing);
    setPressed(this.loop, loop);
    this.scrubber.value = String(time);
    this.scrubber.style.setProperty("--part", String(end > start ? (time - start) / (end - start) : 0));
    this.scrubber.setAttribute("aria-valuetext", `${timeText(time)} s`);
    this.now.textContent = timeText(time);
    if (this.speed.value !== String(speed)) this.speed.value = String(speed);
  }
}

function setIconOnce(button: HTMLButtonElement, playing: boolean): void {
  const name = playing ? "Pause" : "Play";
  if (button.getAttribute("aria-label") !== name) setIcon(button, playing ? "pause" : "play", name, "Space");
}
