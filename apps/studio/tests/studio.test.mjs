// The studio in a real browser: what a person would do, and what it must never do.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fewExamples } from './example_sets.mjs';
import { data, drop, frames, launch, openStudio, picture, root, run, scratch, serve, shootPage } from './support.mjs';

let browser, server, page, problems, hosts, firstFrame;

before(async () => {
  browser = await launch();
  server = await serve(join(root, 'build/studio/demo.glb'));
  ({ page, problems, hosts, firstFrame } = await openStudio(browser, server.url, { reducedMotion: 'no-preference' }));
});
after(async () => {
  await browser?.close();
  await server?.close();
});

const same = (a, b) => Buffer.compare(a, b) === 0; // pictures
const shoot = (name, from = page) => shootPage(from, name);
const settle = (from = page) => frames(from);
const pause = (time) => page.evaluate((t) => { studio.playback.toggle(false); studio.playback.time = t; studio.released(); }, time);
const weights = () => page.evaluate(() => { studio.now.model.character.update(studio.settings); return [...studio.now.model.character.morphWeights()]; });

test('a file that was given moves at once', async (t) => {
  t.diagnostic(`first frame after ${Math.round(firstFrame)} ms`);
  const first = await picture(page);
  await page.waitForTimeout(400);
  await settle();
  assert.ok(!same(await picture(page), first));
  await page.emulateMedia({ reducedMotion: 'reduce' }); // what is opened from here on need not move
  assert.match(await page.textContent('#panel'), /vertices/);
  await shoot('studio');
});

test('layers are switched by the panel and by keys', async () => {
  await pause(2);
  await settle();
  const corrected = await picture(page);
  await page.getByLabel('EigenSkin').uncheck();
  await settle();
  const linear = await picture(page);
  assert.ok(!same(linear, corrected));
  await page.keyboard.press('e');
  await settle();
  assert.ok(same(await picture(page), corrected));
  await page.getByLabel('blend', { exact: true }).selectOption('dual-quaternion');
  await settle();
  assert.ok(!same(await picture(page), corrected));
  await page.locator('#stage canvas').focus();
  await page.keyboard.press('1');
  assert.equal(await page.evaluate(() => studio.settings.blend), 'linear');
  await page.keyboard.press('s');
  await settle();
  assert.deepEqual(await page.locator('#labels span').allTextContents(), ['linear blend', 'Supple']);
  await shoot('studio-split');
  await page.keyboard.press('s');
});

test('fewer modes are nearer to linear blend, none is linear blend', async () => {
  await pause(2);
  await settle();
  const all = await weights();
  const slider = page.getByLabel('modes a joint');
  await slider.scrollIntoViewIfNeeded(); // the mouse reaches only what is in sight
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 2, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  assert.equal(await slider.inputValue(), '0');
  const none = await weights();
  await page.evaluate(() => (studio.settings.corrections = false));
  assert.deepEqual(none, await weights());
  assert.notDeepEqual(none, all);
  await page.evaluate(() => Object.assign(studio.settings, { corrections: true, modes: Infinity }));
});

test('joints follow sliders and the pointer, within their limits', async () => {
  await page.keyboard.press('r');
  await page.getByText('Joints', { exact: true }).click();
  const name = 'index-finger-phalanx-proximal';
  const joint = await page.evaluate((n) => studio.now.model.character.joints.findIndex((j) => j.name === n), name);
  const dof = await page.evaluate((j) => studio.now.model.character.joints[j].dofs.findIndex((d) => d.name === 'flexion'), joint);
  const flexion = () => page.evaluate(([j, d]) => studio.now.model.character.angles(j)[d], [joint, dof]);
  await page.getByLabel('Find a joint').fill(name);
  await page.locator('fieldset:visible').getByLabel('flexion', { exact: true }).fill('40');
  assert.ok(Math.abs((await flexion()) - (40 * Math.PI) / 180) < 0.01);
  await settle();
  // The next joint of the finger, on the page.
  const at = await page.evaluate((n) => {
    const { character } = studio.now.model;
    const child = character.joints.findIndex((j) => j.name === n.replace('proximal', 'intermediate'));
    const point = studio.stage.camera.position.clone().fromArray(character.world(child), 12).project(studio.stage.camera);
    const box = studio.stage.canvas.getBoundingClientRect();
    return [box.left + ((point.x + 1) / 2) * box.width, box.top + ((1 - point.y) / 2) * box.height];
  }, name);
  const before = await flexion();
  await page.mouse.move(...at);
  await page.mouse.down();
  await page.mouse.move(at[0] + 60, at[1] - 80, { steps: 12 });
  await page.mouse.up();
  const after = await flexion();
  await page.waitForTimeout(300);
  const shown = await page.locator('fieldset:visible').getByLabel('flexion', { exact: true }).inputValue();
  assert.ok(Math.abs(Number(shown) - (after * 180) / Math.PI) <= 1, 'the slider follows');
  assert.ok(Math.abs(after - before) > 0.1, `dragging turned it from ${before} to ${after}`);
  const { min, max } = await page.evaluate((j) => studio.now.model.character.joints[j].dofs.find((d) => d.name === 'flexion'), joint);
  assert.ok(after >= min - 1e-4 && after <= max + 1e-4);
  await shoot('studio-joints');
  await page.locator('#stage canvas').focus();
  await page.keyboard.press('e');
  await settle();
  assert.equal(await flexion(), after, 'switching a layer keeps the pose');
  await page.keyboard.press('e');
  await page.getByText('Joints', { exact: true }).click();
});

test('colours come with a legend', async () => {
  await pause(2);
  await page.getByText('Colours', { exact: true }).click();
  for (const colouring of ['displacement', 'weights', 'supports', 'modes']) {
    await page.getByLabel('show').selectOption(colouring);
    await settle();
    await page.waitForFunction(() => studio.legend && document.querySelector('.legend').textContent.includes(studio.legend.title));
    assert.ok(await page.locator('.legend').isVisible(), colouring);
    await shoot(`studio-${colouring}`);
  }
  await page.getByLabel('show').selectOption('none');
});

test('a broken file is refused with its name and a reason, and the hand stays', async () => {
  for (const [name, bytes] of [['broken.glb', 'not a model'], ['empty.gltf', '{}'], ['picture.png', '...']]) {
    await drop(page, [[name, Buffer.from(bytes)]]);
    const message = page.locator('.message.error').last();
    await message.waitFor();
    assert.match(await message.textContent(), new RegExp(name.replace('.', '\\.')));
    assert.ok((await message.textContent()).length > name.length + 10);
    assert.equal(await page.evaluate(() => studio.now.model.name), 'demo.glb');
    if (name === 'broken.glb') await shoot('studio-broken-file');
    await page.locator('.message button').last().click();
  }
});

test('what is on stage is exported as a valid .glb and as a picture', async () => {
  await pause(1.5);
  const [glb] = await Promise.all([page.waitForEvent('download'), page.getByText('Save .glb').click()]);
  const file = join(scratch, 'export.glb');
  await glb.saveAs(file);
  const checked = spawnSync('node', [join(root, 'tests/node/validate.mjs'), file], { encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stdout + checked.stderr);
  const [png] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('p')]);
  await png.saveAs(join(scratch, 'export.png'));
  assert.equal(readFileSync(join(scratch, 'export.png')).subarray(1, 4).toString(), 'PNG');
});

/** A .gltf of one mesh without joints, its triangles corner by corner. */
function triangles(...corners) {
  const bytes = Buffer.from(new Float32Array(corners).buffer);
  return JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: corners.length / 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 1] }],
    bufferViews: [{ buffer: 0, byteLength: bytes.length }],
    buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
  });
}

test('odd files are shown or refused, and the page goes on', async () => {
  const skeleton = '{"asset":{"version":"2.0"},"nodes":[{"name":"a"}],"scenes":[{"nodes":[0]}]}';
  for (const [name, text, reason] of [['empty.glb', '', /empty/], ['nan.gltf', triangles(0, 0, 0, NaN, 0, 0, 0, 1, 0), /vertex 1 is not finite/], ['one.gltf', triangles(0, 0, 0), /1 corners/], ['skeleton.gltf', skeleton, /no surface/]]) {
    await drop(page, [[name, Buffer.from(text)]]);
    await page.locator('.message.error', { hasText: name }).waitFor();
    assert.match(await page.locator('.message.error', { hasText: name }).textContent(), reason);
    assert.equal(await page.evaluate(() => studio.now.model.name), 'demo.glb');
  }
  for (const [name, text] of [['triangle.gltf', triangles(0, 0, 0, 1, 0, 0, 0, 1, 0)], ['flat.gltf', triangles(0, 0, 0, 0, 0, 0, 0, 0, 0)]]) {
    await drop(page, [[name, Buffer.from(text)]]);
    await page.waitForFunction((n) => studio.now?.model.name === n, name);
    await settle();
    assert.ok((await page.evaluate(async () => (await checkShader(studio.now.model)).worst)) <= 2e-6, name);
    assert.ok(await page.evaluate(() => studio.stage.camera.position.toArray().every(Number.isFinite)), name);
  }
});

/** Opens a file in the studio, as if it were dropped. */
async function open(file) {
  const name = file.slice(file.lastIndexOf('/') + 1);
  await page.evaluate(() => void (globalThis.before = studio.now));
  await drop(page, [[name, readFileSync(file)]]);
  await page.waitForFunction((n) => studio.now !== before && studio.now?.model.name === n, name);
  await settle();
  return name;
}

/** Corrected hands of some ten thousand vertices are the demo's with four or sixteen triangles for each. */
const finer = (levels) => () => {
  const file = join(scratch, `hand-${levels}.glb`);
  run('subdivide', join(root, 'build/studio/demo.glb'), '--levels', String(levels), '-o', file);
  return file;
};
const models = [
  ['the demo hand', 4, () => join(root, 'build/studio/demo.glb')],
  ['a corrected hand of 16 thousand vertices', 2, finer(1)],
  ['a corrected hand of 64 thousand vertices', 1, finer(2)],
  ['Fox', 4, () => join(data, 'gltf_khronos/Fox.glb')],
  ['CesiumMan', 4, () => join(data, 'gltf_khronos/CesiumMan.glb')],
];
for (const [name, poses, fileOf] of models)
  test(`the browser's vertex shader gives what the engine gives: ${name}`, async (t) => {
    const file = fileOf();
    if (!existsSync(file)) return t.skip(`needs ${file} (set SUPPLE_DATA to the data folder)`);
    await open(file);
    const found = await page.evaluate((n) => checkShader(studio.now.model, n), poses);
    t.diagnostic(`${found.vertices} vertices compared, worst ${found.worst.toExponential(1)} of the size (${found.part}, vertex ${found.vertex}, ${found.blend}), normals ${found.worstNormal.toExponential(1)}`);
    assert.ok(found.vertices > 0 && found.worst <= 3e-6); // 25 roundings of single precision, 1.2e-7 each: offsets of many modes are added up
    // Offsets of normals are kept to 1e-5 each, and many modes are added up: 2.7e-4 was measured at 16 thousand vertices. Whether a
    // short sum in a crease explains all of that was not looked into.
    assert.ok(found.worstNormal <= 5e-4);
    await shoot(`studio-${file.slice(file.lastIndexOf('/') + 1)}`);
  });

test('examples stand beside the skin that was fitted to them', async () => {
  const folder = fewExamples(join(scratch, 'examples'));
  const beside = await serve('--examples', folder);
  const { page: own, problems: found } = await openStudio(browser, beside.url);
  await own.waitForFunction(() => studio.examples, null, { timeout: 240_000 });
  await own.locator('#panel svg .curve').waitFor();
  await own.evaluate(() => Object.assign(studio.settings, { split: true, colouring: 'error' }));
  await own.getByLabel('example', { exact: true }).fill('3');
  await own.waitForFunction(() => studio.legend);
  assert.deepEqual(await own.locator('#labels span').allTextContents(), ['linear blend', 'Supple', 'reference']);
  assert.equal(await own.evaluate(() => studio.legend.title), 'distance from the reference');
  await shoot('studio-examples', own);
  // A joint that is turned leaves the example.
  await own.evaluate(() => studio.moved());
  await settle(own);
  assert.deepEqual(await own.locator('#labels span').allTextContents(), ['linear blend', 'Supple']);
  // A set of another character is refused and named; the page goes on.
  await drop(own, [['fox.glb', readFileSync(join(root, 'build/studio/demo.glb'))]]);
  await own.waitForFunction(() => studio.now?.model.name === 'fox.glb');
  run('make', 'limb', '-o', join(scratch, 'limb.glb'));
  await drop(own, [['limb.glb', readFileSync(join(scratch, 'limb.glb'))]]);
  await own.waitForFunction(() => studio.now?.model.name === 'limb.glb');
  const files = readdirSync(folder).filter((name) => /\.npy$|^examples\.json$/.test(name));
  await drop(own, files.map((name) => [name, readFileSync(join(folder, name))]));
  await own.locator('.message.error').waitFor();
  assert.match(await own.locator('.message.error').textContent(), /example set/);
  assert.equal(await own.evaluate(() => studio.examples), null);
  await settle(own);
  assert.deepEqual(found, []);
  await own.close();
  await beside.close();
});

test('a recorded hand motion arrives over a stream on this machine', async (t) => {
  const recording = join(data, 'leap_hand_motion/leap_recording_49fps.decoded.json');
  if (!existsSync(recording)) return t.skip(`needs ${recording} (set SUPPLE_DATA to the data folder)`);
  const replay = spawn('node', [join(root, 'packages/live/tools/replay.mjs'), recording, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const address = await new Promise((resolve, reject) => {
      replay.on('exit', () => reject(new Error('the replay ended: build packages/live first (npm run build)')));
      replay.stdout.on('data', (text) => {
        const found = /ws:\/\/[\d.:]+/.exec(String(text));
        if (found) resolve(found[0]);
      });
    });
    run('make', 'hand', '--vertices', '2000', '-o', join(scratch, 'hand.glb'));
    await open(join(scratch, 'hand.glb'));
    await page.getByText('Live hand', { exact: true }).click();
    await page.getByLabel('Address of the stream').fill(address);
    await page.getByText('Connect', { exact: true }).click();
    await page.getByText(/Following: \d+ frames/).waitFor();
    const pose = () => page.evaluate(() => studio.now.model.character.joints.map((_, j) => studio.now.model.character.rotation(j)));
    const first = await pose();
    await page.waitForTimeout(700);
    assert.notDeepEqual(await pose(), first);
    await shoot('studio-live');
    await page.getByLabel('Address of the stream').fill('ws://example.com:80');
    await page.getByText('Connect', { exact: true }).click();
    await page.getByText(/another machine/).waitFor();
  } finally {
    replay.kill();
  }
});

test('it works on a phone, in the dark', async () => {
  const phone = await openStudio(browser, server.url, { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true });
  const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} pixels wide`);
  const stage = await phone.page.locator('#stage').boundingBox();
  assert.ok(stage.height > 300 && stage.width === 390);
  await shoot('studio-phone', phone.page);
  assert.deepEqual(phone.problems, []);
  await phone.page.close();
});

test('nothing is stored, nothing is asked of other machines, nothing fails on the way', async () => {
  assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]), [0, 0, '']);
  assert.deepEqual([...hosts], [new URL(server.url).hostname]);
  assert.deepEqual(problems, []);
});

test('the page is light', (t) => {
  const folder = join(root, 'build/studio/assets');
  const bytes = readdirSync(folder).reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name)), { level: 9 }).length, 0);
  t.diagnostic(`${Math.round(bytes / 1024)} KiB compressed, without the demo model`);
  assert.ok(bytes < 1.5e6);
});
