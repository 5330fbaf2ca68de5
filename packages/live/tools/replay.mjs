// Plays a recording as a stream of joint rotations on this machine, at its own speed, over and over:
//   node replay.mjs RECORDING [--port 8765] [--hand left|right] [--rig hand.glb] [--speed 1] [--once]
// RECORDING is a JSON array of messages as in docs/live.md, or a recording of a Leap Motion controller. --hand picks
// the hand of such a recording (without: the rig's own side, or the one that is there), --rig says for which joints it
// is turned into rotations (without: those of `supple make hand`). Every connection starts at the beginning.
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { WebSocketServer } from 'ws';
import {
  checkAddress,
  describe,
  framesFromPoints,
  readLeapRecording,
  readRig,
  sideOf,
  writeMessage,
} from '../dist/index.js';
import { readGltf } from './read_gltf.mjs';

const pauseBetweenRounds = 1; // seconds; long enough for a filter to start anew

function fail(message) {
  console.error(`replay: ${message}`);
  process.exit(2);
}

/** The texts to send and their times in seconds from the first. */
function readRecording(file, { hand, rig: rigFile }) {
  const json = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (Array.isArray(json)) return json.map((message) => ({ time: message.time - json[0].time, message }));
  const points = readLeapRecording(json);
  if (!points.ok) fail(`${file}: ${describe(points.error)}`);
  const rig = readRig(readGltf(rigFile ?? new URL('../rigs/right_hand.gltf', import.meta.url)));
  const sides = hand ? [hand] : [sideOf(rig), 'left', 'right'];
  const frames = sides.map((side) => framesFromPoints(points.value, rig, side)).find(({ length }) => length > 0);
  if (!frames) fail(`${file}: has no ${hand ?? ''} hand: try the other one by --hand`);
  return frames.map((frame) => ({ time: frame.time, message: JSON.parse(writeMessage(frame, rig)) }));
}

/** Any page of any site may connect to this machine: only those that this machine serves are answered. */
function isOfThisMachine(origin) {
  if (origin === undefined) return true; // no browser
  return URL.canParse(origin) && checkAddress(`ws://${new URL(origin).host}`).ok;
}

function play(socket, recording, speed, once) {
  const begin = performance.now();
  const round = recording.at(-1).time + pauseBetweenRounds;
  let sent = 0;
  const send = () => {
    const past = ((performance.now() - begin) / 1000) * speed;
    for (; !ended() && due() <= past; ++sent) {
      const { message } = recording[sent % recording.length];
      socket.send(JSON.stringify({ ...message, time: due() })); // time goes on where the recording starts again
    }
    if (ended()) return socket.close();
    timer = setTimeout(send, ((due() - past) / speed) * 1000);
  };
  const due = () => Math.floor(sent / recording.length) * round + recording[sent % recording.length].time;
  const ended = () => once && sent >= recording.length;
  let timer = setTimeout(send);
  socket.on('close', () => clearTimeout(timer));
  socket.on('error', () => clearTimeout(timer));
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '8765' },
    hand: { type: 'string' },
    rig: { type: 'string' },
    speed: { type: 'string', default: '1' },
    once: { type: 'boolean', default: false },
  },
});
if (positionals.length !== 1) fail('which recording? node replay.mjs RECORDING [--port 8765]');
if (options.hand && !['left', 'right'].includes(options.hand)) fail(`--hand ${options.hand}: take left or right`);
const speed = Number(options.speed);
if (!(speed > 0)) fail(`--speed ${options.speed}: take a number above 0`);

let recording;
try {
  recording = readRecording(positionals[0], options);
} catch (error) {
  fail(`${positionals[0]}: ${error.message}`);
}
const server = new WebSocketServer({
  host: '127.0.0.1',
  port: Number(options.port),
  maxPayload: 1024, // nothing is expected from the other side
  verifyClient: ({ origin }) => isOfThisMachine(origin),
});
server.on('error', (error) => fail(`port ${options.port}: ${error.message}: take another by --port`));
server.on('connection', (socket) => play(socket, recording, speed, options.once));
server.on('listening', () => {
  const seconds = recording.at(-1).time.toFixed(1);
  console.log(`${recording.length} frames, ${seconds} s: ws://127.0.0.1:${server.address().port}`);
});
