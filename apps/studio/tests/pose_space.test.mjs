// A pose space in the studio: examples are mixed live behind joints and clips, once, and can be switched off.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { computed as computedOn, frames, launch, openStudio, picture, run, scratch, serve, shootPage } from './support.mjs';

const joint = 'index-finger-phalanx-proximal';
let browser, server, page, problems;

before(async () => {
  const [plain, examples, file] = ['hand.glb', 'examples', 'weighed.glb'].map((name) => join(scratch, name));
  run('make', 'hand', '--vertices', '3000', '-o', plain);
  run('simulate', plain, '-o', examples, '--size', '10', '--no-pictures', '--random', '0', '--per-dof', '3', '--joints', joint);
  run('fit', plain, '--examples', examples, '--method', 'wpsd', '-o', file);
  browser = await launch();
  server = await serve(file, '--examples', examples);
  ({ page, problems } = await openStudio(browser, server.url));
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** What the graphics card is given of the skin: where its vertices are, and whether the vertex shader moves them on. */
const drawn = (figure = 'supple') =>
  page.evaluate((name) => {
    const { geometry, material } = studio.now[name].group.children[0];
    return { positions: [...geometry.getAttribute('position').array], shaded: material.customProgramCacheKey().startsWith('supple') };
  }, figure);
/** The skin in the pose on stage as the engine has it, with some layers. */
const computed = (layers = {}, blend = 'linear') => computedOn(page, layers, blend);
const bend = (degrees) =>
  page.evaluate(([name, angle]) => {
    const { character } = studio.now.model;
    const number = character.joints.findIndex((j) => j.name === name);
    character.setAngles(number, character.joints[number].dofs.map((dof) => (dof.name === 'flexion' ? angle : 0)), true);
    studio.moved();
  }, [joint, (degrees * Math.PI) / 180]);
const apart = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

test('the panel names it and switches it', async () => {
  await page.getByLabel('Pose space', { exact: true }).waitFor();
  assert.equal(await page.getByLabel('EigenSkin').count(), 0);
  await page.waitForFunction(() => /pose space, \d+ examples, weighted by joints/.test(document.querySelector('.figures').textContent));
});

test('a joint that is turned by hand has its skin corrected, by the engine alone', async (t) => {
  await bend(50);
  await frames(page);
  const on = await picture(page);
  const [corrected, alone] = [await computed(), await computed({ corrections: false })];
  t.diagnostic(`examples move the skin by ${(1000 * apart(corrected, alone)).toFixed(2)} mm at most`);
  assert.ok(apart(corrected, alone) > 5e-4, 'too little to see');
  let { positions, shaded } = await drawn();
  assert.deepEqual(positions, corrected);
  assert.equal(shaded, false, 'the shader would add weights and bend the skin a second time');
  await shootPage(page, 'studio-pose-space');
  await page.getByLabel('Pose space', { exact: true }).uncheck();
  await frames(page);
  const off = await picture(page);
  assert.ok(!on.equals(off));
  ({ positions, shaded } = await drawn());
  assert.ok(shaded);
  assert.deepEqual(positions, await page.evaluate(() => [...studio.now.model.parts[0].tables.positions]));
  assert.ok(await page.evaluate(() => studio.now.model.character.morphWeights().every((weight) => weight === 0)));
  await page.keyboard.press('e');
  await frames(page);
  assert.ok((await picture(page)).equals(on));
});

test('dual quaternions and the view beside it have their own skin', async () => {
  await bend(50);
  await page.keyboard.press('2');
  await frames(page);
  const dual = await computed({}, 'dual-quaternion');
  assert.deepEqual((await drawn()).positions, dual);
  assert.ok(apart(dual, await computed()) > 1e-4);
  await page.keyboard.press('1');
  await page.keyboard.press('s');
  await frames(page);
  assert.equal((await drawn('linear')).shaded, true);
  assert.deepEqual((await drawn()).positions, await computed());
  await page.keyboard.press('s');
});

test('a clip is corrected from its joints as it plays', async () => {
  let most = 0;
  for (const time of [0.5, 1, 1.5]) {
    await page.evaluate((t) => { studio.playback.toggle(false); studio.playback.time = t; studio.released(); }, time);
    await frames(page);
    const { positions } = await drawn();
    assert.deepEqual(positions, await computed());
    most = Math.max(most, apart(positions, await computed({ corrections: false })));
  }
  assert.ok(most > 5e-4);
});

test('an example is met, and colours show what the pose space adds', async () => {
  await page.waitForFunction(() => studio.examples !== null);
  const example = await page.evaluate((name) => studio.examples.names.indexOf(name), `${joint}.flexion+80`);
  await page.getByLabel('example', { exact: true }).fill(String(example));
  await frames(page);
  const wanted = await page.evaluate(async (e) => [...(await studio.now.model.remote.ask('example', [e])).surfaces[0].positions], example);
  const { positions } = await drawn();
  assert.ok(apart(positions, wanted) < 1e-6); // metres: rounding of float positions of a hand
  assert.ok(apart(await computed({ corrections: false }), wanted) > 5e-3, 'linear blend misses it');
  await page.getByText('Colours', { exact: true }).click();
  for (const colouring of ['displacement', 'error']) {
    await page.getByLabel('show').selectOption(colouring);
    await frames(page);
    assert.ok(await page.evaluate(() => studio.now.supple.group.children[0].geometry.hasAttribute('suppleValue')), colouring);
    await page.waitForFunction(() => studio.legend && document.querySelector('.legend').textContent.includes(studio.legend.title));
  }
  await page.getByLabel('show').selectOption('none');
});

test('the shader gives what the engine gives where it draws, and nothing fails on the way', async () => {
  const { worst, vertices } = await page.evaluate(() => checkShader(studio.now.model, 2));
  assert.ok(vertices > 0);
  assert.ok(worst <= 2e-6, `${worst} of the size`); // as in studio.test.mjs
  await frames(page);
  assert.deepEqual(problems, []);
});
