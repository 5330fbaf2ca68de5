// The rig of a file alone poses a character as the whole file does: same palettes, same morph weights, same flesh, in an
// engine that never sees the surfaces; and a pose goes from one engine to the other.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Engine, repository, wasm } from './load_engine.mjs';
import path from 'node:path';
import { fleshLimb, inFolder, supple } from './models.mjs';

const layers = { corrections: true, modes: Infinity, smoothing: true, flesh: true };
const compiled = await Engine.compile(wasm);
const [whole, light] = await Promise.all([Engine.load(compiled), Engine.load(compiled)]);

/** A limb with a deformer of its own. */
function limb(kind, ...words) {
  const [plain, result] = [inFolder('plain.glb'), inFolder(`${kind}.glb`)];
  supple('make', 'limb', '--vertices', '2000', '-q', '-o', plain);
  supple('add', kind, plain, ...words, '-q', '-o', result);
  return result;
}
const files = [
  ['the fitted hand of the demo', () => path.join(repository, 'build/studio/demo.glb')],
  ['a limb with flesh', fleshLimb],
  ['a limb with wrinkles', () => limb('wrinkles', '--strip', '0,0.1,0.05+0,0.3,0.05', '--wavelength', '0.06')],
  ['a limb that is smoothed', () => limb('delta-mush')],
  ['a limb with muscles', () => limb('kinodynamics', '--auto')],
];

/** Opens both, and gives a pose to the light one that the whole one then takes. */
function opened(file) {
  const full = whole.open(readFileSync(file), 'full.glb');
  const bytes = full.rigFile();
  const rig = light.open(bytes, 'full.glb', full.data);
  return { full, rig, bytes };
}

for (const [name, fileOf] of files)
  test(`a rig alone moves as the whole file does: ${name}`, (t) => {
    const file = fileOf();
    const { full, rig, bytes } = opened(file);
    t.diagnostic(`${bytes.length} bytes instead of ${readFileSync(file).length}`);
    assert.ok(bytes.length < readFileSync(file).length);
    assert.deepEqual(rig.joints, full.joints);
    for (const share of [0, 0.3, 0.7]) {
      full.rest();
      rig.rest();
      if (full.clips.length > 0) {
        const { start, end } = full.clips[0];
        for (const character of [full, rig]) character.sample(0, start + share * (end - start));
      }
      for (const character of [full, rig]) character.update(layers);
      assert.deepEqual([...rig.morphWeights()], [...full.morphWeights()]);
      full.parts.forEach((part, p) => {
        assert.deepEqual([...rig.palette(p, 'linear').matrices], [...full.palette(p, 'linear').matrices]);
        assert.equal(rig.isComputed(p), full.isComputed(p));
        assert.equal(rig.parts[p].vertexCount, part.vertexCount);
      });
    }
    // A pose of the light one that no clip has, given to the whole one.
    rig.rest();
    const turned = rig.joints.findIndex((joint) => joint.skinned);
    rig.setRotation(turned, [0, Math.sin(0.2), 0, Math.cos(0.2)]);
    rig.flesh.settle();
    rig.update(layers);
    full.poseState = rig.poseState;
    full.update(layers);
    assert.deepEqual([...full.world(turned)], [...rig.world(turned)]);
    assert.deepEqual([...full.morphWeights()], [...rig.morphWeights()]);
    const [a, b] = [rig, full].map((character) => [...character.flesh.places()]);
    a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < 1e-6, 'flesh'));
    rig.dispose();
    full.dispose();
  });

test('a pose of another character is refused', () => {
  const [a, b] = files.slice(0, 2).map(([, of]) => of()).map((file) => whole.open(readFileSync(file), 'a.glb'));
  assert.throws(() => (a.poseState = b.poseState), /another character/);
  for (const character of [a, b]) character.dispose();
});
