import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deflateSync } from "node:zlib";
import { PerspectiveCamera, Vector3 } from "three";
import { encodeArray, encodeChannels } from "../dev/encode";
import { syntheticRun } from "../dev/synthetic";
import type { FrameBlock, Scene } from "../src/contract";
import { decodeArray, decodeChannels } from "../src/data/packed";
import { FrameTrack } from "../src/data/track";
import { type Box, fitted, inPicture, type Placement } from "../src/stage/framing";
import { numberText } from "../src/stage/overlay";
import { roundedRange } from "../src/stage/ranges";
import { shapeGeometry } from "../src/stage/shapes";
import { obstacleBalls } from "../src/stage/survey";

const base64 = (bytes: number[]): string => deflateSync(Uint8Array.from(bytes)).toString("base64");

function sceneOf(size: number, frames: Scene["frames"] = []): Scene {
  const none = { rods: [], surfaces: [], shapes: [], tendons: [], chambers: [], arrows: [], links: [], fields: [] };
  return { name: "test", size, reach: 1, gravity: [0, 0, -9.81], base: [0, 0, 0], frames, ...none };
}

async function trackOf(
  size: number,
  times: number[],
  blocks: FrameBlock[],
  frames: Scene["frames"] = [],
): Promise<FrameTrack> {
  const packed = await encodeArray("f64s", times);
  return FrameTrack.decode({ label: "test", scene: sceneOf(size, frames), times: packed, blocks });
}

test("arrays: known bytes give known numbers", async () => {
  // 1.5f is 3fc00000, -2f is c0000000; 1.0 is 3ff0.., -2.0 is c000.. as doubles.
  const f32 = { type: "f32" as const, count: 2, data: base64([0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0]) };
  assert.deepEqual([...(await decodeArray(f32))], [1.5, -2]);
  const planes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x00, 0x3f, 0xc0];
  assert.deepEqual([...(await decodeArray({ type: "f64s", count: 2, data: base64(planes) }))], [1, -2]);
  assert.deepEqual([...(await decodeArray({ type: "u16", count: 2, data: base64([1, 2, 0xff, 0xff]) }))], [513, 65535]);
  assert.deepEqual([...(await decodeArray({ type: "i32", count: 1, data: base64([0xfe, 0xff, 0xff, 0xff]) }))], [-2]);
});

test("arrays: a wrong count is an error that says so", async () => {
  const short = { type: "f32" as const, count: 3, data: base64([0, 0, 0, 0]) };
  await assert.rejects(decodeArray(short, "mean"), /mean: found 4 bytes, expected 12 \(3 of f32\)/);
});

test("channels: known bytes give known values", async () => {
  // Zigzag of 3, +2 (first difference), -1 (second difference), 0; then of -1, 300 - (-1), ..
  const first = [6, 4, 1, 0];
  // 301 -> 602 = 0b100_1011010 -> da 04; second differences -602 -> 1203 -> b3 09; 301 -> 602.
  const second = [1, 0xda, 0x04, 0xb3, 0x09, 0xda, 0x04];
  const packed = { channels: 2, step: [0.5, 2], data: base64([...first, ...second]) };
  // 3, 5, 6, 7 and -1, 300, -1, -1.
  assert.deepEqual([...(await decodeChannels(packed, 4))], [1.5, -2, 2.5, 600, 3, -2, 3.5, -2]);
});

test("channels: round trip, also of numbers beyond 32 bits", async () => {
  const rows = Array.from({ length: 60 }, (_, f) => [
    Math.sin(0.1 * f),
    (f % 2 === 0 ? 1 : -1) * 4e-3,
    f % 7 === 0 ? 3e6 + f : -1e6,
    0,
  ]);
  const step = 1e-6;
  const values = await decodeChannels(await encodeChannels(rows, step), 60);
  rows.forEach((row, f) => {
    row.forEach((value, c) => {
      // Half a step of rounding, and single precision.
      const tolerance = 0.5001 * step + Math.abs(value) * 2 ** -23;
      assert.ok(
        Math.abs(values[4 * f + c] - value) <= tolerance,
        `frame ${f} channel ${c}: ${values[4 * f + c]}, ${value}`,
      );
    });
  });
});

test("channels: missing and left-over bytes are errors", async () => {
  const bytes = [2, 2, 2, 2];
  await assert.rejects(decodeChannels({ channels: 1, step: 1, data: base64(bytes) }, 5), /found 4 bytes, expected 5/);
  await assert.rejects(decodeChannels({ channels: 1, step: 1, data: base64(bytes) }, 3), /found 4 bytes, expected 3/);
  await assert.rejects(
    decodeChannels({ channels: 1, step: [1, 2], data: base64(bytes) }, 4),
    /found 2 numbers, expected 1/,
  );
});

test("track: linear between frames, held at both ends, in blocks of either kind", async () => {
  const values = await encodeChannels([[1, 10], [3, 30], [3, 50]], 0.5); // prettier-ignore
  const coefficients = await encodeChannels([[0, 1], [2, 1], [4, -1]], 0.25); // prettier-ignore
  const mean = await encodeArray("f32", [1, 2, 3]);
  const vectors = await encodeArray("f32", [1, 0, 0, 0, 1, 2]);
  const track = await trackOf(
    5,
    [0, 1, 3],
    [
      { at: 2, size: 3, basis: { rank: 2, mean, vectors, coefficients } },
      { at: 0, size: 2, values },
    ],
  );
  const out = new Float32Array(5);
  const at = (time: number): number[] => {
    track.at(time, out);
    return [...out];
  };
  assert.deepEqual(at(0), [1, 10, 1, 3, 5]);
  assert.deepEqual(at(0.5), [2, 20, 2, 3, 5]);
  assert.deepEqual(at(2), [3, 40, 4, 2, 3]);
  assert.deepEqual(at(-9), [1, 10, 1, 3, 5]);
  assert.deepEqual(at(9), [3, 50, 5, 1, 1]);
  const part = new Float32Array(3);
  track.read(1, 1, 3, part);
  assert.deepEqual([...part], [30, 3, 3]);
});

test("track: quaternions stay of length one and go the short way, whichever their signs", async () => {
  // A turn about z by 40 and by 60 degrees, the second with the other sign.
  const turn = (degrees: number): number[] => [
    Math.cos((degrees * Math.PI) / 360),
    0,
    0,
    Math.sin((degrees * Math.PI) / 360),
  ];
  const rows = [[1, 2, 3, ...turn(40)], [1, 2, 5, ...turn(60).map((x) => -x)]]; // prettier-ignore
  const frames = [{ name: "tip", at: 0, link: 0 }];
  const inBasis: FrameBlock = {
    at: 0,
    size: 7,
    basis: {
      rank: 1,
      mean: await encodeArray("f32", rows[0]),
      vectors: await encodeArray(
        "f32",
        rows[1].map((value, i) => value - rows[0][i]),
      ),
      coefficients: await encodeChannels([[0], [1]], 1),
    },
  };
  for (const block of [{ at: 0, size: 7, values: await encodeChannels(rows, 1e-6) }, inBasis]) {
    const track = await trackOf(7, [0, 1], [block], frames);
    const out = new Float32Array(7);
    track.at(0.5, out);
    const expected = [1, 2, 4, ...turn(50)];
    // Steps of 1e-6, and single precision.
    expected.forEach((value, i) => assert.ok(Math.abs(out[i] - value) < 2e-6, `${i}: ${out[i]}, ${value}`));
    track.at(1, out);
    assert.ok(Math.abs(Math.hypot(out[3], out[4], out[5], out[6]) - 1) < 1e-6);
  }
});

test("track: blocks that do not fill the frame vector, and times that go back, are errors", async () => {
  const values = await encodeChannels([[1, 2]], 1);
  await assert.rejects(trackOf(3, [0], [{ at: 0, size: 2, values }]), /blocks: found 2 numbers, expected 3/);
  await assert.rejects(trackOf(3, [0], [{ at: 1, size: 2, values }]), /blocks: found one at 1, expected it at 0/);
  await assert.rejects(trackOf(2, [], [{ at: 0, size: 2, values }]), /times: found none/);
  await assert.rejects(trackOf(2, [1, 0], [{ at: 0, size: 2, values }]), /times\[1\]: found 0, expected >= 1/);
  await assert.rejects(trackOf(2, [0], [{ at: 0, size: 2 }]), /found neither, expected values or a basis/);
});

test("track: a whole run with a basis agrees with the same run without one", async () => {
  const options = { frames: 33 };
  const plain = await FrameTrack.decode(await syntheticRun("blocks", { ...options, basis: false }));
  const short = await FrameTrack.decode(await syntheticRun("blocks", { ...options, basis: true }));
  assert.equal(plain.size, short.size);
  const one = new Float32Array(plain.size);
  const other = new Float32Array(plain.size);
  let worst = 0;
  for (const time of [0, 0.07, 1.3, 2.51, 4]) {
    plain.at(time, one);
    short.at(time, other);
    one.forEach((value, i) => (worst = Math.max(worst, Math.abs(value - other[i]))));
  }
  // Half a step of 1e-5 of each of up to 17 coefficients, and as much of what the basis leaves out of a smooth motion.
  assert.ok(worst < 17 * 1e-5, `worst difference ${worst} m`);
  assert.ok(worst > 0);
});

test("legends: ranges go out to short numbers with zero in them", () => {
  assert.deepEqual(roundedRange({ min: 0, max: 90.0019 }), { min: 0, max: 100 });
  assert.deepEqual(roundedRange({ min: 90.0019, max: 90.1 }), { min: 0, max: 100 });
  assert.deepEqual(roundedRange({ min: -0.0123, max: 0.31 }), { min: -0.05, max: 0.35 });
  assert.deepEqual(roundedRange({ min: -1e-9, max: 7.4 }), { min: 0, max: 8 });
  assert.deepEqual(roundedRange({ min: -8, max: 0 }), { min: -8, max: 0 });
  assert.deepEqual(roundedRange({ min: 0, max: 0 }), { min: 0, max: 0 });
  for (const max of [1.0001, 2.34, 5.01e-7, 12345, 99.99, 0.30000000000000004]) {
    const { min, max: end } = roundedRange({ min: -0.4 * max, max });
    assert.ok(min <= -0.4 * max && end >= 0.999999 * max && end <= 1.3 * max, `${max}: found ${min} .. ${end}`);
    for (const value of [min, end]) assert.equal(Number(value.toPrecision(3)), value);
  }
});

test("legends: numbers have at most three digits", () => {
  assert.deepEqual([0, 90.0019, -0.5, 1250, 2.5e6].map(numberText), ["0", "90", "\u22120.5", "1250", "2.5×10⁶"]);
});

describe("the camera's place", () => {
  const lens = { width: 900, height: 560, slope: Math.tan((13 * Math.PI) / 180) };
  // a long arm that lies from the lower right to the upper left of the picture
  const balls = Array.from({ length: 41 }, (_, k) => [-1 + k / 20, 0, 1 - k / 20, 0.04]).flat();
  const direction = new Vector3(0, -1, 0.4).normalize();
  /** Pixels of each ball, computed by the camera of three.js. */
  const pixels = ({ position, target }: Placement): { x: number; y: number }[] => {
    const camera = new PerspectiveCamera(26, lens.width / lens.height, 0.01, 1000);
    camera.up.set(0, 0, 1);
    camera.position.copy(position);
    camera.lookAt(target);
    camera.updateMatrixWorld();
    return Array.from({ length: balls.length / 4 }, (_, k) => {
      const seen = new Vector3(balls[4 * k], balls[4 * k + 1], balls[4 * k + 2]).project(camera);
      return { x: (0.5 + seen.x / 2) * lens.width, y: (0.5 - seen.y / 2) * lens.height };
    });
  };
  const within = ({ left, top, right, bottom }: Box, { x, y }: { x: number; y: number }): boolean => x > left && x < right && y > top && y < bottom;
  const picture = { left: 0, top: 0, right: lens.width, bottom: lens.height };
  const tools = { left: 10, top: 10, right: 240, bottom: 60 };

  test("has all in sight, and nothing behind what covers the picture", () => {
    const plain = fitted(lens, balls, direction, []);
    assert.ok(pixels(plain).every((at) => within(picture, at)));
    assert.ok(pixels(plain).some((at) => within(tools, at)), "nothing is behind the tools anyway: the test shows nothing");
    const beside = fitted(lens, balls, direction, [tools]);
    assert.ok(pixels(beside).every((at) => within(picture, at) && !within(tools, at)));
    const [near, far] = [plain, beside].map(({ position, target }) => position.distanceTo(target));
    assert.ok(far >= near && far < 1.3 * near, `distance: found ${far} beside the tools and ${near} without`);
  });

  test("knows how much is in sight", () => {
    const place = fitted(lens, balls, direction, []);
    assert.equal(inPicture(lens, balls, place), "all");
    const aside = (shift: number): Placement => ({ position: place.position.clone().setX(place.position.x + shift), target: place.target.clone().setX(place.target.x + shift) });
    assert.equal(inPicture(lens, balls, aside(1.2)), "some");
    assert.equal(inPicture(lens, balls, aside(9)), "none");
  });
});

describe("obstacles that are to be seen whole", () => {
  // what moves is 1 m large; its frame is the world's
  const moving = [0, 0, 0, 0.25, 0.5, 0, 0.2, 0.25];
  const world = Float32Array.from([0, 0, 0, 1, 0, 0, 0]);
  const balls = async (half: number, x: number, obstacle = true): Promise<number[]> => {
    const scene = sceneOf(7, [{ name: "bar", at: 0, link: -1 }]);
    const pose = { position: [x, 0, 0] as [number, number, number], quaternion: [1, 0, 0, 0] as [number, number, number, number] };
    const size = [2 * half, 2 * half, 2 * half] as [number, number, number];
    const box = { link: -1, frame: 0, pose, shape: "box" as const, size, given: true };
    scene.shapes = [obstacle ? { ...box, obstacle } : box];
    await shapeGeometry(scene.shapes[0]); // which finds its corners
    return obstacleBalls(scene, world, moving);
  };

  test("are those near what moves and not much larger", async () => {
    for (const x of [0, 0.6, -0.8]) {
      const found = await balls(0.3, x);
      assert.ok(found.length > 0, `at ${x}`);
      const right = found.filter((_, i) => i % 4 === 0);
      assert.ok(Math.abs(Math.max(...right) - (x + 0.3)) < 1e-6 && Math.abs(Math.min(...right) - (x - 0.3)) < 1e-6);
    }
    assert.deepEqual(await balls(3, 0), []);
    assert.deepEqual(await balls(0.3, 5), []);
    assert.deepEqual(await balls(0.3, 0, false), []);
  });
});
