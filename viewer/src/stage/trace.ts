import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Mesh, ShaderMaterial, Vector2 } from "three";

const vertexShader = `
  attribute vec3 before;
  attribute vec3 after;
  attribute float side;
  attribute float time;
  uniform vec2 size;
  uniform float width;
  varying float at;
  vec2 pixel(vec4 clip) { return clip.xy / clip.w * size * 0.5; }
  void main() {
    at = time;
    vec4 here = projectionMatrix * viewMatrix * vec4(position, 1.0);
    vec2 first = pixel(projectionMatrix * viewMatrix * vec4(before, 1.0));
    vec2 last = pixel(projectionMatrix * viewMatrix * vec4(after, 1.0));
    vec2 along = last - first;
    float far = length(along);
    vec2 across = far > 1e-4 ? vec2(-along.y, along.x) / far : vec2(0.0, 1.0);
    here.xy += across * side * width / size * here.w;
    gl_Position = here;
  }`;

const fragmentShader = `
  uniform vec3 color;
  uniform float now;
  uniform float fade;
  varying float at;
  void main() {
    if (at > now) discard;
    gl_FragColor = vec4(color, mix(0.9, 0.14, clamp((now - at) / fade, 0.0, 1.0)));
    #include <colorspace_fragment>
  }`;

/** The path of a point as a ribbon that faces the camera and fades with its age. */
export class Trace {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;
  private points = 0;
  private readonly times: Float32Array;

  /** @param capacity most points; adding more forgets the oldest */
  constructor(private readonly capacity: number) {
    const geometry = new BufferGeometry();
    const attribute = (size: number): BufferAttribute =>
      new BufferAttribute(new Float32Array(2 * capacity * size), size).setUsage(DynamicDrawUsage);
    for (const name of ["position", "before", "after"]) geometry.setAttribute(name, attribute(3));
    for (const name of ["side", "time"]) geometry.setAttribute(name, attribute(1));
    geometry.getAttribute("side").array.forEach((_, i, sides) => (sides[i] = i % 2 === 0 ? 1 : -1));
    const index: number[] = [];
    for (let point = 0; point + 1 < capacity; point++) {
      const a = 2 * point;
      index.push(a, a + 1, a + 2, a + 2, a + 1, a + 3);
    }
    geometry.setIndex(index);
    geometry.setDrawRange(0, 0);
    const uniforms = {
      size: { value: new Vector2(1, 1) },
      width: { value: 2 },
      color: { value: new Color() },
      now: { value: 0 },
      fade: { value: 1 },
    };
    const material = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      uniforms,
      transparent: true,
      depthWrite: false,
    });
    material.side = 2;
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1;
    this.times = geometry.getAttribute("time").array as Float32Array;
  }

  /**
   * The whole path at once: x, y, z of each point and its time [s].
   * @param jumps  times at which it begins anew, elsewhere.
   */
  setPath(path: ArrayLike<number>, times: ArrayLike<number>, jumps: number[] = []): void {
    this.points = 0;
    const step = Math.ceil(times.length / this.capacity);
    for (let point = 0; point < times.length; point += step)
      this.put(path[3 * point], path[3 * point + 1], path[3 * point + 2], times[point]);
    if (jumps.length > 0) this.leaveOut(jumps);
    this.mesh.material.uniforms.fade.value = Math.max(1e-9, times[times.length - 1] - times[0]);
    this.finish();
  }

  /** Draws nothing from the last point before a jump to the first one after it. */
  private leaveOut(jumps: number[]): void {
    const index = this.mesh.geometry.index!;
    for (const jump of jumps) {
      for (let point = 0; point + 1 < this.points; point++) {
        const crosses = this.times[2 * point] < Math.fround(jump) && this.times[2 * point + 2] >= Math.fround(jump);
        if (crosses) for (let corner = 0; corner < 6; corner++) index.setX(6 * point + corner, 2 * point);
      }
    }
    index.needsUpdate = true;
  }

  /** Live: one point more; a time before the last begins anew. Fades within `fade` seconds. */
  append(x: number, y: number, z: number, time: number, fade: number): void {
    if (this.points > 0 && time < this.times[2 * this.points - 2]) this.points = 0;
    if (this.points > 0 && time === this.times[2 * this.points - 2]) return;
    if (this.points === this.capacity) this.forget();
    this.put(x, y, z, time);
    this.mesh.material.uniforms.fade.value = fade;
    this.finish();
  }

  /** The older half goes. */
  private forget(): void {
    const from = 2 * Math.floor(this.capacity / 2);
    for (const name of ["position", "time"]) {
      const { array, itemSize } = this.mesh.geometry.getAttribute(name) as BufferAttribute;
      (array as Float32Array).copyWithin(0, from * itemSize);
    }
    this.points = this.capacity - from / 2;
  }

  private put(x: number, y: number, z: number, time: number): void {
    const positions = this.mesh.geometry.getAttribute("position").array;
    for (let side = 0; side < 2; side++) {
      const vertex = 2 * this.points + side;
      positions[3 * vertex] = x;
      positions[3 * vertex + 1] = y;
      positions[3 * vertex + 2] = z;
      this.times[vertex] = time;
    }
    this.points++;
  }

  /** Neighbors of all points, after points were put. */
  private finish(): void {
    const { geometry } = this.mesh;
    const [position, before, after] = ["position", "before", "after"].map(
      (name) => geometry.getAttribute(name).array as Float32Array,
    );
    const end = 6 * this.points;
    before.set(position.subarray(0, Math.max(0, end - 6)), 6);
    before.set(position.subarray(0, Math.min(6, end)), 0);
    after.set(position.subarray(6, end), 0);
    if (end >= 6) after.set(position.subarray(end - 6, end), end - 6);
    for (const name of ["position", "before", "after", "time"]) geometry.getAttribute(name).needsUpdate = true;
    geometry.setDrawRange(0, 6 * Math.max(0, this.points - 1));
  }

  setNow(time: number): void {
    this.mesh.material.uniforms.now.value = time;
  }

  /** @param width [px], of a picture of `size` pixels */
  setLook(color: string, width: number, size: { width: number; height: number }): void {
    const { uniforms } = this.mesh.material;
    (uniforms.color.value as Color).set(color);
    uniforms.width.value = width;
    (uniforms.size.value as Vector2).set(size.width, size.height);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
