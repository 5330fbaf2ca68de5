// Frames over a real WebSocket, from the replay tool and from senders that misbehave.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { describe, openStream } from 'supple-live';
import { angleBetween, axisAngle, rigs } from './hand.mjs';

const tool = fileURLToPath(new URL('../tools/replay.mjs', import.meta.url));
const index = 'index-finger-phalanx-proximal';
const recording = Array.from({ length: 120 }, (_, i) => ({
  version: 1,
  time: 100 + i / 60,
  joints: { [index]: axisAngle([-1, 0, 0], i / 120) },
}));

/** Plays a recording as a user would, and hands its address to `use`. */
async function replaying(options, use) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'supple_live_'));
  const file = path.join(folder, 'recording.json');
  fs.writeFileSync(file, JSON.stringify(recording));
  const player = spawn(process.execPath, [tool, file, '--port', '0', ...options]);
  try {
    const line = await new Promise((resolve, reject) => {
      player.stdout.once('data', (data) => resolve(`${data}`));
      player.stderr.once('data', (data) => reject(new Error(`${data}`)));
    });
    await use(line.match(/ws:\S+/)[0]);
  } finally {
    player.kill();
    fs.rmSync(folder, { recursive: true });
  }
}

/** All that a stream brings until it is closed, or until `enough` frames have come. */
function receive(address, enough = Infinity) {
  return new Promise((resolve) => {
    const got = { frames: [], problems: [], states: [] };
    const opened = openStream(
      address,
      rigs.right,
      {
        onFrame: (frame) => got.frames.push(frame) >= enough && opened.value.close(),
        onProblem: (problem) => got.problems.push(describe(problem)),
        onState: (state) => got.states.push(state) && state === 'closed' && resolve(got),
      },
      (a) => new WebSocket(a),
    );
  });
}

test('a recording arrives whole and in order', async () => {
  await replaying(['--once', '--speed', '10'], async (address) => {
    const { frames, problems, states } = await receive(address);
    assert.deepEqual(problems, []);
    assert.deepEqual(states, ['open', 'closed']);
    assert.equal(frames.length, recording.length);
    frames.forEach(({ time, joints }, i) => {
      assert.ok(Math.abs(time - i / 60) < 1e-9);
      assert.ok(angleBetween(joints.get(index), recording[i].joints[index]) < 1e-12);
    });
  });
});

test('time goes on when the recording starts again', async () => {
  await replaying(['--speed', '50'], async (address) => {
    const { frames, problems } = await receive(address, 200);
    assert.deepEqual(problems, []); // a time that goes back would be one
    assert.ok(frames.length >= 200);
    assert.ok(Math.abs(frames[120].time - (119 / 60 + 1)) < 1e-9);
  });
});

test('pages of other sites are refused', async () => {
  await replaying([], async (address) => {
    const status = (origin) =>
      new Promise((resolve) => {
        const socket = new WebSocket(address, { origin });
        socket.on('open', () => resolve('open') || socket.close());
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode) || response.destroy());
        socket.on('error', () => {}); // follows the refusal
      });
    assert.equal(await status('http://localhost:5173'), 'open');
    assert.equal(await status('http://127.0.0.1:8080'), 'open');
    for (const origin of ['https://example.org', 'http://localhost.example.org', 'null', 'file://'])
      assert.equal(await status(origin), 401, origin);
  });
});

test('bad messages are told and the stream goes on', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  const text = (time) => JSON.stringify({ ...recording[0], time });
  server.on('connection', (socket) => {
    for (const data of [text(1), 'nonsense', Buffer.from([1, 2, 3]), text(1), text(0.5), text(2)]) socket.send(data);
    socket.close();
  });
  const { frames, problems } = await receive(`ws://127.0.0.1:${server.address().port}`);
  server.close();
  assert.deepEqual(
    frames.map(({ time }) => time),
    [1, 2],
  );
  assert.equal(problems.length, 4);
  [/not JSON/, /binary/, /not later/, /not later/].forEach((expected, i) => assert.match(problems[i], expected));
});

test('no connection is tried to another machine', () => {
  const connect = () => assert.fail('it was tried');
  const { ok } = openStream('ws://192.0.2.1:8765', rigs.right, { onFrame() {}, onProblem() {} }, connect);
  assert.equal(ok, false);
});

test('the replay tool says what is wrong', async () => {
  const run = (...options) =>
    new Promise((resolve) => {
      const player = spawn(process.execPath, [tool, ...options]);
      let text = '';
      player.stderr.on('data', (data) => (text += data));
      player.on('exit', (code) => resolve({ code, text }));
    });
  for (const [options, expected] of [
    [[], /which recording/],
    [['missing.json'], /missing\.json.*no such file/],
    [[tool, '--hand', 'third'], /--hand third: take left or right/],
    [[tool, '--speed', 'x'], /--speed x/],
    [[fileURLToPath(new URL('../package.json', import.meta.url))], /has no frames/],
  ]) {
    const { code, text } = await run(...options);
    assert.equal(code, 2);
    assert.match(text, expected);
  }
});
