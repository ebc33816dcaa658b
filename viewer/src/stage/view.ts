import { MathUtils, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { type Box, fitted, inPicture, type Lens, type Placement } from "./framing";
import type { CameraName } from "./interface";

/** A long lens, as for figures; and one so long that parallel lines stay parallel. */
const k_lenses = { perspective: 26, orthographic: 0.6 };
const k_glide_milliseconds = 350;
/** Of the camera by itself: nobody asked for it. */
const k_slow_glide_milliseconds = 900;

/** Where the camera stands, seen from its target. */
const directions: Record<Exclude<CameraName, "fit">, [number, number, number]> = {
  front: [0, -1, 0],
  side: [1, 0, 0],
  top: [0, -1e-4, 1],
  isometric: [1, -1, Math.SQRT2 / Math.sqrt(3)],
};

/** The camera: orbits, pans, zooms, and goes to named places from which the whole motion is in sight. */
export class View {
  readonly camera = new PerspectiveCamera(k_lenses.perspective, 1, 0.01, 100);
  readonly controls: OrbitControls;
  /** Balls x, y, z, radius that hold all that moves. */
  private balls: ArrayLike<number> = [0, 0, 0, 1];
  private readonly center = new Vector3();
  private radius = 1;
  /** The named place where the camera stands; null: where the user put it. */
  private last: CameraName | null = "fit";
  private readonly direction = new Vector3(0, -1, 0.4).normalize();
  /** Whether the user wants to see all of the robot: so it was when the camera was last let go. */
  private whole = true;
  private held = false;
  private glide = 0;
  private size = { width: 1, height: 1 };
  /** Height of the picture where all was found to be in sight last, at the target [m]. */
  fittedHeight = Infinity;

  /** @param covered  what lies over the picture now. */
  constructor(
    element: HTMLElement,
    private readonly changed: () => void,
    private readonly covered: () => Box[],
  ) {
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("start", () => {
      this.last = null;
      this.held = true;
      this.stopGlide();
    });
    this.controls.addEventListener("end", () => {
      this.held = false;
      this.whole = inPicture(this.lens, this.balls, this.placement) === "all";
    });
    this.controls.addEventListener("change", changed);
  }

  names(): CameraName[] {
    return ["fit", "front", "side", "top", "isometric"];
  }

  /** What must be in sight. */
  setSubject(balls: ArrayLike<number>): void {
    this.balls = balls;
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = new Vector3(-Infinity, -Infinity, -Infinity);
    const point = new Vector3();
    for (let i = 0; i < balls.length; i += 4) {
      point.set(balls[i], balls[i + 1], balls[i + 2]);
      low.min(point.clone().addScalar(-balls[i + 3]));
      high.max(point.addScalar(balls[i + 3]));
    }
    this.center.addVectors(low, high).multiplyScalar(0.5);
    this.radius = Math.max(1e-6, low.distanceTo(high) / 2);
  }

  /** Follows the size of the canvas; a named place is found anew for its shape. */
  setSize(width: number, height: number): void {
    if (this.size.width === width && this.size.height === height) return;
    this.size = { width, height };
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.fitAgain();
  }

  /** Something else covers the picture: a named place is found anew. */
  fitAgain(): void {
    if (this.last) this.stand(this.fit(this.direction));
  }

  private get lens(): Lens {
    return { ...this.size, slope: Math.tan(MathUtils.degToRad(this.camera.fov / 2)) };
  }

  private get placement(): Placement {
    return { position: this.camera.position, target: this.controls.target };
  }

  private fit(direction: Vector3, least = 0): Placement {
    const placement = fitted(this.lens, this.balls, direction, this.covered(), least);
    this.fittedHeight = 2 * this.lens.slope * placement.position.distanceTo(placement.target);
    return placement;
  }

  setProjection(projection: keyof typeof k_lenses): void {
    const before = Math.tan(MathUtils.degToRad(this.camera.fov / 2));
    this.camera.fov = k_lenses[projection];
    this.camera.updateProjectionMatrix();
    const { target } = this.controls;
    const scale = before / Math.tan(MathUtils.degToRad(this.camera.fov / 2));
    this.camera.position.sub(target).multiplyScalar(scale).add(target);
    this.fitAgain();
    this.controls.update();
    this.changed();
  }

  go(name: CameraName, animate = false): void {
    this.direction.set(...(name === "fit" ? this.bestDirection() : directions[name])).normalize();
    this.last = name;
    this.whole = true;
    this.move(this.fit(this.direction), animate ? k_glide_milliseconds : 0);
  }

  /** Whether the camera must move for what was in sight: never while the user or itself moves it. */
  loses(balls: ArrayLike<number>): boolean {
    if (this.held || this.glide !== 0) return false;
    const seen = inPicture(this.lens, balls, this.placement);
    return this.whole ? seen !== "all" : seen === "none";
  }

  /** Goes smoothly, on the present direction, to where the subject is in sight; never nearer than the user wanted. */
  follow(): void {
    const direction = this.camera.position.clone().sub(this.controls.target);
    const least = this.last ? 0 : direction.length();
    this.whole = true;
    this.move(this.fit(direction.normalize(), least), k_slow_glide_milliseconds);
  }

  private stopGlide(): void {
    cancelAnimationFrame(this.glide);
    this.glide = 0;
  }

  private move({ position, target }: Placement, milliseconds: number): void {
    this.stopGlide();
    if (milliseconds === 0) {
      this.stand({ position, target });
      return;
    }
    const fromTarget = this.controls.target.clone();
    const from = this.camera.position.clone().sub(fromTarget);
    const to = position.clone().sub(target);
    const begin = performance.now();
    const step = (): void => {
      const part = Math.min(1, (performance.now() - begin) / milliseconds);
      const smooth = part * part * (3 - 2 * part);
      const place = from.clone().normalize().lerp(to.clone().normalize(), smooth);
      if (place.lengthSq() < 1e-6) place.set(1, 0, 0);
      place.setLength(from.length() + smooth * (to.length() - from.length()));
      const at = fromTarget.clone().lerp(target, smooth);
      this.stand({ position: place.add(at), target: at });
      this.glide = part < 1 ? requestAnimationFrame(step) : 0;
    };
    step();
  }

  private stand({ position, target }: Placement): void {
    this.camera.position.copy(position);
    this.controls.target.copy(target);
    this.controls.update();
    this.changed();
  }

  /** Height above the ground and round the robot from which its motion spreads widest. */
  private bestDirection(): [number, number, number] {
    let best: [number, number, number] = [0, 0, 0];
    let most = -1;
    for (const turn of [32, 15, 50, -32, -50, -15, 70, -70]) {
      const angle = MathUtils.degToRad(turn - 90);
      const direction: [number, number, number] = [Math.cos(angle), Math.sin(angle), 0.42];
      const spread = this.spread(new Vector3(...direction).normalize());
      // The first are the more usual views: others must show a good deal more.
      if (spread > 1.12 * most) {
        most = spread;
        best = direction;
      }
    }
    return best;
  }

  /** Width of the motion seen from a direction. */
  private spread(direction: Vector3): number {
    const right = new Vector3(0, 0, 1).cross(direction).normalize();
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < this.balls.length; i += 4) {
      const x = this.balls[i] * right.x + this.balls[i + 1] * right.y;
      low = Math.min(low, x - this.balls[i + 3]);
      high = Math.max(high, x + this.balls[i + 3]);
    }
    return high - low;
  }

  /** Size of a pixel at the target [m], of a picture of `height` pixels. */
  pixelSize(height: number): number {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return (2 * distance * Math.tan(MathUtils.degToRad(this.camera.fov / 2))) / height;
  }

  /** Near and far planes close about what there is, for the sake of depth. */
  prepare(groundRadius: number): void {
    const distance = this.camera.position.distanceTo(this.center);
    this.camera.near = Math.max(distance - 3 * this.radius - groundRadius, 0.005 * distance, 1e-5);
    this.camera.far = distance + 4 * this.radius + 2 * groundRadius;
    this.camera.updateProjectionMatrix();
  }

  dispose(): void {
    this.stopGlide();
    this.controls.dispose();
  }
}
