// Angles of degrees of freedom: found where they can be, nearest where not, and within limits always.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dofAngles, limited, limitedFrame, turnOf } from 'supple-live';
import { angleBetween, axisAngle, multiply, posed, radians, random, randomRotation, rigs } from './hand.mjs';

const dof = (axis, min = -9, max = 9) => ({ name: 'turn', axis: axis.map((c) => c / Math.hypot(...axis)), min, max });
const sets = {
  'a hinge': [dof([1, 2, -1])],
  'two orthogonal axes': [dof([0, 1, 0]), dof([-1, 0, 0])],
  'two orthogonal axes, askew': [dof([1, 1, 0]), dof([1, -1, 3])],
  'two skewed axes': [dof([0, 1, 0]), dof([-1, 0.4, 0])],
  'three orthogonal axes': [dof([0, 1, 0]), dof([-1, 0, 0]), dof([0, 0, 1])],
  'three orthogonal axes, the other way round': [dof([1, 1, 0]), dof([1, -1, 0]), dof([0, 0, 1])],
};

for (const [name, dofs] of Object.entries(sets))
  test(`${name}: angles come back`, () => {
    const rng = random(4);
    for (let i = 0; i < 200; ++i) {
      // Three angles repeat beyond a right angle of the second: 1.5 either way is just below.
      const angles = dofs.map(() => (rng() - 0.5) * 3);
      const turn = turnOf(dofs, angles);
      const found = dofAngles(dofs, i % 2 ? turn : turn.map((c) => -c));
      // 1e-6 is where the search for angles stops trying further starts.
      found.forEach((angle, d) => assert.ok(Math.abs(angle - angles[d]) < 1e-6, `${found} is not ${angles}`));
    }
  });

test('three skewed axes: the rotation comes back', () => {
  const dofs = [dof([0, 1, 0]), dof([-1, 0.4, 0]), dof([0.2, 0.3, 1])];
  const rng = random(7);
  for (let i = 0; i < 200; ++i) {
    const turn = turnOf(
      dofs,
      dofs.map(() => (rng() - 0.5) * 3),
    );
    assert.ok(angleBetween(turnOf(dofs, dofAngles(dofs, turn)), turn) < 1e-6);
  }
});

for (const [name, dofs] of Object.entries(sets).slice(0, 3))
  test(`${name}: of a turn out of reach, no angles are nearer`, () => {
    const rng = random(5);
    for (let i = 0; i < 30; ++i) {
      const turn = randomRotation(rng, rng() * 2.5);
      const left = angleBetween(turnOf(dofs, dofAngles(dofs, turn)), turn);
      const steps = 72; // every 5 degrees all round
      for (let a = 0; a < steps; ++a)
        for (let b = 0; b < (dofs.length > 1 ? steps : 1); ++b) {
          const tried = [a, b].slice(0, dofs.length).map((k) => (2 * Math.PI * k) / steps);
          assert.ok(left <= angleBetween(turnOf(dofs, tried), turn) + 1e-9);
        }
    }
  });

test('joints of the hand keep what is within their limits and stop at the limits', () => {
  let [joints, clamped] = [0, 0];
  const rng = random(6);
  for (const joint of rigs.right.values()) {
    if (joint.dofs.length === 0) continue;
    ++joints;
    for (let i = 0; i < 50; ++i) {
      const inside = joint.dofs.map(({ min, max }) => min + rng() * (max - min));
      assert.ok(angleBetween(limited(joint, posed(joint, inside)), posed(joint, inside)) < 1e-7); // limits are floats
      const wild = randomRotation(rng, rng() * Math.PI);
      const stopped = limited(joint, wild);
      dofAngles(joint.dofs, multiply([-joint.rest[0], -joint.rest[1], -joint.rest[2], joint.rest[3]], stopped)).forEach(
        (angle, d) => assert.ok(angle > joint.dofs[d].min - 1e-7 && angle < joint.dofs[d].max + 1e-7),
      );
      clamped += angleBetween(stopped, wild) > 0.01 ? 1 : 0;
    }
  }
  assert.equal(joints, 18);
  assert.ok(clamped > 500, `${clamped}`);
  const hinge = rigs.right.get('index-finger-phalanx-intermediate');
  assert.ok(angleBetween(limited(hinge, posed(hinge, [radians(130)])), posed(hinge, [radians(100)])) < 1e-6);
});

test('joints without degrees of freedom, or unknown ones, turn freely', () => {
  const free = axisAngle([0, 0, 1], 2);
  const frame = {
    time: 0,
    joints: new Map([
      ['index-finger-metacarpal', free],
      ['tail', free],
    ]),
  };
  assert.deepEqual([...limitedFrame(frame, rigs.right).joints.values()], [free, free]);
});
