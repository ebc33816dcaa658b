import { MathUtils, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { CameraName } from "./interface";

/** A long lens, as for figures; and one so long that parallel lines stay parallel. */
const k_lenses = { perspective: 26, orthographic: 0.6 };
const k_margin = 0.86;
const k_glide_milliseconds = 350;

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
  private last: CameraName | null = "fit";
  private glide = 0;

  constructor(
    element: HTMLElement,
    private readonly changed: () => void,
  ) {
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("start", () => {
      this.last = null;
      cancelAnimationFrame(this.glide);
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
    if (this.camera.aspect === width / height) return;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.last) this.go(this.last);
  }

  setProjection(projection: keyof typeof k_lenses): void {
    const before = Math.tan(MathUtils.degToRad(this.camera.fov / 2));
    this.camera.fov = k_lenses[projection];
    this.camera.updateProjectionMatrix();
    const { target } = this.controls;
    const scale = before / Math.tan(MathUtils.degToRad(this.camera.fov / 2));
    this.camera.position.sub(target).multiplyScalar(scale).add(target);
    if (this.last) this.go(this.last);
    this.controls.update();
    this.changed();
  }

  go(name: CameraName, animate = false): void {
    const direction = new Vector3(...(name === "fit" ? this.bestDirection() : directions[name])).normalize();
    const { position, target } = this.fit(direction);
    this.last = name;
    cancelAnimationFrame(this.glide);
    if (!animate) {
      this.stand(position, target);
      return;
    }
    const fromTarget = this.controls.target.clone();
    const from = this.camera.position.clone().sub(fromTarget);
    const to = position.clone().sub(target);
    const begin = performance.now();
    const step = (): void => {
      const part = Math.min(1, (performance.now() - begin) / k_glide_milliseconds);
      const smooth = part * part * (3 - 2 * part);
      const place = from.clone().normalize().lerp(to.clone().normalize(), smooth);
      if (place.lengthSq() < 1e-6) place.set(1, 0, 0);
      place.setLength(from.length() + smooth * (to.length() - from.length()));
      const at = fromTarget.clone().lerp(target, smooth);
      this.stand(place.add(at), at);
      if (part < 1) this.glide = requestAnimationFrame(step);
    };
    step();
  }

  private stand(position: Vector3, target: Vector3): void {
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

  /** The nearest place on a direction from which all balls are in sight, and what it looks at. */
  private fit(direction: Vector3): { position: Vector3; target: Vector3 } {
    const right = new Vector3(0, 0, 1).cross(direction).normalize();
    const up = direction.clone().cross(right);
    const slopeY = Math.tan(MathUtils.degToRad(this.camera.fov / 2)) * k_margin;
    const slopeX = slopeY * this.camera.aspect;
    const point = new Vector3();
    // Planes of the view's edges, pushed out until they touch: left, right, below, above.
    const edge = [-Infinity, -Infinity, -Infinity, -Infinity];
    for (let i = 0; i < this.balls.length; i += 4) {
      point.set(this.balls[i], this.balls[i + 1], this.balls[i + 2]).sub(this.center);
      const radius = this.balls[i + 3];
      const x = point.dot(right);
      const y = point.dot(up);
      const depth = point.dot(direction);
      const sideways = [-x, x, -y, y];
      for (let side = 0; side < 4; side++) {
        const slope = side < 2 ? slopeX : slopeY;
        edge[side] = Math.max(edge[side], sideways[side] + slope * depth + radius * Math.hypot(1, slope));
      }
    }
    const distance = Math.max((edge[0] + edge[1]) / (2 * slopeX), (edge[2] + edge[3]) / (2 * slopeY), 1e-6);
    const target = this.center.clone();
    target.addScaledVector(right, (edge[1] - edge[0]) / 2).addScaledVector(up, (edge[3] - edge[2]) / 2);
    return { position: target.clone().addScaledVector(direction, distance), target };
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
    cancelAnimationFrame(this.glide);
    this.controls.dispose();
  }
}
