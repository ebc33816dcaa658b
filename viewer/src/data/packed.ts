import type { PackedArray, PackedChannels } from "../contract";

export type Numbers = Float32Array | Float64Array | Int32Array | Uint16Array;

const bytesOfType = { f32: 4, f64s: 8, i32: 4, u16: 2 } as const;

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** The bytes that base64 of zlib's format holds. */
export async function inflate(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([decodeBase64(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Browsers run on little-endian machines; on any other the numbers would be wrong, so say so. */
function requireLittleEndian(): void {
  if (new Uint8Array(new Uint16Array([1]).buffer)[0] !== 1) {
    throw new Error("this machine: found big-endian numbers, expected little-endian");
  }
}

/** The numbers of a packed array. `name` says in errors which one it is. */
export async function decodeArray(packed: PackedArray, name = "packed array"): Promise<Numbers> {
  requireLittleEndian();
  const size = bytesOfType[packed.type];
  if (size === undefined) throw new Error(`${name}: found type '${packed.type}', expected f32, f64s, i32 or u16`);
  const bytes = await inflate(packed.data);
  const expected = packed.count * size;
  if (bytes.length !== expected) {
    throw new Error(`${name}: found ${bytes.length} bytes, expected ${expected} (${packed.count} of ${packed.type})`);
  }
  switch (packed.type) {
    case "f32":
      return new Float32Array(bytes.buffer);
    case "i32":
      return new Int32Array(bytes.buffer);
    case "u16":
      return new Uint16Array(bytes.buffer);
    case "f64s":
      return unshuffleDoubles(bytes, packed.count);
  }
}

function unshuffleDoubles(bytes: Uint8Array, count: number): Float64Array {
  const doubles = new Float64Array(count);
  const plain = new Uint8Array(doubles.buffer);
  for (let byte = 0; byte < 8; byte++) {
    const plane = byte * count;
    for (let i = 0; i < count; i++) plain[8 * i + byte] = bytes[plane + i];
  }
  return doubles;
}

/**
 * The values of packed channels over `frames` frames, frame by frame: value of channel c at frame f is
 * result[f * channels + c].
 */
export async function decodeChannels(
  packed: PackedChannels,
  frames: number,
  name = "packed channels",
): Promise<Float32Array> {
  const { channels, step } = packed;
  if (typeof step !== "number" && step.length !== channels) {
    throw new Error(`${name}.step: found ${step.length} numbers, expected ${channels}`);
  }
  const bytes = await inflate(packed.data);
  const values = new Float32Array(frames * channels);
  let place = 0;
  for (let channel = 0; channel < channels; channel++) {
    const unit = typeof step === "number" ? step : step[channel];
    let value = 0;
    let difference = 0;
    for (let frame = 0; frame < frames; frame++) {
      // LEB128: up to 28 bits in integers, what lies above by multiplication, exact up to 2^53.
      let byte = bytes[place++];
      let code = byte & 127;
      for (let shift = 7; byte >= 128 && shift < 28; shift += 7) {
        byte = bytes[place++];
        code |= (byte & 127) << shift;
      }
      for (let weight = 2 ** 28; byte >= 128; weight *= 128) {
        byte = bytes[place++];
        code += (byte & 127) * weight;
      }
      const second = code % 2 === 0 ? code / 2 : -(code + 1) / 2;
      // The first is the value itself, the second its first difference: both follow from zeros before the start,
      // except that the difference before the first frame is not the first value.
      if (frame === 0) {
        value = second;
      } else {
        difference += second;
        value += difference;
      }
      values[frame * channels + channel] = value * unit;
    }
  }
  if (place !== bytes.length) {
    throw new Error(`${name}: found ${bytes.length} bytes, expected ${place} (${channels} channels, ${frames} frames)`);
  }
  return values;
}
