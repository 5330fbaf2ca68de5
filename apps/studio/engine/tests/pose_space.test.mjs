// Pose spaces through the engine: beside the native build, and beside the examples that they were made of.
import assert from 'node:assert';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Engine, wasm } from './load_engine.mjs';
import { inFolder, largestDifference, plainHand, poseSpaceHand, read, supple } from './models.mjs';

const everything = { corrections: true, modes: Infinity, smoothing: true, flesh: true };
const nothing = { corrections: false, modes: 0, smoothing: false, flesh: false };
const rounding = 1e-6;  // metres, of a hand of 0.2: float positions, and coefficients that nearly cancel
const visible = 1e-4;  // metres

const engine = await Engine.load(wasm);
const open = (file) => engine.open(read(file), path.basename(file));
const shape = (hand, layers, blend = 'linear') => {
  hand.update(layers);
  return hand.evaluate(0, blend).positions.slice();
};

const finger = ['index-finger-phalanx-proximal', 'index-finger-phalanx-intermediate'];
const between = [33, 41];  // degrees: no example has them
function bend(hand) {
  finger.forEach((name, i) => {
    const joint = hand.joints.findIndex((j) => j.name === name);
    hand.setAngles(joint, hand.joints[joint].dofs.map((dof) => (dof.name === 'flexion' ? (between[i] * Math.PI) / 180 : 0)), true);
  });
}

test('a pose space is described', () => {
  const of = (file) => {
    const hand = open(file);
    const { poseSpace } = hand;
    hand.dispose();
    return poseSpace;
  };
  const { part, examples, influence } = of(poseSpaceHand('wpsd').file);
  assert.deepEqual([part, influence], [0, 'subtree']);
  assert.ok(examples > 3, `${examples} examples`);
  assert.equal(of(poseSpaceHand('psd').file).influence, 'equal');
  assert.equal(of(plainHand()), null);
});

for (const method of ['wpsd', 'psd'])
  test(`a hand that is bent live is corrected as the native build does it: ${method}`, (t) => {
    const { file } = poseSpaceHand(method);
    const hand = open(file);
    bend(hand);
    for (const [blend, word] of [['linear', 'linear'], ['dual-quaternion', 'dual']]) {
      const baked = inFolder(`${method}-${word}.glb`);
      supple('pose', file, ...finger.flatMap((name, i) => ['--pose', `${name}.flexion=${between[i]}`]), '--bake', '--blend', word, '-q', '-o', baked);
      const native = open(baked);
      const alone = shape(hand, nothing, blend);
      const corrected = shape(hand, everything, blend);
      assert.equal(hand.isComputed(0), method === 'wpsd');
      assert.equal(hand.isComputed(1), false);
      assert.ok(largestDifference(corrected, alone) > visible, 'nothing is corrected');
      const gap = largestDifference(corrected, native.parts[0].positions);
      t.diagnostic(`${word}: ${gap.toExponential(1)} m from the native build`);
      assert.ok(gap < rounding);
      assert.ok(largestDifference(hand.evaluate(0, blend).normals, native.parts[0].normals) < 1e-4);  // unit vectors
      native.dispose();
    }
    hand.dispose();
  });

test('in the pose of an example the skin is the example', (t) => {
  const { file, examples } = poseSpaceHand('wpsd');
  const files = fs.readdirSync(examples).filter((name) => /\.npy$|^examples\.json$/.test(name));
  const set = engine.openExamples(new Map(files.map((name) => [name, read(path.join(examples, name))])));
  const hand = open(file);
  let met = 0, worst = 0;
  for (let e = 0; e < set.count; ++e) {
    set.pose(e, hand);
    const wanted = set.positions(e).slice();
    const [own, alone] = [everything, nothing].map((layers) => largestDifference(shape(hand, layers), wanted));
    assert.ok(alone > visible && own < 0.5 * alone, `${set.names[e]}: ${own} m, linear blend ${alone} m`);
    if (own < rounding) {
      ++met;
      worst = Math.max(worst, own);
    }
  }
  t.diagnostic(`${met} of ${set.count} examples are in the file: ${worst.toExponential(1)} m away at most`);
  assert.equal(met, hand.poseSpace.examples - 1);  // the fit held the others out to judge by, and the first is the rest shape
  set.dispose();
  hand.dispose();
});

test('switched off it is linear blend, also along a clip that has weights for other engines', () => {
  const plain = open(plainHand());
  for (const method of ['wpsd', 'psd']) {
    const hand = open(poseSpaceHand(method).file);
    const { start, end } = hand.clips[0];
    let corrected = 0;
    for (const share of [0.3, 0.6, 1]) {
      for (const one of [hand, plain]) one.sample(0, start + share * (end - start));
      plain.update(nothing);
      const off = shape(hand, nothing);
      assert.ok(hand.morphWeights().every((weight) => weight === 0));
      assert.equal(hand.isComputed(0), false);
      assert.ok(largestDifference(off, plain.evaluate(0, 'linear').positions) < rounding);
      corrected = Math.max(corrected, largestDifference(off, shape(hand, everything)));
    }
    assert.ok(corrected > visible, method);
    hand.dispose();
  }
  plain.dispose();
});

test('the exported pose is weighed again when it is opened, and is plain where the skin was', () => {
  const hand = open(poseSpaceHand('wpsd').file);
  bend(hand);
  for (const layers of [everything, nothing]) {
    const shown = shape(hand, layers);
    const weights = hand.morphWeights().slice();
    const file = engine.open(hand.exportGlb(), 'export.glb');
    const clip = file.clips.findIndex((c) => c.name === 'studio');
    file.sample(clip, 0.5);
    assert.ok(largestDifference(shape(file, layers), shown) < rounding);
    assert.ok(largestDifference(file.morphWeights(), weights) < 1e-6);
    file.dispose();
  }
  hand.dispose();
});

test('opening and disposing again and again takes no more memory', () => {
  const bytes = read(poseSpaceHand('wpsd').file);
  const once = () => {
    const hand = engine.open(bytes, 'hand.glb');
    for (const blend of ['linear', 'dual-quaternion']) for (const layers of [everything, nothing]) shape(hand, layers, blend);
    hand.dispose();
  };
  for (let i = 0; i < 3; ++i) once();
  const before = engine.heapBytes;
  for (let i = 0; i < 10; ++i) once();
  assert.equal(engine.heapBytes, before);
});
