import type { HelloMessage, StateMessage } from "../contract";
import { element } from "../ui/dom";
import { Slider } from "./slider";

/** Headings of inputs, by their kinds; all others stand under the last. */
const k_groups = new Map([["joint", "Joint drives"], ["tendon", "Tendons"], ["chamber", "Chambers"]]);
const k_other_inputs = "Inputs";

/** What the sliders tell the server. */
export interface PanelCommands {
  input(name: string, value: number): void;
  joint(name: string, target: number | null): void;
  setPoint(name: string, value: number): void;
}

/** The sliders of all set-points, joints, tendons, chambers and other inputs. */
export class ControlPanel {
  readonly root = element("div", { class: "controls" });
  private inputs: Slider[] = [];
  private joints: Slider[] = [];
  private setPoints: Slider[] = [];
  private targets: (number | null)[] = [];

  constructor(private readonly commands: PanelCommands) {}

  /** Sliders for another robot. */
  build({ inputs, joints, setPoints }: HelloMessage): void {
    this.setPoints = setPoints.map(
      ({ name, unit, min, max, value }) =>
        new Slider({ ...{ name, unit, min, max, value }, set: (value) => this.commands.setPoint(name, value) }),
    );
    this.joints = joints.map(
      ({ name, unit, min, max }) =>
        new Slider({
          ...{ name, unit, min, max, value: 0 },
          set: (value) => this.commands.joint(name, value),
          free: () => this.commands.joint(name, null),
        }),
    );
    this.targets = joints.map(() => null);
    this.inputs = inputs.map(
      ({ name, unit, min, max, value }) => new Slider({ ...{ name, unit, min, max, value }, set: (value) => this.commands.input(name, value) }),
    );
    const heading = ({ kind }: { kind: string }): string => k_groups.get(kind) ?? k_other_inputs;
    const groups = [...k_groups.values(), k_other_inputs].map((title) => group(title, this.inputs.filter((_, i) => heading(inputs[i]) === title)));
    this.root.replaceChildren(...[group("Set-points", this.setPoints), group("Joints", this.joints), ...groups].filter((part) => part !== null));
    if (this.root.childElementCount === 0) this.root.append(element("p", { class: "quiet" }, "This robot has no joints and no inputs. Drag it to push it."));
  }

  /** What the server says of inputs and set-points, and which joints are held. */
  update({ inputs, targets, setPoints }: StateMessage): void {
    this.setPoints.forEach((slider, i) => slider.update(setPoints[i]));
    this.inputs.forEach((slider, i) => slider.update(inputs[i]));
    this.targets = targets;
  }

  /** Present values of the joints, of a frame: a joint that is held stays where the user put it. */
  showJoints(values: ArrayLike<number>): void {
    this.joints.forEach((slider, i) => slider.update(this.targets[i] ?? values[i], this.targets[i] !== null));
  }

  setEnabled(on: boolean): void {
    for (const slider of [...this.setPoints, ...this.joints, ...this.inputs]) slider.setEnabled(on);
  }
}

function group(title: string, sliders: Slider[]): HTMLElement | null {
  if (sliders.length === 0) return null;
  return element("section", { "aria-label": title }, element("h2", {}, title), ...sliders.map(({ root }) => root));
}
