import {
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
} from "three";

/** A hand, the point that it pulls, and the line between, seen through everything. */
export class Push {
  readonly group = new Group();
  private readonly line = new Line(
    new BufferGeometry().setAttribute("position", new Float32BufferAttribute(new Float32Array(6), 3)),
    new LineBasicMaterial({ depthTest: false }),
  );
  private readonly ball = new SphereGeometry(1, 20, 12);
  private readonly ends = [0, 1].map(() => new Mesh(this.ball, new MeshBasicMaterial({ depthTest: false })));

  constructor() {
    this.group.visible = false;
    this.group.add(this.line, ...this.ends);
    for (const object of this.group.children) {
      object.frustumCulled = false;
      object.renderOrder = 4;
    }
  }

  /** @param radius of the hand and the point [m] */
  show(point: ArrayLike<number> | null, hand: ArrayLike<number>, radius: number): void {
    this.group.visible = point !== null && Number.isFinite(point[0]) && Number.isFinite(hand[0]);
    if (!this.group.visible) return;
    const positions = this.line.geometry.getAttribute("position");
    [point!, hand].forEach((place, end) => {
      positions.setXYZ(end, place[0], place[1], place[2]);
      this.ends[end].position.set(place[0], place[1], place[2]);
      this.ends[end].scale.setScalar(radius);
    });
    positions.needsUpdate = true;
  }

  setColor(color: string): void {
    for (const { material } of [this.line, ...this.ends]) material.color.set(color);
  }

  dispose(): void {
    this.line.geometry.dispose();
    this.ball.dispose();
    for (const { material } of [this.line, ...this.ends]) material.dispose();
  }
}
