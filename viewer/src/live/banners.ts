import type { NoticeMessage, SavedMessage, StateMessage } from "../contract";
import { element } from "../ui/dom";

/** What the user must know now: lines above the robot. Each kind is there at most once. */
export class Banners {
  readonly root = element("div", { class: "banners", role: "status" });
  private readonly lines = new Map<string, HTMLElement>();
  private timer = 0;

  connected(on: boolean): void {
    this.say("connection", on ? null : "No connection to cuttle live. Trying again \u2026", "failed");
  }

  state(state: StateMessage): void {
    const { tooSlow, paused, speed, failure } = state;
    const slow = `${speed.toPrecision(2)}\u00d7 real time: this robot cannot be computed in real time here. What you see is slower than it would be.`;
    this.say("slow", tooSlow && !paused ? slow : null);
    this.say("failure", failure ? `The simulation failed: ${failure} Reset starts again.` : null, "failed");
  }

  watching(on: boolean, viewers: number, take: () => void): void {
    const text = `You are watching; another page controls the robot${viewers > 1 ? ` (${viewers} pages)` : ""}.`;
    this.say("role", on ? text : null, "", on ? element("button", { type: "button", class: "text-button", onclick: take }, "Take control") : null);
  }

  notice(message: NoticeMessage | SavedMessage): void {
    const saved = message.type === "saved";
    const text = saved ? `${message.what === "scenario" ? "Scenario" : "Recording"} written: ${message.file}${message.note ? `. ${message.note}` : ""}` : message.text;
    this.say("notice", text, !saved && message.level === "error" ? "failed" : "good");
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.say("notice", null), 6000);
  }

  private say(kind: string, text: string | null, look = "", action: HTMLElement | null = null): void {
    const old = this.lines.get(kind);
    if (text === null) {
      old?.remove();
      this.lines.delete(kind);
      return;
    }
    if (old && old.firstElementChild!.textContent === text) return;
    const line = element("div", { class: `banner ${look}` }, element("p", {}, text), action);
    if (old) old.replaceWith(line);
    else this.root.append(line);
    this.lines.set(kind, line);
  }
}
