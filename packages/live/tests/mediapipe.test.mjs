// Landmarks of MediaPipe made of a posed hand: the pose comes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handFromLandmarks, jointsFromPoints } from 'supple-live';
import { angleBetween, degrees, posed, random, randomRotation, rigs, worldOf } from './hand.mjs';

const order = ['wrist', ...['thumb', 'index-finger', 'middle-finger', 'ring-finger', 'pinky-finger'].flatMap((finger) => (finger === 'thumb' ? ['metacarpal', 'phalanx-proximal', 'phalanx-distal', 'tip'] : ['phalanx-proximal', 'phalanx-intermediate', 'phalanx-distal', 'tip']).map((bone) => `${finger}-${bone}`))];

/** As MediaPipe has it: x right, y down, z away. */
const landmarksOf = (side, pose, root) => {
  const world = worldOf(side, pose, root);
  return order.map((name) => { const [x, y, z] = world.get(name).position; return { x, y: -y, z: -z }; });
};

test('bent fingers come back, however the hand is held', () => {
  for (const side of ['left', 'right'])
    for (const seed of [1, 2, 3]) {
      const rng = random(seed);
      const rig = rigs[side];
      const bends = [...rig.values()].filter(({ name, dofs }) => /phalanx/.test(name) && dofs.length > 0 && !name.startsWith('thumb'));
      const pose = new Map(bends.map((joint) => [joint.name, posed(joint, joint.dofs.map(({ name, max }) => (name === 'flexion' ? rng() * 0.6 * max : 0)))]));
      const hand = handFromLandmarks(landmarksOf(side, pose, randomRotation(rng, 3)), side);
      const joints = jointsFromPoints(hand, rig, side);
      for (const [name, expected] of pose) {
        // At the root the palm of the landmarks counts, which is not quite the one of the joints.
        const most = name.endsWith('proximal') ? 6 : 1;
        assert.ok(degrees(angleBetween(joints.get(name), expected)) < most, `${side} ${name}: ${degrees(angleBetween(joints.get(name), expected))}`);
      }
    }
});

test('what is no hand gives none', () => {
  const good = landmarksOf('right', new Map());
  assert.ok(handFromLandmarks(good, 'right'));
  assert.equal(handFromLandmarks(good.slice(1), 'right'), undefined);
  assert.equal(handFromLandmarks(good.map(() => ({ x: 0, y: 0, z: 0 })), 'right'), undefined);
  assert.equal(handFromLandmarks(good.map((p) => ({ ...p, x: NaN })), 'right'), undefined);
});
