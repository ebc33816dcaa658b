import { Vector3 } from "three";

/** A part of a picture, in pixels from its upper left corner. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What a camera sees: pixels, and the tangent of half of its vertical angle. */
export interface Lens {
  width: number;
  height: number;
  slope: number;
}

/** Where a camera stands, and what it looks at. */
export interface Placement {
  position: Vector3;
  target: Vector3;
}

/** Of the width and of the height that are free, for what is seen; the rest is air. */
const k_margin = 0.86;
/** At least this share of the picture's width and height stays free: else things may cover each other. */
const k_least_free = 0.45;
/** Air between what is seen and what covers a part of the picture. */
const k_gap = 8;

const sides = ["left", "top", "right", "bottom"] as const;

/** Axes of a picture that is taken from `direction`, with z up. */
function axesOf(direction: Vector3): { right: Vector3; up: Vector3 } {
  const right = new Vector3(0, 0, 1).cross(direction).normalize();
  return { right, up: direction.clone().cross(right) };
}

/** Balls x, y, z, radius in the axes of a picture: x to the right, y up, z towards the camera. */
function seenFrom(direction: Vector3, balls: ArrayLike<number>): Float64Array {
  const { right, up } = axesOf(direction);
  const seen = new Float64Array(balls.length);
  for (let i = 0; i < balls.length; i += 4) {
    const x = balls[i];
    const y = balls[i + 1];
    const z = balls[i + 2];
    seen[i] = right.x * x + right.y * y + right.z * z;
    seen[i + 1] = up.x * x + up.y * y + up.z * z;
    seen[i + 2] = direction.x * x + direction.y * y + direction.z * z;
    seen[i + 3] = balls[i + 3];
  }
  return seen;
}

/** Calls `take` with each ball's place and radius in pixels; not with those beside or behind the camera. */
function project(lens: Lens, camera: Vector3, seen: Float64Array, take: (x: number, y: number, radius: number) => void): void {
  const pixels = lens.height / (2 * lens.slope);
  for (let i = 0; i < seen.length; i += 4) {
    const depth = camera.z - seen[i + 2];
    if (depth <= seen[i + 3]) continue;
    const scale = pixels / depth;
    take(lens.width / 2 + scale * (seen[i] - camera.x), lens.height / 2 - scale * (seen[i + 1] - camera.y), scale * seen[i + 3]);
  }
}

/** The nearest place from which all balls are within the insets; in the axes of the picture. */
function placeWithin(lens: Lens, seen: Float64Array, insets: Box): Vector3 {
  const slopeX = (lens.slope * lens.width) / lens.height;
  const airX = ((1 - k_margin) / 2) * (lens.width - insets.left - insets.right);
  const airY = ((1 - k_margin) / 2) * (lens.height - insets.top - insets.bottom);
  const slopes = {
    left: slopeX * (1 - (2 * (insets.left + airX)) / lens.width),
    right: slopeX * (1 - (2 * (insets.right + airX)) / lens.width),
    top: lens.slope * (1 - (2 * (insets.top + airY)) / lens.height),
    bottom: lens.slope * (1 - (2 * (insets.bottom + airY)) / lens.height),
  };
  const { left, right, top, bottom } = slopes;
  const [hypotLeft, hypotRight] = [Math.hypot(1, left), Math.hypot(1, right)];
  const [hypotTop, hypotBottom] = [Math.hypot(1, top), Math.hypot(1, bottom)];
  // planes of the view's edges, pushed out until they touch
  const edge = { left: -Infinity, right: -Infinity, top: -Infinity, bottom: -Infinity };
  for (let i = 0; i < seen.length; i += 4) {
    const x = seen[i];
    const y = seen[i + 1];
    const depth = seen[i + 2];
    const radius = seen[i + 3];
    edge.left = Math.max(edge.left, left * depth - x + radius * hypotLeft);
    edge.right = Math.max(edge.right, right * depth + x + radius * hypotRight);
    edge.top = Math.max(edge.top, top * depth + y + radius * hypotTop);
    edge.bottom = Math.max(edge.bottom, bottom * depth - y + radius * hypotBottom);
  }
  const distance = Math.max(
    (edge.left + edge.right) / (left + right),
    (edge.top + edge.bottom) / (top + bottom),
  );
  // where both edges of a direction leave room, in its middle
  const x = (edge.right - right * distance + left * distance - edge.left) / 2;
  const y = (edge.top - top * distance + bottom * distance - edge.bottom) / 2;
  return new Vector3(x, y, distance);
}

function covers(lens: Lens, camera: Vector3, seen: Float64Array, box: Box): boolean {
  let found = false;
  project(lens, camera, seen, (x, y, radius) => {
    const acrossX = Math.max(box.left - x, x - box.right, 0);
    const acrossY = Math.max(box.top - y, y - box.bottom, 0);
    const most = radius + k_gap;
    found ||= acrossX * acrossX + acrossY * acrossY < most * most;
  });
  return found;
}

/**
 * The nearest place on a direction from which all balls are in sight and none is behind a box that covers a part of the
 * picture. Where that would leave too little of the picture, a box may cover some.
 */
export function fitted(lens: Lens, balls: ArrayLike<number>, direction: Vector3, covered: Box[], least = 0): Placement {
  const seen = seenFrom(direction, balls);
  let best: Vector3 | null = null;
  const search = (insets: Box): void => {
    const place = placeWithin(lens, seen, insets);
    if (best && place.z >= best.z) return;
    const box = covered.find((candidate) => covers(lens, place, seen, candidate));
    if (!box) {
      best = place;
      return;
    }
    const past: Box = { left: box.right, top: box.bottom, right: lens.width - box.left, bottom: lens.height - box.top };
    for (const side of sides) {
      const next = { ...insets, [side]: Math.max(insets[side], past[side]) };
      const freeX = lens.width - next.left - next.right;
      const freeY = lens.height - next.top - next.bottom;
      if (next[side] > insets[side] && freeX >= k_least_free * lens.width && freeY >= k_least_free * lens.height) search(next);
    }
  };
  const nothing: Box = { left: 0, top: 0, right: 0, bottom: 0 };
  search(nothing);
  const place = best ?? placeWithin(lens, seen, nothing);
  const { right, up } = axesOf(direction);
  // the look goes through the middle of the depth, where the camera then turns about
  let [near, far] = [-Infinity, Infinity];
  for (let i = 2; i < seen.length; i += 4) {
    near = Math.max(near, seen[i]);
    far = Math.min(far, seen[i]);
  }
  const at = (depth: number): Vector3 => new Vector3().addScaledVector(right, place.x).addScaledVector(up, place.y).addScaledVector(direction, depth);
  const middle = (near + far) / 2;
  return { position: at(Math.max(place.z, middle + Math.max(least, 1e-6))), target: at(middle) };
}

/** How much of some balls is in a picture that is taken from a position. */
export function inPicture(lens: Lens, balls: ArrayLike<number>, { position, target }: Placement): "all" | "some" | "none" {
  const direction = position.clone().sub(target).normalize();
  const { right, up } = axesOf(direction);
  const camera = new Vector3(position.dot(right), position.dot(up), position.dot(direction));
  let [all, some] = [0, 0];
  project(lens, camera, seenFrom(direction, balls), (x, y, radius) => {
    const outside = Math.max(-x, x - lens.width, -y, y - lens.height);
    if (outside <= -radius) all++;
    if (outside < 0) some++;
  });
  return all === balls.length / 4 ? "all" : some > 0 ? "some" : "none";
}
