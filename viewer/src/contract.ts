/**
 * What Cuttle's C++ side writes and the viewer reads: scenes, reports, and the messages of `cuttle live`.
 * The C++ side of it is src/view (scenes, reports) and apps/cuttle/live.cpp (messages). Change both together.
 *
 * Lengths are in meters, angles in radians, times in seconds, forces in newtons, as everywhere in Cuttle. The world's
 * z axis points up.
 *
 * A **scene** says once what there is to draw; everything that moves is a number of the **frame vector**, one flat
 * vector of `scene.size` floats for an instant. Items of the scene say where their numbers begin (`at`). A report packs
 * the frame vectors of a run; the live server sends them one by one.
 */

export type Vector3 = [number, number, number];
/** [w, x, y, z] */
export type Quaternion = [number, number, number, number];
export interface Pose {
  position: Vector3;
  quaternion: Quaternion;
}

// --- scene -------------------------------------------------------------------------------------------------------

export interface Scene {
  name: string;
  /** Length of the frame vector. */
  size: number;
  /** Sum of the links' lengths at rest: the size that cameras, grids and markers go by [m]. */
  reach: number;
  gravity: Vector3;
  /** Origin of the robot's base in the world (of a floating one: at its zero configuration). */
  base: Vector3;
  frames: FrameItem[];
  rods: RodItem[];
  surfaces: SurfaceItem[];
  shapes: ShapeItem[];
  tendons: TendonItem[];
  chambers: ChamberItem[];
  arrows: ArrowItem[];
  /** Of robots whose contacts record their sites. */
  dots?: DotItem[];
  /** Names and link indices of links, in the order of the robot file. */
  links: LinkItem[];
  /** Fields by which rods and surfaces can be colored; an item has the same fields in this order. */
  fields: Field[];
}

export interface LinkItem {
  name: string;
  /** Frame at the link's tip, an index into `frames`; what tip traces follow. */
  tip: number;
}

/** A rigid frame: `at` is the place of position x, y, z and quaternion w, x, y, z, seven numbers. */
export interface FrameItem {
  name: string;
  at: number;
  /** What stands at its origin, if it is more than a frame. */
  marker?: "joint" | "mass";
  /** Radius of the marker [m]. */
  radius?: number;
  /** Index of the link that it belongs to; -1: the base. */
  link: number;
}

/** A rod: stations along its backbone, whose sections are in the station's x, y plane. */
export interface RodItem {
  link: number;
  section: "circle" | "annulus" | "ellipse" | "rectangle";
  /** Half of the section's extent along x and along y at each station [m]. */
  halfX: number[];
  halfY: number[];
  /** Of an annulus: radius of the bore at each station [m]. */
  inner?: number[];
  /** Distance of each station from the rod's base along its rest length [m]. */
  s: number[];
  /** Place of the first station; each is seven numbers, as in a FrameItem. */
  at: number;
  /** Places of the fields' values, in the order of scene.fields: one number a station; -1: this rod has none. */
  fields: number[];
}

/** A surface whose points move: the boundary of a volume. */
export interface SurfaceItem {
  link: number;
  /** Number of points; `at` is the place of x, y, z of the first. */
  points: number;
  at: number;
  /** Corners, three a triangle, counterclockwise seen from outside. */
  triangles: PackedArray;
  /** Pairs of points: edges at which faces meet at an angle, to be drawn as lines. */
  edges: PackedArray;
  fields: number[];
}

/** A rigid shape fixed to a frame. */
export interface ShapeItem {
  link: number;
  /** Index into `frames`. */
  frame: number;
  /** In the frame. Cylinders and capsules extend along their z axis, -length/2 .. length/2; boxes are centered. */
  pose: Pose;
  shape: "box" | "cylinder" | "sphere" | "capsule" | "mesh";
  /** box: edges. */
  size?: Vector3;
  /** cylinder, sphere, capsule; a cylinder may be a cone. */
  radius?: number;
  tipRadius?: number;
  /** cylinder: between its ends; capsule: between the centers of its half spheres. */
  length?: number;
  mesh?: { points: PackedArray; triangles: PackedArray };
  /** #rrggbb; absent: the viewer's color for rigid parts. */
  color?: string;
  opacity?: number;
  /** The robot's file says how this part looks; else it is Cuttle's own idea of it. */
  given: boolean;
  /** Of the world around the robot, which may move by itself: an obstacle. */
  obstacle?: true;
  /** By which a link touches, beside what it looks like: hidden at first. */
  contact?: true;
}

/** A tendon: polylines through points. */
export interface TendonItem {
  name: string;
  /** Number of points of each stretch, one after the other; straight lines join the stretches. */
  points: number;
  at: number;
  /** Place of the tension [N]. */
  tension: number;
}

/** A chamber: the surface of a cavity of a volume, or a tube along a rod. Colored by pressure. */
export interface ChamberItem {
  name: string;
  link: number;
  /** Place of the pressure [Pa]. */
  pressure: number;
  /** Tube: radius, and points along its axis. */
  tube?: { radius: number; points: number; at: number };
  /** Cavity: like a surface. */
  cavity?: { points: number; at: number; triangles: PackedArray };
}

/** A load, or what a contact does to the robot: force or torque as an arrow. `at` is the place of the point x, y, z and the vector x, y, z, in the world. */
export interface ArrowItem {
  name: string;
  kind: "force" | "torque" | "normal" | "friction";
  at: number;
  /** Its unit: "N", "N/m", "N m", .. */
  unit: string;
}

/** A point at which a contact may touch. `at` is the place of x, y, z in the world, `state` that of 0 apart, 1 sticks, 2 slips. */
export interface DotItem {
  name: string;
  at: number;
  state: number;
}

export interface Field {
  key: "energy" | "curvature";
  /** "strain energy density", "curvature" */
  name: string;
  unit: string;
}

// --- packed numbers ----------------------------------------------------------------------------------------------

/** Base64 of zlib's format (DecompressionStream("deflate")) of little-endian numbers. */
export interface PackedArray {
  /** f64s: doubles whose first bytes come first, then all second bytes, and so on. */
  type: "f32" | "f64s" | "i32" | "u16";
  count: number;
  data: string;
}

/**
 * Some numbers of all frame vectors of a run. `data` is base64 of zlib's format of bytes: for each of the channels, one
 * after the other, for each frame the zigzag LEB128 varint of the second difference of round(value / step): the first
 * is the value, the second its first difference.
 */
export interface PackedChannels {
  channels: number;
  /** Value of one unit, for each channel or for all. */
  step: number | number[];
  data: string;
}

/** The numbers `at` .. `at + size` of the frame vectors. */
export interface FrameBlock {
  at: number;
  size: number;
  /** The numbers themselves, `size` channels .. */
  values?: PackedChannels;
  /** .. or coefficients c of numbers = mean + sum over k of c_k vectors[k], `rank` channels. */
  basis?: { rank: number; mean: PackedArray; vectors: PackedArray; coefficients: PackedChannels };
}

// --- report ------------------------------------------------------------------------------------------------------

/** Lies in the page as <script type="application/json" id="cuttle-page">. */
export type PageData = ReportPage | LivePage | SweepPage;

/** Rows of `cuttle sweep`: a point a run. */
export interface SweepPage {
  kind: "sweep";
  title: string;
  version: string;
  /** The sweep's file, for commands. */
  file: string;
  /** What varies, in one line. */
  plan: string;
  /** Runs of the whole sweep: there may be fewer rows. */
  count: number;
  /** Whether /run/NUMBER of this page's server is the page of that run. */
  served: boolean;
  /** Names of columns that are shown at first; color "": none. */
  axes: { x: string; y: string; color: string };
  columns: SweepColumn[];
  /** i32, a row each: 0 complete, 1 failed, 2 killed. */
  status: PackedArray;
  /** Why runs are not complete, by their numbers. */
  reasons: Record<string, string>;
  bands: {
    /** That they are of. */
    runs: number;
    times: PackedArray;
    /** Of each column five curves: the quantiles 5, 25, 50, 75 and 95 %. */
    columns: { name: string; unit: string; quantiles: PackedArray[] }[];
  };
}

/** A column of a sweep, a value a row: NaN where there is none. The column `row` has the runs' numbers. */
export interface SweepColumn {
  name: string;
  unit: string;
  kind: "varied" | "kept" | "other";
  values: PackedArray;
}

export interface ReportPage {
  kind: "report";
  title: string;
  version: string;
  /** One, or two that are compared. */
  runs: Run[];
}

export interface Run {
  /** "hybrid_arm", or of two runs what tells them apart, such as their files' names. */
  label: string;
  file: string;
  robot: string;
  status: "complete" | "interrupted" | "failed" | "rest";
  message: string;
  /** What a user should know about the numbers of a run that went through: a sentence each. */
  warnings?: string[];
  /** Lines "name: value" for people: method, steps, energy balance. */
  facts: { name: string; value: string }[];
  /** What makes robot and scenario other than their files: "robot.gravity=[0, 0, 0]". */
  changes?: string[];
  scene: Scene;
  /** Of the frames [s]; never empty. A robot at rest has one. */
  times: PackedArray;
  blocks: FrameBlock[];
  /** Rows of the result file, all of them: what plots show and CSV has. */
  series: { times: PackedArray; groups: SeriesGroup[] };
  /** What the rows are, if they are no instants of a simulation. */
  sequence?: PathSequence | TableSequence | ModesSequence;
}

/** Equilibria along a path, branch by branch: `series` has a row a point, its times are those of a walk along the path. */
export interface PathSequence {
  kind: "path";
  /** What changes along the path: "load", an input or a parameter. */
  along: string;
  unit: string;
  parameter: PackedArray;
  /** Index into `branches`. */
  branch: PackedArray;
  /** 0: regular, 1: fold, 2: branch point. */
  point: PackedArray;
  /** 0: stable, 1: neutral, 2: unstable, 3: unknown. */
  stability: PackedArray;
  /** The branch that each leaves, -1: none; why it ends. */
  branches: { parent: number; end: string }[];
}

/** Equilibria of a table: times are the numbers of its rows. */
export interface TableSequence {
  kind: "table";
  stability: PackedArray;
}

/** Small motions about an equilibrium: frames are one swing of each, one after the other; there are no series. */
export interface ModesSequence {
  kind: "modes";
  modes: SwingingMode[];
  /** How many the result has; the lowest are here. */
  all: number;
}

export interface SwingingMode {
  /** [Hz] */
  frequency: number;
  damping: number;
  /** Real part of the eigenvalue [1/s]. */
  growth: number;
  /** Whether it turns: else it decays or grows without. */
  turns: boolean;
  /** Names of the coordinates that move most. */
  moves: string;
  /** Times of its frames [s]. */
  begin: number;
  end: number;
}

/** Curves that belong together and may share a panel: "tips", "energy", "q_soft", "q", "u", .. Panels come in this order. */
export interface SeriesGroup {
  key: string;
  title: string;
  curves: Curve[];
}

export interface Curve {
  /** As in the result file: "shoulder.q", "kinetic", "hand.x". */
  name: string;
  unit: string;
  values: PackedArray;
  /** Shown when the page opens. */
  shown: boolean;
  /** Its numbers say nothing: all are zero, or nothing but rounding against what they could be. */
  noise?: "zero" | "rounding";
}

// --- live --------------------------------------------------------------------------------------------------------

export interface LivePage {
  kind: "live";
  title: string;
  version: string;
}

/** Everything but frames is a text message of JSON over the WebSocket /live of the page's own host. */
export type ServerMessage = HelloMessage | StateMessage | RoleMessage | SavedMessage | NoticeMessage;

/** First, and again after a reset that changes the scene. */
export interface HelloMessage {
  type: "hello";
  title: string;
  scene: Scene;
  inputs: LiveInput[];
  joints: LiveJoint[];
  setPoints: LiveSetPoint[];
  role: "control" | "watch";
  /** Bare names of the files that saving and recording write, in the folder where `cuttle live` runs. */
  scenarioFile: string;
  recordFile: string;
}

/** A slider for an actuator's input u. */
export interface LiveInput {
  name: string;
  /** What it acts through, as `type` in robot files: joint, tendon, .., or a kind of a plugin. */
  kind: string;
  unit: string;
  min: number;
  max: number;
  value: number;
}

/** A slider that takes a joint's coordinate by the hand: a spring and a damper pull it there until it is let go. */
export interface LiveJoint {
  name: string;
  unit: "rad" | "m";
  min: number;
  max: number;
  /** Place of the coordinate's present value after the scene's numbers in a frame message. */
  index: number;
}

/** A slider for a constant reference of a controller: it jumps there. */
export interface LiveSetPoint {
  /** Of the controller and of the coordinate: "swing: upper.joint.q0". */
  name: string;
  unit: string;
  min: number;
  max: number;
  value: number;
}

/** About five times a second, and at once when something changes. */
export interface StateMessage {
  type: "state";
  time: number;
  paused: boolean;
  gravity: boolean;
  recording: boolean;
  /** Seconds simulated a second of the wall clock, over the last second. */
  speed: number;
  /** The engine falls behind the clock: the page says so plainly. */
  tooSlow: boolean;
  /** Rows recorded. */
  recorded: number;
  /** Energies [J]. */
  kinetic: number;
  gravityEnergy: number;
  elastic: number;
  viewers: number;
  /** Values of the inputs, in the order of hello.inputs. */
  inputs: number[];
  /** Joints that are held: their targets; null: free. In the order of hello.joints. */
  targets: (number | null)[];
  /** Values of the set-points, in the order of hello.setPoints. */
  setPoints: number[];
  /** Simulation failed, and why: it is paused until a reset. */
  failure?: string;
}

/** Also when another page takes control away. */
export interface RoleMessage {
  type: "role";
  role: "control" | "watch";
}

/** A file was written. */
export interface SavedMessage {
  type: "saved";
  what: "scenario" | "recording";
  file: string;
  /** What the file cannot hold. */
  note?: string;
}

/** Something that the user should know; an error if a command could not be done. */
export interface NoticeMessage {
  type: "notice";
  level: "info" | "error";
  text: string;
}

/**
 * Binary message, little endian: float64 time, then float32 numbers: scene.size of the frame vector, the joints' values
 * (LiveJoint.index), and x, y, z of the point that is pushed and of the hand that pulls it (NaN: nobody pushes).
 */
export const frameHeaderBytes = 8;

/** From the browser that controls; the server answers others with a notice. */
export type ClientMessage =
  | { type: "input"; name: string; value: number }
  | { type: "joint"; name: string; target: number | null }
  | { type: "setPoint"; name: string; value: number }
  /** Takes the material point nearest to `point` (world) of a link, or moves the hand that holds it. */
  | { type: "push"; link: number; point: Vector3; hand: Vector3 }
  | { type: "pushMove"; hand: Vector3 }
  | { type: "pushEnd" }
  | { type: "pause"; on: boolean }
  /** Only while paused: one output step. */
  | { type: "step" }
  | { type: "reset" }
  | { type: "gravity"; on: boolean }
  | { type: "save" }
  | { type: "record"; on: boolean }
  /** A browser that watches takes control, from another one if need be. */
  | { type: "takeControl" };
