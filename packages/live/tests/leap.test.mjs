// A real recording: two hands, the left one grabs and opens, the right one leaves.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import {
  LiveInput,
  describe,
  dofAngles,
  framesFromPoints,
  parseMessage,
  readLeapRecording,
  writeMessage,
} from 'supple-live';
import { conjugate, degrees, multiply, rigs } from './hand.mjs';

const data = process.env.SUPPLE_DATA ?? fileURLToPath(new URL('../../../../shared/data', import.meta.url));
const file = path.join(data, 'leap_hand_motion/leap_recording_49fps.decoded.json');
const skip = fs.existsSync(file) ? false : 'needs leap_hand_motion in ../shared/data or SUPPLE_DATA';
const recording = () => JSON.parse(fs.readFileSync(file, 'utf8'));

/** Degrees away from rest, by name. */
const anglesOf = (joint, rotation) =>
  Object.fromEntries(
    dofAngles(joint.dofs, multiply(conjugate(joint.rest), rotation)).map((angle, d) => [
      joint.dofs[d].name,
      degrees(angle),
    ]),
  );

test('every frame gives unit rotations within limits', { skip }, () => {
  const points = readLeapRecording(recording()).value;
  assert.equal(points.length, 171);
  for (const [side, count] of [
    ['left', 171],
    ['right', 132],
  ]) {
    const input = new LiveInput(rigs[side]);
    const frames = framesFromPoints(points, rigs[side]);
    assert.equal(frames.length, count);
    let checked = 0;
    for (const sent of frames) {
      const received = parseMessage(writeMessage(sent, rigs[side]), rigs[side]).value;
      for (const [name, q] of input.next(received).joints) {
        assert.ok(Math.abs(Math.hypot(...q) - 1) < 1e-12);
        const joint = rigs[side].get(name);
        dofAngles(joint.dofs, multiply(conjugate(joint.rest), q)).forEach((angle, d) => {
          assert.ok(angle > joint.dofs[d].min - 1e-6 && angle < joint.dofs[d].max + 1e-6, `${name} ${degrees(angle)}`);
        });
        ++checked;
      }
    }
    assert.equal(checked, 15 * count);
  }
});

test('fingers are bent while the controller says that the hand grabs', { skip }, () => {
  const json = recording();
  const frames = framesFromPoints(readLeapRecording(json).value, rigs.left);
  const grabs = json.frames.map(({ hands }) => hands.find(({ type }) => type === 'left').grabStrength);
  for (const finger of ['index-finger', 'middle-finger', 'ring-finger', 'pinky-finger']) {
    const bent = frames.map(({ joints }) =>
      ['proximal', 'intermediate', 'distal'].reduce((sum, bone) => {
        const name = `${finger}-phalanx-${bone}`;
        return sum + anglesOf(rigs.left.get(name), joints.get(name)).flexion;
      }, 0),
    );
    const mean = (wanted) => {
      const chosen = bent.filter((_, f) => wanted(grabs[f]));
      return chosen.reduce((sum, angle) => sum + angle, 0) / chosen.length;
    };
    const [open, closed] = [mean((grab) => grab === 0), mean((grab) => grab === 1)];
    console.log(`${finger}: ${open.toFixed(0)} degrees open, ${closed.toFixed(0)} grabbing`);
    assert.ok(closed > open + 60, finger);
  }
});

test("the index finger's hinges bend by the angles between its bones", { skip }, () => {
  const json = recording();
  const frames = framesFromPoints(readLeapRecording(json).value, rigs.left);
  const names = ['index-finger-phalanx-intermediate', 'index-finger-phalanx-distal'];
  let worst = 0;
  json.frames.forEach(({ hands, pointables }, f) => {
    const id = hands.find(({ type }) => type === 'left').id;
    const finger = pointables.find(({ handId, type }) => handId === id && type === 1);
    const points = ['mcp', 'pip', 'dip', 'tip'].map((p) => finger[`${p}Position`]);
    const bones = [0, 1, 2].map((k) => points[k + 1].map((c, i) => c - points[k][i]));
    names.forEach((name, k) => {
      const [a, b] = [bones[k], bones[k + 1]];
      const between = degrees(
        Math.acos(a.reduce((sum, c, i) => sum + c * b[i], 0) / Math.hypot(...a) / Math.hypot(...b)),
      );
      const joint = rigs.left.get(name);
      const [x, , , w] = joint.rest; // at rest the hinge is bent a little already
      const bent = anglesOf(joint, frames[f].joints.get(name)).flexion + degrees(2 * Math.atan2(-x, w));
      if (bent > 20) worst = Math.max(worst, Math.abs(bent - between)); // near straight, sideways bends dominate
    });
  });
  console.log(`worst difference ${worst.toFixed(1)} degrees`);
  assert.ok(worst > 0 && worst < 10); // what bends out of the finger's plane, which the rig's hinges cannot
});

test('a broken recording is told which frame is wrong', { skip }, () => {
  const broken = (change) => {
    const json = recording();
    change(json.frames[3]);
    return describe(readLeapRecording(json).error);
  };
  assert.match(
    broken((f) => delete f.timestamp),
    /frame 3 has no timestamp/,
  );
  assert.match(
    broken((f) => (f.timestamp = 0)),
    /frame 3 is not later/,
  );
  assert.match(
    broken((f) => delete f.hands[0].palmNormal),
    /frame 3 has a hand without/,
  );
  assert.match(
    broken((f) => (f.pointables[2].dipPosition = [0, null, 0])),
    /frame 3 has a finger without/,
  );
  assert.match(
    broken((f) => (f.hands[0] = null)),
    /frame 3 has a hand without/,
  );
  assert.match(
    broken((f) => (f.pointables[2].type = 9)),
    /frame 3 has a finger without/,
  );
  for (const nothing of [null, 3, {}, { frames: [] }, { frames: {} }])
    assert.match(describe(readLeapRecording(nothing).error), /no frames/);
});
