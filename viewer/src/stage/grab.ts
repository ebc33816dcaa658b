import { type Mesh, Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Actor } from "./actor";
import type { GrabHandlers } from "./interface";
import type { View } from "./view";

/** Lets the pointer take hold of robots: what it drags moves in the plane through the point that faces the camera. */
export class Grab {
  handlers: GrabHandlers | null = null;
  private pointer: number | null = null;
  private readonly plane = new Plane();
  private readonly caster = new Raycaster();
  private readonly hand = new Vector3();
  private readonly abort = new AbortController();
  private hoverPending = false;

  constructor(
    private readonly element: HTMLElement,
    private readonly view: View,
    private readonly actors: () => Actor[],
  ) {
    const options = { signal: this.abort.signal, capture: true };
    element.addEventListener("pointerdown", (event) => this.down(event), options);
    element.addEventListener("pointermove", (event) => this.move(event), options);
    element.addEventListener("pointerup", (event) => this.up(event), options);
    element.addEventListener("pointercancel", (event) => this.up(event), options);
  }

  /** Whether somebody pulls at a robot now. */
  get pulls(): boolean {
    return this.pointer !== null;
  }

  private aim(event: PointerEvent): void {
    const box = this.element.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    this.caster.setFromCamera(new Vector2(x, y), this.view.camera);
  }

  private hit(event: PointerEvent): { run: number; link: number; point: Vector3 } | null {
    this.aim(event);
    let nearest = Infinity;
    let found: { run: number; link: number; point: Vector3 } | null = null;
    this.actors().forEach((actor, run) => {
      for (const mesh of actor.robot.solid as Mesh[]) {
        // Bounds from an earlier configuration would miss.
        mesh.geometry.boundingSphere = null;
        const [first] = this.caster.intersectObject(mesh, false);
        if (first && first.distance < nearest) {
          nearest = first.distance;
          found = { run, link: mesh.userData.link as number, point: first.point.clone() };
        }
      }
    });
    return found;
  }

  private down(event: PointerEvent): void {
    if (!this.handlers || this.pointer !== null || event.button !== 0) return;
    const found = this.hit(event);
    if (!found || found.link < 0) return;
    // The controls listen on the same element: the event must not reach them.
    event.stopImmediatePropagation();
    event.preventDefault();
    this.view.controls.enabled = false;
    this.pointer = event.pointerId;
    this.element.setPointerCapture(event.pointerId);
    this.element.style.cursor = "grabbing";
    this.plane.setFromNormalAndCoplanarPoint(this.view.camera.getWorldDirection(this.hand), found.point);
    this.handlers.grab(found.run, found.link, found.point);
  }

  private move(event: PointerEvent): void {
    if (!this.handlers) return;
    if (this.pointer === null) {
      this.hover(event);
      return;
    }
    if (event.pointerId !== this.pointer) return;
    event.stopImmediatePropagation();
    this.aim(event);
    if (this.caster.ray.intersectPlane(this.plane, this.hand)) this.handlers.drag(this.hand.clone());
  }

  /** Tells by the cursor what can be grabbed, at most once a picture. */
  private hover(event: PointerEvent): void {
    if (this.hoverPending || event.buttons !== 0) return;
    this.hoverPending = true;
    requestAnimationFrame(() => {
      this.hoverPending = false;
      if (!this.handlers || this.pointer !== null) return;
      const found = this.hit(event);
      this.element.style.cursor = found && found.link >= 0 ? "grab" : "";
    });
  }

  private up(event: PointerEvent): void {
    if (event.pointerId !== this.pointer) return;
    event.stopImmediatePropagation();
    this.pointer = null;
    this.view.controls.enabled = true;
    this.element.style.cursor = "";
    this.handlers?.release();
  }

  dispose(): void {
    this.abort.abort();
  }
}
