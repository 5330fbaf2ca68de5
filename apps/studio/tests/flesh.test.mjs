// Flesh in the studio: it swings along clips and behind a dragged joint, sliders change how, and it is drawn.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { computed, drop, frames, launch, openStudio, picture, run, scratch, serve, shootPage } from './support.mjs';

let browser, server, page, problems;

before(async () => {
  const plain = join(scratch, 'limb.glb');
  const file = join(scratch, 'flesh.glb');
  run('make', 'limb', '--vertices', '2000', '-o', plain);
  run('add', 'flesh', plain, '--auto', '--no-compare', '-o', file);
  browser = await launch();
  server = await serve(file);
  ({ page, problems } = await openStudio(browser, server.url));
});
after(async () => {
  await browser?.close();
  await server?.close();
});

const pause = (time) => page.evaluate((t) => { studio.playback.toggle(false); studio.playback.time = t; studio.released(); }, time);
/** Positions of the skin in the pose on stage, with some layers. */
const positions = (layers = {}) => computed(page, layers);
const apart = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

test('a clip moves the flesh, and the toggle takes it away', async (t) => {
  await page.getByLabel('Flesh', { exact: true }).waitFor();
  let largest = 0;
  for (const time of [0.3, 0.6, 0.9, 1.2, 1.5]) {
    await pause(time);
    await frames(page);
    largest = Math.max(largest, apart(await positions({ flesh: true }), await positions({ flesh: false })));
  }
  t.diagnostic(`flesh moves the limb by ${(1000 * largest).toFixed(1)} mm at most`);
  assert.ok(largest > 1e-4, 'nothing swings');
  await pause(0.6);
  await frames(page);
  const swinging = await picture(page);
  await page.getByLabel('Flesh', { exact: true }).uncheck();
  await frames(page);
  assert.ok(!Buffer.from(await picture(page)).equals(swinging));
  await page.keyboard.press('b');
  await frames(page);
  assert.ok(Buffer.from(await picture(page)).equals(swinging));
  // Twins of bones are nobody's to turn.
  const joints = await page.evaluate(() => studio.now.model.character.joints.filter((joint) => joint.skinned).map((joint) => joint.name));
  assert.deepEqual(joints, ['limb-0', 'limb-1', 'limb-2']);
});

test('sliders and presets change the motion, of one element or of all', async () => {
  await pause(0.6);
  await frames(page);
  const before = await positions();
  const slider = page.getByLabel('frequency', { exact: true });
  await slider.fill(await slider.getAttribute('min'));
  assert.ok(Math.abs((await page.evaluate(() => studio.now.model.character.flesh.parameters(0).frequency)) - 0.5) < 0.01);
  await frames(page);
  assert.ok(apart(await positions(), before) > 1e-5, 'another frequency, another swing');
  await page.getByLabel('gain', { exact: true }).fill('0');
  await frames(page);
  assert.ok(apart(await positions(), await positions({ flesh: false })) < 1e-6, 'without gain nothing moves');
  await page.getByLabel('gain', { exact: true }).fill('1');
  const presets = await page.evaluate(() => studio.now.model.character.flesh.presets);
  assert.ok(presets.length >= 3);
  for (const { name, frequency, dampingRatio } of presets) {
    await page.getByRole('button', { name, exact: true }).click();
    const all = await page.evaluate(() => studio.now.model.character.flesh.elements.map((_, e) => studio.now.model.character.flesh.parameters(e)));
    for (const own of all) assert.ok(Math.abs(own.frequency - frequency) < 1e-4 && Math.abs(own.dampingRatio - dampingRatio) < 1e-4, name);
  }
  await page.getByLabel('Flesh element').selectOption('0');
  await page.getByLabel('damping ratio').fill('1.5');
  const ratios = await page.evaluate(() => studio.now.model.character.flesh.elements.map((_, e) => studio.now.model.character.flesh.parameters(e).dampingRatio));
  assert.equal(ratios[0], 1.5);
  assert.ok(ratios.slice(1).every((ratio) => ratio !== 1.5), 'the others stay');
  await page.getByLabel('Flesh element').selectOption('-1');
});

test('flesh trails behind a joint that is turned by hand, and comes to rest', async () => {
  await page.getByRole('button', { name: 'jelly', exact: true }).click();
  await pause(0);
  await frames(page);
  await page.evaluate(() => {
    const { character } = studio.now.model;
    const joint = character.joints.findIndex((j) => j.name === 'limb-0');
    character.setRotation(joint, [0, 0, Math.sin(0.3), Math.cos(0.3)]);
    studio.moved();
  });
  const swing = () => page.evaluate(() => {
    const places = studio.now.model.character.flesh.places();
    return Math.max(...Array.from({ length: places.length / 12 }, (_, e) => Math.hypot(...[0, 1, 2].map((c) => places[12 * e + c] - places[12 * e + 3 + c]))));
  });
  let largest = 0;
  for (let i = 0; i < 5; ++i) {
    await frames(page);
    largest = Math.max(largest, await swing());
  }
  await page.evaluate(() => { for (let i = 0; i < 600; ++i) studio.now.model.character.flesh.swing(1 / 30); });
  await frames(page);
  const still = await positions();
  await frames(page);
  assert.ok(largest > 1e-4, 'nothing trails behind');
  assert.ok(apart(await positions(), still) < 1e-6, 'it swings for ever');
});

test("the browser's vertex shader gives what the engine gives, flesh and all", async (t) => {
  const found = await page.evaluate(() => checkShader(studio.now.model));
  t.diagnostic(`${found.vertices} vertices compared, worst ${found.worst.toExponential(1)} of the size`);
  assert.ok(found.vertices > 0 && found.worst <= 2e-6);
});

test('springs, displacements and weights are drawn', async () => {
  await page.getByRole('button', { name: 'jelly', exact: true }).click();
  await pause(0.9);
  await frames(page);
  const plain = await picture(page);
  await page.getByLabel('springs', { exact: true }).check();
  await frames(page);
  const springs = await picture(page);
  assert.ok(!Buffer.from(springs).equals(plain));
  await page.getByLabel('displacements', { exact: true }).check();
  await frames(page);
  assert.ok(!Buffer.from(await picture(page)).equals(springs));
  await shootPage(page, 'studio-flesh');
  // A displacement leads from where the skin is without flesh to where it is with it.
  const [shown, bones] = [await positions(), await positions({ flesh: false })];
  const { vectors, vertices } = await page.evaluate(() => ({ vectors: [...studio.now.fleshView.vectors[0].geometry.getAttribute('position').array], vertices: [...studio.now.model.carried[0]] }));
  const gap = (vector, place, all) => Math.hypot(...[0, 1, 2].map((c) => vectors[6 * vector + place + c] - all[3 * vertices[vector] + c]));
  const [worst, count] = [Math.max(...vertices.map((_, i) => Math.max(gap(i, 0, bones), gap(i, 3, shown)))), vertices.length];
  assert.ok(count > 100 && worst < 1e-6);
  await page.evaluate(() => { studio.settings.colouring = 'flesh'; studio.changed(); });
  await frames(page);
  assert.equal(await page.evaluate(() => studio.legend.title), 'flesh weights of all elements');
  await shootPage(page, 'studio-flesh-weights');
  await page.evaluate(() => { studio.settings.colouring = 'none'; studio.changed(); });
});

test('a whole body swings', async (t) => {
  const plain = join(scratch, 'body.glb');
  const file = join(scratch, 'figure.glb');
  run('make', 'figure', '-o', plain);
  run('add', 'flesh', plain, '--auto', '--no-compare', '-o', file);
  await drop(page, [['figure.glb', readFileSync(file)]]);
  await page.waitForFunction(() => studio.now?.model.name === 'figure.glb');
  const [take, swing] = await page.evaluate(() => {
    const { character } = studio.now.model;
    const clip = character.clips.findIndex(({ name }) => name === 'run');
    const each = (times, action) => {
      const start = performance.now();
      for (let i = 0; i < times; ++i) action(i);
      return (performance.now() - start) / times;
    };
    const take = each(20, () => {
      character.flesh.setParameters(0, { gain: 1 }); // what was played before counts no more
      character.sample(clip, 0.2);
      character.update(studio.settings);
    });
    const swing = each(200, (i) => {
      character.flesh.swing(1 / 60 + 1e-6 * i);
      character.update(studio.settings);
    });
    return [take, swing];
  });
  t.diagnostic(`a frame that swings freely takes ${swing.toFixed(3)} ms, the flesh of a whole clip ${take.toFixed(1)} ms`);
  const found = await page.evaluate(() => checkShader(studio.now.model));
  t.diagnostic(`${found.vertices} vertices compared, worst ${found.worst.toExponential(1)} of the size`);
  assert.ok(found.vertices > 0 && found.worst <= 2e-6);
});

test('nothing fails on the way', () => assert.deepEqual(problems, []));
