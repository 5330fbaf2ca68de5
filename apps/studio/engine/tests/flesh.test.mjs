// Flesh through the engine: along a clip as three.js plays the file, and by itself.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Engine, EngineError, nodeChecks, wasm } from './load_engine.mjs';
import { fleshLimb, inFolder, largestDifference, plainHand, read } from './models.mjs';

const everything = { corrections: true, modes: Infinity, smoothing: true, flesh: true };
const bonesOnly = { ...everything, flesh: false };
const rounding = 2e-6;  // metres: float positions of a limb of 0.6 m, and tracks kept as floats

const engine = await Engine.load(wasm);
const open = (file) => engine.open(read(file), path.basename(file));
const skin = (character) => character.evaluate(0, 'linear').positions.slice();
const shown = (character, layers = everything) => {
  character.update(layers);
  return skin(character);
};
/** How far the springs are stretched, at most. */
const stretch = (character) => {
  character.update(everything);
  const places = character.flesh.places();
  return Math.max(...character.flesh.elements.map((_, e) => Math.hypot(...[0, 1, 2].map((c) => places[12 * e + c] - places[12 * e + 3 + c]))));
};

test('flesh is described; its twins are no joints to turn', () => {
  const limb = open(fleshLimb());
  assert.ok(limb.flesh.elements.length > 0);
  for (const element of limb.flesh.elements) assert.ok(limb.joints[element.driver].skinned, element.name);
  assert.deepEqual(limb.joints.filter((joint) => joint.skinned).map((joint) => joint.name), ['limb-0', 'limb-1', 'limb-2']);
  for (const { name, frequency, dampingRatio } of limb.flesh.presets) assert.ok(name && frequency > 0 && dampingRatio >= 0);
  const weights = limb.flesh.weights(0).slice();
  assert.ok(weights.some((weight) => weight > 0.5) && weights.every((weight) => weight >= 0));
  const sum = limb.flesh.elements.reduce((all, _, e) => limb.flesh.weights(0, e).slice().map((weight, v) => weight + all[v]), new Float32Array(weights.length));
  assert.ok(largestDifference(sum, weights) < 1e-5);
  limb.dispose();
  const hand = open(plainHand());
  assert.deepEqual(hand.flesh.elements, []);
  hand.flesh.swing(0.1);
  hand.flesh.settle();
  assert.equal(hand.flesh.places().length, 0);
  hand.dispose();
});

test('along a clip it is where three.js puts it, which only plays the tracks of the file', () => {
  const times = [0, 0.21, 0.617, 1.04];
  const out = inFolder('flesh.json');
  execFileSync('node', [path.join(nodeChecks, 'three_positions.mjs'), fleshLimb(), 'bend', times.join(), out]);
  const { positions } = JSON.parse(fs.readFileSync(out, 'utf8')).meshes[0];
  const limb = open(fleshLimb());
  let largest = 0;
  times.forEach((time, t) => {
    limb.sample(0, time);
    const own = shown(limb);
    assert.ok(largestDifference(own, positions[t]) < rounding, `at ${time} s`);
    largest = Math.max(largest, largestDifference(own, shown(limb, bonesOnly)));
  });
  assert.ok(largest > 1e-4, 'nothing swings');
  limb.dispose();
});

test('displacements lead from the bones to the skin', () => {
  const limb = open(fleshLimb());
  limb.sample(0, 0.617);
  const bones = shown(limb, bonesOnly);
  const all = shown(limb);
  const vertices = Uint32Array.of(3, 500, 999);
  const vectors = limb.flesh.displacements(0, 'linear', vertices).slice();
  vertices.forEach((v, i) => {
    assert.ok(largestDifference(vectors.subarray(6 * i, 6 * i + 3), bones.subarray(3 * v, 3 * v + 3)) < 1e-7);
    assert.ok(largestDifference(vectors.subarray(6 * i + 3, 6 * i + 6), all.subarray(3 * v, 3 * v + 3)) < 1e-7);
  });
  assert.deepEqual(skin(limb), all);  // the shown pose is evaluated again, not the one beside it
  limb.dispose();
});

test('the exported file shows the flesh of the pose', () => {
  const limb = open(fleshLimb());
  limb.sample(0, 0.617);
  const all = shown(limb);
  const file = inFolder('flesh-export.glb'), out = inFolder('flesh-export.json');
  fs.writeFileSync(file, limb.exportGlb());
  const report = JSON.parse(execFileSync('node', [path.join(nodeChecks, 'validate.mjs'), file], { encoding: 'utf8' }))[file];
  assert.deepEqual([report.errors, report.warnings], [0, 0], JSON.stringify(report.messages));
  execFileSync('node', [path.join(nodeChecks, 'three_positions.mjs'), file, 'studio', '0.5', out]);
  assert.ok(largestDifference(all, JSON.parse(fs.readFileSync(out, 'utf8')).meshes[0].positions[0]) < rounding);
  limb.dispose();
});

test('parameters change the swing; what is out of range is refused', () => {
  const limb = open(fleshLimb());
  limb.sample(0, 0.617);
  const before = shown(limb);
  const last = limb.flesh.elements.length - 1;  // the root does not turn in the clip
  const { frequency } = limb.flesh.parameters(last);
  limb.flesh.setParameters(last, { frequency: 2 * frequency, maxElongation: 0.01 });
  assert.ok(Math.abs(limb.flesh.parameters(last).frequency - 2 * frequency) < 1e-4);
  assert.ok(Math.abs(limb.flesh.parameters(last).maxElongation - 0.01) < 1e-6);
  assert.ok(largestDifference(shown(limb), before) > 1e-5);
  limb.flesh.elements.forEach((_, e) => limb.flesh.setParameters(e, { gain: 0 }));
  assert.ok(largestDifference(shown(limb), shown(limb, bonesOnly)) < 1e-6);
  for (const changes of [{ frequency: 0 }, { gain: NaN }, { dampingRatio: -1 }])
    assert.throws(() => limb.flesh.setParameters(0, changes), EngineError);
  assert.throws(() => limb.flesh.parameters(99), /flesh element 99/);
  assert.throws(() => limb.flesh.displacements(0, 'linear', Uint32Array.of(1e6)), EngineError);
  limb.dispose();
});

test('behind a joint that something else turns it swings in real time, and comes to rest', () => {
  const limb = open(fleshLimb());
  limb.flesh.elements.forEach((_, e) => limb.flesh.setParameters(e, { frequency: 3, dampingRatio: 0.1, gravity: 0 }));
  limb.rest();
  limb.flesh.settle();
  const joint = limb.joints.findIndex((j) => j.name === 'limb-0');
  let largest = 0;
  for (let frame = 1; frame <= 30; ++frame) {
    limb.setRotation(joint, [0, 0, Math.sin(0.02 * frame), Math.cos(0.02 * frame)]);
    limb.flesh.swing(1 / 60);
    largest = Math.max(largest, stretch(limb));
  }
  assert.ok(largest > 1e-3, `stretched by ${largest} m only`);
  for (let frame = 0; frame < 600; ++frame) limb.flesh.swing(1 / 60);
  const hanging = shown(limb);
  limb.flesh.settle();
  assert.ok(largestDifference(shown(limb), hanging) < 1e-5);
  // A page that slept does not shake the flesh: only a quarter of a second counts.
  limb.flesh.swing(1e6);
  assert.ok(largestDifference(shown(limb), hanging) < 1e-5);
  limb.dispose();
});

test('a pose taken from a clip swings on from there', () => {
  const limb = open(fleshLimb());
  const time = 0.6;
  limb.sample(0, time);
  const following = stretch(limb);
  const along = shown(limb);
  limb.flesh.swing(0);
  assert.ok(following > 1e-4);
  // The state is found anew, at the nearest step of the springs and to a thousandth.
  assert.ok(largestDifference(shown(limb), along) < 0.1 * following);
  limb.dispose();
});
