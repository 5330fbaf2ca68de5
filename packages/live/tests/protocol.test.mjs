// Messages: what is read, what is refused, and that a refusal says what to do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAddress, describe, largestMessage, parseMessage, writeMessage } from 'supple-live';
import { angleBetween, axisAngle, multiply, rigs } from './hand.mjs';

const rig = rigs.right;
const index = 'index-finger-phalanx-proximal';
const message = (change) => JSON.stringify({ version: 1, time: 2.5, joints: { [index]: [0, 0, 0, 1] }, ...change });

test('a message gives rotations relative to the parents', () => {
  const { ok, value } = parseMessage(message({ joints: { [index]: [0, 0.6, 0, 0.8] } }), rig);
  assert.ok(ok);
  assert.equal(value.time, 2.5);
  assert.deepEqual([...value.joints], [[index, [0, 0.6, 0, 0.8]]]);
});

test('relative rotations come after the rest', () => {
  const turn = axisAngle([-1, 0, 0], 0.5);
  const { value } = parseMessage(message({ relative: true, joints: { [index]: turn } }), rig);
  assert.ok(angleBetween(value.joints.get(index), multiply(rig.get(index).rest, turn)) < 1e-12);
});

test('what is written is read, either way', () => {
  const frame = { time: 1 / 3, joints: new Map([[index, axisAngle([0, 1, 0], 0.3)]]) };
  for (const text of [writeMessage(frame), writeMessage(frame, rig)]) {
    const { value } = parseMessage(text, rig);
    assert.equal(value.time, frame.time);
    assert.ok(angleBetween(value.joints.get(index), frame.joints.get(index)) < 1e-12);
  }
});

test('nearly unit quaternions are normalised', () => {
  const { value } = parseMessage(message({ joints: { [index]: [0, 0.601, 0, 0.8] } }), rig);
  assert.ok(Math.abs(Math.hypot(...value.joints.get(index)) - 1) < 1e-15);
});

const refused = {
  hello: /not JSON/,
  '[]': /no JSON object.*"version": 1/,
  null: /no JSON object/,
  [message({ version: 2 })]: /version 2/,
  [message({ version: undefined })]: /version none/,
  [message({ time: '1' })]: /'time'.*seconds/,
  [message({ time: undefined })]: /'time'/,
  [message().replace('2.5', '1e999')]: /'time' is no finite number/,
  [message({ realtive: true })]: /'realtive' is unknown: did you mean 'relative'/,
  [message({ relative: 1 })]: /'relative'/,
  [message({ joints: [] })]: /'joints'/,
  [message({ joints: { 'index-finger-phalanx-proximl': [0, 0, 0, 1] } })]:
    /did you mean 'index-finger-phalanx-proximal'/,
  [message({ joints: { RightHandIndex1: [0, 0, 0, 1] } })]: /'RightHandIndex1' is not in the character: known are/,
  [message({ joints: { __proto__: null, ['__proto__']: [0, 0, 0, 1] } })]: /not in the character/,
  [message({ joints: { [index]: [0, 0, 1] } })]: /no rotation.*\[x, y, z, w\]/,
  [message({ joints: { [index]: [0, 0, 0, 0] } })]: /zero/,
  [message({ joints: { [index]: [0, 0, null, 1] } })]: /not finite/,
  [message({ joints: { [index]: ['0', 0, 0, 1] } })]: /not finite/,
  [message({ joints: { [index]: [0, 0, 1e999, 1] } }).replace('null', '1e999')]: /not finite/,
  [message({ joints: { [index]: [45, 0, 0, 1] } })]: /length 45/,
  [message({ padding: 'x'.repeat(largestMessage) })]: /larger than 64 KiB/,
  [message({ padding: '€'.repeat(largestMessage / 2) })]: /larger than 64 KiB/,
  [message({ joints: { ['x'.repeat(60000)]: [0, 0, 0, 1] } })]: /x{60}\.\.\.' is not in the character/,
};
for (const [text, expected] of Object.entries(refused))
  test(`refused: ${text.slice(0, 80)}`, () => {
    const result = parseMessage(text, rig);
    assert.equal(result.ok, false);
    assert.match(describe(result.error), expected);
    assert.ok(describe(result.error).length < 600);
  });

test('only streams of this machine', () => {
  for (const fine of [
    'ws://127.0.0.1:8765',
    'ws://localhost:1/path',
    'ws://[::1]:8765',
    'ws://127.1:80',
    'ws://127.0.0.9',
  ])
    assert.ok(checkAddress(fine).ok, fine);
  for (const bad of [
    'ws://192.168.0.1:8765',
    'ws://example.org',
    'ws://127.0.0.1.example.org',
    'ws://localhost.example.org',
    'ws://127.0.0.1@example.org',
    'ws://[::2]',
    'ws://0.0.0.0',
    'wss://127.0.0.1',
    'http://127.0.0.1',
    '127.0.0.1:8765',
    '',
  ]) {
    const { ok, error } = checkAddress(bad);
    assert.equal(ok, false, bad);
    assert.match(describe(error), /127\.0\.0\.1/);
  }
});
