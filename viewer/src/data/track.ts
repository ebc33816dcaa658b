import type { FrameBlock, Run, Scene } from "../contract";
import { decodeArray, decodeChannels } from "./packed";

/** A block of frame vectors in memory; of one with a basis only coefficients lie there for each frame. */
interface Block {
  at: number;
  size: number;
  values?: Float32Array;
  basis?: { rank: number; mean: Float32Array; vectors: Float32Array; coefficients: Float32Array };
}

/** Places at which the frame vector holds quaternions w, x, y, z. */
export function quaternionPlaces(scene: Scene): number[] {
  const places = scene.frames.map((frame) => frame.at + 3);
  for (const rod of scene.rods) rod.halfX.forEach((_, station) => places.push(rod.at + 7 * station + 3));
  return places;
}

/**
 * The frame vectors of a run at any time: linear between frames, and normalized-linear where a scene has quaternions,
 * whichever of their two signs each frame has.
 *
 *     const track = await FrameTrack.decode(run);
 *     const vector = new Float32Array(track.size);
 *     track.at(0.25, vector);
 */
export class FrameTrack {
  /** Scratch: the two quaternions between which one is interpolated. */
  private readonly before = new Float32Array(4);
  private readonly after = new Float32Array(4);

  private constructor(
    /** Times of the frames [s], ascending. */
    readonly times: ArrayLike<number>,
    /** Length of a frame vector. */
    readonly size: number,
    private readonly blocks: Block[],
    private readonly quaternions: number[],
  ) {}

  /** Unpacks a run. Throws with the run's label if its blocks do not fill the frame vector or its data are broken. */
  static async decode(run: Pick<Run, "label" | "scene" | "times" | "blocks">): Promise<FrameTrack> {
    const { scene, label } = run;
    const times = await decodeArray(run.times, `${label}: times`);
    if (times.length === 0) throw new Error(`${label}: times: found none, expected at least one`);
    for (let frame = 1; frame < times.length; frame++) {
      if (!(times[frame] >= times[frame - 1])) {
        throw new Error(`${label}: times[${frame}]: found ${times[frame]}, expected >= ${times[frame - 1]}`);
      }
    }
    const sorted = [...run.blocks].sort((first, second) => first.at - second.at);
    let end = 0;
    for (const block of sorted) {
      if (block.at !== end) throw new Error(`${label}: blocks: found one at ${block.at}, expected it at ${end}`);
      end += block.size;
    }
    if (end !== scene.size) throw new Error(`${label}: blocks: found ${end} numbers, expected ${scene.size}`);
    const blocks = await Promise.all(
      sorted.map((block) => decodeBlock(block, times.length, `${label}: block at ${block.at}`)),
    );
    return new FrameTrack(times, scene.size, blocks, quaternionPlaces(scene));
  }

  get frames(): number {
    return this.times.length;
  }
  get start(): number {
    return this.times[0];
  }
  get end(): number {
    return this.times[this.times.length - 1];
  }

  /** The last frame at or before a time; 0 before the first. */
  frameAt(time: number): number {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Writes the frame vector at a time, held to the first and the last frame, to `out`. Allocates nothing. */
  at(time: number, out: Float32Array): void {
    const frame = this.frameAt(time);
    const next = Math.min(frame + 1, this.times.length - 1);
    const span = this.times[next] - this.times[frame];
    const part = span > 0 ? Math.min(1, Math.max(0, (time - this.times[frame]) / span)) : 0;
    for (const block of this.blocks) mix(block, frame, next, part, 0, block.size, out, block.at);
    for (const place of this.quaternions) this.mixQuaternion(place, frame, next, part, out);
  }

  /** Writes the numbers `place` .. `place + count` of a frame to the beginning of `out`, and expands no others. */
  read(frame: number, place: number, count: number, out: Float32Array): void {
    for (const block of this.blocks) {
      const begin = Math.max(place, block.at);
      const end = Math.min(place + count, block.at + block.size);
      if (begin < end) mix(block, frame, frame, 0, begin - block.at, end - block.at, out, begin - place);
    }
  }

  private mixQuaternion(place: number, frame: number, next: number, part: number, out: Float32Array): void {
    const { before, after } = this;
    this.read(frame, place, 4, before);
    this.read(next, place, 4, after);
    const dot = before[0] * after[0] + before[1] * after[1] + before[2] * after[2] + before[3] * after[3];
    const weight = dot < 0 ? -part : part;
    let square = 0;
    for (let i = 0; i < 4; i++) {
      before[i] = (1 - part) * before[i] + weight * after[i];
      square += before[i] * before[i];
    }
    const scale = square > 0 ? 1 / Math.sqrt(square) : 1;
    for (let i = 0; i < 4; i++) out[place + i] = before[i] * scale;
  }
}

async function decodeBlock(block: FrameBlock, frames: number, name: string): Promise<Block> {
  const { at, size, values, basis } = block;
  if (values !== undefined && basis === undefined) {
    if (values.channels !== size) throw new Error(`${name}: found ${values.channels} channels, expected ${size}`);
    return { at, size, values: await decodeChannels(values, frames, name) };
  }
  if (basis === undefined || values !== undefined) {
    throw new Error(`${name}: found ${values ? "values and a basis" : "neither"}, expected values or a basis`);
  }
  const { rank } = basis;
  if (basis.coefficients.channels !== rank) {
    throw new Error(`${name}: found ${basis.coefficients.channels} coefficients, expected ${rank} (rank)`);
  }
  const [mean, vectors, coefficients] = await Promise.all([
    decodeArray(basis.mean, `${name}: mean`),
    decodeArray(basis.vectors, `${name}: vectors`),
    decodeChannels(basis.coefficients, frames, `${name}: coefficients`),
  ]);
  if (mean.length !== size) throw new Error(`${name}: mean: found ${mean.length} numbers, expected ${size}`);
  if (vectors.length !== rank * size) {
    throw new Error(`${name}: vectors: found ${vectors.length} numbers, expected ${rank * size} (rank x size)`);
  }
  return {
    at,
    size,
    basis: { rank, mean: Float32Array.from(mean), vectors: Float32Array.from(vectors), coefficients },
  };
}

/** The numbers `begin` .. `end` of a block, `part` of the way from a frame to the next, to out[to] .. */
function mix(
  block: Block,
  frame: number,
  next: number,
  part: number,
  begin: number,
  end: number,
  out: Float32Array,
  to: number,
): void {
  if (block.basis === undefined) {
    const values = block.values!;
    const first = frame * block.size;
    const second = next * block.size;
    for (let i = begin; i < end; i++) {
      const value = values[first + i];
      out[to + i - begin] = part === 0 ? value : value + part * (values[second + i] - value);
    }
    return;
  }
  const { rank, mean, vectors, coefficients } = block.basis;
  for (let i = begin; i < end; i++) out[to + i - begin] = mean[i];
  for (let k = 0; k < rank; k++) {
    const first = coefficients[frame * rank + k];
    const coefficient = first + part * (coefficients[next * rank + k] - first);
    if (coefficient === 0) continue;
    const row = k * block.size;
    for (let i = begin; i < end; i++) out[to + i - begin] += coefficient * vectors[row + i];
  }
}
