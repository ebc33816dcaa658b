import { Quaternion, Vector3 } from "three";
import type { Scene, ShapeItem } from "../contract";
import type { FrameTrack } from "../data/track";
import { shapeCorners } from "./shapes";

const turn = new Quaternion();
const place = new Vector3();

/** Where a point of a shape, in the shape's own frame, is in the world. */
export function placeInWorld(scene: Scene, shape: ShapeItem, point: Vector3, vector: Float32Array, out: Vector3): void {
  const { at } = scene.frames[shape.frame];
  const [w, x, y, z] = shape.pose.quaternion;
  const [px, py, pz] = shape.pose.position;
  out.copy(point).applyQuaternion(turn.set(x, y, z, w));
  out.set(out.x + px, out.y + py, out.z + pz);
  out.applyQuaternion(turn.set(vector[at + 4], vector[at + 5], vector[at + 6], vector[at + 3]));
  out.set(out.x + vector[at], out.y + vector[at + 1], out.z + vector[at + 2]);
}

export interface Range {
  min: number;
  max: number;
}

/** Frames spread evenly over a run, the first and the last among them. */
function spreadFrames(frames: number, most: number): number[] {
  const count = Math.min(frames, most);
  return Array.from({ length: count }, (_, i) => (count === 1 ? 0 : Math.round((i * (frames - 1)) / (count - 1))));
}

/** Frame vectors of a run that stand for all of it; a live robot's present one. */
export function sampleVectors(track: FrameTrack, most = 48): Float32Array[] {
  return spreadFrames(track.frames, most).map((frame) => {
    const vector = new Float32Array(track.size);
    track.read(frame, 0, track.size, vector);
    return vector;
  });
}

/** Balls x, y, z, radius that hold the body in one configuration. */
export function bodyBalls(scene: Scene, vector: Float32Array): number[] {
  const balls: number[] = [];
  const ball = (at: number, radius: number): number => balls.push(vector[at], vector[at + 1], vector[at + 2], radius);
  for (const rod of scene.rods) {
    rod.halfX.forEach((half, station) => ball(rod.at + 7 * station, Math.max(half, rod.halfY[station])));
  }
  for (const surface of scene.surfaces) {
    const step = Math.max(1, Math.floor(surface.points / 300));
    for (let point = 0; point < surface.points; point += step) ball(surface.at + 3 * point, 0);
  }
  for (const shape of scene.shapes) {
    if (shape.obstacle) continue;
    for (const corner of shapeCorners(shape)) {
      placeInWorld(scene, shape, corner, vector, place);
      balls.push(place.x, place.y, place.z, 0);
    }
  }
  for (const frame of scene.frames) if (frame.marker || scene.rods.length === 0) ball(frame.at, frame.radius ?? 0);
  return balls;
}

/** Obstacles larger than this, and further away, are shown as far as they are in the picture; as shares of what moves. */
const k_largest_obstacle = 1.5;
const k_farthest_obstacle = 0.5;

function boundsOf(balls: ArrayLike<number>): { low: Vector3; high: Vector3 } {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = new Vector3(-Infinity, -Infinity, -Infinity);
  for (let i = 0; i < balls.length; i += 4) {
    place.set(balls[i], balls[i + 1], balls[i + 2]);
    low.min(place.clone().addScalar(-balls[i + 3]));
    high.max(place.addScalar(balls[i + 3]));
  }
  return { low, high };
}

/**
 * Balls that hold the obstacles that are to be seen whole: those that are not much larger than what moves, and near it.
 * Of planes and walls a part will do.
 * @param moving  balls that hold what moves
 */
export function obstacleBalls(scene: Scene, vector: Float32Array, moving: ArrayLike<number>): number[] {
  const around = boundsOf(moving);
  const size = around.low.distanceTo(around.high);
  return scene.shapes.flatMap((shape) => {
    if (!shape.obstacle) return [];
    const balls = shapeCorners(shape).flatMap((corner) => {
      const out = new Vector3();
      placeInWorld(scene, shape, corner, vector, out);
      return [out.x, out.y, out.z, 0];
    });
    const { low, high } = boundsOf(balls);
    const apart = low.clone().sub(around.high).max(around.low.clone().sub(high)).max(new Vector3());
    return low.distanceTo(high) <= k_largest_obstacle * size && apart.length() <= k_farthest_obstacle * size ? balls : [];
  });
}

/** Length of each of a scene's arrows for its magnitude: the largest of each unit reaches `length` [m per unit]. */
export function arrowScales(scene: Scene, largest: Map<string, number>, length: number): Float32Array {
  return Float32Array.from(scene.arrows, ({ unit }) => {
    const most = largest.get(unit) ?? 0;
    return most > 0 ? length / most : 0;
  });
}

/** Widens the largest magnitudes of each unit by those of a frame vector; true if one grew. */
export function growArrows(scene: Scene, vector: Float32Array, largest: Map<string, number>): boolean {
  let grew = false;
  for (const { at, unit } of scene.arrows) {
    const magnitude = Math.hypot(vector[at + 3], vector[at + 4], vector[at + 5]);
    if (magnitude > (largest.get(unit) ?? 0)) {
      largest.set(unit, magnitude);
      grew = true;
    }
  }
  return grew;
}

/** Calls `take` with each value of a field in a frame vector. */
export function eachFieldValue(scene: Scene, field: number, vector: Float32Array, take: (value: number) => void): void {
  for (const rod of scene.rods) {
    if (rod.fields[field] >= 0) rod.halfX.forEach((_, station) => take(vector[rod.fields[field] + station]));
  }
  for (const surface of scene.surfaces) {
    const place = surface.fields[field];
    if (place >= 0) for (let point = 0; point < surface.points; point++) take(vector[place + point]);
  }
}

/** Range of a field over configurations: from zero if nothing is negative, and without the topmost half percent. */
export function fieldRange(scenes: { scene: Scene; vectors: Float32Array[] }[], key: string): Range | null {
  const values: number[] = [];
  for (const { scene, vectors } of scenes) {
    const field = scene.fields.findIndex((candidate) => candidate.key === key);
    if (field < 0) continue;
    for (const vector of vectors) {
      eachFieldValue(scene, field, vector, (value) => {
        if (Number.isFinite(value)) values.push(value);
      });
    }
  }
  if (values.length === 0) return null;
  const sorted = Float32Array.from(values).sort();
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))];
  const low = at(0.005);
  const high = at(0.995);
  return { min: low >= 0 ? 0 : low, max: high > low ? high : sorted[sorted.length - 1] };
}

/** Frames whose configurations lie evenly along a path of points, one point x, y, z a frame. */
export function framesAlong(path: Float32Array, count: number): number[] {
  const frames = path.length / 3;
  const length = new Float64Array(frames);
  for (let frame = 1; frame < frames; frame++) {
    const a = 3 * frame;
    const step = Math.hypot(path[a] - path[a - 3], path[a + 1] - path[a - 2], path[a + 2] - path[a - 1]);
    length[frame] = length[frame - 1] + step;
  }
  const total = length[frames - 1];
  const chosen = [0];
  for (let i = 1, frame = 0; i < count - 1 && total > 0; i++) {
    while (length[frame] < (total * i) / (count - 1)) frame++;
    if (frame > chosen[chosen.length - 1] && frame < frames - 1) chosen.push(frame);
  }
  if (frames > 1) chosen.push(frames - 1);
  return chosen;
}

/** Positions of a link's tip over frames, x, y, z one after the other. */
export function tipPath(scene: Scene, track: FrameTrack, link: number): Float32Array {
  const { at } = scene.frames[scene.links[link].tip];
  const path = new Float32Array(3 * track.frames);
  for (let frame = 0; frame < track.frames; frame++) track.read(frame, at, 3, path.subarray(3 * frame, 3 * frame + 3));
  return path;
}
