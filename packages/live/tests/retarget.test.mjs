// One motion on rigs with other names and axes. Expected poses are closed forms: a bone that turned by D in the world turns
// by D there, whatever its axes are.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { handOn, namesIn, readRig, retarget, rigOf, webxrHand } from 'supple-live';
import { readGltf } from '../tools/read_gltf.mjs';
import { angleBetween, axisAngle, conjugate, multiply, random, randomRotation, rigs, rotate } from './hand.mjs';

const rounding = 1e-7; // radians: an arc tangent of a square root of the rounding of doubles
const nothing = [0, 0, 0, 1];

/** A person in the pose of a T, facing +z: where bones are (metres) and what they hang on. */
const person = {
  hips: [[0, 1, 0]],
  spine: [[0, 1.1, 0], 'hips'],
  chest: [[0, 1.25, 0], 'spine'],
  neck: [[0, 1.5, 0], 'chest'],
  head: [[0, 1.6, 0], 'neck'],
  ...Object.fromEntries(
    [['left', 1], ['right', -1]].flatMap(([side, m]) => [
      [`${side}UpperArm`, [[0.15 * m, 1.45, 0], 'chest']],
      [`${side}LowerArm`, [[0.42 * m, 1.45, 0], `${side}UpperArm`]],
      [`${side}Hand`, [[0.68 * m, 1.45, 0], `${side}LowerArm`]],
      [`${side}UpperLeg`, [[0.1 * m, 0.95, 0], 'hips']],
      [`${side}LowerLeg`, [[0.1 * m, 0.5, 0], `${side}UpperLeg`]],
      [`${side}Foot`, [[0.1 * m, 0.08, 0], `${side}LowerLeg`]],
    ]),
  ),
};
const bones = Object.keys(person);

/** The person with names of a set, axes of joints at random, and the whole turned; `places` are other places of bones. */
function rigFor(set, seed, { turn = nothing, places = {} } = {}) {
  const rng = random(seed);
  const names = namesIn(set);
  const axes = Object.fromEntries(bones.map((bone) => [bone, randomRotation(rng, 3 * rng())]));
  const at = (bone) => rotate(turn, places[bone] ?? person[bone][0]);
  const world = (bone) => multiply(turn, axes[bone]); // orientation of a joint at rest
  const joints = bones.map((bone) => {
    const [, parent] = person[bone];
    const [above, from] = parent ? [world(parent), at(parent)] : [nothing, [0, 0, 0]];
    return {
      name: names.get(bone),
      parent: parent && names.get(parent),
      rest: multiply(conjugate(above), world(bone)),
      position: rotate(conjugate(above), at(bone).map((c, k) => c - from[k])),
      dofs: [],
    };
  });
  return { rig: rigOf(joints), names, world, at };
}

/** Local rotations for turns D of bones in the world. */
function posed({ names, world }, turns) {
  const to = (bone) => multiply(turns[bone] ?? nothing, world(bone));
  return new Map(bones.map((bone) => [names.get(bone), multiply(conjugate(person[bone][1] ? to(person[bone][1]) : nothing), to(bone))]));
}
/** Orientations in the world for local rotations. */
function worldOf({ rig, names }, joints) {
  const of = (name) => {
    const { parent, rest } = rig.get(name);
    return multiply(parent ? of(parent) : nothing, joints.get(name) ?? rest);
  };
  return Object.fromEntries(bones.map((bone) => [bone, of(names.get(bone))]));
}
const anyTurns = (seed) => {
  const rng = random(seed);
  return Object.fromEntries(bones.map((bone) => [bone, randomRotation(rng, 1.2 * rng())]));
};
const taken = (result) => (assert.ok(result.ok, JSON.stringify(result.error)), result.value);

test('every bone turns in the world as its own one does, whatever names and axes are', () => {
  const sets = ['Mixamo', 'Unreal', 'VRM', 'Supple figure'];
  for (const [k, from] of sets.entries()) {
    const to = sets[(k + 1) % sets.length];
    const [source, target] = [rigFor(from, 10 + k), rigFor(to, 20 + k)];
    const turns = anyTurns(30 + k);
    const mover = taken(retarget(source.rig, target.rig));
    assert.equal(mover.bones.length, bones.length);
    const { time, joints } = mover.frame({ time: 4, joints: posed(source, turns) });
    assert.equal(time, 4);
    const found = worldOf(target, joints);
    for (const bone of bones) assert.ok(angleBetween(found[bone], multiply(turns[bone], target.world(bone))) < rounding, `${from} to ${to}: ${bone}`);
  }
});

test('a person who faces another way turns about axes of his own', () => {
  const turn = axisAngle([0, 1, 0], Math.PI / 2);
  const [source, target] = [rigFor('Mixamo', 1), rigFor('Rigify', 2, { turn })];
  const turns = anyTurns(3);
  const found = worldOf(target, taken(retarget(source.rig, target.rig)).frame({ time: 0, joints: posed(source, turns) }).joints);
  for (const bone of bones) {
    const there = multiply(multiply(turn, turns[bone]), conjugate(turn));
    assert.ok(angleBetween(found[bone], multiply(there, target.world(bone))) < rounding, bone);
  }
});

/** The same person with hanging arms, as in the pose of an A: 50 degrees down from the T. */
const hanging = Object.fromEntries(
  [['left', 1], ['right', -1]].flatMap(([side, m]) => {
    const root = person[`${side}UpperArm`][0];
    const down = axisAngle([0, 0, 1], (-50 * Math.PI * m) / 180);
    return ['LowerArm', 'Hand'].map((bone) => [`${side}${bone}`, rotate(down, person[`${side}${bone}`][0].map((c, k) => c - root[k])).map((c, k) => c + root[k])]);
  }),
);
const chains = [['leftUpperArm', 'leftLowerArm'], ['rightUpperArm', 'rightLowerArm'], ['leftLowerArm', 'leftHand'], ['rightLowerArm', 'rightHand'], ['leftUpperLeg', 'leftLowerLeg']];

test('arms that rest in an A point where those of a T point', () => {
  const [source, target] = [rigFor('Mixamo', 5), rigFor('Unreal', 6, { places: hanging })];
  const turns = anyTurns(7);
  const mover = taken(retarget(source.rig, target.rig));
  const found = worldOf(target, mover.frame({ time: 0, joints: posed(source, turns) }).joints);
  const bent = taken(retarget(source.rig, target.rig, { align: false })).frame({ time: 0, joints: posed(source, turns) }).joints;
  const unaligned = worldOf(target, bent);
  for (const [bone, end] of chains) {
    const way = (rig) => rig.at(end).map((c, k) => c - rig.at(bone)[k]);
    const expected = rotate(turns[bone], way(source));
    const seen = (worlds) => rotate(multiply(worlds[bone], conjugate(target.world(bone))), way(target));
    const apart = (worlds) => Math.hypot(...seen(worlds).map((c, k) => c - expected[k]));
    assert.ok(apart(found) < 1e-7, `${bone}: ${seen(found)} is not ${expected}`);
    if (bone.includes('Arm')) assert.ok(apart(unaligned) > 0.1, `${bone} would be off without`);
  }
});

test('a bone that the target lacks moves the ones below it', () => {
  const [source, target] = [rigFor('Mixamo', 8), rigFor('VRM', 9)];
  const { chest, spine } = Object.fromEntries(target.names);
  const joints = [...target.rig.values()].filter(({ name }) => name !== 'spine');
  const without = rigOf(joints.map((joint) => (joint.parent === 'spine' ? { ...joint, parent: 'hips', rest: multiply(target.rig.get('spine').rest, joint.rest) } : joint)));
  assert.equal(chest, 'chest');
  assert.equal(spine, 'spine');
  const turns = { spine: axisAngle([1, 0, 0], 0.5), chest: axisAngle([1, 0, 0], 0.9) };
  const given = posed(source, { ...Object.fromEntries(bones.map((b) => [b, turns.chest])), ...turns, hips: nothing });
  const found = taken(retarget(source.rig, without)).frame({ time: 0, joints: given }).joints;
  assert.ok(angleBetween(found.get('chest'), multiply(conjugate(target.world('hips')), multiply(turns.chest, target.world('chest')))) < rounding);
});

test('joints that nobody has told of are left alone, those told of before stay', () => {
  const [source, target] = [rigFor('Mixamo', 11), rigFor('Unreal', 12)];
  const mover = taken(retarget(source.rig, target.rig));
  const whole = posed(source, anyTurns(13));
  const only = (...names) => new Map([...whole].filter(([name]) => names.includes(name)));
  assert.deepEqual([...mover.frame({ time: 0, joints: only('LeftForeArm') }).joints.keys()], ['lowerarm_l']);
  assert.deepEqual([...mover.frame({ time: 1, joints: only('Head') }).joints.keys()].sort(), ['head', 'lowerarm_l']);
});

test('hands: the hand of WebXR moves those of other names and axes', () => {
  for (const side of ['left', 'right'])
    for (const set of ['Mixamo', 'Unreal', 'Rigify']) {
      const rng = random(40);
      const source = webxrHand(side);
      const names = new Map([...namesIn('WebXR', side)].flatMap(([bone, name]) => (namesIn(set).has(bone) ? [[name, namesIn(set).get(bone)]] : [])));
      // The same hand with other axes, turned as a whole, on an arm.
      const turn = randomRotation(rng, 2);
      const axes = new Map([...source.keys()].map((name) => [name, randomRotation(rng, 2)]));
      const rest = (name) => (name ? multiply(rest(source.get(name).parent), source.get(name).rest) : nothing);
      const place = (name) => (name ? rotate(rest(source.get(name).parent), source.get(name).position).map((c, k) => c + place(source.get(name).parent)[k]) : [0, 0, 0]);
      const world = (name) => (name ? multiply(multiply(turn, rest(name)), axes.get(name)) : nothing);
      const parentOf = (name) => { let at = source.get(name).parent; while (at && !names.has(at)) at = source.get(at).parent; return at; };
      const target = rigOf([...names].map(([name, own]) => {
        const parent = parentOf(name);
        const way = rotate(turn, place(name).map((c, k) => c - (parent ? place(parent)[k] : 0)));
        return { name: own, parent: parent && names.get(parent), rest: multiply(conjugate(world(parent)), world(name)), position: rotate(conjugate(world(parent)), way), dofs: [] };
      }));
      const hand = taken(handOn(target));
      assert.equal(hand.side, side);
      const bent = new Map([...source.values()].filter(({ dofs, name }) => dofs.length > 0 && name !== 'wrist').map(({ name, rest: own }) => [name, multiply(own, randomRotation(rng, 0.8))]));
      const { joints } = hand.onto({ time: 0, joints: bent });
      const turned = (name) => (name ? multiply(turned(source.get(name).parent), bent.get(name) ?? source.get(name).rest) : nothing);
      const found = (name) => { const { parent, rest: own } = target.get(name); return multiply(parent ? found(parent) : nothing, joints.get(name) ?? own); };
      let moved = 0;
      for (const [name, own] of names) {
        if (!bent.has(name) || !namesIn(set).get(recognised(name, side))) continue;
        const away = multiply(turned(name), conjugate(rest(name)));
        const expected = multiply(multiply(multiply(turn, away), conjugate(turn)), world(name));
        assert.ok(angleBetween(found(own), expected) < 1e-6, `${side} ${set} ${own}`); // the axes of the hand come from its points
        ++moved;
      }
      assert.ok(moved >= 15);
      assert.ok(!joints.has(namesIn(set).get(`${side}Hand`)), 'the wrist stays as it is');
    }
});
const recognised = (name, side) => [...namesIn('WebXR', side)].find(([, own]) => own === name)[0];

test('a hand of WebXR is moved as it is; the built-in one is that of `supple make hand`', () => {
  for (const side of ['left', 'right']) {
    const hand = taken(handOn(rigs[side]));
    assert.equal(hand.rig, rigs[side]);
    assert.equal(hand.side, side);
    const built = webxrHand(side);
    for (const [name, joint] of built) {
      const { rest, position, dofs, parent } = rigs[side].get(name);
      assert.equal(joint.parent, parent);
      assert.ok(angleBetween(joint.rest, rest) < 1e-6, name);
      joint.position.forEach((c, k) => assert.ok(Math.abs(c - position[k]) < 1e-7, name));
      assert.equal(joint.dofs.length, dofs.length);
      joint.dofs.forEach((dof, d) => {
        assert.equal(dof.name, dofs[d].name);
        for (const [a, b] of [[dof.min, dofs[d].min], [dof.max, dofs[d].max], ...dof.axis.map((c, k) => [c, dofs[d].axis[k]])]) assert.ok(Math.abs(a - b) < 1e-6, name);
      });
    }
    assert.equal(built.size, [...rigs[side].keys()].filter((name) => !['skin', 'bones'].includes(name)).length);
  }
});

test('what cannot be brought together is said', () => {
  const [plain, body] = [rigOf([{ name: 'bone', rest: nothing, dofs: [] }]), rigFor('Mixamo', 1).rig];
  assert.match(retarget(plain, body).error.problem, /no known set/);
  assert.match(retarget(body, plain).error.item, /target/);
  assert.match(retarget(webxrHand('left'), webxrHand('right')).error.problem, /no bone in common/);
  assert.match(handOn(body).error.problem, /no hand/);
});

test('a hand of Godot bends as the hand that is tracked', (t) => {
  const file = new URL('../../../../shared/data/godot_xr_hands/hand_l.gltf', import.meta.url);
  if (!existsSync(file)) return t.skip(`needs ${file.pathname}`);
  const rig = readRig(readGltf(file));
  const hand = taken(handOn(rig));
  assert.equal(hand.side, 'left');
  const bent = new Map(['index-finger-phalanx-proximal', 'index-finger-phalanx-intermediate'].map((name) => [name, multiply(hand.rig.get(name).rest, axisAngle([-1, 0, 0], 0.9))]));
  const { joints } = hand.onto({ time: 0, joints: bent });
  // Its fingers rest in another curl and on other axes; the angle between two bones is that of the tracked hand.
  const angleAt = (own, moved, names) => {
    const world = (name) => (name ? multiply(world(own.get(name).parent), moved.get(name) ?? own.get(name).rest) : nothing);
    const [first, second] = names.slice(0, 2).map((name, k) => rotate(world(name), own.get(names[k + 1]).position));
    return Math.acos(first.reduce((sum, c, k) => sum + c * second[k], 0) / (Math.hypot(...first) * Math.hypot(...second)));
  };
  const tracked = angleAt(hand.rig, bent, ['proximal', 'intermediate', 'distal'].map((bone) => `index-finger-phalanx-${bone}`));
  const found = angleAt(rig, joints, ['Index_Proximal_L', 'Index_Intermediate_L', 'Index_Distal_L']);
  assert.ok(tracked > 0.9 && Math.abs(found - tracked) < 1e-6, `${found} beside ${tracked}`);
});
