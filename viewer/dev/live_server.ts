import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import type { ClientMessage, HelloMessage, LivePage, ServerMessage, StateMessage } from "../src/contract";
import { FrameTrack } from "../src/data/track";
import { syntheticRun } from "./synthetic";

// A stand-in for `cuttle live` to work on its page without the C++ side: the robot of synthetic.ts moves as its
// formulas say; of the commands pause, gravity, recording and the sliders' values are kept, no more.
//
//   npm run build && npx esbuild dev/live_server.ts --bundle --platform=node --format=esm --outfile=.live_server.mjs
//   node .live_server.mjs [PORT] [--slow]

const port = Number(process.argv[2] ?? 8123);
const slow = process.argv.includes("--slow");
const run = await syntheticRun("rods");
const track = await FrameTrack.decode(run);
const page: LivePage = { kind: "live", title: run.robot, version: "synthetic" };
const html = readFileSync("dist/index.html", "utf8").replace(
  ">null</script>",
  () => `>${JSON.stringify(page)}</script>`,
);

const inputs = [
  { name: "tendon_left", kind: "tendon" as const, unit: "N", min: 0, max: 20, value: 0 },
  { name: "tendon_right", kind: "tendon" as const, unit: "N", min: 0, max: 20, value: 5 },
  { name: "bellows", kind: "chamber" as const, unit: "Pa", min: -20000, max: 60000, value: 10000 },
];
const joints = run.scene.links.map(({ name }, index) => ({
  name: `${name}.q`,
  unit: "rad" as const,
  min: -1.5,
  max: 1.5,
  index,
}));
const setPoints = [{ name: "hold: bend", unit: "rad", min: -3, max: 3, value: 0.4 }];
const state: StateMessage = {
  ...{
    type: "state",
    time: 0,
    paused: false,
    gravity: true,
    recording: false,
    speed: slow ? 0.4 : 1,
    tooSlow: slow,
    recorded: 0,
  },
  ...{ kinetic: 0, gravityEnergy: 0, elastic: 0, viewers: 0 },
  inputs: inputs.map(({ value }) => value),
  targets: joints.map(() => null),
  setPoints: setPoints.map(({ value }) => value),
};
let push: number[] | null = null;
const sockets: Duplex[] = [];

function frameOf(payload: Uint8Array, opcode: number): Buffer {
  const { length } = payload;
  const head =
    length < 126 ? Buffer.from([0x80 | opcode, length]) : length < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
  if (length >= 126) {
    head[0] = 0x80 | opcode;
    head[1] = length < 65536 ? 126 : 127;
    if (length < 65536) head.writeUInt16BE(length, 2);
    else head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

const say = (socket: Duplex, message: ServerMessage): boolean =>
  socket.write(frameOf(Buffer.from(JSON.stringify(message)), 1));

function obey(socket: Duplex, message: ClientMessage): void {
  if (message.type === "takeControl" && socket !== sockets[0]) {
    say(sockets[0], { type: "role", role: "watch" });
    sockets.splice(sockets.indexOf(socket), 1);
    sockets.unshift(socket);
    say(socket, { type: "role", role: "control" });
  } else if (message.type === "pause") state.paused = message.on;
  else if (message.type === "gravity") state.gravity = message.on;
  else if (message.type === "record") state.recording = message.on;
  else if (message.type === "reset") state.time = 0;
  else if (message.type === "step") state.time += 0.01;
  else if (message.type === "save") say(socket, { type: "saved", what: "scenario", file: "robot_scenario.yaml" });
  else if (message.type === "input")
    state.inputs[inputs.findIndex(({ name }) => name === message.name)] = message.value;
  else if (message.type === "joint")
    state.targets[joints.findIndex(({ name }) => name === message.name)] = message.target;
  else if (message.type === "setPoint")
    state.setPoints[setPoints.findIndex(({ name }) => name === message.name)] = message.value;
  else if (message.type === "push") push = [...message.point, ...message.hand];
  else if (message.type === "pushMove" && push) push.splice(3, 3, ...message.hand);
  else if (message.type === "pushEnd") push = null;
}

/** Messages of browsers are short and masked. */
function read(socket: Duplex, bytes: Buffer): void {
  while (bytes.length >= 6) {
    const short = bytes[1] & 0x7f;
    const at = short === 126 ? 4 : 2;
    const length = short === 126 ? bytes.readUInt16BE(2) : short;
    const payload = Buffer.from(bytes.subarray(at + 4, at + 4 + length)).map((byte, i) => byte ^ bytes[at + (i % 4)]);
    if ((bytes[0] & 15) === 1) obey(socket, JSON.parse(Buffer.from(payload).toString()) as ClientMessage);
    bytes = bytes.subarray(at + 4 + length);
  }
}

const server = createServer((_request, response) => void response.setHeader("content-type", "text/html").end(html));
server.on("upgrade", (request, socket: Duplex) => {
  const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  sockets.push(socket);
  state.viewers = sockets.length;
  const role = sockets.length === 1 ? "control" : "watch";
  const hello: HelloMessage = {
    type: "hello",
    title: page.title,
    scene: run.scene,
    inputs,
    joints,
    setPoints,
    role,
    scenarioFile: "robot_scenario.yaml",
    recordFile: "robot.h5",
  };
  say(socket, hello);
  socket.on("data", (bytes: Buffer) => read(socket, bytes));
  const leave = (): void => {
    const place = sockets.indexOf(socket);
    if (place >= 0) sockets.splice(place, 1);
    state.viewers = sockets.length;
  };
  socket.on("close", leave).on("error", leave);
});

const vector = new Float32Array(track.size);
setInterval(() => {
  if (!state.paused) state.time += slow ? 0.4 / 60 : 1 / 60;
  track.at(state.time % 4, vector);
  const values = joints.map((_, joint) => Math.sin(state.time + joint));
  const bytes = Buffer.alloc(8 + 4 * (track.size + joints.length + 6));
  bytes.writeDoubleLE(state.time);
  [...vector, ...values, ...(push ?? Array<number>(6).fill(NaN))].forEach((value, i) =>
    bytes.writeFloatLE(value, 8 + 4 * i),
  );
  for (const socket of sockets) socket.write(frameOf(bytes, 2));
}, 1000 / 60);
setInterval(() => {
  state.kinetic = 0.2 + 0.2 * Math.cos(3 * state.time);
  state.gravityEnergy = 0.5 * Math.sin(state.time);
  state.elastic = 0.2 - 0.2 * Math.cos(3 * state.time);
  if (state.recording) state.recorded += 20;
  for (const socket of sockets) say(socket, state);
}, 200);
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}`));
