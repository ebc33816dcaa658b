import { Color, CustomBlending, DynamicDrawUsage, InstancedBufferAttribute, InstancedMesh, Matrix4, MinEquation, OneFactor, PlaneGeometry, ShaderMaterial } from "three";
import type { Scene } from "../contract";
import { bodyBalls } from "./survey";

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
    #include <colorspace_fragment>
  }`;

/**
 * What a robot keeps of the sky's light from the ground: a soft disc below each piece of it, wider and weaker with
 * height. The darkest disc wins, so that overlapping ones blend to one shape; a shadow map would cost many times more.
 */
export class Shadow {
  readonly mesh: InstancedMesh<PlaneGeometry, ShaderMaterial>;
  private readonly strength: InstancedBufferAttribute;
  private readonly matrix = new Matrix4();

  constructor(
    private readonly scene: Scene,
    vector: Float32Array,
  ) {
    const count = bodyBalls(scene, vector, k_points).length / 4;
    const geometry = new PlaneGeometry(2, 2);
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
    const balls = bodyBalls(this.scene, vector, k_points);
    for (let ball = 0; ball < this.mesh.count; ball++) {
      const [x, y, z] = [balls[4 * ball], balls[4 * ball + 1], balls[4 * ball + 2]];
      // Points of surfaces have no radius, and yet stand for an area.
      const radius = Math.max(balls[4 * ball + 3], 0.03 * reach);
      const above = Math.max(0, z - height);
      const size = 1.5 * radius + 0.02 * reach + 0.22 * above;
      const strength = (radius + 0.02 * reach) / size;
      this.matrix.makeScale(size, size, 1).setPosition(x, y, height);
      this.mesh.setMatrixAt(ball, this.matrix);
      this.strength.array[ball] = Math.min(1, 1.6 * strength) / (1 + above / (0.6 * reach));
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    this.strength.needsUpdate = true;
  }

  setColors(ground: string, darkness: number): void {
    const { uniforms } = this.mesh.material;
    (uniforms.ground.value as Color).set(ground);
    (uniforms.shade.value as Color).set(ground).multiplyScalar(1 - darkness);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.dispose();
  }
}

/** Points of each surface under which discs lie. */
const k_points = 60;
