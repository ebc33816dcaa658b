import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  SphereGeometry,
  Vector3,
} from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { mergeVertices, toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { ShapeItem } from "../contract";
import { decodeArray } from "../data/packed";
import { roundSides } from "./software";

const k_sides = 40;
/** Faces of a mesh that meet at a larger angle have an edge between them. */
const k_crease_angle = Math.PI / 5;

function required(value: number | undefined, shape: ShapeItem, key: string): number {
  if (value === undefined)
    throw new Error(`shape '${shape.shape}' of link ${shape.link}: ${key}: found none, expected a number`);
  return value;
}

const corners = new WeakMap<ShapeItem, Vector3[]>();

/** Corners of a shape's bounding box in its own frame; known once its geometry was made. */
export function shapeCorners(shape: ShapeItem): Vector3[] {
  return corners.get(shape)!;
}

/** The surface of a rigid shape in its own frame. */
export async function shapeGeometry(shape: ShapeItem): Promise<BufferGeometry> {
  const geometry = await makeGeometry(shape);
  geometry.computeBoundingBox();
  const { min, max } = geometry.boundingBox!;
  const pick = (low: number, high: number, bit: number): number => (bit ? high : low);
  corners.set(
    shape,
    Array.from({ length: 8 }, (_, i) => {
      return new Vector3(pick(min.x, max.x, i & 1), pick(min.y, max.y, i & 2), pick(min.z, max.z, i & 4));
    }),
  );
  return geometry;
}

async function makeGeometry(shape: ShapeItem): Promise<BufferGeometry> {
  const flat = shape.shape === "box" || shape.shape === "mesh";
  const sides = flat ? 0 : roundSides(k_sides);
  switch (shape.shape) {
    case "box": {
      const [x, y, z] = shape.size ?? [NaN, NaN, NaN];
      required(shape.size?.[0], shape, "size");
      const round = 0.08 * Math.min(x, y, z);
      return round > 0 ? new RoundedBoxGeometry(x, y, z, 2, round) : new BoxGeometry(x, y, z);
    }
    case "cylinder": {
      const radius = required(shape.radius, shape, "radius");
      const length = required(shape.length, shape, "length");
      return new CylinderGeometry(shape.tipRadius ?? radius, radius, length, sides).rotateX(Math.PI / 2);
    }
    case "sphere":
      return new SphereGeometry(required(shape.radius, shape, "radius"), sides, sides / 2);
    case "capsule": {
      const length = required(shape.length, shape, "length");
      return new CapsuleGeometry(required(shape.radius, shape, "radius"), length, sides / 4, sides).rotateX(Math.PI / 2);
    }
    case "mesh": {
      if (!shape.mesh) throw new Error(`mesh of link ${shape.link}: mesh: found none, expected points and triangles`);
      const points = Float32Array.from(await decodeArray(shape.mesh.points, "mesh points"));
      const triangles = Uint32Array.from(await decodeArray(shape.mesh.triangles, "mesh triangles"));
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(points, 3));
      geometry.setIndex(new BufferAttribute(triangles, 1));
      return toCreasedNormals(mergeVertices(geometry), k_crease_angle);
    }
  }
}
