// Points to rotations: a hand is posed, its points are taken, and the pose must come back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dofAngles, fingers, framesFromPoints, jointsFromPoints, jointsOf, sideOf } from 'supple-live';
import {
  angleBetween,
  conjugate,
  degrees,
  multiply,
  posed,
  radians,
  random,
  randomRotation,
  rigs,
  rotate,
  worldOf,
} from './hand.mjs';

const fingerJoints = fingers.flatMap(jointsOf);

/** The points of a posed hand, somewhere in space, in millimetres. */
function pointsOf(side, rotations, root) {
  const world = worldOf(side, rotations, root);
  const at = (name) => world.get(name).position.map((c) => 1000 * c + 50);
  const wrist = world.get('wrist').orientation;
  return {
    side,
    direction: rotate(wrist, [0, 0, -1]),
    normal: rotate(wrist, [0, -1, 0]),
    fingers: new Map(fingers.map((f) => [f, [...jointsOf(f), `${f}-tip`].map(at)])),
  };
}

/** All joints of the fingers within their limits; the joint at the base bent at most `most` degrees. */
function randomPose(rig, rng, most = 70) {
  return new Map(
    fingerJoints.map((name) => {
      const joint = rig.get(name);
      const base = joint.dofs.length === 2;
      return [
        name,
        posed(
          joint,
          joint.dofs.map(
            ({ min, max }, d) => min + rng() * ((base && d === 1 ? Math.min(max, radians(most)) : max) - min),
          ),
        ),
      ];
    }),
  );
}

for (const side of ['left', 'right'])
  test(`${side} hand: the pose comes back from its points`, () => {
    const rng = random(8);
    assert.equal(sideOf(rigs[side]), side);
    for (let i = 0; i < 50; ++i) {
      const pose = randomPose(rigs[side], rng);
      const found = jointsFromPoints(pointsOf(side, pose, randomRotation(rng, 2)), rigs[side]);
      assert.equal(found.size, 15);
      // The rig's numbers are floats: bones are off their axes by 1e-6 and less.
      for (const [name, q] of found) assert.ok(angleBetween(q, pose.get(name)) < 1e-5, name);
    }
  });

test('a hand of the other side is mirrored: the same angles', () => {
  const rng = random(9);
  const angles = new Map(
    fingerJoints.map((name) => [name, rigs.left.get(name).dofs.map(({ min, max }) => min + rng() * (max - min) * 0.8)]),
  );
  const pose = (side) => new Map(fingerJoints.map((name) => [name, posed(rigs[side].get(name), angles.get(name))]));
  const found = jointsFromPoints(pointsOf('left', pose('left')), rigs.right);
  for (const [name, q] of found) assert.ok(angleBetween(q, pose('right').get(name)) < 1e-5, name);
});

test('a finger bent beyond 90 degrees does not flip', () => {
  const joint = rigs.right.get('index-finger-phalanx-proximal');
  for (const flexion of [80, 88, 90, 92, 110]) {
    const pose = new Map([[joint.name, posed(joint, [radians(15), radians(flexion)])]]);
    const found = jointsFromPoints(pointsOf('right', pose), rigs.right).get(joint.name);
    const [spread, bent] = dofAngles(joint.dofs, multiply(conjugate(joint.rest), found)).map(degrees);
    assert.ok(Math.abs(bent - flexion) < 1e-3, `${bent}`);
    assert.ok(spread > -1e-3 && spread < 15.001, `${spread}`); // it fades out, and comes back beyond
  }
});

test('frames: without a hand, with the wrong one, with two', () => {
  const left = pointsOf('left', new Map());
  const right = pointsOf('right', new Map());
  const frames = [[], [left], [left, right], [right]].map((hands, time) => ({ time, hands }));
  const times = (side) => framesFromPoints(frames, rigs.right, side).map(({ time }) => time);
  assert.deepEqual(times(), [2, 3]);
  assert.deepEqual(times('left'), [1, 2]);
});

test('points that make no sense are left out', () => {
  const hand = pointsOf('right', new Map());
  assert.equal(jointsFromPoints({ ...hand, normal: hand.direction }, rigs.right).size, 0);
  assert.equal(jointsFromPoints({ ...hand, direction: [NaN, 0, 0] }, rigs.right).size, 0);
  const broken = new Map(hand.fingers);
  broken.set('thumb', [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ]);
  broken.set('ring-finger', [
    [0, 0, 0],
    [NaN, 0, 0],
    [0, 0, 1],
    [0, 1, 0],
  ]);
  broken.delete('index-finger');
  assert.equal(jointsFromPoints({ ...hand, fingers: broken }, rigs.right).size, 6);
});
