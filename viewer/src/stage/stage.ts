import { Color, DirectionalLight, Group, HemisphereLight, Scene as World, Vector3, WebGLRenderer } from "three";
import { Actor } from "./actor";
import { palettes } from "./colors";
import { Grab } from "./grab";
import { Ground } from "./ground";
import type * as offer from "./interface";
import type { Box } from "./framing";
import { drawOverlay, overlayBoxes, type OverlayParts } from "./overlay";
import { pixelStatistics } from "./pixels";
import { Pacer } from "./pacer";
import { Push } from "./push";
import { Ranges } from "./ranges";
import { Recent } from "./recent";
import type { Pace } from "./robot";
import { drawsInSoftware } from "./software";
import { bodyBalls, obstacleBalls } from "./survey";
import { View } from "./view";

export type * from "./interface";

const k_most_pixel_ratio = 2;
/** Of fine pictures where a program draws, and how long nothing must have moved for one. */
const k_fine_ratio = 2;
const k_still_milliseconds = 160;
/** How often it is looked whether a live robot is in sight. */
const k_look_milliseconds = 100;
/** Length of the longest arrow, as a share of the robot's reach; and at most of the height of a picture of it all. */
const k_arrow_length = 0.3;
const k_arrow_share = 1 / 7;

/** See StageInterface. */
export class Stage implements offer.StageInterface {
  onLegends: (() => void) | null = null;
  drawn = 0;
  /** Length of the longest arrow when it was drawn last [m]. */
  private arrow = 0;
  /** No graphics processor: antialiasing would cost three times the drawing. */
  private readonly software = drawsInSoftware();
  private readonly pacer = new Pacer();
  private pace: Pace = "fine";
  private refining: ReturnType<typeof setTimeout> | undefined;
  private readonly world = new World();
  private readonly renderer: WebGLRenderer;
  private readonly overlay = document.createElement("canvas");
  private readonly view: View;
  private readonly grab: Grab;
  private readonly ground = new Ground();
  private readonly robots = new Group();
  private readonly lights: {
    hemisphere: HemisphereLight;
    key: DirectionalLight;
    fill: DirectionalLight;
    rim: DirectionalLight;
  };
  private readonly push = new Push();
  private readonly observer: ResizeObserver;
  private actors: Actor[] = [];
  private theme: offer.Theme;
  private coloring: offer.Coloring = "material";
  private readonly hidden = new Set<offer.Layer>(["frames", "contactShapes"]);
  private readonly ranges = new Ranges();
  private time = 0;
  private pending = 0;
  private stale = true;
  private clear: HTMLElement[] = [];
  /** Of live robots. */
  private readonly recent = new Recent();
  private looked = 0;
  private pictureSize = { width: 1, height: 1, ratio: 1 };
  private width = 1;
  private height = 1;
  private framed = false;
  private strobe = 0;
  /** What the overlay shows, as a text. */
  private drawnOverlay = "";

  private constructor(
    private readonly container: HTMLElement,
    options: offer.StageOptions,
  ) {
    this.theme = options.theme ?? "light";
    this.renderer = new WebGLRenderer({ antialias: !this.software, powerPreference: "high-performance" });
    const canvas = this.renderer.domElement;
    canvas.style.cssText =
      "display:block;position:absolute;inset:0;width:100%;height:100%;touch-action:none;outline:none";
    this.overlay.style.cssText = "position:absolute;inset:0;width:100%;height:100%;pointer-events:none";
    this.overlay.setAttribute("aria-hidden", "true");
    if (getComputedStyle(container).position === "static") container.style.position = "relative";
    container.append(canvas, this.overlay);

    // Before the controls, which listen on the same element.
    this.view = new View(
      canvas,
      () => this.invalidate(),
      () => this.covered(),
    );
    this.grab = new Grab(container, this.view, () => this.actors);
    this.lights = {
      hemisphere: new HemisphereLight(0xffffff, 0xe6d6cb, 1.6),
      key: new DirectionalLight(0xfff8ef, 1.75),
      fill: new DirectionalLight(0xe6efff, 0.6),
      rim: new DirectionalLight(0xffffff, 0.5),
    };
    // Lights travel with the camera: the robot is well lit from every side.
    this.lights.key.position.set(-0.55, 0.75, 1);
    this.lights.fill.position.set(1, 0.1, 0.6);
    this.lights.rim.position.set(0.3, 0.8, -1);
    this.lights.hemisphere.position.set(0, 0, 1);
    this.world.add(this.view.camera, this.lights.hemisphere, this.ground.lines, this.robots);
    for (const light of [this.lights.key, this.lights.fill, this.lights.rim]) {
      this.view.camera.add(light, light.target);
    }
    this.world.add(this.push.group);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(container);
    this.resize();
    this.setTheme(this.theme);
  }

  static async create(container: HTMLElement, options: offer.StageOptions = {}): Promise<Stage> {
    return new Stage(container, options);
  }

  // --- what is shown ---------------------------------------------------------------------------------------------

  /** Of a run: how many sites of contacts are drawn as apart, sticking and slipping. */
  dotCounts(run = 0): number[] {
    return this.actors[run].robot.dotCounts();
  }

  async setRuns(runs: offer.StageRun[], options: { keepCamera?: boolean } = {}): Promise<void> {
    const actors = await Promise.all(runs.map((run) => Actor.create(run)));
    for (const actor of this.actors) {
      this.robots.remove(actor.group);
      actor.dispose();
    }
    this.actors = actors;
    for (const actor of actors) {
      this.robots.add(actor.group);
      actor.setTheme(this.theme);
    }
    this.setTraces(Array.from({ length: this.mostLinks() }, (_, link) => link === this.mostLinks() - 1));
    this.hidden.forEach((layer) => this.applyVisible(layer));
    this.ranges.survey(actors);
    this.pacer.reset();
    this.pace = "fine";
    if (!this.colorings().includes(this.coloring)) this.coloring = "material";
    this.framed = options.keepCamera ?? false;
    this.recent.clear();
    if (runs.some((run) => run.track)) this.frame();
    if (this.strobe > 0) await this.setStroboscope(true, this.strobe);
    this.resize();
    this.changed();
    this.onLegends?.();
  }

  private mostLinks(): number {
    return Math.max(0, ...this.actors.map((actor) => actor.run.scene.links.length));
  }

  private get reach(): number {
    return Math.max(1e-6, ...this.actors.map((actor) => actor.run.scene.reach));
  }

  /** Balls that hold all that is known to move - of a recorded run all of it, of a live one the last seconds - and
   * obstacles near it. */
  private subject(): number[] {
    const recorded = this.actors.flatMap(({ run, samples }) => samples.flatMap((sample) => bodyBalls(run.scene, sample)));
    const moving = [...recorded, ...this.recent.balls];
    const obstacles = this.actors.flatMap(({ run, samples, vector }) =>
      (samples.length > 0 ? samples : [vector]).flatMap((sample) => obstacleBalls(run.scene, sample, moving)),
    );
    return [...moving, ...obstacles];
  }

  /** Lays the ground below all that is known to move, and tells the camera. */
  private survey(): void {
    const balls = this.subject();
    if (balls.length === 0) return;
    if (!this.framed || !this.ground.reaches(balls)) this.ground.layBelow(balls, this.reach, palettes[this.theme]);
    this.view.setSubject(balls);
  }

  private frame(): void {
    this.survey();
    if (!this.framed) this.view.go("fit");
    this.framed = true;
  }

  /** Keeps live robots in sight; but not while the user pulls: the hand would move with the camera. */
  private follow(): void {
    const now = performance.now();
    if (this.framed && now - this.looked < k_look_milliseconds) return;
    this.looked = now;
    const balls = this.actors.flatMap(({ run, vector }) => (run.track ? [] : bodyBalls(run.scene, vector)));
    this.recent.add(balls, now);
    if (!this.framed) this.frame();
    else if (!this.grab.pulls && this.view.loses(balls)) {
      this.survey();
      this.view.follow();
    }
  }

  keepClear(...elements: HTMLElement[]): void {
    this.clear = elements;
    this.view.fitAgain();
  }

  /** What lies over the picture. */
  private covered(): Box[] {
    const { width, height } = this.pictureSize;
    const page = this.container.getBoundingClientRect();
    // a picture of another size has nothing of the page over it
    const own = page.width > 0 && width === this.width && height === this.height ? this.clear : [];
    const boxes = own.map((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return { left: left - page.left, top: top - page.top, right: right - page.left, bottom: bottom - page.top };
    });
    return [...boxes, ...overlayBoxes(width, height, this.overlayParts())];
  }

  setTime(time: number): void {
    this.time = time;
    for (const { run, vector } of this.actors) run.track?.at(time, vector);
    this.changed();
  }

  setFrame(run: number, vector: ArrayLike<number>, time = this.time): void {
    const actor = this.actors[run];
    actor.take(vector, time);
    this.time = time;
    const grew = this.ranges.grow(actor.run.scene, actor.vector, this.coloring);
    this.follow();
    if (grew) this.onLegends?.();
    this.changed();
  }

  setPush(point: ArrayLike<number> | null, hand: ArrayLike<number> = point ?? []): void {
    this.push.show(point, hand, 0.014 * this.reach);
    this.invalidate();
  }

  // --- colors -----------------------------------------------------------------------------------------------------

  colorings(): offer.Coloring[] {
    // A scene names its fields even if nothing in it has values of them.
    const keys = this.actors.flatMap(({ run: { scene } }) =>
      scene.fields
        .filter((_, field) => [...scene.rods, ...scene.surfaces].some(({ fields }) => fields[field] >= 0))
        .map(({ key }) => key),
    );
    return ["material", ...(["energy", "curvature"] as const).filter((key) => keys.includes(key))];
  }

  setColoring(mode: offer.Coloring): void {
    if (!this.colorings().includes(mode)) {
      throw new Error(`coloring: found '${mode}', expected one of ${this.colorings().join(", ")}`);
    }
    this.coloring = mode;
    this.changed();
    this.onLegends?.();
  }

  legends(): offer.Legends {
    const { tension, pressure, coloring } = this.ranges.legends(this.actors, this.coloring, this.theme);
    return {
      coloring,
      tension: this.visible("tendons") ? tension : null,
      pressure: this.visible("chambers") && !coloring ? pressure : null,
    };
  }

  // --- what is drawn of it -------------------------------------------------------------------------------------------

  async setStroboscope(on: boolean, count = 9): Promise<void> {
    this.strobe = on ? count : 0;
    for (const actor of this.actors) {
      if (on && actor.run.track) await actor.showGhosts(count);
      else actor.hideGhosts();
    }
    this.changed();
  }

  setTraces(which: boolean[]): void {
    for (const { traces } of this.actors) {
      traces.forEach((trace, link) => {
        trace.mesh.userData.wanted = which[link] ?? false;
        trace.mesh.visible = trace.mesh.userData.wanted && this.visible("traces");
      });
    }
    this.invalidate();
  }

  setVisible(layer: offer.Layer, on: boolean): void {
    if (on) this.hidden.delete(layer);
    else this.hidden.add(layer);
    this.applyVisible(layer);
    this.changed();
    this.onLegends?.();
  }

  visible(layer: offer.Layer): boolean {
    return !this.hidden.has(layer);
  }

  private applyVisible(layer: offer.Layer): void {
    const on = this.visible(layer);
    if (layer === "grid") this.ground.lines.visible = on;
    for (const { robot, traces, shadow } of this.actors) {
      if (layer === "shadow") shadow.mesh.visible = on && this.pace === "fine";
      const group = robot.layers.get(layer);
      if (group) group.visible = on;
      if (layer === "traces") for (const { mesh } of traces) mesh.visible = on && mesh.userData.wanted;
    }
  }

  cameras(): offer.CameraName[] {
    return this.view.names();
  }

  setCamera(name: offer.CameraName, options: { animate?: boolean } = {}): void {
    this.survey();
    this.view.go(name, options.animate);
  }

  setProjection(projection: "perspective" | "orthographic"): void {
    this.view.setProjection(projection);
  }

  setTheme(theme: offer.Theme): void {
    this.theme = theme;
    const palette = palettes[theme];
    this.world.background = new Color(palette.background);
    this.container.style.background = palette.background;
    this.push.setColor(palette.push);
    this.ground.draw(palette);
    for (const actor of this.actors) actor.setTheme(theme);
    this.styleTraces();
    this.changed();
    this.onLegends?.();
  }

  setGrab(handlers: offer.GrabHandlers | null): void {
    this.grab.handlers = handlers;
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  /** The robots' shapes must follow, and a picture be drawn. */
  private changed(): void {
    this.stale = true;
    this.invalidate();
  }

  private invalidate(): void {
    if (this.pending === 0) this.pending = requestAnimationFrame(() => this.drawNow());
  }

  private get pixelRatio(): number {
    return Math.min(window.devicePixelRatio, k_most_pixel_ratio);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.container;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.overlay.width = Math.round(clientWidth * this.pixelRatio);
    this.overlay.height = Math.round(clientHeight * this.pixelRatio);
    this.drawnOverlay = "";
    this.setPictureSize(clientWidth, clientHeight, this.quickRatio);
    // A resized canvas is blank until it is drawn: at once, or it would flicker.
    this.drawNow();
  }

  /** Pixels of a moving picture to one of the page. */
  private get quickRatio(): number {
    return this.software ? this.pacer.ratio : this.pixelRatio;
  }

  /** Robots in other materials, and shadows only in fine pictures: both take effect with the next picture. */
  private setPace(pace: Pace): void {
    if (pace === this.pace) return;
    this.pace = pace;
    for (const actor of this.actors) actor.setPace(pace);
    this.applyVisible("shadow");
    this.stale = true;
  }

  /** Draws once more with four pixels for one, when nothing has moved for a while. */
  private refineSoon(): void {
    clearTimeout(this.refining);
    this.refining = setTimeout(() => {
      this.setPictureSize(this.width, this.height, Math.max(this.pixelRatio, k_fine_ratio));
      this.setPace("fine");
      this.draw();
    }, k_still_milliseconds);
  }

  private setPictureSize(width: number, height: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.pictureSize = { width, height, ratio };
    this.view.setSize(width, height);
    this.styleTraces();
  }

  private styleTraces(): void {
    const { width, height, ratio } = this.pictureSize;
    for (const actor of this.actors) actor.setPictureSize(width * ratio, height * ratio, ratio);
  }

  private render(): void {
    const arrow = Math.min(k_arrow_length * this.reach, k_arrow_share * this.view.fittedHeight);
    if (this.stale || arrow !== this.arrow) {
      this.arrow = arrow;
      for (const actor of this.actors) {
        const scales = this.ranges.scales(actor.run.scene, this.coloring, this.theme, arrow);
        actor.update(scales, this.time, this.ground.height);
      }
      this.stale = false;
    }
    this.view.prepare(this.ground.radius);
    this.renderer.render(this.world, this.view.camera);
    this.drawn++;
  }

  drawNow(): void {
    if (this.software) this.setPace("quick");
    if (this.renderer.getPixelRatio() !== this.quickRatio)
      this.setPictureSize(this.width, this.height, this.quickRatio);
    this.draw();
    if (!this.software) return;
    this.pacer.moved();
    this.refineSoon();
  }

  private draw(): void {
    cancelAnimationFrame(this.pending);
    this.pending = 0;
    this.render();
    this.drawOverlayAgain();
  }

  /** Only if it changed: while the robot moves and the camera stands, it does not. */
  private drawOverlayAgain(): void {
    const { camera } = this.view;
    const now = JSON.stringify([
      ...camera.matrixWorldInverse.elements,
      this.view.pixelSize(this.height),
      this.overlay.width,
      this.overlay.height,
      this.theme,
      this.overlayParts(),
    ]);
    if (now === this.drawnOverlay) return;
    this.drawnOverlay = now;
    const context = this.overlay.getContext("2d")!;
    const ratio = this.overlay.width / this.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.drawOverlay(context, this.width, this.height);
  }

  private overlayParts(): OverlayParts {
    const { coloring, tension, pressure } = this.legends();
    const legends = [coloring, tension, pressure].filter((legend) => legend !== null);
    return { axes: this.visible("axes"), scaleBar: this.visible("scaleBar"), legends };
  }

  private drawOverlay(context: CanvasRenderingContext2D, width: number, height: number): void {
    drawOverlay(context, width, height, {
      ...this.overlayParts(),
      palette: palettes[this.theme],
      camera: this.view.camera,
      pixelSize: this.view.pixelSize(height),
    });
  }

  async picture(width = this.width, height = this.height): Promise<Blob> {
    const ratio = Math.min(Math.max(window.devicePixelRatio, 2), 4096 / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d")!;
    this.setPictureSize(width, height, ratio);
    this.setPace("fine");
    this.render();
    context.drawImage(this.renderer.domElement, 0, 0, canvas.width, canvas.height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawOverlay(context, width, height);
    this.resize();
    return new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("picture: found no PNG, expected one"))),
        "image/png",
      );
    });
  }

  // --- for tests -------------------------------------------------------------------------------------------------------

  tipPosition(run: number, link: number): Vector3 {
    const { run: { scene }, vector } = this.actors[run]; // prettier-ignore
    const { at } = scene.frames[scene.links[link].tip];
    return new Vector3(vector[at], vector[at + 1], vector[at + 2]);
  }

  pixelStatistics(): offer.PixelStatistics {
    this.drawNow();
    return pixelStatistics(this.renderer.getContext(), palettes[this.theme].background);
  }

  dispose(): void {
    cancelAnimationFrame(this.pending);
    clearTimeout(this.refining);
    this.pacer.stop();
    this.observer.disconnect();
    this.grab.dispose();
    this.view.dispose();
    for (const actor of this.actors) actor.dispose();
    this.ground.dispose();
    this.push.dispose();
    this.renderer.dispose();
    this.renderer.domElement.remove();
    this.overlay.remove();
  }
}
