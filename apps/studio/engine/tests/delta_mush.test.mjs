// Delta mush through the engine: beside the native build, after the layers before it and under flesh, and switched off.
import assert from 'node:assert';
import path from 'node:path';
import test from 'node:test';
import { Engine, wasm } from './load_engine.mjs';
import { fittedHand, fleshLimb, inFolder, largestDifference, plainHand, read, supple } from './models.mjs';

const everything = { corrections: true, modes: Infinity, smoothing: true, flesh: true };
const visible = 1e-3;  // of the size: a fold at a joint that is made smooth

const engine = await Engine.load(wasm);
const open = (file) => engine.open(read(file), path.basename(file));

const smoothedFiles = new Map();
function smoothed(file) {
  if (!smoothedFiles.has(file)) {
    const made = inFolder(`smooth-${path.basename(file)}`);
    supple('add', 'delta-mush', '--no-compare', file, '-q', '-o', made);
    smoothedFiles.set(file, made);
  }
  return smoothedFiles.get(file);
}

/** The diagonal of a part at rest, metres. */
function sizeOf({ positions }) {
  const range = [0, 1, 2].map((c) => {
    const own = positions.filter((_, i) => i % 3 === c);
    return own.reduce((most, x) => Math.max(most, x), -Infinity) - own.reduce((least, x) => Math.min(least, x), Infinity);
  });
  return Math.hypot(...range);
}

const shown = (character, layers, blend = 'linear') => {
  character.update(layers);
  return character.evaluate(0, blend).positions.slice();
};

/** What the native build shows of the first part. */
function native(file, name, ...words) {
  const baked = inFolder(name);
  supple('pose', file, ...words, '--bake', '-q', '-o', baked);
  const posed = open(baked);
  const { positions, normals } = posed.parts[0];
  posed.dispose();
  return { positions, normals };
}

const fist = [['index-finger-phalanx-proximal', 55], ['index-finger-phalanx-intermediate', 70], ['middle-finger-phalanx-proximal', 60]];
const bentBy = fist.flatMap(([name, degrees]) => ['--pose', `${name}.flexion=${degrees}`]);
function bend(hand) {
  for (const [name, degrees] of fist) {
    const joint = hand.joints.findIndex((j) => j.name === name);
    hand.setAngles(joint, hand.joints[joint].dofs.map((dof) => (dof.name === 'flexion' ? (degrees * Math.PI) / 180 : 0)), true);
  }
}

for (const [blend, word] of [['linear', 'linear'], ['dual-quaternion', 'dual']])
  test(`a learnt hand is smoothed as the native build does it: ${word}`, (t) => {
    const file = smoothed(fittedHand().file);
    const hand = open(file);
    const size = sizeOf(hand.parts[0]);
    bend(hand);
    const rough = shown(hand, { ...everything, smoothing: false }, blend);
    const smooth = shown(hand, everything, blend);
    const wanted = native(file, `hand-${word}.glb`, ...bentBy, '--blend', word);
    const gap = largestDifference(smooth, wanted.positions) / size;
    t.diagnostic(`${gap.toExponential(1)} of the size from the native build; smoothing moves ${(largestDifference(smooth, rough) / size).toExponential(1)}`);
    assert.ok(largestDifference(smooth, rough) > visible * size, 'nothing is smoothed');
    assert.ok(gap < 1e-5);
    assert.ok(largestDifference(hand.evaluate(0, blend).normals, wanted.normals) < 1e-4);  // unit vectors
    hand.dispose();
  });

test('flesh swings on the smooth surface, along a clip as the native build shows it', (t) => {
  const file = smoothed(fleshLimb());
  const limb = open(file);
  const size = sizeOf(limb.parts[0]);
  let flesh = 0;
  for (const time of [0.21, 0.6, 1.04]) {
    limb.sample(0, time);
    const wanted = native(file, 'limb.glb', '--clip', limb.clips[0].name, '--time', String(time));
    const own = shown(limb, everything);
    const gap = largestDifference(own, wanted.positions) / size;
    t.diagnostic(`${time} s: ${gap.toExponential(1)} of the size`);
    assert.ok(gap < 1e-5);
    flesh = Math.max(flesh, largestDifference(own, shown(limb, { ...everything, flesh: false })) / size);
  }
  assert.ok(flesh > visible, 'nothing swings');
  limb.dispose();
});

test('it is told apart from what a vertex shader shows, and leaves the rest pose as it is', () => {
  const hand = open(smoothed(plainHand())), plain = open(plainHand());
  assert.deepEqual(hand.parts.map((part) => part.smoothed), hand.parts.map((_, p) => p === 0));
  assert.ok(plain.parts.every((part) => !part.smoothed));
  for (const one of [hand, plain]) one.rest();
  const atRest = shown(hand, everything);
  assert.ok(hand.isComputed(0) && !hand.isComputed(1));
  assert.ok(largestDifference(atRest, shown(plain, everything)) < 1e-6 * sizeOf(plain.parts[0]));
  for (const one of [hand, plain]) bend(one);
  const off = shown(hand, { ...everything, smoothing: false });
  assert.ok(!hand.isComputed(0));
  assert.deepEqual(off, shown(plain, everything));
  assert.ok(!plain.isComputed(0));
  for (const one of [hand, plain]) one.dispose();
});
