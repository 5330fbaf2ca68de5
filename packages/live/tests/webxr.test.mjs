// Tracked hands, with a device that is made of a posed rig.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canTrackHands, frameFromXRHand } from 'supple-live';
import { angleBetween, axisAngle, multiply, posed, random, randomRotation, rigs, worldOf } from './hand.mjs';

const base = { what: 'reference space' };

/** XRFrame and XRHand of a posed hand; `seen` says which joints have a pose. */
function device(side, pose, root, { seen = () => true, metacarpal = [0, 0, 0, 1] } = {}) {
  const world = worldOf(side, pose, root);
  const frame = {
    getJointPose(space, relativeTo) {
      assert.equal(relativeTo, base);
      if (!seen(space.name)) return null;
      let q = world.get(space.name).orientation;
      if (space.name === 'index-finger-metacarpal') q = multiply(q, metacarpal);
      const [x, y, z, w] = q;
      return { transform: { orientation: { x, y, z, w } }, radius: 0.01 };
    },
  };
  return {
    frame,
    hand: new Map([...world.keys()].filter((name) => name !== 'forearm').map((name) => [name, { name }])),
  };
}

function randomPose(rig, seed) {
  const rng = random(seed);
  const moving = [...rig.values()].filter(({ dofs, name }) => dofs.length > 0 && name !== 'wrist');
  return new Map(
    moving.map((joint) => [
      joint.name,
      posed(
        joint,
        joint.dofs.map(({ min, max }) => min + rng() * (max - min)),
      ),
    ]),
  );
}

test('the pose comes back, however the hand is held and the device places its metacarpals', () => {
  for (const side of ['left', 'right']) {
    const pose = randomPose(rigs[side], 2);
    const { frame, hand } = device(side, pose, randomRotation(random(3), 2), { metacarpal: axisAngle([0, 1, 0], 0.2) });
    const { time, joints } = frameFromXRHand(frame, hand, side, base, 1.5, rigs[side]);
    assert.equal(time, 1.5);
    assert.deepEqual([...joints.keys()].sort(), [...pose.keys()].sort());
    for (const [name, q] of joints) assert.ok(angleBetween(q, pose.get(name)) < 1e-7, name); // the rig's floats
  }
});

test('a left hand moves a right one, mirrored', () => {
  const pose = randomPose(rigs.left, 4);
  const { frame, hand } = device('left', pose);
  const { joints } = frameFromXRHand(frame, hand, 'left', base, 0, rigs.right);
  assert.equal(joints.size, pose.size);
  const mirrored = ([x, y, z, w]) => [x, -y, -z, w];
  for (const [name, q] of joints) assert.ok(angleBetween(q, mirrored(pose.get(name))) < 1e-6, name);
});

test('joints that are not seen are left out; without the wrist there is no frame', () => {
  const hidden = (name) => device('right', new Map(), undefined, { seen: (n) => n !== name });
  const part = hidden('index-finger-phalanx-intermediate');
  const { joints } = frameFromXRHand(part.frame, part.hand, 'right', base, 0, rigs.right);
  assert.ok(!joints.has('index-finger-phalanx-intermediate'));
  assert.ok(!joints.has('index-finger-phalanx-distal'), 'it is measured from the hidden one');
  assert.ok(joints.has('index-finger-phalanx-proximal') && joints.has('pinky-finger-phalanx-distal'));
  const none = hidden('wrist');
  assert.equal(frameFromXRHand(none.frame, none.hand, 'right', base, 0, rigs.right), undefined);
  assert.equal(
    frameFromXRHand({}, none.hand, 'right', base, 0, rigs.right),
    undefined,
    'a browser without hand tracking',
  );
});

test('hand tracking is found by its features', async () => {
  const xr = (answer) => ({ isSessionSupported: async (mode) => mode === 'immersive-vr' && answer() });
  assert.equal(await canTrackHands({}), false);
  assert.equal(await canTrackHands({ navigator: {} }), false);
  assert.equal(await canTrackHands({ navigator: { xr: xr(() => true) } }), false, 'XR without hands');
  assert.equal(await canTrackHands({ XRHand: class {}, navigator: { xr: xr(() => true) } }), true);
  assert.equal(await canTrackHands({ XRHand: class {}, navigator: { xr: xr(() => false) } }), false);
  const forbidden = () => {
    throw new Error('not allowed');
  };
  assert.equal(await canTrackHands({ XRHand: class {}, navigator: { xr: xr(forbidden) } }), false);
});
