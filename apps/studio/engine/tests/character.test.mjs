// A character through the engine beside independent evaluators: three.js, and the native build.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Engine, EngineError, nodeChecks, wasm } from './load_engine.mjs';
import { fittedHand, inFolder, largestDifference, plainHand, read, supple } from './models.mjs';

const everything = { corrections: true, modes: Infinity, smoothing: true, flesh: true };
const size = 0.2;  // metres: about a hand
const rounding = 1e-6 * size;  // float positions, summed in another order
const packing = 2e-6 * size;  // tables keep each offset to 4e-7 of the part's size; a few add up

const engine = await Engine.load(wasm);
const open = (file) => engine.open(read(file), path.basename(file));

function validate(file) {
  return JSON.parse(execFileSync('node', [path.join(nodeChecks, 'validate.mjs'), file], { encoding: 'utf8' }))[file];
}

test('a hand is described', () => {
  const hand = open(plainHand());
  assert.equal(hand.joints.length, 28);  // 26 that skins are bound to, and the nodes of two meshes
  assert.deepEqual(hand.clips.map((clip) => clip.name), ['fist']);
  assert.deepEqual(hand.parts.map((part) => part.name), ['skin', 'bones']);
  assert.deepEqual(hand.warnings, []);
  const finger = hand.joints.find((joint) => joint.name === 'index-finger-phalanx-proximal');
  assert.ok(finger.skinned);
  assert.deepEqual(finger.dofs.map((dof) => dof.name), ['abduction', 'flexion']);
  hand.joints.forEach((joint, number) => assert.ok(joint.parent < number));
  for (const part of hand.parts) {
    assert.equal(part.positions.length, 3 * part.vertexCount);
    assert.equal(part.normals.length, 3 * part.vertexCount);
    assert.equal(part.ranges.length % (4 * part.textureWidth), 0);
    assert.ok(part.indices.every((index) => index < part.vertexCount));
  }
  hand.dispose();
});

test('positions are those of three.js', () => {
  const times = [0.6, 1.3];
  const out = inFolder('three.json');
  execFileSync('node', [path.join(nodeChecks, 'three_positions.mjs'), plainHand(), 'fist', times.join(), out]);
  const reference = JSON.parse(fs.readFileSync(out, 'utf8')).meshes;
  const hand = open(plainHand());
  assert.equal(reference.length, hand.parts.length);
  times.forEach((time, t) => {
    hand.sample(0, time);
    hand.update(everything);
    hand.parts.forEach((part, p) => {
      const mesh = reference.find((m) => m.mesh === part.mesh && m.primitive === part.primitive && m.node === part.node);
      assert.ok(largestDifference(hand.evaluate(p, 'linear').positions, mesh.positions[t]) < rounding);
    });
  });
  hand.dispose();
});

test('a fitted hand is skinned as the native build does it, in both blends', () => {
  const { file } = fittedHand();
  const hand = open(file);
  assert.ok(hand.drivers.length > 0);
  const joint = hand.joints.findIndex((j) => j.name === 'index-finger-phalanx-proximal');
  const flexion = hand.joints[joint].dofs.findIndex((dof) => dof.name === 'flexion');
  const angles = hand.joints[joint].dofs.map((_, dof) => (dof === flexion ? (50 * Math.PI) / 180 : 0));
  hand.setAngles(joint, angles, true);
  assert.ok(largestDifference(hand.angles(joint), angles) < 1e-5);
  hand.update(everything);
  for (const [blend, word] of [['linear', 'linear'], ['dual-quaternion', 'dual']]) {
    const baked = inFolder(`${word}.glb`);
    supple('pose', file, '--pose', 'index-finger-phalanx-proximal.flexion=50', '--bake', '--blend', word, '-q', '-o', baked);
    const native = open(baked);
    hand.parts.forEach((part, p) => {
      const surface = hand.evaluate(p, blend);
      const other = native.parts.find((n) => n.name === part.name);
      assert.ok(largestDifference(surface.positions, other.positions) < packing);
      assert.ok(largestDifference(surface.normals, other.normals) < 1e-4);  // tables keep each offset of a normal to 1e-4; both sides have the same tables
    });
    native.dispose();
  }
  hand.dispose();
});

test('layers: without corrections, or without modes, every driven weight is at rest', () => {
  const hand = open(fittedHand().file);
  hand.update(everything);
  const rest = hand.morphWeights().slice();
  hand.sample(0, 1.2);
  hand.update(everything);
  const all = hand.morphWeights().slice();
  assert.ok(largestDifference(all, rest) > 0.05);
  for (const layers of [{ corrections: false, modes: Infinity }, { corrections: true, modes: 0 }]) {
    hand.update(layers);
    assert.deepEqual(hand.morphWeights().slice(), rest);
  }
  hand.update({ corrections: true, modes: 1 });
  const one = hand.morphWeights().slice();
  for (const driver of hand.drivers) {
    assert.equal(one[driver.firstWeight], all[driver.firstWeight]);
    for (let t = 1; t < driver.targets; ++t) assert.equal(one[driver.firstWeight + t], rest[driver.firstWeight + t]);
  }
  hand.dispose();
});

test('palettes take the rest skin where evaluate() says', () => {
  const hand = open(plainHand());
  hand.sample(0, 1);
  hand.update({ corrections: false, modes: 0 });
  const part = hand.parts[0];
  const matrices = hand.palette(0, 'linear').matrices.slice();
  assert.equal(matrices.length, 16 * part.jointCount);
  const expected = hand.evaluate(0, 'linear').positions.slice();
  const positions = new Float32Array(expected.length);
  for (let v = 0; v < part.vertexCount; ++v) {
    const [first, count] = part.ranges.subarray(4 * v, 4 * v + 2);
    for (let i = first; i < first + count; ++i) {
      const [joint, weight] = part.influences.subarray(2 * i, 2 * i + 2);
      for (let row = 0; row < 3; ++row) {
        const at = (column) => matrices[16 * joint + 4 * column + row];
        const [x, y, z] = part.positions.subarray(3 * v, 3 * v + 3);
        positions[3 * v + row] += weight * (at(0) * x + at(1) * y + at(2) * z + at(3));
      }
    }
  }
  assert.ok(largestDifference(positions, expected) < rounding);
  assert.equal(hand.palette(0, 'dual-quaternion').blend, 'dual-quaternion');
  hand.dispose();
});

test('the exported file is valid and shows the pose in a clip', () => {
  const hand = open(fittedHand().file);
  hand.sample(0, 1.2);
  hand.update(everything);
  const shown = hand.evaluate(0, 'linear').positions.slice();
  const file = inFolder('export.glb');
  fs.writeFileSync(file, hand.exportGlb());
  const { errors, warnings, messages } = validate(file);
  assert.deepEqual([errors, warnings], [0, 0], JSON.stringify(messages));
  const out = inFolder('export.json');
  execFileSync('node', [path.join(nodeChecks, 'three_positions.mjs'), file, 'studio', '0.5', out]);
  const { meshes } = JSON.parse(fs.readFileSync(out, 'utf8'));
  const mesh = meshes.find((m) => m.mesh === hand.parts[0].mesh && m.primitive === hand.parts[0].primitive);
  assert.ok(largestDifference(shown, mesh.positions[0]) < packing);
  hand.rest();
  hand.update(everything);
  fs.writeFileSync(file, hand.exportGlb());  // an animation that moves nothing would not be valid
  assert.equal(validate(file).errors, 0);
  hand.dispose();
});

test('what is wrong is named', () => {
  const bytes = read(plainHand());
  const refused = (use) => {
    try {
      use();
    } catch (error) {
      assert.ok(error instanceof EngineError, String(error));
      return error;
    }
    assert.fail('was accepted');
  };
  assert.match(refused(() => engine.open(new Uint8Array([1, 2, 3]), 'broken.glb')).item, /broken\.glb/);
  assert.match(refused(() => engine.open(new Uint8Array(0), 'empty.glb')).item, /empty\.glb/);
  assert.match(refused(() => engine.open(bytes.slice(0, bytes.length / 2), 'cut.glb')).item, /cut\.glb/);
  const hand = engine.open(bytes, 'hand.glb');
  assert.match(refused(() => hand.rotation(99)).item, /joint 99/);
  assert.match(refused(() => hand.sample(7, 0)).item, /clip 7/);
  assert.match(refused(() => hand.setRotation(0, [0, 0, 0, 0])).problem, /no rotation/);
  assert.match(refused(() => hand.setAngles(0, [NaN], true)).problem, /do not fit/);
  hand.dispose();
  assert.match(refused(() => hand.rest()).problem, /disposed/);
});

test('opening and disposing again and again takes no more memory', () => {
  const bytes = read(fittedHand().file);
  const once = () => {
    const hand = engine.open(bytes, 'hand.glb');
    hand.sample(0, 1);
    hand.update(everything);
    hand.evaluate(0, 'linear');
    hand.evaluate(0, 'dual-quaternion');
    hand.exportGlb();
    hand.dispose();
  };
  for (let i = 0; i < 5; ++i) once();
  const before = engine.heapBytes;
  for (let i = 0; i < 50; ++i) once();
  assert.equal(engine.heapBytes, before);
});
