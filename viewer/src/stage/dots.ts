import { BufferAttribute, BufferGeometry, Group, Points, type PointsMaterial } from "three";
import type { DotItem } from "../contract";

/** Sites of contacts: a dot each, in the color of what it does, which is apart, sticks or slips. */
export class Dots {
  readonly group = new Group();
  /** One a state. */
  private readonly clouds: Points<BufferGeometry, PointsMaterial>[];

  constructor(
    private readonly dots: DotItem[],
    materials: PointsMaterial[],
  ) {
    this.clouds = materials.map((material) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * dots.length), 3));
      const cloud = new Points(geometry, material);
      cloud.frustumCulled = false;
      cloud.renderOrder = 3; // on what hides them: they lie between two bodies
      this.group.add(cloud);
      return cloud;
    });
  }

  update(vector: Float32Array): void {
    const counts = this.clouds.map(() => 0);
    for (const { at, state } of this.dots) {
      const touch = Math.min(Math.max(Math.round(vector[state]), 0), this.clouds.length - 1);
      this.clouds[touch].geometry.attributes.position.setXYZ(counts[touch]++, vector[at], vector[at + 1], vector[at + 2]);
    }
    this.clouds.forEach(({ geometry }, touch) => {
      geometry.setDrawRange(0, counts[touch]);
      geometry.attributes.position.needsUpdate = true;
    });
  }

  /** How many are apart, stick and slip. */
  counts(): number[] {
    return this.clouds.map(({ geometry }) => geometry.drawRange.count);
  }

  dispose(): void {
    for (const { geometry } of this.clouds) geometry.dispose();
  }
}
