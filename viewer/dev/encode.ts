import type { PackedArray, PackedChannels } from "../src/contract";

/** Writes what the C++ side writes, from the contract's words alone: the decoder is tested against it. */
async function pack(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (let i = 0; i < packed.length; i += 8192) text += String.fromCharCode(...packed.subarray(i, i + 8192));
  return btoa(text);
}

export async function encodeArray(type: PackedArray["type"], numbers: ArrayLike<number>): Promise<PackedArray> {
  const count = numbers.length;
  const size = { f32: 4, f64s: 8, i32: 4, u16: 2 }[type];
  const bytes = new Uint8Array(size * count);
  const view = new DataView(bytes.buffer);
  const one = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < count; i++) {
    if (type === "f32") view.setFloat32(4 * i, numbers[i], true);
    else if (type === "i32") view.setInt32(4 * i, numbers[i], true);
    else if (type === "u16") view.setUint16(2 * i, numbers[i], true);
    else {
      one.setFloat64(0, numbers[i], true);
      for (let byte = 0; byte < 8; byte++) bytes[byte * count + i] = one.getUint8(byte);
    }
  }
  return { type, count, data: await pack(bytes) };
}

/** @param rows frame by frame, the values of all channels */
export async function encodeChannels(rows: ArrayLike<number>[], step: number | number[]): Promise<PackedChannels> {
  const channels = rows[0].length;
  const bytes: number[] = [];
  for (let channel = 0; channel < channels; channel++) {
    const unit = typeof step === "number" ? step : step[channel];
    const whole = rows.map((row) => BigInt(Math.round(row[channel] / unit)));
    whole.forEach((value, frame) => {
      const code =
        frame === 0 ? value : frame === 1 ? value - whole[0] : value - 2n * whole[frame - 1] + whole[frame - 2];
      let zigzag = code >= 0n ? 2n * code : -2n * code - 1n;
      while (zigzag >= 128n) {
        bytes.push(Number(zigzag & 127n) | 128);
        zigzag >>= 7n;
      }
      bytes.push(Number(zigzag));
    });
  }
  return { channels, step, data: await pack(Uint8Array.from(bytes)) };
}
