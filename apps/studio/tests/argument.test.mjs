// What the studio opens on: linear blend against Supple in poses that are measured, a line between them, a tour.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { drop, frames, launch, openStudio, picture, root, serve, shootPage } from './support.mjs';

let browser, server, page, problems, firstFrame;

before(async () => {
  browser = await launch();
  server = await serve();
  ({ page, problems, firstFrame } = await openStudio(browser, server.url));
  await page.waitForFunction(() => tour.measured);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** Pixels of the stage in a column of the page, from the top; the line and texts above it do not count. */
const column = (share) =>
  page.evaluate(async (x) => {
    const bitmap = await createImageBitmap(await studio.stage.picture());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return [...context.getImageData(Math.round(x * (bitmap.width - 1)), 0, 1, bitmap.height).data];
  }, share);
const setWipe = async (share) => {
  await page.evaluate((s) => studio.stage.wipe.set(s), share);
  await frames(page);
};

test('it opens on the pose where Supple gains most over linear blend, and says by how much', async (t) => {
  t.diagnostic(`first frame after ${Math.round(firstFrame)} ms`);
  // Measured again, by other sums than the page's.
  const found = await page.evaluate(async () => {
    const { examples, settings, now } = studio;
    const { character, remote } = now.model;
    const { corrections, modes, smoothing, flesh } = settings;
    const layers = { corrections, modes, smoothing, flesh };
    const far = (a, b) => {
      let sum = 0;
      a.forEach((x, i) => (sum += (x - b[i]) ** 2));
      return Math.sqrt((3 * sum) / a.length);
    };
    const all = await Promise.all(examples.names.map(async (name, e) => {
      const { surfaces: [{ positions: truth }], locals } = await remote.ask('example', [e]);
      const pose = { ...character.poseState, locals };
      const [bones, corrected] = await Promise.all([false, corrections].map((on) => remote.ask('evaluate', [0, pose, { ...layers, corrections: on }, 'linear'])));
      return { name, linear: far(bones.positions, truth), supple: far(corrected.positions, truth) };
    }));
    return { all, shown: studio.examples.names[studio.example], measured: tour.measured, caption: document.getElementById('caption').textContent };
  });
  for (const { name, linear, supple } of found.all) t.diagnostic(`${name}: linear blend ${(1000 * linear).toFixed(2)} mm, Supple ${(1000 * supple).toFixed(2)} mm`);
  const best = found.all.reduce((a, b) => (b.linear - b.supple > a.linear - a.supple ? b : a));
  assert.equal(found.shown, best.name);
  assert.ok(Math.abs(found.measured.linear - best.linear) < 1e-8 && Math.abs(found.measured.supple - best.supple) < 1e-8); // sums of floats
  assert.ok(found.caption.includes(`${(1000 * best.linear).toFixed(1)}\u00a0mm`), found.caption);
  assert.ok(best.supple < best.linear / 2);
  await shootPage(page, 'argument');
});

test('the worker fetches and opens the first file by itself, while the page is being read', async () => {
  const [files, parts] = await page.evaluate(() => [performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop()), performance.getEntriesByType('mark').map(({ name }) => name)]);
  assert.ok(files.includes('session.json') && !files.some((name) => name === 'demo.glb' || name.endsWith('.wasm')), files.join());
  for (const part of ['first script', 'file in the worker', 'stage', 'shaders', 'pose measured', 'first picture']) assert.ok(parts.includes(`studio: ${part}`), part);
});

test('the line shows linear blend on its left and Supple on its right', async () => {
  await page.evaluate(() => { studio.settings.handles = false; studio.changed(); });
  // A column of the picture where most differs: the same on the line's left as with the line far to its right.
  const x = await page.evaluate(() => studio.stage.wipe.share);
  await setWipe(1);
  const linear = await column(x);
  await setWipe(0);
  const supple = await column(x);
  assert.notDeepEqual(linear, supple);
  await setWipe(x + 0.1);
  assert.deepEqual(await column(x), linear);
  await setWipe(x - 0.1);
  assert.deepEqual(await column(x), supple);
  await setWipe(x);
});

test('the line follows the pointer and the arrow keys', async () => {
  const share = () => page.evaluate(() => studio.stage.wipe.share);
  const stage = await page.locator('#stage').boundingBox();
  const grip = await page.locator('#wipe span').boundingBox();
  await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
  await page.mouse.down();
  await page.mouse.move(stage.x + 0.3 * stage.width, stage.y + 300, { steps: 4 });
  await page.mouse.up();
  assert.ok(Math.abs((await share()) - 0.3) < 0.01);
  const time = await page.evaluate(() => studio.playback.time);
  await page.locator('#wipe').focus();
  await page.keyboard.press('ArrowRight');
  assert.ok(Math.abs((await share()) - 0.32) < 0.01);
  assert.equal(await page.locator('#wipe').getAttribute('aria-valuenow'), '32');
  assert.equal(await page.evaluate(() => studio.playback.time), time, 'the clip stays');
  await page.keyboard.press('w');
  assert.equal(await page.locator('#wipe').isVisible(), false);
  await page.keyboard.press('w');
});

test('a pose that was not measured has no figure', async () => {
  assert.ok(await page.locator('#caption').isVisible());
  await page.evaluate(() => studio.moved());
  await page.locator('#caption').waitFor({ state: 'hidden' });
});

test('every stop of the tour is one click, and Supple is the better one in each', async (t) => {
  const stops = await page.locator('#argument nav button').allTextContents();
  assert.ok(stops.length >= 4, 'script/studio makes them');
  for (const [number, title] of stops.entries()) {
    await page.locator('#argument nav button').nth(number).click();
    await page.waitForFunction((name) => tour.measured && studio.now.model.name === name, title);
    await frames(page);
    const { measured, wipe } = await page.evaluate(() => ({ measured: tour.measured, wipe: studio.settings.wipe }));
    t.diagnostic(`${title}, ${measured.pose}: ${measured.caption}`);
    assert.ok(wipe && measured.supple < measured.linear, title);
    assert.equal(await page.locator('#argument nav button').nth(number).getAttribute('aria-pressed'), 'true');
    assert.ok((await page.locator('#caption').textContent()).includes(measured.caption));
    for (const [side, turn] of [['a', 0], ['b', 2 * Math.PI / 3], ['c', 2 * Math.PI / 3]]) {
      await page.evaluate((angle) => {
        const { camera, controls } = studio.stage;
        camera.position.sub(controls.target).applyAxisAngle(camera.up, angle).add(controls.target);
      }, turn);
      await frames(page);
      await shootPage(page, `tour-${number + 1}${side}`);
    }
  }
});

test('another file ends the tour', async () => {
  await drop(page, [['mine.glb', readFileSync(join(root, 'build/studio/demo.glb'))]]);
  await page.waitForFunction(() => studio.now?.model.name === 'mine.glb');
  assert.equal(await page.locator('#caption').isVisible(), false);
  assert.equal(await page.locator('#wipe').isVisible(), false);
});

/** Two triangles of polished metal that face the camera. */
const mirror = () => {
  const positions = Buffer.from(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0]).buffer);
  return JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
    materials: [{ pbrMetallicRoughness: { metallicFactor: 1, roughnessFactor: 0.2 } }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 6, type: 'VEC3', min: [-1, -1, 0], max: [1, 1, 0] }],
    bufferViews: [{ buffer: 0, byteLength: positions.length }],
    buffers: [{ byteLength: positions.length, uri: `data:application/octet-stream;base64,${positions.toString('base64')}` }],
  });
};

test('metals mirror a room and are not black', async () => {
  await drop(page, [['mirror.gltf', Buffer.from(mirror())]]);
  await page.waitForFunction(() => studio.now?.model.name === 'mirror.gltf');
  await frames(page);
  const pixels = await column(0.5);
  const [r, g, b] = pixels.slice(4 * Math.round(pixels.length / 8), 4 * Math.round(pixels.length / 8) + 3);
  assert.ok(Math.min(r, g, b) > 40, `the middle is ${r} ${g} ${b}`); // without a room a mirror shows 0, 0, 0
});

test('on a phone the line divides one large hand', async () => {
  const phone = await openStudio(browser, server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' });
  await phone.page.waitForFunction(() => tour.measured);
  await frames(phone.page);
  assert.ok((await phone.page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  assert.ok(await phone.page.locator('#wipe').isVisible());
  assert.ok((await picture(phone.page)).length > 0);
  await shootPage(phone.page, 'argument-phone');
  // Joints do not cover the argument until somebody touches the hand, and the touch that shows them bends none.
  const seen = () => phone.page.evaluate(() => ({ points: studio.now.jointView.near, locals: [...studio.now.model.character.poseState.locals] }));
  const before = await seen();
  const stage = await phone.page.locator('#stage').boundingBox();
  await phone.page.touchscreen.tap(stage.x + stage.width / 2, stage.y + stage.height / 2);
  const touched = await seen();
  assert.deepEqual([before.points, touched.points], [false, true]);
  assert.deepEqual(touched.locals, before.locals);
  assert.deepEqual(phone.problems, []);
  await phone.page.close();
});

test('nothing fails on the way', () => assert.deepEqual(problems, []));
