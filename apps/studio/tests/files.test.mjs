// Files as people have them: a .gltf with its parts, folders, several models at once, a served file that changes on disk, and what
// the validator says about them.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { computed, drop, frames, launch, openStudio, run, scratch, serve, shootPage } from './support.mjs';

let browser, server, page, problems, hosts;
const file = (name) => join(scratch, name);
const json = (name) => JSON.parse(readFileSync(file(name), 'utf8'));
const apart = (a, b) => (assert.equal(a.length, b.length), a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0));

/** limb/limb.gltf, limb/limb.bin and limb/textures/skin one.png, which its material shows. */
async function makeParts() {
  mkdirSync(file('limb/textures'), { recursive: true });
  run('make', 'limb', '--vertices', '600', '-o', file('plain.glb'), '--quiet');
  run('convert', file('plain.glb'), '-o', file('limb/limb.gltf'), '--quiet');
  const gltf = json('limb/limb.gltf');
  assert.equal(gltf.buffers[0].uri, 'limb.bin');
  gltf.images = [{ uri: 'textures/skin%20one.png' }];
  gltf.textures = [{ source: 0 }];
  (gltf.materials[0].pbrMetallicRoughness ??= {}).baseColorTexture = { index: 0 };
  writeFileSync(file('limb/limb.gltf'), JSON.stringify(gltf));
  const url = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 6, height: 4 });
    const context = canvas.getContext('2d');
    context.fillStyle = '#3070c0';
    context.fillRect(0, 0, 6, 4);
    return canvas.toDataURL('image/png');
  });
  writeFileSync(file('limb/textures/skin one.png'), Buffer.from(url.split(',')[1], 'base64'));
}

before(async () => {
  browser = await launch();
  run('make', 'limb', '--vertices', '300', '-o', file('first.glb'), '--quiet');
  server = await serve(file('first.glb'));
  ({ page, problems, hosts } = await openStudio(browser, server.url));
  await makeParts();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

const part = (name) => [name.slice(name.lastIndexOf('/') + 1), readFileSync(file(name))];
const opened = async (act) => {
  await page.evaluate(() => void (globalThis.before = studio.now));
  await act();
  await page.waitForFunction(() => studio.now !== before);
  await frames(page);
};
const texture = () => page.evaluate(() => studio.now.model.parts[0].material.map?.image?.width ?? 0);
const notes = () => page.textContent('#messages');
/** What a .glb looks like at a moment of its clip. */
const shape = async () => {
  await page.evaluate(() => (studio.playback.standAt(0, 1), studio.now.model.character.sample(0, 1)));
  return computed(page);
};
let plain;

test('a .gltf that is dropped with its parts is what the .glb is, and has its texture', async () => {
  await opened(() => drop(page, [part('plain.glb')]));
  plain = await shape();
  await opened(() => drop(page, [part('limb/limb.gltf'), part('limb/limb.bin'), part('limb/textures/skin one.png')]));
  assert.equal(await page.evaluate(() => studio.now.model.name), 'limb.gltf');
  assert.ok(apart(await shape(), plain) < 1e-6);
  assert.equal(await texture(), 6);
  assert.equal(await notes(), '');
  await shootPage(page, 'files-gltf');
});

test('parts that are missing are named, and what was on stage stays', async () => {
  await page.evaluate(() => void (globalThis.before = studio.now));
  await drop(page, [part('limb/limb.gltf')]);
  await page.locator('.message.error').waitFor();
  assert.match(await notes(), /limb\.gltf.*needs files that were not given: limb\.bin, textures\/skin one\.png/);
  assert.match(await notes(), /folder/);
  assert.ok(await page.evaluate(() => studio.now === before));
  await shootPage(page, 'files-missing');
  const cut = part('limb/limb.bin');
  await drop(page, [part('limb/limb.gltf'), [cut[0], cut[1].subarray(0, 1000)]]);
  await page.getByText(/has 1000 bytes where \d+ are needed/).waitFor();
  // Without its texture it is shown all the same.
  await opened(() => drop(page, [part('limb/limb.gltf'), part('limb/limb.bin')]));
  assert.match(await notes(), /textures that are not in the file: textures\/skin one\.png/);
  assert.ok(apart(await shape(), plain) < 1e-6);
});

/** As a person has chosen a folder, by the dialog of the browser. */
async function chooseFolder(folder) {
  await page.getByText('File', { exact: true }).click();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByText('Open a folder…').click()]);
  await chooser.setFiles(folder);
}

test('a folder is chosen: its only model opens with what lies below it', async () => {
  await opened(() => chooseFolder(file('limb')));
  assert.equal(await texture(), 6);
  assert.ok(apart(await shape(), plain) < 1e-6);
});

test('a folder is dropped', async () => {
  const session = await page.context().newCDPSession(page);
  const { x, y } = await page.evaluate(() => { const { left, top } = document.querySelector('#stage').getBoundingClientRect(); return { x: left + 50, y: top + 300 }; });
  const data = { items: [], files: [file('limb')], dragOperationsMask: 1 };
  await opened(async () => {
    for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x, y, data });
  });
  assert.equal(await page.evaluate(() => studio.now.model.name), 'limb.gltf');
  assert.equal(await texture(), 6);
});

test('of several models one is chosen', async () => {
  mkdirSync(file('many/inner'), { recursive: true });
  copyFileSync(file('plain.glb'), file('many/second.glb'));
  run('make', 'limb', '--vertices', '300', '-o', file('many/inner/first.glb'), '--quiet');
  writeFileSync(file('many/read me.txt'), 'nothing');
  await chooseFolder(file('many'));
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  assert.deepEqual(await dialog.locator('li').allTextContents(), ['many/inner/first.glb', 'many/second.glb']);
  await shootPage(page, 'files-choice');
  await opened(() => dialog.getByText('many/inner/first.glb').click());
  assert.equal(await page.evaluate(() => studio.now.model.name), 'first.glb');
  assert.equal(await dialog.count(), 0);
  // Escape opens none.
  await page.evaluate(() => void (globalThis.before = studio.now));
  await drop(page, [part('plain.glb'), part('many/inner/first.glb')]);
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.ok(await page.evaluate(() => studio.now === before));
  await drop(page, [['a.txt', Buffer.from('x')]]);
  await page.getByText(/a\.txt is no model/).waitFor();
});

test('the validator is fetched when it is asked for, and names places in the file', async () => {
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  const validate = async () => {
    if (!(await page.getByText('Validate', { exact: true }).isVisible())) await page.getByText('File', { exact: true }).click();
    await page.getByText('Validate', { exact: true }).click();
    await page.getByText(/glTF validator/).waitFor();
    return page.locator('#panel').getByText(/glTF validator/).textContent();
  };
  await opened(() => drop(page, [part('plain.glb')]));
  assert.ok(!asked.some((url) => /validator/.test(url)));
  assert.match(await validate(), /^0 errors, 0 warnings.*2\.0\.0/);
  assert.ok(asked.some((url) => /validator/.test(url)));
  // A wrong file: a rotation that is none, in a .gltf whose parts the validator reads, too.
  const gltf = json('limb/limb.gltf');
  delete gltf.materials[0].pbrMetallicRoughness.baseColorTexture; // the limb has no texture coordinates, which is wrong, too
  gltf.extensionsUsed = [...(gltf.extensionsUsed ?? []), 'EXT_nothing_known'];
  gltf.nodes.push({ name: 'far', rotation: [0, 0, 0, 2] });
  await opened(() => drop(page, [['wrong.gltf', Buffer.from(JSON.stringify(gltf))], part('limb/limb.bin'), part('limb/textures/skin one.png')]));
  assert.match(await validate(), /^1 error,/);
  const list = await page.locator('.issue').allTextContents();
  assert.match(list[0], new RegExp(`^error: .*out of range.*/nodes/${gltf.nodes.length - 1}/rotation/3`));
  assert.ok(list.some((text) => /EXT_nothing_known/.test(text) && /\/extensionsUsed/.test(text)), list.join('\n'));
  assert.ok(!list.some((text) => /not given|not found/i.test(text)), list.join('\n'));
  await page.locator('.issue').first().scrollIntoViewIfNeeded();
  await shootPage(page, 'files-validator');
});

test('a served file that changes on disk is shown anew, pose, camera and settings kept', async () => {
  const path = file('served.glb');
  run('make', 'limb', '--vertices', '600', '-o', path, '--quiet');
  const own = await serve(path);
  const { page: live, problems: found } = await openStudio(browser, own.url);
  const state = () => live.evaluate(() => {
    const { character } = studio.now.model;
    const { wipe, wireframe, colouring, blend } = studio.settings;
    return { camera: studio.stage.camera.position.toArray(), target: studio.stage.controls.target.toArray(), settings: { wipe, wireframe, colouring, blend }, bent: character.rotation(1), playing: studio.playback.playing, vertices: studio.now.model.vertexCount };
  });
  await live.evaluate(() => {
    studio.begin();
    studio.now.model.character.setRotation(1, [0, 0, Math.sin(0.35), Math.cos(0.35)]);
    studio.moved();
    Object.assign(studio.settings, { wireframe: true, colouring: 'weights', blend: 'dual-quaternion' });
    studio.changed();
    studio.stage.camera.position.set(0.3, 0.5, 1.4);
    studio.stage.controls.target.set(0.02, 0.3, 0);
    studio.stage.controls.update();
  });
  await frames(live);
  const before = await state();
  await live.evaluate(() => void (globalThis.before = studio.now));
  run('make', 'limb', '--vertices', '1200', '-o', file('next.glb'), '--quiet');
  renameSync(file('next.glb'), path);
  await live.waitForFunction(() => studio.now !== before);
  await live.getByText(/has changed on disk/).waitFor();
  await frames(live);
  const after = await state();
  assert.ok(after.vertices > 1.5 * before.vertices, 'it is the new one');
  assert.deepEqual({ ...after, vertices: 0 }, { ...before, vertices: 0 });
  await shootPage(live, 'files-reloaded');
  // A broken one is named, and what was there stays; another one that is dropped is not taken away.
  await live.evaluate(() => void (globalThis.before = studio.now));
  writeFileSync(path, 'not a model');
  await live.getByText(/served\.glb has changed and cannot be read/).waitFor();
  assert.ok(await live.evaluate(() => studio.now === before));
  await drop(live, [part('plain.glb')]);
  await live.waitForFunction(() => studio.now?.model.name === 'plain.glb');
  copyFileSync(file('plain.glb'), path);
  await live.waitForTimeout(4000);
  assert.equal(await live.evaluate(() => studio.now.model.name), 'plain.glb');
  assert.equal(await live.evaluate(() => document.querySelector('.message.note')?.textContent ?? ''), '');
  await live.close();
  await own.close();
  assert.deepEqual(found, []);
});

test('nothing was asked of other machines, nothing failed on the way', () => {
  assert.deepEqual([...hosts], [new URL(server.url).hostname]);
  assert.deepEqual(problems, []);
});
