// Delta mush in the studio: the engine computes the skin, and a switch takes it away.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { computed as computedOn, frames, launch, openStudio, picture, run, scratch, serve } from './support.mjs';

let browser, server, page, problems;

before(async () => {
  const [plain, file] = ['limb.glb', 'smooth.glb'].map((name) => join(scratch, name));
  run('make', 'limb', '--vertices', '2000', '-o', plain);
  run('add', 'delta-mush', '--no-compare', plain, '-o', file);
  browser = await launch();
  server = await serve(file);
  ({ page, problems } = await openStudio(browser, server.url));
  await page.evaluate(() => { studio.playback.toggle(false); studio.playback.time = 1; studio.released(); });
  await frames(page);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** What the graphics card is given, and whether the vertex shader moves it on. */
const drawn = () =>
  page.evaluate(() => {
    const { geometry, material } = studio.now.supple.group.children[0];
    return { positions: [...geometry.getAttribute('position').array], shaded: material.customProgramCacheKey().startsWith('supple') };
  });
const computed = (layers = {}) => computedOn(page, layers);
const apart = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

test('the skin on stage is the smooth one, until it is switched off', async (t) => {
  const [smooth, rough] = [await computed(), await computed({ smoothing: false })];
  t.diagnostic(`it moves the skin by ${(1000 * apart(smooth, rough)).toFixed(1)} mm at most`);
  assert.ok(apart(smooth, rough) > 1e-3, 'too little to see');
  const on = await picture(page);
  let { positions, shaded } = await drawn();
  assert.deepEqual(positions, smooth);
  assert.equal(shaded, false, 'the shader would bend the skin a second time');
  await page.getByLabel('Delta mush', { exact: true }).uncheck();
  await frames(page);
  ({ shaded } = await drawn());
  assert.ok(shaded);
  assert.ok(!(await picture(page)).equals(on));
  await page.keyboard.press('m');
  await frames(page);
  assert.ok(await page.getByLabel('Delta mush', { exact: true }).isChecked());
  assert.ok((await picture(page)).equals(on));
});

test('the shader gives what the engine gives without it, and nothing fails on the way', async () => {
  const { worst, vertices } = await page.evaluate(() => checkShader(studio.now.model, 2));
  assert.ok(vertices > 0);
  assert.ok(worst <= 2e-6, `${worst} of the size`); // as in studio.test.mjs
  await frames(page);
  assert.deepEqual(problems, []);
});
