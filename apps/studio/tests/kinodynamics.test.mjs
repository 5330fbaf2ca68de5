// Kinodynamic skin in the studio: it is drawn as the engine computes it, swings along clips and behind joints, and its
// sliders, overlays and colours do what they say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { computed, drop, frames, launch, openStudio, picture, run, scratch, serve, shootPage } from './support.mjs';

let browser, server, page, problems;

before(async () => {
  const plain = join(scratch, 'limb.glb');
  const file = join(scratch, 'muscles.glb');
  run('make', 'limb', '--vertices', '1500', '-o', plain);
  run('add', 'kinodynamics', plain, '--auto', '--no-compare', '-o', file);
  browser = await launch();
  server = await serve(file);
  ({ page, problems } = await openStudio(browser, server.url));
});
after(async () => {
  await browser?.close();
  await server?.close();
});

const pause = (time) => page.getByLabel('Time', { exact: true }).fill(String(time));
const flowing = () => page.evaluate(async () => [...(await studio.now.model.remote.ask('flowing', [0])).positions]);
const linear = () => computed(page);
const apart = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
const blend = (way) => page.getByLabel('blend', { exact: true }).selectOption(way);
const openColours = () => page.locator('summary', { hasText: 'Colours' }).click();

test('kinodynamic beside linear and dual quaternions: other vertices, drawn as the engine has them', async (t) => {
  assert.equal(await page.evaluate(() => studio.settings.blend), 'kinodynamic', 'a file that carries muscles opens with them on');
  await blend('linear');
  await pause(0.9);
  await frames(page);
  const plain = await picture(page);
  assert.equal(await page.locator('summary', { hasText: 'Kinodynamics' }).isVisible(), false);
  await blend('kinodynamic');
  await frames(page);
  await page.locator('summary', { hasText: 'Kinodynamics' }).waitFor();
  assert.ok(!Buffer.from(await picture(page)).equals(plain));
  const gap = apart(await flowing(), await linear());
  t.diagnostic(`the flow is up to ${(1000 * gap).toFixed(1)} mm from linear blend`);
  assert.ok(gap > 1e-3);
  const drawn = await page.evaluate(() => [...studio.now.supple.group.children[0].geometry.getAttribute('position').array]);
  assert.deepEqual(drawn, await flowing());
  await shootPage(page, 'studio-kinodynamic');
  await page.keyboard.press('1');
  await frames(page);
  assert.ok(Buffer.from(await picture(page)).equals(plain));
  await page.keyboard.press('3');
  await frames(page);
});

test('a clip plays frame after frame; scrubbing seeks', async () => {
  const calls = () =>
    page.evaluate(() => {
      const { remote } = studio.now.model;
      globalThis.calls = { animate: 0, seek: 0, settle: 0 };
      remote.ask = function (name, words, ...others) {
        const how = name === 'frame' && words[0].muscles?.how;
        if (how) ++globalThis.calls[how];
        return Object.getPrototypeOf(this).ask.call(this, name, words, ...others);
      };
    });
  await calls();
  await page.evaluate(() => { studio.playback.speed = 0.1; studio.playback.toggle(true); }); // slow: no end of the clip in between
  await frames(page);
  await frames(page);
  const played = await page.evaluate(() => ({ ...globalThis.calls }));
  assert.ok(played.animate > 2 && played.seek <= 1, JSON.stringify(played));
  await pause(0.4);
  await frames(page);
  const paused = await page.evaluate(() => ({ ...globalThis.calls }));
  assert.equal(paused.seek, played.seek + 1, 'sought once, then at rest');
  await page.evaluate(() => {
    delete studio.now.model.remote.ask;
    studio.playback.speed = 1;
  });
});

test('sliders change the swing, of one muscle or of all', async () => {
  await pause(0.9);
  await frames(page);
  const before = await flowing();
  const slider = page.getByLabel('swing frequency', { exact: true });
  await slider.fill(await slider.getAttribute('min'));
  assert.ok(Math.abs((await page.evaluate(() => studio.now.model.kinodynamics.parameters(0).frequency)) - 0.5) < 0.01);
  await frames(page);
  assert.ok(apart(await flowing(), before) > 1e-5, 'another frequency, another swing');
  await page.getByLabel('Muscle', { exact: true }).selectOption('0');
  await page.getByLabel('swing damping', { exact: true }).fill('1.5');
  const ratios = await page.evaluate(() => {
    const { kinodynamics } = studio.now.model;
    return kinodynamics.muscles.map((_, m) => kinodynamics.parameters(m).dampingRatio);
  });
  assert.equal(ratios[0], 1.5);
  assert.ok(ratios.slice(1).every((ratio) => ratio !== 1.5), 'the others stay');
  await page.getByLabel('Muscle', { exact: true }).selectOption('-1');
  await page.getByLabel('window', { exact: true }).fill('0');
  await frames(page);
  assert.equal(await page.evaluate(() => studio.now.model.kinodynamics.window), 0);
  await page.getByLabel('window', { exact: true }).fill('1');
});

test('muscles trail behind a joint that is turned by hand, and come to rest', async () => {
  await page.getByLabel('swing frequency', { exact: true }).fill(String(Math.log(2)));
  await page.getByLabel('swing damping', { exact: true }).fill('0.2');
  await page.evaluate(() => {
    const { character } = studio.now.model;
    character.rest();
    studio.moved();
  });
  await frames(page);
  // The first frames that come: a slow machine has few before it rests.
  const swinging = await page.evaluate(async () => {
    const { model, skinner, supple } = studio.now;
    model.character.setRotation(model.character.joints.findIndex((j) => j.name === 'limb-0'), [0, 0, Math.sin(0.3), Math.cos(0.3)]);
    studio.moved();
    const found = [];
    while (found.length < 5) {
      const { arrivals } = skinner;
      while (skinner.arrivals === arrivals) await new Promise((done) => setTimeout(done, 1));
      found.push([...supple.group.children[0].geometry.getAttribute('position').array]);
    }
    return found.slice(1); // the first may have been asked for before
  });
  let still = await flowing();
  for (let i = 0; i < 60; ++i) {
    await page.waitForTimeout(500);
    const now = await flowing();
    const rests = apart(now, still) < 1e-7;
    still = now;
    if (rests) break;
  }
  assert.ok(Math.max(...swinging.map((shape) => apart(shape, still))) > 1e-4, 'nothing trails behind');
  assert.ok(apart(await flowing(), still) < 1e-6, 'it swings for ever');
});

test('field, integrator and volume of a joint change the flow', async () => {
  await pause(0.9);
  await frames(page);
  const before = await flowing();
  const differs = async (what) => {
    await frames(page);
    assert.ok(apart(await flowing(), before) > 1e-5, what);
  };
  for (const source of ['primitives', 'painted']) {
    await page.getByLabel('field', { exact: true }).selectOption(source);
    await differs(source);
  }
  await page.getByLabel('field', { exact: true }).selectOption('automatic');
  await page.getByLabel('integrator', { exact: true }).selectOption('blend');
  await differs('blend');
  await page.getByLabel('integrator', { exact: true }).selectOption('rk4-limb');
  await frames(page);
  assert.ok(apart(await flowing(), before) < 1e-6);
  await page.getByLabel('Joint that keeps volume').selectOption({ label: 'limb-1' });
  await page.getByLabel('volume as the turn asks').uncheck();
  await page.getByLabel('alpha', { exact: true }).fill('0.8');
  assert.ok(Math.abs(Number(await page.getByLabel('beta', { exact: true }).inputValue()) - 0.2) < 1e-6, 'beta gives way');
  await page.getByLabel('alpha', { exact: true }).fill('0');
  await page.getByLabel('beta', { exact: true }).fill('0');
  await differs('no volume kept');
  await page.getByLabel('volume as the turn asks').check();
  await frames(page);
  assert.ok(apart(await flowing(), before) < 1e-6);
});

test('tissue and muscles are drawn', async () => {
  await pause(0.9);
  await frames(page);
  const plain = await picture(page);
  await page.getByLabel('muscles', { exact: true }).check();
  await frames(page);
  const muscles = await picture(page);
  assert.ok(!Buffer.from(muscles).equals(plain));
  await page.getByLabel('tissue', { exact: true }).check();
  await frames(page);
  assert.ok(!Buffer.from(await picture(page)).equals(muscles));
  await shootPage(page, 'studio-kinodynamic-tissue');
  await page.getByLabel('muscles', { exact: true }).uncheck();
  await page.getByLabel('tissue', { exact: true }).uncheck();
  await frames(page);
  assert.ok(Buffer.from(await picture(page)).equals(plain));
});

test('colours: weights, their slope, and the ratio of volumes once the pose rests', async () => {
  await openColours();
  const legends = {};
  const titles = { field: 'weight of', gradient: '|∇W|', determinant: 'det J', volume: 'change of volume' };
  for (const [colouring, title] of Object.entries(titles)) {
    await page.getByLabel('show', { exact: true }).selectOption(colouring);
    await page.waitForFunction((begin) => studio.legend?.title.startsWith(begin) && !studio.legend.title.includes('waits'), title);
    legends[colouring] = await page.evaluate(() => studio.legend);
    await shootPage(page, `studio-kinodynamic-${colouring}`);
  }
  assert.deepEqual([legends.field.low, legends.field.high], ['0', '1']);
  assert.ok(parseFloat(legends.gradient.high) > 0);
  assert.ok(Number(legends.determinant.low) > 0.8 && Number(legends.determinant.low) <= 1, legends.determinant.low);
  assert.ok(Number(legends.determinant.high) < 1.2 && Number(legends.determinant.high) >= 1, legends.determinant.high);
  assert.ok(parseFloat(legends.volume.high.slice(1)) <= 20);
  await blend('linear');
  await frames(page);
  assert.equal(await page.evaluate(() => studio.settings.colouring), 'none', 'they go with the flow');
});

test('a whole body with muscles', async (t) => {
  const plain = join(scratch, 'body.glb');
  const file = join(scratch, 'figure.glb');
  run('make', 'figure', '-o', plain);
  run('add', 'kinodynamics', plain, '--auto', '--no-compare', '-o', file);
  await drop(page, [['figure.glb', readFileSync(file)]]);
  await page.waitForFunction(() => studio.now?.model.name === 'figure.glb');
  await blend('kinodynamic');
  const each = await page.evaluate(async () => {
    studio.playback.choose(studio.now.model.character.clips.findIndex(({ name }) => name === 'run'));
    studio.playback.toggle(true);
    const { skinner } = studio.now;
    const times = [];
    while (times.length < 12) {
      const { arrivals } = skinner;
      while (skinner.arrivals === arrivals) await new Promise((done) => setTimeout(done, 2));
      times.push(skinner.milliseconds);
    }
    return times.sort((a, b) => a - b)[6];
  });
  t.diagnostic(`a frame of a figure takes ${each.toFixed(1)} ms`);
  await pause(0.25);
  await page.getByLabel('muscles', { exact: true }).check();
  await frames(page);
  await shootPage(page, 'studio-muscles');
});

test('a hand without any muscles flows too, and gets some by asking', async (t) => {
  const file = join(scratch, 'hand.glb');
  run('make', 'hand', '--vertices', '4000', '-o', file);
  await drop(page, [['hand.glb', readFileSync(file)]]);
  await page.waitForFunction(() => studio.now?.model.name === 'hand.glb');
  await page.evaluate(() => {
    const { character } = studio.now.model;
    const fist = character.clips.findIndex((clip) => /fist/.test(clip.name));
    studio.playback.choose(fist);
  });
  await pause(2.4);
  await blend('kinodynamic');
  await page.getByLabel('show', { exact: true }).selectOption('determinant');
  await page.waitForFunction(() => /^det J from \S+ to \S+$/.test(studio.legend?.title));
  await page.locator('.legend').scrollIntoViewIfNeeded();
  await shootPage(page, 'studio-determinant');
  const legend = await page.evaluate(() => studio.legend);
  t.diagnostic(`a fist: ${legend.title}, all but a hundredth from ${legend.low} to ${legend.high}`);
  assert.ok(Number(legend.low) <= 1 && Number(legend.high) >= 1 && Number(legend.high) < 2, `${legend.low} to ${legend.high}`);
  await page.getByLabel('show', { exact: true }).selectOption('none');
  await page.getByRole('button', { name: 'Propose muscles' }).click();
  await page.getByLabel('Muscle', { exact: true }).waitFor();
  await page.getByLabel('muscles', { exact: true }).check();
  await frames(page);
  assert.ok(await page.evaluate(() => studio.now.model.kinodynamics.muscles.length > 0 && studio.now.kinodynamicsView.muscles.visible));
});

test('nothing fails on the way', () => assert.deepEqual(problems, []));
