// Posing by hand: chains that bend, numbers that are typed, undo, and controls that keep still.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { apart, dragTo, moved as names, onPage as onAnyPage, openHand, pose as poseOn } from './posing.mjs';
import { drop, frames, picture, run, scratch, shootPage } from './support.mjs';

let page, problems, close, playedAtOnce;

before(async () => {
  ({ page, problems, close } = await openHand());
  playedAtOnce = await page.evaluate(() => studio.playback.playing);
});
after(() => close?.());
beforeEach(async () => {
  await page.evaluate(() => { studio.playback.toggle(false); resetAll(); studio.history.clear(); });
  await frames(page);
});

const pose = () => poseOn(page);
const jointNames = () => page.evaluate(() => studio.now.model.character.joints.map((j) => j.name));
const onPage = (name) => onAnyPage(page, name);
async function drag(name, [dx, dy], steps) {
  const [x, y] = await onPage(name);
  await dragTo(page, [x, y], [x + dx, y + dy], steps);
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
  assert.equal(await page.evaluate(() => matchMedia('(prefers-reduced-motion: reduce)').matches), true);
  assert.equal(playedAtOnce, false); // otherwise it does: studio.test.mjs
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
  const usual = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 568 });
  await frames(page);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
  const inside = await page.evaluate(() =>
    [...document.querySelectorAll('#playback > *, #panel .row')].filter((e) => e.getBoundingClientRect().right > 320.5).map((e) => e.textContent));
  assert.deepEqual(inside, []);
  await shootPage(page, 'studio-320');
  await page.setViewportSize(usual);
});

test('a limb bends as a chain, and a rig without limits too', async (t) => {
  run('make', 'figure', '--vertices', '2000', '-o', join(scratch, 'figure.glb'));
  await drop(page, [['figure.glb', readFileSync(join(scratch, 'figure.glb'))]]);
  await page.waitForFunction(() => studio.now?.model.name === 'figure.glb');
  await page.evaluate(() => resetAll());
  await frames(page);
  const before = await pose();
  await drag('hand-left', [-50, -60], 5);
  const all = await jointNames();
  const moved = names(before, await pose()).map((j) => all[j]);
  t.diagnostic(`moved: ${moved.join(', ')}`);
  assert.ok(moved.includes('upper-arm-left') && moved.includes('forearm-left') && moved.every((name) => /left/.test(name)));
  await shootPage(page, 'studio-limb');
  // The same file as a rig that says nothing of limits.
  await page.evaluate(() => { for (const joint of studio.now.model.character.joints) joint.dofs.length = 0; resetAll(); });
  await frames(page);
  const ends = [];
  for (const steps of [2, 30]) {
    await page.evaluate(() => resetAll());
    await frames(page);
    await drag('hand-left', [-50, -60], steps);
    ends.push(await pose());
  }
  assert.ok(apart(ends[0], before) > 5);
  assert.ok(apart(...ends) < 0.1);
});

test('nothing fails on the way', () => assert.deepEqual(problems, []));
