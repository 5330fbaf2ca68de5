// Rings around the chosen joint: they turn it and nothing else, within limits, one step to undo each.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { apart, dragTo, moved, onPage, openHand, pose as poseOn } from './posing.mjs';
import { frames, shootPage } from './support.mjs';

let page, problems, close;
const name = 'index-finger-phalanx-proximal';

before(async () => ({ page, problems, close } = await openHand()));
after(() => close?.());
beforeEach(async () => {
  await page.evaluate((n) => {
    studio.playback.toggle(false);
    resetAll();
    studio.settings.rings = true;
    studio.settings.joint = studio.now.model.character.joints.findIndex((j) => j.name === n);
    studio.changed();
    studio.history.clear();
  }, name);
  await page.locator('#stage canvas').focus();
  await frames(page);
});

/** The picture on stage, as text. */
const pixels = () => page.evaluate(async () => String(new Uint8Array(await (await studio.stage.picture()).arrayBuffer())));
const pose = () => poseOn(page);
const chosen = () => page.evaluate(() => studio.settings.joint);
/** Degrees of the chosen joint. */
const angles = () => page.evaluate(() => studio.now.model.character.angles(studio.settings.joint).map((a) => (a * 180) / Math.PI));
const dofs = () => page.evaluate(() => studio.now.model.character.joints[studio.settings.joint].dofs);
/** Where places of a ring are on the page, by their angles from where its range begins; degrees. */
const onRing = (ring, degrees) =>
  page.evaluate(([r, list]) => {
    const { group } = studio.now.gizmo.rings[r];
    group.updateMatrixWorld(true);
    const box = studio.stage.canvas.getBoundingClientRect();
    return list.map((d) => {
      const angle = (d * Math.PI) / 180;
      const point = studio.stage.camera.position.clone().set(Math.cos(angle), Math.sin(angle), 0).applyMatrix4(group.matrixWorld).project(studio.stage.camera);
      return [box.left + ((point.x + 1) / 2) * box.width, box.top + ((1 - point.y) / 2) * box.height];
    });
  }, [ring, degrees]);
const every = (step, end) => Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
/** A place of the ring that no other ring and no joint is as near to, and one some degrees further. */
async function clearPlaces(ring, further) {
  const [{ min, max }, joints] = [(await dofs())[ring] ?? { min: -Math.PI, max: Math.PI }, await page.evaluate(() => {
    const box = studio.stage.canvas.getBoundingClientRect();
    return studio.now.jointView.joints.map((j) => studio.now.jointView.place(j).project(studio.stage.camera)).map((p) => [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height]);
  })];
  const range = ((max - min) * 180) / Math.PI;
  const count = await page.evaluate(() => studio.now.gizmo.rings.length);
  const others = [...joints];
  for (let r = 0; r < count; ++r) if (r !== ring) others.push(...(await onRing(r, every(5, 360))));
  const starts = every(3, range - further);
  const [from, to] = [await onRing(ring, starts), await onRing(ring, starts.map((d) => d + further))];
  const gaps = from.map(([x, y]) => Math.min(...others.map((other) => Math.hypot(other[0] - x, other[1] - y))));
  const best = gaps.indexOf(Math.max(...gaps));
  assert.ok(gaps[best] > 5, `a clear place on ring ${ring}: ${gaps[best]}`);
  return [from[best], to[best]];
}

test('rings are switched by a key and by a control with a name, and tell what they turn', async () => {
  const shown = await pixels();
  assert.match(await page.locator('#ring-name').textContent(), new RegExp(`${name}: .*0°`));
  await shootPage(page, 'studio-rings');
  await page.keyboard.press('g');
  await frames(page);
  assert.equal(await page.locator('#ring-name').isVisible(), false);
  const without = await pixels();
  assert.notEqual(shown, without);
  await page.getByLabel('rings to turn the chosen joint').check();
  await frames(page);
  assert.equal(shown, await pixels());
});

test('a ring turns one degree of freedom of one joint, and a drag is one step to undo', async (t) => {
  const before = await pose();
  for (const ring of (await dofs()).keys()) {
    const start = await angles();
    const [from, to] = await clearPlaces(ring, 15);
    await dragTo(page, from, to, 6);
    const end = await angles();
    t.diagnostic(`${(await dofs())[ring].name}: ${start.map(Math.round)} to ${end.map(Math.round)} degrees`);
    assert.deepEqual(moved(before, await pose()), [await chosen()]);
    end.forEach((angle, d) => assert.ok(d === ring ? Math.abs(angle - start[d] - 15) < 3 : Math.abs(angle - start[d]) < 0.1, `${angle} of ${d}`)); // samples of a ring are 1 to 6 degrees apart
    await page.keyboard.press('Control+z');
    await frames(page);
    assert.deepEqual(await pose(), before);
    assert.ok(await page.getByTitle('Undo').isDisabled(), 'one step');
  }
});

test('limits hold, and the number of events makes no difference', async () => {
  const ring = (await dofs()).findIndex(({ name }) => name === 'flexion');
  const ends = [];
  for (const steps of [2, 30]) {
    await page.evaluate(() => resetAll());
    await frames(page);
    const [from] = await clearPlaces(ring, 20);
    const centre = await onPage(page, name);
    // To the other side of the joint: half a turn is more than any finger has.
    await dragTo(page, from, [2 * centre[0] - from[0] + 5, 2 * centre[1] - from[1] + 5], steps);
    ends.push(await pose());
    const [now, all] = [await angles(), await dofs()];
    all.forEach(({ min, max }, d) => assert.ok(now[d] >= (min * 180) / Math.PI - 0.1 && now[d] <= (max * 180) / Math.PI + 0.1, `${now[d]}`));
  }
  assert.ok(apart(ends[0], await page.evaluate(() => studio.now.model.rests)) > 5);
  assert.ok(apart(...ends) < 0.1);
});

test('a click on a joint chooses it and undoes nothing; dragging joints goes on as before', async () => {
  const named = () => page.evaluate(() => studio.now.model.character.joints[studio.settings.joint].name);
  const before = await pose();
  await page.mouse.click(...(await onPage(page, 'thumb-phalanx-proximal')));
  await frames(page);
  assert.equal(await named(), 'thumb-phalanx-proximal');
  assert.deepEqual(await pose(), before);
  assert.ok(await page.getByTitle('Undo').isDisabled());
  const [x, y] = await onPage(page, 'thumb-tip');
  await dragTo(page, [x, y], [x + 25, y + 15], 4);
  assert.ok(moved(before, await pose()).length >= 2, 'the chain bends');
  assert.match(await named(), /^thumb/);
  await page.keyboard.press('Control+z');
  assert.deepEqual(await pose(), before);
});

test('keys choose joints and rings and turn them; a run of keys is one step to undo', async () => {
  const [before, start, first] = [await pose(), await angles(), await chosen()];
  for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowUp');
  const turned = await angles();
  assert.ok(Math.abs(turned[0] - start[0] - 6) < 0.1, `${start} ${turned}`);
  await page.keyboard.press('Control+z');
  assert.deepEqual(await pose(), before);
  await page.keyboard.press('a');
  await page.keyboard.press('ArrowUp');
  const other = await angles();
  assert.ok(Math.abs(other[1] - start[1] - 2) < 0.1 && Math.abs(other[0] - start[0]) < 0.1);
  await page.keyboard.press('.');
  assert.notEqual(await chosen(), first);
  await page.keyboard.press(',');
  assert.equal(await chosen(), first);
  await page.keyboard.press('g');
  await frames(page);
  const still = await pose();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('.');
  assert.deepEqual(await pose(), still);
  assert.equal(await chosen(), first);
});

test('a joint without limits has three rings and goes all the way round', async () => {
  await page.evaluate(() => {
    for (const joint of studio.now.model.character.joints) joint.dofs.length = 0;
    studio.settings.rings = false;
    studio.changed();
  });
  await frames(page);
  await page.keyboard.press('g');
  await frames(page);
  assert.equal(await page.evaluate(() => studio.now.gizmo.rings.length), 3);
  const before = await pose();
  const ring = await page.evaluate(() => {
    const { camera } = studio.stage;
    const facing = (r) => Math.abs(camera.position.clone().set(0, 0, 1).applyQuaternion(r.group.quaternion).dot(camera.getWorldDirection(camera.position.clone())));
    const all = studio.now.gizmo.rings.map(facing);
    return all.indexOf(Math.max(...all));
  });
  const [from] = await clearPlaces(ring, 10);
  const places = await onRing(ring, every(30, 360));
  const nearest = places.reduce((best, p, i) => (Math.hypot(p[0] - from[0], p[1] - from[1]) < Math.hypot(places[best][0] - from[0], places[best][1] - from[1]) ? i : best), 0);
  const round = [...places.slice(nearest + 1, 12), ...places.slice(0, nearest + 1)];
  await page.mouse.move(...from);
  await page.mouse.down();
  for (const place of round.slice(0, 6)) await page.mouse.move(...place);
  const half = await pose();
  for (const place of round.slice(6)) await page.mouse.move(...place);
  await page.mouse.move(...from);
  await page.mouse.up();
  assert.deepEqual(moved(before, half), [await chosen()]);
  assert.ok(apart(before, half) > 90);
  assert.ok(apart(before, (await pose()).map((q, j) => (q[3] * before[j][3] < 0 ? q.map((x) => -x) : q))) < 1, 'a whole turn ends where it began');
});

test('nothing fails on the way', () => assert.deepEqual(problems, []));
