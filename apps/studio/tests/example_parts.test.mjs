// An example set of a character in several parts: the demo hand with its skin cut into two surfaces.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fewExamples } from './example_sets.mjs';
import { frames, launch, openStudio, root, scratch, serve, shootPage } from './support.mjs';

const [model, set] = [join(scratch, 'cut.glb'), join(scratch, 'cut')];
let browser;

/** Both surfaces have all vertices, the first the first half of the triangles and the second the others. */
function cut() {
  const bytes = readFileSync(join(root, 'build/studio/demo.glb'));
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  const skin = json.meshes.find(({ primitives }) => primitives[0].targets);
  const [primitive] = skin.primitives;
  const indices = json.accessors[primitive.indices];
  const half = 3 * Math.floor(indices.count / 6);
  const width = { 5123: 2, 5125: 4 }[indices.componentType];
  const rest = { ...indices, byteOffset: (indices.byteOffset ?? 0) + width * half, count: indices.count - half };
  indices.count = half;
  for (const own of [indices, rest]) delete own.min, delete own.max;
  skin.primitives.push({ ...primitive, indices: json.accessors.push(rest) - 1 });
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const words = (...list) => Buffer.from(Uint32Array.from(list).buffer);
  const tail = bytes.subarray(20 + length);
  writeFileSync(model, Buffer.concat([words(0x46546c67, 2, 20 + padded.length + tail.length, padded.length, 0x4e4f534a), padded, tail]));

  let vertices;
  fewExamples(set, (index, arrays) => {
    [vertices] = arrays['rest_positions.npy'].shape;
    for (const [name, array] of Object.entries(arrays)) {
      const { shape, numbers } = array;
      if (name === 'triangles.npy') numbers.forEach((vertex, i) => (numbers[i] = i < half ? vertex : vertex + vertices));
      if (!/^(rest_)?(positions|normals)/.test(name)) continue;
      const all = name.startsWith('rest_') ? 1 : shape[0];
      array.numbers = new Uint32Array(2 * numbers.length);
      for (let e = 0; e < all; ++e)
        for (const copy of [0, 1]) array.numbers.set(numbers.subarray(3 * vertices * e, 3 * vertices * (e + 1)), 3 * vertices * (2 * e + copy));
      array.shape = name.startsWith('rest_') ? [2 * vertices, 3] : [all, 2 * vertices, 3];
    }
    index.parts = [0, 1].map(() => ({ name: index.part, vertices }));
    index.counts.vertices = 2 * vertices;
  });
  return vertices;
}

let vertices;
before(async () => {
  vertices = cut();
  browser = await launch();
});
after(() => browser?.close());

/** The studio with a set open, at one of its examples. */
async function shown(file, folder, name) {
  const server = await serve(file, '--examples', folder);
  const { page, problems } = await openStudio(browser, server.url);
  await page.waitForFunction(() => studio.examples);
  await page.evaluate(async () => {
    Object.assign(studio.settings, { split: true, colouring: 'error' });
    await studio.choose(3);
  });
  await page.waitForFunction(() => studio.legend);
  await frames(page);
  const found = await page.evaluate(async () => {
    const { model } = studio.now;
    const contest = await studio.examples.contest({ corrections: true, modes: Infinity, smoothing: true, flesh: true }, () => {});
    return {
      parts: model.parts.filter(({ tables }) => tables.name !== 'bones').length,
      meshes: studio.examples.group.children.map((mesh) => mesh.geometry.getAttribute('position').count),
      errors: await studio.examples.errors(2, () => {}),
      contest: [contest.pose, contest.linear, contest.supple],
      legend: [studio.legend.title, studio.legend.high],
    };
  });
  await shootPage(page, name);
  await page.close();
  await server.close();
  assert.deepEqual(problems, []);
  return found;
}

test('a set of two parts is compared as the set of one is', async () => {
  const whole = await shown(join(root, 'build/studio/demo.glb'), fewExamples(join(scratch, 'whole')), 'examples-whole');
  const both = await shown(model, set, 'examples-parts');
  assert.equal(both.parts, 2);
  assert.deepEqual(whole.meshes, [vertices]);
  assert.deepEqual(both.meshes, [vertices, vertices]);
  assert.equal(both.contest[0], whole.contest[0]);
  // Every vertex is there twice: means are the same.
  for (const k of [1, 2]) assert.ok(Math.abs(both.contest[k] - whole.contest[k]) < 1e-7, `${both.contest} ${whole.contest}`);
  both.errors.forEach((error, m) => assert.ok(Math.abs(error - whole.errors[m]) < 1e-6, `${both.errors} ${whole.errors}`));
  assert.deepEqual(both.legend, whole.legend);
});
