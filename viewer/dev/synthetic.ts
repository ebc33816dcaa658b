import { Quaternion, Vector3 } from "three";
import type { Curve, FrameBlock, ReportPage, Run, Scene, ShapeItem, SurfaceItem } from "../src/contract";
import { encodeArray, encodeChannels } from "./encode";

/**
 * A page that no simulation made: arms that bend as smooth formulas say, with everything that a scene can hold. It is
 * for working on the viewer without the C++ side, and for testing it where the answer must be known.
 */

const k_link_names = ["lower", "middle", "upper", "gripper"];
const k_seconds = 4;

/** Bend of a piece of arc: an angle per length about a direction across. */
interface Bend {
  kappa: number;
  direction: number;
}

interface Pose {
  p: Vector3;
  q: Quaternion;
}

/** Along an arc of constant curvature from a pose, whose z axis is the tangent. */
function along(from: Pose, bend: Bend, s: number): Pose {
  const angle = bend.kappa * s;
  const radial = Math.abs(angle) < 1e-9 ? (bend.kappa * s * s) / 2 : (1 - Math.cos(angle)) / bend.kappa;
  const axial = Math.abs(angle) < 1e-9 ? s : Math.sin(angle) / bend.kappa;
  const across = new Vector3(Math.cos(bend.direction), Math.sin(bend.direction), 0);
  const p = across
    .clone()
    .multiplyScalar(radial)
    .add(new Vector3(0, 0, axial))
    .applyQuaternion(from.q)
    .add(from.p);
  const turn = new Quaternion().setFromAxisAngle(new Vector3(-across.y, across.x, 0), angle);
  return { p, q: from.q.clone().multiply(turn) };
}

function put(numbers: number[], pose: Pose): void {
  numbers.push(pose.p.x, pose.p.y, pose.p.z, pose.q.w, pose.q.x, pose.q.y, pose.q.z);
}

/** A block of w x d x h cells: points, triangles from outside, and its twelve edges. */
export function blockSurface(
  across: number,
  along_: number,
): {
  rest: [number, number, number][];
  triangles: number[];
  edges: number[];
} {
  const rest: [number, number, number][] = [];
  const triangles: number[] = [];
  const edges: number[] = [];
  const numberOf = new Map<string, number>();
  const point = (u: number, v: number, s: number): number => {
    const key = `${u},${v},${s}`;
    if (!numberOf.has(key)) {
      numberOf.set(key, rest.length);
      rest.push([(2 * u) / across - 1, (2 * v) / across - 1, s / along_]);
    }
    return numberOf.get(key)!;
  };
  const quad = (a: number, b: number, c: number, d: number): number => triangles.push(a, b, c, a, c, d);
  const n = across;
  for (let s = 0; s < along_; s++) {
    for (let i = 0; i < n; i++) {
      quad(point(n, i, s), point(n, i + 1, s), point(n, i + 1, s + 1), point(n, i, s + 1));
      quad(point(0, i + 1, s), point(0, i, s), point(0, i, s + 1), point(0, i + 1, s + 1));
      quad(point(i + 1, n, s), point(i, n, s), point(i, n, s + 1), point(i + 1, n, s + 1));
      quad(point(i, 0, s), point(i + 1, 0, s), point(i + 1, 0, s + 1), point(i, 0, s + 1));
    }
    for (const [u, v] of [
      [0, 0],
      [0, n],
      [n, 0],
      [n, n],
    ])
      edges.push(point(u, v, s), point(u, v, s + 1));
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      quad(point(i, j, along_), point(i + 1, j, along_), point(i + 1, j + 1, along_), point(i, j + 1, along_));
      quad(point(i, j + 1, 0), point(i + 1, j + 1, 0), point(i + 1, j, 0), point(i, j, 0));
    }
    for (const s of [0, along_]) {
      edges.push(point(i, 0, s), point(i + 1, 0, s), point(i, n, s), point(i + 1, n, s));
      edges.push(point(0, i, s), point(0, i + 1, s), point(n, i, s), point(n, i + 1, s));
    }
  }
  return { rest, triangles, edges };
}

/** Values that a run's scene takes its numbers from: the scene is the same at all times, the numbers are not. */
interface Moment {
  scene: Scene;
  numbers: number[];
}

const k_identity = {
  position: [0, 0, 0] as [number, number, number],
  quaternion: [1, 0, 0, 0] as [number, number, number, number],
};

function emptyScene(name: string, reach: number): Scene {
  return {
    name,
    size: 0,
    reach,
    gravity: [0, 0, -9.81],
    base: [0, 0, 0],
    frames: [],
    rods: [],
    surfaces: [],
    shapes: [],
    tendons: [],
    chambers: [],
    arrows: [],
    links: [],
    fields: [
      { key: "energy", name: "strain energy density", unit: "J/m³" },
      { key: "curvature", name: "curvature", unit: "1/m" },
    ],
  };
}

function bendAt(link: number, t: number, vigor: number): Bend {
  return { kappa: vigor * (3 * Math.sin(1.6 * t + 0.7 * link) + 1.5), direction: 0.5 * link + 0.35 * t };
}

/** An arm of rods, one of each kind of section, with tendons, a tube chamber, loads, joints and shapes. */
async function rodArm(t: number, vigor: number): Promise<Moment> {
  const sections = ["circle", "annulus", "ellipse", "rectangle"] as const;
  const scene = emptyScene("rod arm", 0.8);
  const numbers: number[] = [];
  const stations = 33;
  const length = 0.18;
  let pose: Pose = { p: new Vector3(0, 0, 0.05), q: new Quaternion() };
  const shape = (item: Omit<ShapeItem, "link" | "frame" | "pose"> & Partial<ShapeItem>): number =>
    scene.shapes.push({ link: scene.links.length - 1, frame: scene.frames.length - 1, pose: k_identity, ...item });

  scene.frames.push({ name: "base", at: 0, link: -1 });
  put(numbers, pose);
  shape({
    link: -1,
    shape: "box",
    size: [0.16, 0.16, 0.05],
    pose: { ...k_identity, position: [0, 0, -0.026] },
    given: false,
  });
  shape({ link: -1, shape: "cylinder", radius: 0.06, length: 0.02, tipRadius: 0.045, given: false });

  const tendonPoints: Vector3[][] = [[], [], []];
  sections.forEach((section, link) => {
    const bend = bendAt(link, t, vigor);
    scene.links.push({ name: k_link_names[link], tip: -1 });
    const taper = (s: number): number => (0.032 - 0.004 * link) * (1 - 0.2 * s);
    const at = numbers.length;
    const s = Array.from({ length: stations }, (_, i) => (length * i) / (stations - 1));
    const from = pose;
    for (const place of s) {
      put(numbers, along(from, bend, place));
      const { p, q } = along(from, bend, place);
      tendonPoints.forEach((points, tendon) => {
        const angle = (2 * Math.PI * tendon) / 3;
        points.push(new Vector3(Math.cos(angle), Math.sin(angle), 0).multiplyScalar(0.021).applyQuaternion(q).add(p));
      });
    }
    const energy = numbers.length;
    for (const place of s) numbers.push(900 * bend.kappa ** 2 * (1 - place / length / 2));
    const curvature = numbers.length;
    for (const place of s) numbers.push(Math.abs(bend.kappa) * (1 - (0.3 * place) / length));
    scene.rods.push({
      link,
      section,
      halfX: s.map((place) => taper(place / length)),
      halfY: s.map(
        (place) => taper(place / length) * (section === "ellipse" ? 0.55 : section === "rectangle" ? 0.7 : 1),
      ),
      inner: section === "annulus" ? s.map((place) => 0.6 * taper(place / length)) : undefined,
      s,
      at,
      fields: [energy, curvature],
    });
    if (section === "circle") {
      const axis = numbers.length;
      for (const place of s) numbers.push(...along(from, bend, place).p.toArray());
      scene.chambers.push({
        name: "tube",
        link,
        pressure: numbers.length,
        tube: { radius: 0.013, points: stations, at: axis },
      });
      numbers.push(30000 * Math.sin(1.6 * t));
    }
    pose = along(from, bend, length);
    scene.links[link].tip = scene.frames.length;
    scene.frames.push({ name: `${k_link_names[link]}.tip`, at: numbers.length, link, marker: "joint", radius: 0.019 });
    put(numbers, pose);
    pose = along(pose, { kappa: 0, direction: 0 }, 0.015);
  });

  scene.frames.push({ name: "hand", at: numbers.length, link: 3 });
  put(numbers, pose);
  shape({ link: 3, shape: "box", size: [0.06, 0.03, 0.02], given: true, color: "#3c6e71" });
  shape({
    link: 3,
    shape: "capsule",
    radius: 0.006,
    length: 0.05,
    given: true,
    pose: { ...k_identity, position: [0.025, 0, 0.03] },
  });
  shape({
    link: 3,
    shape: "sphere",
    radius: 0.013,
    given: true,
    opacity: 0.5,
    color: "#284b63",
    pose: { ...k_identity, position: [-0.02, 0, 0.03] },
  });
  const corners = [0.02, 0, 0.05, -0.02, 0, 0.05, 0, 0.02, 0.05, 0, -0.02, 0.05, 0, 0, 0.09, 0, 0, 0.02];
  const faces = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
  shape({
    link: 3,
    shape: "mesh",
    given: true,
    mesh: { points: await encodeArray("f32", corners), triangles: await encodeArray("u16", faces) },
  });

  tendonPoints.forEach((points, tendon) => {
    scene.tendons.push({
      name: `tendon ${tendon + 1}`,
      points: points.length,
      at: numbers.length,
      tension: numbers.length + 3 * points.length,
    });
    for (const point of points) numbers.push(...point.toArray());
    numbers.push(Math.max(0, 8 * Math.sin(1.3 * t + 2 * tendon)));
  });
  scene.arrows.push({ name: "payload", kind: "force", at: numbers.length, unit: "N" });
  numbers.push(...pose.p.toArray(), 0, 0, -2 - Math.sin(t));
  scene.arrows.push({ name: "wind", kind: "force", at: numbers.length, unit: "N" });
  numbers.push(...tendonPoints[0][40].toArray(), 1.2 * Math.cos(2 * t), 0.5, 0);
  scene.arrows.push({ name: "twist", kind: "torque", at: numbers.length, unit: "N m" });
  numbers.push(...tendonPoints[1][90].toArray(), 0.1, 0.2 * Math.cos(t), 0.1);
  scene.size = numbers.length;
  return { scene, numbers };
}

/** A chain of `blocks` solid blocks that bend, each with a pressed cavity. */
async function blockArm(t: number, vigor: number, blocks: number, across: number, cells: number): Promise<Moment> {
  const scene = emptyScene("block arm", 0.2 * blocks);
  const numbers: number[] = [];
  const { rest, triangles, edges } = blockSurface(across, cells);
  const packed = { triangles: await encodeArray("u16", triangles), edges: await encodeArray("u16", edges) };
  let pose: Pose = { p: new Vector3(0, 0, 0.75), q: new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI) };
  scene.frames.push({ name: "base", at: 0, link: -1, marker: "joint", radius: 0.03 });
  put(numbers, pose);
  for (let link = 0; link < blocks; link++) {
    const bend = { kappa: vigor * 4 * Math.sin(1.5 * t + 0.8 * link), direction: 0.3 + 0.5 * link };
    const length = 0.19;
    const from = pose;
    const place = ([u, v, s]: [number, number, number], half: number, margin: number): number[] => {
      const { p, q } = along(from, bend, length * (margin + (1 - 2 * margin) * s));
      const swell = 1 + 0.06 * Math.sin(Math.PI * s) * Math.sin(2 * t);
      return new Vector3(half * swell * u, half * swell * v, 0).applyQuaternion(q).add(p).toArray();
    };
    const item: SurfaceItem = { link, points: rest.length, at: numbers.length, ...packed, fields: [-1, -1] };
    for (const point of rest) numbers.push(...place(point, 0.028, 0));
    item.fields = [numbers.length, -1];
    for (const [u, , s] of rest) numbers.push(400 * (1.2 + u * Math.sin(1.5 * t)) ** 2 * (1.2 - s));
    scene.surfaces.push(item);
    scene.chambers.push({
      name: `cavity ${link + 1}`,
      link,
      pressure: numbers.length,
      cavity: { points: rest.length, at: numbers.length + 1, triangles: packed.triangles },
    });
    numbers.push(20000 * Math.sin(1.5 * t + link));
    for (const point of rest) numbers.push(...place(point, 0.014, 0.12));
    pose = along(from, bend, length);
    scene.links.push({ name: `block ${link + 1}`, tip: scene.frames.length });
    scene.frames.push({
      name: `tip ${link + 1}`,
      at: numbers.length,
      link,
      marker: link === blocks - 1 ? "mass" : undefined,
      radius: 0.012,
    });
    put(numbers, pose);
    pose = along(pose, { kappa: 0, direction: 0 }, 0.005);
  }
  scene.size = numbers.length;
  return { scene, numbers };
}

/** Packs numbers as they are, and surfaces' points with a basis: each coefficient one frame's own deviation. */
async function packBlocks(scene: Scene, rows: number[][], useBasis: boolean): Promise<FrameBlock[]> {
  const spans = useBasis ? scene.surfaces.map(({ at, points }) => [at, at + 3 * points]) : [];
  const blocks: FrameBlock[] = [];
  let at = 0;
  for (const [begin, end] of [...spans, [scene.size, scene.size]]) {
    if (begin > at) {
      const part = rows.map((row) => row.slice(at, begin));
      blocks.push({ at, size: begin - at, values: await encodeChannels(part, 1e-5) });
    }
    if (end > begin)
      blocks.push(
        await packBasis(
          begin,
          rows.map((row) => row.slice(begin, end)),
        ),
      );
    at = end;
  }
  return blocks;
}

/** A basis by Gram-Schmidt over the deviations of some 24 frames from the mean. */
async function packBasis(at: number, rows: number[][]): Promise<FrameBlock> {
  const size = rows[0].length;
  const mean = Array.from({ length: size }, (_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);
  const deviations = rows.map((row) => row.map((value, i) => value - mean[i]));
  const dot = (a: number[], b: number[]): number => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const vectors: number[][] = [];
  for (let frame = 0; frame < rows.length; frame += Math.ceil(rows.length / 24)) {
    const left = [...deviations[frame]];
    for (const vector of vectors) {
      const part = dot(left, vector);
      vector.forEach((value, i) => (left[i] -= part * value));
    }
    const norm = Math.sqrt(dot(left, left));
    if (norm > 1e-4) vectors.push(left.map((value) => value / norm));
  }
  const coefficients = deviations.map((row) => vectors.map((vector) => dot(row, vector)));
  return {
    at,
    size,
    basis: {
      rank: vectors.length,
      mean: await encodeArray("f32", mean),
      vectors: await encodeArray("f32", vectors.flat()),
      coefficients: await encodeChannels(coefficients, 1e-5),
    },
  };
}

export type SyntheticKind = "rods" | "blocks" | "heavy";

/** One run of a synthetic robot. `vigor` scales its motion. */
export async function syntheticRun(
  kind: SyntheticKind,
  options: { vigor?: number; frames?: number; basis?: boolean } = {},
): Promise<Run> {
  const { vigor = 1, frames = 161, basis = true } = options;
  const make = (t: number): Promise<Moment> =>
    kind === "rods"
      ? rodArm(t, vigor)
      : kind === "blocks"
        ? blockArm(t, vigor, 3, 6, 14)
        : blockArm(t, vigor, 3, 14, 25);
  const times = Array.from({ length: frames }, (_, frame) => (k_seconds * frame) / Math.max(1, frames - 1));
  const moments = [];
  for (const time of times) moments.push(await make(time));
  const { scene } = moments[0];
  const rows = moments.map(({ numbers }) => numbers);
  const tip = scene.frames[scene.links[scene.links.length - 1].tip].at;
  const curve = async (name: string, unit: string, value: (row: number[], time: number) => number): Promise<Curve> => {
    const values = rows.map((row, frame) => value(row, times[frame]));
    return { name, unit, values: await encodeArray("f64s", values), shown: true };
  };
  return {
    label: `synthetic ${kind}`,
    file: `synthetic_${kind}.h5`,
    robot: scene.name,
    status: "complete",
    message: "",
    warnings: [],
    facts: [{ name: "method", value: "formulas, not a simulation" }],
    scene,
    times: await encodeArray("f64s", times),
    blocks: await packBlocks(scene, rows, basis),
    series: {
      times: await encodeArray("f64s", times),
      groups: [
        {
          key: "frames",
          title: "Frames",
          curves: await Promise.all(["x", "y", "z"].map((axis, i) => curve(`tip.${axis}`, "m", (row) => row[tip + i]))),
        },
        {
          key: "energy",
          title: "Energy",
          curves: [
            await curve("kinetic", "J", (_, t) => 0.4 * Math.cos(1.6 * t) ** 2),
            await curve("elastic", "J", (_, t) => 0.9 * Math.sin(1.6 * t) ** 2),
          ],
        },
        {
          key: "q",
          title: "Coordinates",
          curves: await Promise.all(
            [0, 1, 2, 3].map((link) =>
              curve(`${k_link_names[link]}.q`, "rad", (_, t) => bendAt(link, t, vigor).kappa * 0.18),
            ),
          ),
        },
      ],
    },
  };
}

/** A page as the C++ side would write it. */
export async function syntheticPage(kinds: SyntheticKind[]): Promise<ReportPage> {
  const runs = await Promise.all(kinds.map((kind, i) => syntheticRun(kind, { vigor: 1 - 0.25 * i })));
  runs.forEach((run, i) => (run.label = kinds.length > 1 ? `${run.label} ${i + 1}` : run.label));
  return { kind: "report", title: runs.map(({ label }) => label).join(" and "), version: "synthetic", runs };
}
