import {
  CircleGeometry,
  Color,
  CustomBlending,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  MinEquation,
  OneFactor,
  ShaderMaterial,
  Vector3,
} from "three";
import type { Scene, ShapeItem } from "../contract";
import { shapeCorners } from "./shapes";
import { placeInWorld } from "./survey";

const vertexShader = `
  attribute float strength;
  varying vec2 at;
  varying float dark;
  void main() {
    at = position.xy;
    dark = strength;
    gl_Position = projectionMatrix * viewMatrix * instanceMatrix * vec4(position, 1.0);
  }`;

const fragmentShader = `
  uniform vec3 ground;
  uniform vec3 shade;
  varying vec2 at;
  varying float dark;
  void main() {
    float far = min(1.0, dot(at, at));
    float soft = (1.0 - far) * (1.0 - far);
    gl_FragColor = vec4(mix(ground, shade, soft * dark), 1.0);
  }`;

/**
 * What a robot keeps of the sky's light from the ground: a soft disc below each piece of it, wider and weaker with
 * height. The darkest disc wins, so that overlapping ones blend to one shape; a shadow map would cost many times more.
 */
export class Shadow {
  readonly mesh: InstancedMesh<CircleGeometry, ShaderMaterial>;
  private readonly strength: InstancedBufferAttribute;
  private readonly matrix = new Matrix4();

  private readonly spots: Spot[];
  private readonly place = new Vector3();

  constructor(private readonly scene: Scene) {
    this.spots = spotsOf(scene);
    const count = this.spots.length;
    const geometry = new CircleGeometry(1.05, 10);
    this.strength = new InstancedBufferAttribute(new Float32Array(count), 1).setUsage(DynamicDrawUsage);
    geometry.setAttribute("strength", this.strength);
    const material = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      uniforms: { ground: { value: new Color() }, shade: { value: new Color() } },
      transparent: true,
      depthWrite: false,
      blending: CustomBlending,
      blendEquation: MinEquation,
      blendSrc: OneFactor,
      blendDst: OneFactor,
    });
    this.mesh = new InstancedMesh(geometry, material, count);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -2;
  }

  /** @param height of the ground [m]  @param reach of the robot [m] */
  update(vector: Float32Array, height: number, reach: number): void {
    this.spots.forEach(({ at, shape, point, radius }, spot) => {
      if (shape) placeInWorld(this.scene, shape, point!, vector, this.place);
      else this.place.fromArray(vector, at);
      const { x, y, z } = this.place;
      const above = Math.max(0, z - height);
      const size = 1.5 * radius + 0.02 * reach + 0.22 * above;
      const strength = Math.min(1, (1.6 * (radius + 0.02 * reach)) / size) / (1 + above / (0.6 * reach));
      // A faint disc is a wide one: much work for nothing to see.
      const shown = strength > 0.12 ? 1 : 0;
      this.matrix.makeScale(shown * size, shown * size, 1).setPosition(x, y, height);
      this.mesh.setMatrixAt(spot, this.matrix);
      this.strength.array[spot] = strength - 0.12;
    });
    this.mesh.instanceMatrix.needsUpdate = true;
    this.strength.needsUpdate = true;
  }

  setColors(ground: string, darkness: number): void {
    const { uniforms } = this.mesh.material;
    // As the screen has them: the shader mixes them without a conversion for each pixel.
    (uniforms.ground.value as Color).set(ground).convertLinearToSRGB();
    (uniforms.shade.value as Color).copy(uniforms.ground.value).multiplyScalar(1 - 0.7 * darkness);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.dispose();
  }
}

/** Each costs some thousand pixels of blending: as few as make one smooth shape. */
const k_most_spots = 15;

/** A piece of the body: a ball about a point of the frame vector, or of a rigid shape. */
interface Spot {
  at: number;
  radius: number;
  shape?: ShapeItem;
  /** In the shape's own frame. */
  point?: Vector3;
}

function spotsOf(scene: Scene): Spot[] {
  const items = scene.rods.length + scene.surfaces.length;
  const each = Math.max(3, Math.floor(k_most_spots / Math.max(1, items)));
  const spots: Spot[] = [];
  for (const { at, halfX, halfY } of scene.rods) {
    const count = Math.min(each, halfX.length);
    for (let i = 0; i < count; i++) {
      const station = Math.round((i * (halfX.length - 1)) / Math.max(1, count - 1));
      spots.push({ at: at + 7 * station, radius: Math.max(halfX[station], halfY[station], 0.02 * scene.reach) });
    }
  }
  for (const { at, points } of scene.surfaces) {
    const step = Math.max(1, Math.floor(points / each));
    for (let point = 0; point < points; point += step) spots.push({ at: at + 3 * point, radius: 0.07 * scene.reach });
  }
  for (const shape of scene.shapes) {
    if (shape.obstacle || shape.contact) continue;
    const corners = shapeCorners(shape);
    const half = corners[7].clone().sub(corners[0]).multiplyScalar(0.5);
    const middle = corners[7].clone().add(corners[0]).multiplyScalar(0.5);
    const [, between, longest] = half.toArray().sort((a, b) => a - b);
    const axis = half.toArray().indexOf(longest);
    // Along what is long; what is nearly as wide as long is one piece.
    for (const part of longest > 1.5 * between ? [-0.7, 0, 0.7] : [0]) {
      const point = middle.clone().setComponent(axis, middle.getComponent(axis) + part * longest);
      spots.push({ at: 0, shape, point, radius: 1.1 * between });
    }
  }
  return spots;
}
