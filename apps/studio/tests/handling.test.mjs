// Posing by hand: chains that bend, numbers that are typed, undo, and controls that keep still.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { frames, launch, openStudio, picture, root, run, scratch, serve, shootPage } from './support.mjs';

let browser, server, page, problems;

before(async () => {
  browser = await launch();
  server = await serve(join(root, 'build/studio/demo.glb'));
  ({ page, problems } = await openStudio(browser, server.url));
});
after(async () => {
  await browser?.close();
  await server?.close();
});
beforeEach(async () => {
  await page.evaluate(() => { studio.playback.toggle(false); resetAll(); studio.history.clear(); });
  await frames(page);
});

const pose = (from = page) => from.evaluate(() => studio.now.model.character.joints.map((_, j) => studio.now.model.character.rotation(j)));
/** Largest angle between two poses, degrees: quaternions are apart by twice the sine of a quarter of it. */
const apart = (a, b) => Math.max(...a.map((q, j) => (720 / Math.PI) * Math.asin(Math.min(1, Math.hypot(...q.map((x, k) => x - b[j][k])) / 2))));
const names = (a, b) => a.flatMap((q, j) => (q.some((x, k) => Math.abs(x - b[j][k]) > 1e-5) ? [j] : []));
const jointNames = (from = page) => from.evaluate(() => studio.now.model.character.joints.map((j) => j.name));
const onPage = (name, from = page) =>
  from.evaluate((n) => {
    const { character } = studio.now.model;
    const point = studio.stage.camera.position.clone().fromArray(character.world(character.joints.findIndex((j) => j.name === n)), 12).project(studio.stage.camera);
    const box = studio.stage.canvas.getBoundingClientRect();
    return [box.left + ((point.x + 1) / 2) * box.width, box.top + ((1 - point.y) / 2) * box.height];
  }, name);
async function drag(name, [dx, dy], steps, from = page) {
  const [x, y] = await onPage(name, from);
  await from.mouse.move(x, y);
  await from.mouse.down();
  await from.mouse.move(x + dx, y + dy, { steps });
  await from.mouse.up();
  await frames(from);
}
const withinLimits = () =>
  page.evaluate(() => {
    const { character } = studio.now.model;
    return character.joints.every(({ dofs }, j) => {
      const angles = dofs.length > 0 ? character.angles(j) : [];
      return dofs.every(({ min, max }, d) => angles[d] >= min - 1e-3 && angles[d] <= max + 1e-3); // radians: angles are read off a rotation
    });
  });
const tip = 'index-finger-tip';

test('a fingertip bends its whole finger and nothing else, within limits, and comes under the pointer', async (t) => {
  const before = await pose();
  const [x, y] = await onPage(tip);
  // Towards the palm: half of the way to the root of the finger.
  const root = await onPage('index-finger-phalanx-proximal');
  const way = [0.45 * (root[0] - x), 0.45 * (root[1] - y) + 30];
  await drag(tip, way, 6);
  const moved = names(before, await pose());
  const all = await jointNames();
  t.diagnostic(`moved: ${moved.map((j) => all[j]).join(', ')}`);
  assert.ok(moved.length >= 3 && moved.every((j) => all[j].startsWith('index-finger')));
  assert.ok(await withinLimits());
  const at = await onPage(tip);
  t.diagnostic(`the tip is ${Math.hypot(at[0] - x - way[0], at[1] - y - way[1]).toFixed(2)} pixels from the pointer`);
  assert.ok(Math.hypot(at[0] - x - way[0], at[1] - y - way[1]) < 1);
  await shootPage(page, 'studio-chain');
});

test('the same drag in 2 and in 30 events ends in the same pose, also beyond what can be reached', async (t) => {
  for (const way of [[60, 45], [-420, 260]]) {
    const ends = [];
    for (const steps of [2, 30]) {
      await page.evaluate(() => resetAll());
      await frames(page);
      await drag(tip, way, steps);
      ends.push(await pose());
    }
    const rest = await page.evaluate(() => studio.now.model.rests);
    t.diagnostic(`${way}: ${apart(ends[0], ends[1]).toExponential(1)} degrees apart, ${apart(ends[0], rest).toFixed(0)} degrees from rest`);
    assert.ok(apart(ends[0], rest) > 5);
    assert.ok(apart(...ends) < 0.1);
    assert.ok(await withinLimits());
  }
});

test('undo and redo give poses back exactly', async () => {
  const poses = [await pose()];
  for (const [name, way] of [[tip, [50, 40]], ['middle-finger-tip', [30, 60]], ['thumb-tip', [40, 20]]]) {
    await drag(name, way, 3);
    poses.push(await pose());
  }
  await page.locator('#stage canvas').focus();
  for (const before of [poses[2], poses[1], poses[0]]) {
    await page.keyboard.press('Control+z');
    assert.deepEqual(await pose(), before);
  }
  assert.ok(await page.getByTitle('Undo').isDisabled());
  await page.keyboard.press('Control+Shift+Z');
  assert.deepEqual(await pose(), poses[1]);
  await page.getByTitle('Redo').click();
  assert.deepEqual(await pose(), poses[2]);
  await drag(tip, [10, 10], 2);
  assert.ok(await page.getByTitle('Redo').isDisabled(), 'another way was taken');
});

test('a clip that is paused keeps its pose under the hand, and undo goes back to it', async () => {
  await page.evaluate(() => { studio.playback.standAt(0, 1.1); studio.released(); });
  await frames(page);
  const clip = await pose();
  await drag('thumb-tip', [25, 15], 4);
  const moved = names(clip, await pose());
  const all = await jointNames();
  assert.ok(moved.length > 0 && moved.every((j) => all[j].startsWith('thumb')), moved.map((j) => all[j]).join());
  await page.keyboard.press('Control+z');
  await frames(page);
  assert.deepEqual(await pose(), clip);
  assert.equal(await page.evaluate(() => studio.posedByHand), false);
});

test('numbers are typed, and a joint goes back to rest by itself', async () => {
  await page.getByText('Joints', { exact: true }).click();
  await page.getByLabel('Find a joint').fill('index-finger-phalanx-proximal');
  const group = page.locator('fieldset:visible');
  await group.getByLabel('degrees of flexion').fill('33.5');
  await page.keyboard.press('Enter');
  const flexion = () =>
    page.evaluate(() => {
      const { character } = studio.now.model;
      const j = character.joints.findIndex((joint) => joint.name === 'index-finger-phalanx-proximal');
      return (character.angles(j)[character.joints[j].dofs.findIndex((d) => d.name === 'flexion')] * 180) / Math.PI;
    });
  assert.ok(Math.abs((await flexion()) - 33.5) < 0.01);
  await group.getByLabel('degrees of flexion').fill('900');
  await page.keyboard.press('Enter');
  assert.ok((await flexion()) < 90.01, 'no further than the limit');
  await group.getByLabel('index-finger-phalanx-proximal to rest').click();
  assert.ok(Math.abs(await flexion()) < 0.01);
  await page.locator('#stage canvas').focus();
  await page.keyboard.press('Control+z');
  assert.ok((await flexion()) > 70);
  await shootPage(page, 'studio-joint-numbers');
  await page.getByText('Joints', { exact: true }).click();
});

test('a joint under the pointer tells its name; others do not show when nobody points', async () => {
  const at = await onPage(tip);
  await page.mouse.move(...at);
  await page.locator('#joint-name', { hasText: tip }).waitFor();
  await frames(page);
  await shootPage(page, 'studio-joint-name');
  const pointed = await picture(page);
  await page.mouse.move(1200, 300);
  await page.locator('#joint-name').waitFor({ state: 'hidden' });
  await frames(page);
  assert.ok(!pointed.equals(await picture(page)));
});

test('wireframe and skeleton are drawn, and the list of parts is folded', async () => {
  await page.mouse.move(1200, 300);
  await frames(page);
  const plain = await picture(page);
  for (const label of ['skeleton', 'wireframe']) {
    await page.getByLabel(label, { exact: true }).check();
    await frames(page);
    assert.ok(!plain.equals(await picture(page)), label);
    await shootPage(page, `studio-${label}`);
    await page.getByLabel(label, { exact: true }).uncheck();
    await frames(page);
    assert.ok(plain.equals(await picture(page)), label);
  }
  assert.equal(await page.getByLabel('bones', { exact: true }).isVisible(), false);
  await page.getByText('Parts (2)').click();
  assert.ok(await page.getByLabel('bones', { exact: true }).isVisible());
});

test('the keyboard stays where it was when the panel is built anew', async () => {
  const blend = page.getByLabel('blend', { exact: true });
  await blend.focus();
  await blend.selectOption('dual-quaternion');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'blend');
  await blend.selectOption('linear');
});

test('letters are commands under CapsLock too', async () => {
  await page.locator('#stage canvas').focus();
  const split = () => page.evaluate(() => studio.settings.split);
  await page.keyboard.press('S');
  assert.equal(await split(), true);
  await page.keyboard.press('s');
  assert.equal(await split(), false);
});

test('nothing plays by itself where people want no motion', async () => {
  const still = await openStudio(browser, server.url, { reducedMotion: 'reduce' });
  assert.equal(await still.page.evaluate(() => studio.playback.playing), false);
  await still.page.close();
});

test('a picture is drawn when something has changed, and not before', async () => {
  const pictures = () => page.evaluate(() => studio.pictures);
  await page.mouse.move(1200, 300);
  await frames(page);
  const still = await pictures();
  await frames(page);
  assert.equal(await pictures(), still);
  for (const change of [() => studio.stage.camera.position.multiplyScalar(1.01), () => (studio.settings.corrections = !studio.settings.corrections), () => studio.moved()]) {
    const before = await pictures();
    await page.evaluate(change);
    await frames(page);
    assert.ok((await pictures()) > before, String(change));
  }
});

test('a screen of 320 pixels holds it', async () => {
  const narrow = await openStudio(browser, server.url, { viewport: { width: 320, height: 568 }, hasTouch: true });
  assert.ok((await narrow.page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
  const inside = await narrow.page.evaluate(() =>
    [...document.querySelectorAll('#playback > *, #panel .row')].filter((e) => e.getBoundingClientRect().right > 320.5).map((e) => e.textContent));
  assert.deepEqual(inside, []);
  await shootPage(narrow.page, 'studio-320');
  await narrow.page.close();
});

test('a limb bends as a chain, and a rig without limits too', async (t) => {
  run('make', 'figure', '--vertices', '2000', '-o', join(scratch, 'figure.glb'));
  const figure = await serve(join(scratch, 'figure.glb'));
  const own = await openStudio(browser, figure.url);
  await own.page.evaluate(() => { studio.playback.toggle(false); resetAll(); });
  await frames(own.page);
  const before = await pose(own.page);
  await drag('hand-left', [-50, -60], 5, own.page);
  const all = await jointNames(own.page);
  const moved = names(before, await pose(own.page)).map((j) => all[j]);
  t.diagnostic(`moved: ${moved.join(', ')}`);
  assert.ok(moved.includes('upper-arm-left') && moved.includes('forearm-left') && moved.every((name) => /left/.test(name)));
  await shootPage(own.page, 'studio-limb');
  // The same file as a rig that says nothing of limits.
  await own.page.evaluate(() => { for (const joint of studio.now.model.character.joints) joint.dofs.length = 0; resetAll(); });
  await frames(own.page);
  const ends = [];
  for (const steps of [2, 30]) {
    await own.page.evaluate(() => resetAll());
    await frames(own.page);
    await drag('hand-left', [-50, -60], steps, own.page);
    ends.push(await pose(own.page));
  }
  assert.ok(apart(ends[0], before) > 5);
  assert.ok(apart(...ends) < 0.1);
  await own.page.close();
  await figure.close();
});

test('nothing fails on the way', () => assert.deepEqual(problems, []));
