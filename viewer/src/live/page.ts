import type { ClientMessage, HelloMessage, LivePage, ServerMessage, StateMessage, Vector3 } from "../contract";
import { themeButton } from "../report/header";
import { Help, liveHelp } from "../report/help";
import { listenForKeys } from "../report/keyboard";
import { StageTools } from "../report/stage_tools";
import { Stage } from "../stage/stage";
import { element } from "../ui/dom";
import { iconButton } from "../ui/controls";
import { ThemeSwitch } from "../ui/theme";
import { offerHooks, PictureCounter } from "../hooks";
import { Banners } from "./banners";
import { Connection, type LiveFrame } from "./connection";
import { ControlPanel } from "./panel";
import { RollingPlot } from "./rolling_plot";
import { Transport } from "./transport";

const k_plot_milliseconds = 100;

/** The page of `cuttle live`. */
class Live {
  private readonly banners = new Banners();
  private readonly panel = new ControlPanel({
    input: (name, value) => this.sendOften({ type: "input", name, value }),
    setPoint: (name, value) => this.sendOften({ type: "setPoint", name, value }),
    joint: (name, target) => (target === null ? this.connection.send({ type: "joint", name, target }) : this.sendOften({ type: "joint", name, target })),
  });
  private readonly transport = new Transport((message) => this.connection.send(message));
  private readonly tip = new RollingPlot("Tip", "m", ["x", "y", "z"]);
  private readonly energy = new RollingPlot("Energy", "J", ["kinetic", "gravity", "elastic"]);
  private readonly view = element("section", { class: "view", "aria-label": "Robot in 3D" });
  private readonly connection: Connection;
  private hello: HelloMessage | null = null;
  private state: StateMessage | null = null;
  private role: "control" | "watch" = "watch";
  private tools: StageTools | null = null;
  private time = 0;
  private newest: LiveFrame | null = null;
  private scheduled = false;
  private plotted = 0;
  /** What changes quickly is sent at most once a picture: the newest of each kind. */
  private readonly waiting = new Map<string, ClientMessage>();

  constructor(
    page: LivePage,
    root: HTMLElement,
    private readonly stage: Stage,
    container: HTMLElement,
    private readonly theme: ThemeSwitch,
  ) {
    this.tip.setTheme(theme.theme);
    this.energy.setTheme(theme.theme);
    const help = new Help(liveHelp, [[["Drag the robot"], "push it"], [["Double click"], "let a joint go"]], page.version);
    const header = element(
      "header",
      { class: "page-header" },
      element("h1", { title: page.title }, page.title),
      this.transport.status,
      element("div", { class: "buttons" }, themeButton(this.theme), iconButton("help", "Help", () => help.toggle(), "?")),
    );
    const plots = element("div", { class: "live-plots" }, this.tip.panel.root, this.energy.panel.root);
    const side = element("aside", { class: "side", "aria-label": "Controls" }, this.panel.root, plots);
    this.view.append(container);
    root.replaceChildren(header, this.banners.root, element("main", { class: "live" }, this.view, side, this.transport.root));
    this.theme.onChange((theme) => {
      stage.setTheme(theme);
      this.tip.setTheme(theme);
      this.energy.setTheme(theme);
    });
    this.setRole("watch");
    this.keys(help);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.connection = new Connection(`${scheme}://${location.host}/live`, {
      message: (message) => void this.receive(message).catch((error: unknown) => this.complain(error)),
      frame: (frame) => {
        try {
          this.arrive(frame);
        } catch (error) {
          this.complain(error);
        }
      },
      connected: (on) => this.banners.connected(on),
    });
  }

  /** An error of the page itself: the user must see that what is shown may be wrong. */
  private complain(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.banners.notice({ type: "notice", level: "error", text });
    console.error(error);
  }

  private async receive(message: ServerMessage): Promise<void> {
    switch (message.type) {
      case "hello":
        return this.begin(message);
      case "state":
        this.state = message;
        this.banners.state(message);
        this.transport.update(message);
        this.panel.update(message);
        this.watching();
        this.energy.add(message.time, [message.kinetic, message.gravityEnergy, message.elastic]);
        return;
      case "role":
        return this.setRole(message.role);
      case "saved":
      case "notice":
        return this.banners.notice(message);
    }
  }

  private async begin(hello: HelloMessage): Promise<void> {
    // the same robot, as after a lost connection: the view stays
    const same = this.hello !== null && JSON.stringify(this.hello.scene) === JSON.stringify(hello.scene);
    if (!same) {
      this.hello = null;
      this.newest = null; // of the robot before
      await this.stage.setRuns([{ scene: hello.scene, track: null, tone: "normal" }]);
      this.tools?.root.remove();
      this.tools = new StageTools({ stage: this.stage, title: hello.title, scenes: [hello.scene], moving: false, traces: true });
      this.view.append(this.tools.root);
      this.stage.keepClear(this.tools.root);
    }
    this.hello = hello;
    this.tip.clear();
    this.energy.clear();
    this.panel.build(hello);
    this.transport.files(hello);
    this.setRole(hello.role);
    this.schedule();
    if (!window.cuttle.isReady) this.hooks();
  }

  private setRole(role: "control" | "watch"): void {
    this.role = role;
    const control = role === "control";
    this.panel.setEnabled(control);
    this.transport.setEnabled(control);
    this.watching();
    const send = (message: ClientMessage): void => this.connection.send(message);
    const triple = ({ x, y, z }: { x: number; y: number; z: number }): Vector3 => [x, y, z];
    this.stage.setGrab(
      control
        ? {
            grab: (_run, link, point) => send({ type: "push", link, point: triple(point), hand: triple(point) }),
            drag: (hand) => this.sendOften({ type: "pushMove", hand: triple(hand) }),
            release: () => {
              this.waiting.delete("pushMove");
              send({ type: "pushEnd" });
            },
          }
        : null,
    );
  }

  private watching(): void {
    const on = this.hello !== null && this.role === "watch";
    this.banners.watching(on, this.state?.viewers ?? 0, () => this.connection.send({ type: "takeControl" }));
  }

  private sendOften(message: ClientMessage): void {
    this.waiting.set("name" in message ? `${message.type} ${message.name}` : message.type, message);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      for (const message of this.waiting.values()) this.connection.send(message);
      this.waiting.clear();
      this.draw();
    });
  }

  /** Takes a frame: the plots have them all, of those that come between two pictures only the newest is drawn. */
  private arrive(frame: LiveFrame): void {
    if (!this.hello) return;
    const { scene, joints } = this.hello;
    const { time, numbers } = frame;
    const expected = scene.size + joints.length + 6;
    if (numbers.length !== expected) throw new Error(`frame: found ${numbers.length} numbers, expected ${expected}`);
    const { at } = scene.frames[scene.links[scene.links.length - 1].tip];
    this.tip.add(time, [numbers[at], numbers[at + 1], numbers[at + 2]]);
    this.newest = frame;
    this.schedule();
  }

  private draw(): void {
    const frame = this.newest;
    if (!frame || !this.hello) return;
    this.newest = null;
    const { scene, joints } = this.hello;
    const { numbers, time } = frame;
    this.time = time;
    const vector = numbers.subarray(0, scene.size);
    this.stage.setFrame(0, vector, time);
    this.panel.showJoints(joints.map(({ index }) => numbers[scene.size + index]));
    const push = numbers.subarray(scene.size + joints.length);
    if (Number.isNaN(push[0])) this.stage.setPush(null);
    else this.stage.setPush(push.subarray(0, 3), push.subarray(3, 6));
    this.transport.setTime(time);
    const now = performance.now();
    if (now - this.plotted > k_plot_milliseconds) {
      this.plotted = now;
      this.tip.refresh();
      this.energy.refresh();
    }
  }

  private keys(help: Help): void {
    const control = (action: () => void) => () => void (this.role === "control" && action());
    const cameras = Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [String(number), () => this.tools?.chooseCamera(number)]));
    listenForKeys({
      ...cameras,
      " ": control(() => this.transport.togglePause()),
      ArrowRight: control(() => this.transport.step()),
      r: control(() => this.transport.reset()),
      f: () => this.tools?.fit(),
      g: control(() => this.transport.toggleGravity()),
      c: (shift) => (shift ? this.tools?.toggleContactShapes() : this.tools?.nextColoring()),
      t: () => this.theme.toggle(),
      "?": () => help.toggle(),
    });
  }

  private hooks(): void {
    const pictures = new PictureCounter(this.stage);
    const now = (): number => this.time;
    const links = (): number => this.hello!.scene.links.length;
    offerHooks({
      kind: "live",
      stage: this.stage,
      get time() {
        return now();
      },
      tipPosition: (run = 0, link = links() - 1) => this.stage.tipPosition(run, link).toArray(),
      pixelStatistics: () => this.stage.pixelStatistics(),
      framesPerSecond: () => pictures.rate(),
    });
  }
}

/** Builds the page and connects it. */
export async function showLive(page: LivePage, root: HTMLElement): Promise<void> {
  const container = element("div", { class: "stage" });
  root.replaceChildren(container);
  const theme = new ThemeSwitch();
  const stage = await Stage.create(container, { theme: theme.theme });
  new Live(page, root, stage, container, theme);
}
