import { BufferAttribute, BufferGeometry, DynamicDrawUsage } from "three";
import type { RodItem } from "../contract";
import { roundSides } from "./software";

const k_sides = 28;

/** A closed outline in units of the half extents, and its normals; `flat`: corners lie there twice, once a side. */
interface Outline {
  count: number;
  x: Float32Array;
  y: Float32Array;
  normalX: Float32Array;
  normalY: Float32Array;
  flat: boolean;
}

function outlineOf(section: RodItem["section"]): Outline {
  switch (section) {
    case "rectangle":
      return {
        count: 8,
        x: Float32Array.of(1, 1, 1, -1, -1, -1, -1, 1),
        y: Float32Array.of(-1, 1, 1, 1, 1, -1, -1, -1),
        normalX: Float32Array.of(1, 1, 0, 0, -1, -1, 0, 0),
        normalY: Float32Array.of(0, 0, 1, 1, 0, 0, -1, -1),
        flat: true,
      };
    case "circle":
    case "annulus":
    case "ellipse": {
      const count = roundSides(k_sides);
      const x = new Float32Array(count).map((_, side) => Math.cos((2 * Math.PI * side) / count));
      const y = new Float32Array(count).map((_, side) => Math.sin((2 * Math.PI * side) / count));
      return { count, x, y, normalX: x, normalY: y, flat: false };
    }
  }
}

/**
 * The skin of a rod: its outline swept along the stations, a bore if it has one, and caps at both ends. Positions and
 * normals are rewritten in place.
 */
export class RodGeometry extends BufferGeometry {
  private readonly outline: Outline;
  private readonly stations: number;
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  /** Station of each vertex: whose field value colors it. */
  readonly stationOfVertex: Uint16Array;
  private readonly slopeX: Float32Array;
  private readonly slopeY: Float32Array;
  private readonly slopeInner: Float32Array;

  constructor(private readonly item: RodItem) {
    super();
    this.outline = outlineOf(item.section);
    this.stations = item.halfX.length;
    const ring = this.outline.count;
    const walls = item.inner ? 2 : 1;
    const wall = this.stations * ring;
    const cap = item.inner ? 2 * ring : ring + 1;
    const vertices = walls * wall + 2 * cap;
    this.positions = new Float32Array(3 * vertices);
    this.normals = new Float32Array(3 * vertices);
    this.slopeX = slopes(item.halfX, item.s);
    this.slopeY = slopes(item.halfY, item.s);
    this.slopeInner = slopes(item.inner ?? [], item.s);
    this.stationOfVertex = new Uint16Array(vertices);
    for (let vertex = 0; vertex < walls * wall; vertex++) {
      this.stationOfVertex[vertex] = Math.floor((vertex % wall) / ring);
    }
    this.stationOfVertex.fill(this.stations - 1, walls * wall + cap);
    this.setAttribute("position", new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    this.setAttribute("normal", new BufferAttribute(this.normals, 3).setUsage(DynamicDrawUsage));
    this.setIndex(this.triangles(walls, wall, cap));
  }

  private triangles(walls: number, wall: number, cap: number): number[] {
    const { count: ring, flat } = this.outline;
    const index: number[] = [];
    for (let inside = 0; inside < walls; inside++) {
      for (let station = 0; station + 1 < this.stations; station++) {
        for (let side = 0; side < ring; side += flat ? 2 : 1) {
          const a = inside * wall + station * ring + side;
          const b = inside * wall + station * ring + ((side + 1) % ring);
          if (inside) index.push(a, a + ring, b, b, a + ring, b + ring);
          else index.push(a, b, a + ring, b, b + ring, a + ring);
        }
      }
    }
    for (let end = 0; end < 2; end++) {
      const first = walls * wall + end * cap;
      for (let side = 0; side < ring; side++) {
        const a = first + side;
        const b = first + ((side + 1) % ring);
        if (walls === 1) index.push(first + ring, ...(end ? [a, b] : [b, a]));
        else if (end) index.push(a, b, a + ring, b, b + ring, a + ring);
        else index.push(a, a + ring, b, b, a + ring, b + ring);
      }
    }
    return index;
  }

  /** Rewrites the skin from a frame vector. */
  update(vector: Float32Array): void {
    const { item, outline, positions, normals, stations } = this;
    const ring = outline.count;
    const wall = stations * ring;
    const walls = item.inner ? 2 : 1;
    const cap = item.inner ? 2 * ring : ring + 1;
    for (let station = 0; station < stations; station++) {
      const at = item.at + 7 * station;
      const px = vector[at];
      const py = vector[at + 1];
      const pz = vector[at + 2];
      const w = vector[at + 3];
      const i = vector[at + 4];
      const j = vector[at + 5];
      const k = vector[at + 6];
      // Columns of the rotation: the section's x and y axes, and its normal along the rod.
      const xx = 1 - 2 * (j * j + k * k);
      const xy = 2 * (i * j + w * k);
      const xz = 2 * (i * k - w * j);
      const yx = 2 * (i * j - w * k);
      const yy = 1 - 2 * (i * i + k * k);
      const yz = 2 * (j * k + w * i);
      const zx = xy * yz - xz * yy;
      const zy = xz * yx - xx * yz;
      const zz = xx * yy - xy * yx;
      const end = station === 0 ? -1 : station === stations - 1 ? 1 : 0;
      for (let inside = 0; inside < walls; inside++) {
        const halfX = inside ? item.inner![station] : item.halfX[station];
        const halfY = inside ? halfX : item.halfY[station];
        const slopeX = inside ? this.slopeInner[station] : this.slopeX[station];
        const slopeY = inside ? slopeX : this.slopeY[station];
        const sign = inside ? -1 : 1;
        for (let side = 0; side < ring; side++) {
          const u = outline.x[side] * halfX;
          const v = outline.y[side] * halfY;
          let vertex = 3 * (inside * wall + station * ring + side);
          const x = px + u * xx + v * yx;
          const y = py + u * xy + v * yy;
          const z = pz + u * xz + v * yz;
          positions[vertex] = x;
          positions[vertex + 1] = y;
          positions[vertex + 2] = z;
          // An ellipse's normal leans to its short axis; a taper tilts it along the rod.
          let nu = outline.normalX[side] * (outline.flat ? 1 : halfY);
          let nv = outline.normalY[side] * (outline.flat ? 1 : halfX);
          const size = Math.hypot(nu, nv) || 1;
          nu /= size;
          nv /= size;
          const nw = -(nu * outline.x[side] * slopeX + nv * outline.y[side] * slopeY);
          const scale = sign / Math.sqrt(1 + nw * nw);
          normals[vertex] = scale * (nu * xx + nv * yx + nw * zx);
          normals[vertex + 1] = scale * (nu * xy + nv * yy + nw * zy);
          normals[vertex + 2] = scale * (nu * xz + nv * yz + nw * zz);
          if (end !== 0) {
            vertex = 3 * (walls * wall + (end > 0 ? cap : 0) + inside * ring + side);
            this.put(vertex, x, y, z, end * zx, end * zy, end * zz);
          }
        }
      }
      if (end !== 0 && walls === 1) {
        this.put(3 * (wall + (end > 0 ? cap : 0) + ring), px, py, pz, end * zx, end * zy, end * zz);
      }
    }
    this.getAttribute("position").needsUpdate = true;
    this.getAttribute("normal").needsUpdate = true;
  }

  private put(place: number, x: number, y: number, z: number, nx: number, ny: number, nz: number): void {
    this.positions[place] = x;
    this.positions[place + 1] = y;
    this.positions[place + 2] = z;
    this.normals[place] = nx;
    this.normals[place + 1] = ny;
    this.normals[place + 2] = nz;
  }
}

/** Differences of half extents along the rod: how much a taper tilts its skin. */
function slopes(half: number[], s: number[]): Float32Array {
  return new Float32Array(half.length).map((_, station) => {
    const before = Math.max(0, station - 1);
    const after = Math.min(half.length - 1, station + 1);
    const span = s[after] - s[before];
    return span > 0 ? (half[after] - half[before]) / span : 0;
  });
}
