// The engine works beside the page: what takes long says so and can be cancelled, the page has rigs alone, and what was set
// before is there again afterwards.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { computed, frames, launch, openStudio, root, run, scratch, serve } from './support.mjs';

let browser, server, page, problems;
const many = 60_000;

before(async () => {
  const file = join(scratch, 'large.glb');
  run('make', 'hand', '--vertices', String(many), '-o', file, '--quiet');
  browser = await launch();
  server = await serve(file);
  ({ page, problems } = await openStudio(browser, server.url, { viewport: { width: 480, height: 320 } }));
  await page.evaluate(() => studio.playback.standAt(0, 2));
});
after(async () => {
  await browser?.close();
  await server?.close();
});

const blend = (way) => page.getByLabel('blend', { exact: true }).selectOption(way);
const isComputed = () => page.evaluate(() => studio.now.supple.drawn.some((drawn) => drawn.isComputed));

test('the page poses a rig that has no surfaces, as the whole file would be posed', async () => {
  const [own, vertices] = await page.evaluate(() => {
    const { character } = studio.now.model;
    return [character.evaluate(0, 'linear').positions.length / 3, character.parts[0].vertexCount];
  });
  assert.ok(own < 10 && vertices >= 0.9 * many, `${own} of ${vertices} vertices`);
  assert.equal((await computed(page)).length / 3, vertices, 'the worker has them all');
});

test('a skin that takes long to flow says so, and can be cancelled; the page goes on, and it flows when asked again', async () => {
  // In the page, where nothing comes between two steps: on a busy machine the skin is there before a click from outside.
  await page.evaluate(() => {
    const until = async (done) => { while (!done()) await new Promise(requestAnimationFrame); };
    const cancel = () => [...document.querySelectorAll('#busy button')].find((own) => own.textContent === 'Cancel');
    globalThis.cancelled = (async () => {
      await until(cancel);
      const said = document.getElementById('busy').textContent;
      const { pictures } = studio;
      studio.stage.camera.position.multiplyScalar(1.01);
      await until(() => studio.pictures > pictures); // it draws while it waits
      cancel().click();
      return said;
    })();
  });
  await blend('kinodynamic');
  assert.match(await page.evaluate(() => cancelled), /skin flow/);
  assert.equal(await page.evaluate(() => studio.settings.blend), 'linear');
  await page.waitForFunction(() => document.getElementById('busy').childElementCount === 0);
  assert.equal(await isComputed(), false);
  await blend('kinodynamic');
  await page.waitForFunction(() => studio.now.supple.drawn.some((drawn) => drawn.isComputed), null, { timeout: 240_000 });
  await frames(page);
});

test('colours are found by the graphics card from one number a vertex', async () => {
  await page.evaluate(() => { studio.settings.colouring = 'displacement'; studio.changed(); });
  await page.waitForFunction(() => studio.legend);
  const [size, count, largest] = await page.evaluate(() => {
    const { itemSize, count, array } = studio.now.supple.group.children[0].geometry.getAttribute('suppleValue');
    return [itemSize, count, array.reduce((a, b) => Math.max(a, b))];
  });
  assert.ok(size === 1 && count >= 0.9 * many && largest > 1e-4, `${size} ${count} ${largest}`);
});

test('a still pose that flows asks nothing more of the engine', async () => {
  await page.evaluate(() => { studio.settings.colouring = 'none'; studio.changed(); });
  await frames(page);
  const [pictures, arrivals] = await page.evaluate(() => [studio.pictures, studio.now.skinner.arrivals]);
  await page.waitForTimeout(600);
  assert.deepEqual(await page.evaluate(() => [studio.pictures, studio.now.skinner.arrivals]), [pictures, arrivals]);
});

test('an example set is measured beside the page; cancelling that lets it go, and the character stays', async () => {
  const demo = await serve(join(root, 'build/studio/demo.glb'));
  const own = await openStudio(browser, demo.url, { viewport: { width: 480, height: 320 } });
  const folder = join(root, 'build/studio-examples');
  const files = readdirSync(folder).filter((name) => /\.npy$|^examples\.json$/.test(name)).map((name) => join(folder, name));
  await own.page.locator('summary', { hasText: 'Examples' }).click();
  const [chooser] = await Promise.all([own.page.waitForEvent('filechooser'), own.page.getByRole('button', { name: 'Open a set…' }).click()]);
  await chooser.setFiles(files);
  await own.page.waitForFunction(() => studio.examples);
  await own.page.evaluate(() => studio.cancel()); // as the button does, whichever job it is of
  assert.equal(await own.page.evaluate(() => studio.examples), null);
  assert.ok((await computed(own.page)).length > 0, 'a new worker has the file');
  assert.deepEqual(own.problems, []);
  await own.page.close();
  await demo.close();
});

test('nothing fails on the way', () => assert.deepEqual(problems, []));
