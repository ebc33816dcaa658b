import { BufferAttribute, BufferGeometry, DynamicDrawUsage } from "three";

/**
 * Splits the points of a surface at its creases, so that normals are smooth within faces and jump between them.
 * Returns the point of each vertex and the triangles in vertices.
 */
export function splitAtCreases(
  points: number,
  triangles: ArrayLike<number>,
  creases: ArrayLike<number>,
): { pointOfVertex: Uint32Array; index: Uint32Array } {
  const corners = triangles.length;
  const key = (a: number, b: number): number => (a < b ? a * points + b : b * points + a);
  const isCrease = new Set<number>();
  for (let i = 0; i + 1 < creases.length; i += 2) isCrease.add(key(creases[i], creases[i + 1]));

  // Corners that share a smooth edge are one vertex: union-find over corners.
  const parent = new Uint32Array(corners).map((_, corner) => corner);
  const root = (corner: number): number => {
    while (parent[corner] !== corner) {
      parent[corner] = parent[parent[corner]];
      corner = parent[corner];
    }
    return corner;
  };
  const firstOfEdge = new Map<number, [number, number]>();
  for (let corner = 0; corner < corners; corner++) {
    const next = corner % 3 === 2 ? corner - 2 : corner + 1;
    const edge = key(triangles[corner], triangles[next]);
    if (isCrease.has(edge)) continue;
    const first = firstOfEdge.get(edge);
    if (first === undefined) {
      firstOfEdge.set(edge, [corner, next]);
      continue;
    }
    for (const mine of [corner, next]) {
      const other = triangles[first[0]] === triangles[mine] ? first[0] : first[1];
      parent[root(mine)] = root(other);
    }
  }

  const vertexOfRoot = new Map<number, number>();
  const pointOfVertex: number[] = [];
  const index = new Uint32Array(corners);
  for (let corner = 0; corner < corners; corner++) {
    const top = root(corner);
    let vertex = vertexOfRoot.get(top);
    if (vertex === undefined) {
      vertex = pointOfVertex.length;
      vertexOfRoot.set(top, vertex);
      pointOfVertex.push(triangles[corner]);
    }
    index[corner] = vertex;
  }
  return { pointOfVertex: Uint32Array.from(pointOfVertex), index };
}

/** A surface whose points move: x, y, z of point p at at + 3 p of the frame vector. */
export class SurfaceGeometry extends BufferGeometry {
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private readonly corners: Uint32Array;
  /** Point of each vertex: a point on a crease has several. */
  readonly pointOfVertex: Uint32Array;

  constructor(
    private readonly at: number,
    points: number,
    triangles: ArrayLike<number>,
    creases: ArrayLike<number>,
  ) {
    super();
    const { pointOfVertex, index } = splitAtCreases(points, triangles, creases);
    this.pointOfVertex = pointOfVertex;
    this.corners = index;
    this.positions = new Float32Array(3 * pointOfVertex.length);
    this.normals = new Float32Array(3 * pointOfVertex.length);
    this.setAttribute("position", new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    this.setAttribute("normal", new BufferAttribute(this.normals, 3).setUsage(DynamicDrawUsage));
    this.setIndex(new BufferAttribute(index, 1));
  }

  update(vector: Float32Array): void {
    const { positions, normals, corners, pointOfVertex, at } = this;
    for (let vertex = 0, place = 0; vertex < pointOfVertex.length; vertex++, place += 3) {
      const from = at + 3 * pointOfVertex[vertex];
      positions[place] = vector[from];
      positions[place + 1] = vector[from + 1];
      positions[place + 2] = vector[from + 2];
    }
    normals.fill(0);
    for (let corner = 0; corner < corners.length; corner += 3) {
      const a = 3 * corners[corner];
      const b = 3 * corners[corner + 1];
      const c = 3 * corners[corner + 2];
      const ax = positions[a];
      const ay = positions[a + 1];
      const az = positions[a + 2];
      const bx = positions[b] - ax;
      const by = positions[b + 1] - ay;
      const bz = positions[b + 2] - az;
      const cx = positions[c] - ax;
      const cy = positions[c + 1] - ay;
      const cz = positions[c + 2] - az;
      // Twice the area times the normal: large triangles count for more.
      const nx = by * cz - bz * cy;
      const ny = bz * cx - bx * cz;
      const nz = bx * cy - by * cx;
      normals[a] += nx;
      normals[a + 1] += ny;
      normals[a + 2] += nz;
      normals[b] += nx;
      normals[b + 1] += ny;
      normals[b + 2] += nz;
      normals[c] += nx;
      normals[c + 1] += ny;
      normals[c + 2] += nz;
    }
    for (let place = 0; place < normals.length; place += 3) {
      const size = Math.hypot(normals[place], normals[place + 1], normals[place + 2]) || 1;
      normals[place] /= size;
      normals[place + 1] /= size;
      normals[place + 2] /= size;
    }
    this.getAttribute("position").needsUpdate = true;
    this.getAttribute("normal").needsUpdate = true;
  }

  /** Lines along pairs of points, on the same positions. */
  lines(pairs: ArrayLike<number>): BufferGeometry {
    const vertexOfPoint = new Map<number, number>();
    this.pointOfVertex.forEach((point, vertex) => vertexOfPoint.set(point, vertex));
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.getAttribute("position"));
    geometry.setIndex(Array.from(pairs, (point) => vertexOfPoint.get(point)!));
    return geometry;
  }
}
