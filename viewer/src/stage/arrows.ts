import {
  ConeGeometry,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshLambertMaterial,
  Quaternion,
  Vector3,
} from "three";
import type { ArrowItem, Scene } from "../contract";

const k_up = new Vector3(0, 1, 0);
const k_sides = 14;

/** Loads and contacts: an arrow has one head for a force, two for a torque. */
export class Arrows {
  readonly group = new Group();
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly matrix = new Matrix4();
  private readonly direction = new Vector3();
  private readonly place = new Vector3();
  private readonly turn = new Quaternion();
  private readonly stretch = new Vector3();

  /** @param thickness radius of the shafts [m] */
  constructor(
    private readonly scene: Scene,
    private readonly thickness: number,
    private readonly material: Record<ArrowItem["kind"], MeshLambertMaterial>,
  ) {
    const count = scene.arrows.length;
    const white = new MeshLambertMaterial();
    this.shafts = new InstancedMesh(new CylinderGeometry(1, 1, 1, k_sides).translate(0, 0.5, 0), white, count);
    this.heads = new InstancedMesh(new ConeGeometry(1, 1, 2 * k_sides).translate(0, 0.5, 0), white, 2 * count);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
    this.group.visible = count > 0; // of no instances some drivers draw one
    this.recolor();
  }

  /** Takes over the colors of the materials of forces and torques. */
  recolor(): void {
    this.scene.arrows.forEach((arrow, i) => {
      const color = this.material[arrow.kind].color;
      this.shafts.setColorAt(i, color);
      this.heads.setColorAt(2 * i, color);
      this.heads.setColorAt(2 * i + 1, color);
    });
    for (const mesh of [this.shafts, this.heads]) if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  /** @param scale length of an arrow for its magnitude, for each arrow [m per unit] */
  update(vector: Float32Array, scale: ArrayLike<number>): void {
    const { scene, thickness } = this;
    scene.arrows.forEach((arrow, i) => {
      const { at } = arrow;
      this.direction.set(vector[at + 3], vector[at + 4], vector[at + 5]);
      const length = this.direction.length() * scale[i];
      // Short arrows become slender all over: a head is never longer than its arrow.
      const head = Math.min(6.5 * thickness, 0.6 * length);
      const slender = head / 6.5;
      const heads = arrow.kind === "torque" ? 2 : 1;
      const shaft = length - head * (1 + 0.75 * (heads - 1));
      const shown = length > 0.2 * thickness ? 1 : 0;
      if (shown) this.turn.setFromUnitVectors(k_up, this.direction.normalize());
      this.put(this.shafts, i, vector, at, 0, slender * shown, Math.max(shaft, 0) * shown);
      this.put(this.heads, 2 * i, vector, at, length - head, 2.6 * slender * shown, head * shown);
      const second = heads === 2 ? shown : 0;
      this.put(this.heads, 2 * i + 1, vector, at, length - 1.75 * head, 2.6 * slender * second, head * second);
    });
    this.shafts.instanceMatrix.needsUpdate = true;
    this.heads.instanceMatrix.needsUpdate = true;
  }

  /** A part of an arrow that begins `along` from the arrow's point. */
  private put(
    mesh: InstancedMesh,
    index: number,
    vector: Float32Array,
    at: number,
    along: number,
    radius: number,
    length: number,
  ): void {
    this.place.set(vector[at], vector[at + 1], vector[at + 2]).addScaledVector(this.direction, along);
    this.matrix.compose(this.place, this.turn, this.stretch.set(radius, length, radius));
    mesh.setMatrixAt(index, this.matrix);
  }

  dispose(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    (this.shafts.material as MeshLambertMaterial).dispose();
  }
}
