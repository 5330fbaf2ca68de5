// Example sets through the engine, beside what the fit measured of them.
import assert from 'node:assert';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Engine, EngineError, errorCurve, wasm } from './load_engine.mjs';
import { fittedHand, largestDifference, plainHand, read } from './models.mjs';

const engine = await Engine.load(wasm);
const { file, examples, errors } = fittedHand();
const filesOf = (folder) =>
  new Map(
    fs
      .readdirSync(folder)
      .filter((name) => /\.npy$|^examples\.json$/.test(name))
      .map((name) => [`examples/${name}`, read(path.join(folder, name))]),
  );

test('the error curve falls to what the fit measured', () => {
  const set = engine.openExamples(filesOf(examples));
  const hand = engine.open(read(file), 'fitted.glb');
  const groups = Object.values(errors);
  const count = groups.reduce((sum, group) => sum + group.examples, 0);
  const measured = groups.reduce((sum, group) => sum + group.examples * group.mean_relative, 0) / count;
  assert.equal(set.count, 20);
  const [none, one, two, all] = errorCurve(hand, set, [0, 1, 2, Infinity]);
  assert.equal(none, 1);
  assert.ok(one < none && two < one && all <= two, `${[none, one, two, all]}`);
  assert.ok(Math.abs(all - measured) < 1e-4 * measured, `${all} beside ${measured}`);
  set.dispose();
  hand.dispose();
});

test('a posed character comes near the example', () => {
  const set = engine.openExamples(filesOf(examples));
  const hand = engine.open(read(file), 'fitted.glb');
  const part = hand.parts.findIndex((p) => p.name === set.part);
  const example = set.names.findIndex((name) => name.includes('flexion'));
  set.pose(example, hand);
  hand.update({ corrections: true, modes: Infinity });
  const corrected = hand.evaluate(part, 'linear').positions.slice();
  hand.update({ corrections: false, modes: 0 });
  const plain = hand.evaluate(part, 'linear').positions.slice();
  const wanted = set.positions(example).slice();
  assert.ok(largestDifference(corrected, wanted) < 0.5 * largestDifference(plain, wanted));
  set.dispose();
  hand.dispose();
});

test('what is wrong with a set is named', () => {
  const files = filesOf(examples);
  files.delete('examples/positions.npy');
  assert.throws(() => engine.openExamples(files), (e) => e instanceof EngineError && /positions\.npy/.test(e.item) && !e.item.includes('/'));
  assert.throws(() => engine.openExamples(new Map()), (e) => e instanceof EngineError && e.item === 'example set');
  const set = engine.openExamples(filesOf(examples));
  const hand = engine.open(read(plainHand()), 'hand.glb');
  assert.throws(() => set.pose(99, hand), EngineError);
  set.dispose();
  hand.dispose();
});

test('opening sets again and again takes no more memory', () => {
  const files = filesOf(examples);
  for (let i = 0; i < 5; ++i) engine.openExamples(files).dispose();
  const before = engine.heapBytes;
  for (let i = 0; i < 30; ++i) engine.openExamples(files).dispose();
  assert.equal(engine.heapBytes, before);
});
