import type { CameraName, Coloring, Layer, Stage } from "../stage/stage";
import type { Scene } from "../contract";
import { checkLine, choice, iconButton, Menu, setPressed } from "../ui/controls";
import { element } from "../ui/dom";
import { download, fileName } from "../ui/download";

const k_cameras: Record<CameraName, string> = { fit: "Whole robot", front: "Front", side: "Side", top: "Top", isometric: "Isometric" };
const k_colorings: Record<Coloring, string> = { material: "Material", energy: "Strain energy density", curvature: "Curvature" };
const k_layers: Record<Layer, string> = {
  grid: "Ground grid",
  axes: "World axes",
  scaleBar: "Scale bar",
  shadow: "Shadow",
  obstacles: "Obstacles",
  contactShapes: "Contact shapes",
  tendons: "Tendons",
  chambers: "Chambers",
  loads: "Loads and contacts",
  joints: "Joints",
  traces: "Tip traces",
  frames: "Frames",
};

/** What the tools need of a page. */
export interface ToolsHost {
  stage: Stage;
  title: string;
  scenes: Scene[];
  /** Whether there is a motion to show several times at once. */
  moving: boolean;
  /** Whether tips leave traces. */
  traces: boolean;
}

/** The row of buttons over the robot: cameras, colors, layers, stroboscope, picture. */
export class StageTools {
  readonly root: HTMLElement;
  private readonly traces: boolean[];
  private readonly strobe: HTMLButtonElement | null = null;
  private readonly colors: HTMLButtonElement | null = null;
  private coloring: Coloring = "material";
  private stroboscope = false;
  private orthographic = false;
  private count = 9;

  constructor(private readonly host: ToolsHost) {
    const links = Math.max(0, ...host.scenes.map((scene) => scene.links.length));
    this.traces = Array.from({ length: links }, (_, link) => link === links - 1);
    this.root = element("div", { class: "stage-tools", role: "toolbar", "aria-label": "3D view" });
    this.root.append(iconButton("fit", "Whole robot", () => this.fit(), "F"));
    const camera = new Menu(iconButton("camera", "Cameras", () => {}), (sheet) => this.fillCameras(sheet));
    this.root.append(camera.root);
    if (host.stage.colorings().length > 1) {
      this.colors = iconButton("palette", "Colors", () => {}, "C");
      this.root.append(new Menu(this.colors, (sheet) => this.fillColors(sheet)).root);
    }
    this.root.append(new Menu(iconButton("layers", "Layers", () => {}), (sheet) => this.fillLayers(sheet)).root);
    if (host.moving) {
      this.strobe = iconButton("stroboscope", "Stroboscope", () => this.toggleStroboscope(), "S");
      setPressed(this.strobe, false);
      this.root.append(this.strobe);
    }
    this.root.append(iconButton("picture", "Save the view as PNG", () => void this.savePicture()));
  }

  /** Brings all of the robot into sight. */
  fit(): void {
    this.host.stage.setCamera("fit", { animate: true });
  }

  /** The camera of a number key, 1 for the first. */
  chooseCamera(number: number): void {
    const name = this.host.stage.cameras()[number - 1];
    if (name) this.host.stage.setCamera(name);
    else if (number === this.host.stage.cameras().length + 1) this.toggleProjection();
  }

  /** Shows or hides the shapes by which links touch. */
  toggleContactShapes(): void {
    this.host.stage.setVisible("contactShapes", !this.host.stage.visible("contactShapes"));
  }

  nextColoring(): void {
    const all = this.host.stage.colorings();
    this.setColoring(all[(all.indexOf(this.coloring) + 1) % all.length]);
  }

  toggleStroboscope(): void {
    if (!this.strobe) return;
    this.stroboscope = !this.stroboscope;
    setPressed(this.strobe, this.stroboscope);
    void this.host.stage.setStroboscope(this.stroboscope, this.count);
  }

  private toggleProjection(): void {
    this.orthographic = !this.orthographic;
    this.host.stage.setProjection(this.orthographic ? "orthographic" : "perspective");
  }

  private setColoring(mode: Coloring): void {
    this.coloring = mode;
    this.host.stage.setColoring(mode);
    if (this.colors) setPressed(this.colors, mode !== "material");
  }

  private fillCameras(sheet: HTMLElement): void {
    const { stage } = this.host;
    const names = stage.cameras();
    names.forEach((name, i) => sheet.append(choice(k_cameras[name], false, () => stage.setCamera(name), String(i + 1))));
    const flat = checkLine("Without perspective", this.orthographic, () => this.toggleProjection());
    flat.append(element("kbd", {}, String(names.length + 1)));
    sheet.append(element("hr"), flat);
  }

  private fillColors(sheet: HTMLElement): void {
    const fill = (): void => {
      sheet.replaceChildren(
        ...this.host.stage.colorings().map((mode) =>
          choice(k_colorings[mode], mode === this.coloring, () => {
            this.setColoring(mode);
            fill();
          }),
        ),
      );
    };
    fill();
  }

  private fillLayers(sheet: HTMLElement): void {
    const { stage, scenes } = this.host;
    const has: Partial<Record<Layer, boolean>> = {
      obstacles: scenes.some((scene) => scene.shapes.some((shape) => shape.obstacle)),
      contactShapes: scenes.some((scene) => scene.shapes.some((shape) => shape.contact)),
      tendons: scenes.some((scene) => scene.tendons.length > 0),
      chambers: scenes.some((scene) => scene.chambers.length > 0),
      loads: scenes.some((scene) => scene.arrows.length > 0),
      traces: this.host.traces,
    };
    for (const layer of Object.keys(k_layers) as Layer[]) {
      if (has[layer] ?? true) sheet.append(checkLine(k_layers[layer], stage.visible(layer), (on) => stage.setVisible(layer, on)));
    }
    const links = scenes.reduce((most, scene) => (scene.links.length > most.length ? scene.links : most), scenes[0].links);
    if (!this.host.traces || links.length < 2) return;
    sheet.append(element("hr"), element("p", { class: "quiet" }, "Trace of the tip of"));
    links.forEach(({ name }, link) => {
      const line = checkLine(name, this.traces[link], (on) => {
        this.traces[link] = on;
        stage.setTraces([...this.traces]);
      });
      sheet.append(line);
    });
  }

  private async savePicture(): Promise<void> {
    const { stage, title } = this.host;
    download(await stage.picture(), fileName(title) + ".png");
  }
}
