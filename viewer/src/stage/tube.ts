import { BufferAttribute, BufferGeometry, DynamicDrawUsage } from "three";

/** A round tube along points that move: tendons, and chambers along rods. */
export class TubeGeometry extends BufferGeometry {
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;

  constructor(
    private readonly at: number,
    private readonly points: number,
    private readonly radius: number,
    private readonly sides: number,
  ) {
    super();
    const vertices = points * sides + 2;
    this.positions = new Float32Array(3 * vertices);
    this.normals = new Float32Array(3 * vertices);
    this.setAttribute("position", new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    this.setAttribute("normal", new BufferAttribute(this.normals, 3).setUsage(DynamicDrawUsage));
    const index: number[] = [];
    for (let side = 0; side < sides; side++) {
      const next = (side + 1) % sides;
      for (let point = 0; point + 1 < points; point++) {
        const a = point * sides + side;
        const b = point * sides + next;
        index.push(a, b, a + sides, b, b + sides, a + sides);
      }
      const last = (points - 1) * sides;
      index.push(vertices - 2, next, side, vertices - 1, last + side, last + next);
    }
    this.setIndex(index);
  }

  update(vector: Float32Array): void {
    const { at, points, sides, radius, positions, normals } = this;
    // Tangent, and two directions across it that turn as little as possible from point to point.
    let tx = 0;
    let ty = 0;
    let tz = 1;
    let ux = 0;
    let uy = 0;
    let uz = 0;
    for (let point = 0; point < points; point++) {
      const here = at + 3 * point;
      const before = point > 0 ? here - 3 : here;
      const after = point + 1 < points ? here + 3 : here;
      const dx = vector[after] - vector[before];
      const dy = vector[after + 1] - vector[before + 1];
      const dz = vector[after + 2] - vector[before + 2];
      const size = Math.hypot(dx, dy, dz);
      if (size > 1e-12) {
        tx = dx / size;
        ty = dy / size;
        tz = dz / size;
      }
      let dot = ux * tx + uy * ty + uz * tz;
      ux -= dot * tx;
      uy -= dot * ty;
      uz -= dot * tz;
      let across = Math.hypot(ux, uy, uz);
      if (across < 1e-6) {
        // The world axis that is least along the tangent.
        ux = Math.abs(tx) <= Math.abs(ty) && Math.abs(tx) <= Math.abs(tz) ? 1 : 0;
        uy = ux === 0 && Math.abs(ty) <= Math.abs(tz) ? 1 : 0;
        uz = ux === 0 && uy === 0 ? 1 : 0;
        dot = ux * tx + uy * ty + uz * tz;
        ux -= dot * tx;
        uy -= dot * ty;
        uz -= dot * tz;
        across = Math.hypot(ux, uy, uz);
      }
      ux /= across;
      uy /= across;
      uz /= across;
      const vx = ty * uz - tz * uy;
      const vy = tz * ux - tx * uz;
      const vz = tx * uy - ty * ux;
      for (let side = 0; side < sides; side++) {
        const cosine = Math.cos((2 * Math.PI * side) / sides);
        const sine = Math.sin((2 * Math.PI * side) / sides);
        const place = 3 * (point * sides + side);
        normals[place] = cosine * ux + sine * vx;
        normals[place + 1] = cosine * uy + sine * vy;
        normals[place + 2] = cosine * uz + sine * vz;
        for (let axis = 0; axis < 3; axis++) {
          positions[place + axis] = vector[here + axis] + radius * normals[place + axis];
        }
      }
      if (point === 0 || point === points - 1) {
        const sign = point === 0 ? -1 : 1;
        const center = 3 * (points * sides + (point === 0 ? 0 : 1));
        for (let axis = 0; axis < 3; axis++) positions[center + axis] = vector[here + axis];
        normals[center] = sign * tx;
        normals[center + 1] = sign * ty;
        normals[center + 2] = sign * tz;
      }
    }
    this.getAttribute("position").needsUpdate = true;
    this.getAttribute("normal").needsUpdate = true;
  }
}
