// Recordings: files that open elsewhere, with the pictures that were on stage, whatever time each took.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { frames, launch, openStudio, root, run, scratch, serve, shootPage } from './support.mjs';

let browser, server, page, problems;
const small = { viewport: { width: 760, height: 300 }, bypassCSP: true }; // the page's own policy plays no videos

before(async () => {
  browser = await launch();
  server = await serve(join(root, 'build/studio/demo.glb'));
  ({ page, problems } = await openStudio(browser, server.url, small));
  await page.locator('summary', { hasText: 'Record' }).click();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

async function record({ what, as, pictures }, from = page) {
  await from.getByLabel('what', { exact: true }).selectOption(what);
  await from.getByLabel('as', { exact: true }).selectOption(as);
  await from.getByLabel('pictures', { exact: true }).selectOption(String(pictures));
  const [download] = await Promise.all([from.waitForEvent('download'), from.getByRole('button', { name: 'Record', exact: true }).click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Decoded by the browser itself: how many pictures, their times (ms), and the pixels of some of them. */
const decoded = (bytes, which, from = page) =>
  from.evaluate(async ([base64, wanted]) => {
    const data = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const decoder = new ImageDecoder({ data, type: 'image/gif' });
    await Promise.all([decoder.tracks.ready, decoder.completed]);
    const count = decoder.tracks.selectedTrack.frameCount;
    const images = [];
    const durations = [];
    for (let frameIndex = 0; frameIndex < count; ++frameIndex) {
      const { image } = await decoder.decode({ frameIndex });
      durations.push(image.duration / 1000);
      if (wanted.includes(frameIndex)) {
        const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        images.push([...context.getImageData(0, 0, canvas.width, canvas.height).data]);
      }
      image.close();
    }
    return { count, durations, images };
  }, [bytes.toString('base64'), which]);

/** Pixels of the stage as it is now, without joints to drag. */
const onStage = async (from = page) => {
  await from.evaluate(() => { studio.settings.handles = false; studio.changed(); });
  await frames(from);
  const pixels = await from.evaluate(async () => {
    const bitmap = await createImageBitmap(await studio.stage.picture());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return [...context.getImageData(0, 0, bitmap.width, bitmap.height).data];
  });
  await from.evaluate(() => { studio.settings.handles = true; studio.changed(); });
  return pixels;
};
const difference = (a, b) => a.reduce((sum, x, i) => sum + Math.abs(x - b[i]), 0) / a.length;
const standAt = (time, from = page) => from.evaluate((t) => { studio.playback.standAt(0, t); studio.released(); }, time);

test('a clip becomes a GIF: its pictures are those of the stage, and the same ones every time', async (t) => {
  const { start, end } = await page.evaluate(() => studio.playback.current);
  await page.getByLabel('Speed').selectOption('2');
  await standAt(start + 0.5);
  const { name, bytes } = await record({ what: 'clip', as: 'gif', pictures: 10 });
  assert.equal(name, 'demo.gif');
  const count = Math.round(((end - start) * 10) / 2);
  const which = [0, Math.floor(count / 3), Math.floor(count / 2)];
  const found = await decoded(bytes, which);
  assert.equal(found.count, count);
  assert.ok(found.durations.every((milliseconds) => milliseconds === 100));
  for (const [i, number] of which.entries()) {
    await standAt(start + number / 5);
    const gap = difference(found.images[i], await onStage());
    t.diagnostic(`picture ${number} of ${count}: ${gap.toFixed(2)} of 255 from the stage`);
    assert.ok(gap < 1.5); // 255 colours; steps of the dither are 8 where there are many
  }
  assert.ok(difference(found.images[0], found.images[2]) > 1, 'it moves');
  t.diagnostic(`${Math.round(bytes.length / 1024)} KiB`);
  await standAt(start + 0.5);
  assert.ok((await record({ what: 'clip', as: 'gif', pictures: 10 })).bytes.equals(bytes));
  assert.ok(Math.abs((await page.evaluate(() => studio.playback.time)) - start - 0.5) < 1e-6, 'the clip stands where it stood');
  await page.getByLabel('Speed').selectOption('1');
});

/** A video as a player has it: size, length, and its picture at some times, made small. */
const played = (bytes, type, times) =>
  page.evaluate(async ([base64, mime, seconds]) => {
    const blob = new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: mime });
    const video = Object.assign(document.createElement('video'), { muted: true, preload: 'auto', src: URL.createObjectURL(blob) });
    await new Promise((resolve, reject) => {
      video.onloadeddata = resolve;
      video.onerror = () => reject(new Error(video.error?.message ?? 'no video'));
    });
    const context = new OffscreenCanvas(64, 64).getContext('2d', { willReadFrequently: true });
    const pictures = [];
    for (const at of seconds) {
      const there = new Promise((resolve) => (video.onseeked = resolve));
      video.currentTime = at;
      await there;
      let pixels;
      do {
        await new Promise((done) => setTimeout(done, 20)); // a player says that it is there before it shows it
        context.drawImage(video, 0, 0, 64, 64);
        pixels = context.getImageData(0, 0, 64, 64).data;
      } while (pixels[3] === 0);
      pictures.push([...pixels]);
    }
    return { width: video.videoWidth, height: video.videoHeight, duration: video.duration, pictures };
  }, [bytes.toString('base64'), type, times]);
const shades = (pixels) => new Set(pixels.filter((_, i) => i % 4 === 0)).size;

test('a turntable becomes a video that players open, as long as it should be', async (t) => {
  const stage = await page.evaluate(() => ({ width: studio.stage.canvas.width, height: studio.stage.canvas.height, camera: studio.stage.camera.position.toArray() }));
  const { name, bytes } = await record({ what: 'turntable', as: 'video', pictures: 10 });
  assert.equal(name, 'demo.webm');
  const { width, height, duration, pictures } = await played(bytes, 'video/webm', [0.01, 2, 3.98]);
  t.diagnostic(`${Math.round(bytes.length / 1024)} KiB, ${width} x ${height}, ${duration} s, shades of red: ${pictures.map(shades)}`);
  assert.deepEqual([width, height], [stage.width, stage.height].map((pixels) => 2 * Math.round(pixels / 2)));
  assert.ok(Math.abs(duration - 4) < 0.001, `${duration} s`);
  for (const picture of pictures) assert.ok(shades(picture) > 20, 'something is seen');
  assert.ok(difference(pictures[0], pictures[1]) > 2 * difference(pictures[0], pictures[2]), 'it ends where it began, and was elsewhere between');
  assert.deepEqual(await page.evaluate(() => studio.stage.camera.position.toArray()), stage.camera, 'the camera stands where it stood');
});

test('a browser without an encoder for single pictures records by its MediaRecorder', async () => {
  await page.evaluate(() => { globalThis.kept = VideoEncoder; delete globalThis.VideoEncoder; });
  const { name, bytes } = await record({ what: 'turntable', as: 'video', pictures: 10 });
  await page.evaluate(() => (globalThis.VideoEncoder = kept));
  const { width, pictures } = await played(bytes, name.endsWith('mp4') ? 'video/mp4' : 'video/webm', [0]);
  assert.equal(width, await page.evaluate(() => 2 * Math.round(studio.stage.canvas.width / 2)));
  assert.ok(shades(pictures[0]) > 20);
});

test('a picture without background: the corners let everything through, the hand nothing, its shadow a part', async () => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Transparent picture' }).click()]);
  const bytes = readFileSync(await download.path());
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  const { corners, solid, partly, size } = await page.evaluate(async (base64) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const alpha = (x, y) => data[4 * (y * width + x) + 3];
    const all = Array.from({ length: width * height }, (_, p) => data[4 * p + 3]);
    return {
      corners: [alpha(0, 0), alpha(width - 1, 0), alpha(0, height - 1), alpha(width - 1, height - 1)],
      solid: all.filter((a) => a === 255).length,
      partly: all.filter((a) => a > 0 && a < 255).length,
      size: width * height,
    };
  }, bytes.toString('base64'));
  assert.deepEqual(corners, [0, 0, 0, 0]);
  assert.ok(solid > 0.02 * size && solid < 0.8 * size, `${solid} of ${size} pixels are solid`);
  assert.ok(partly > 0.005 * size, `${partly} of ${size} pixels let a part through`);
});

test('a recording tells how far it is and can be cancelled; everything stands as before then', async () => {
  await page.evaluate(() => studio.playback.toggle(true));
  await page.getByLabel('what', { exact: true }).selectOption('clip');
  await page.getByLabel('as', { exact: true }).selectOption('gif');
  await page.getByLabel('pictures', { exact: true }).selectOption('60');
  let saved = false;
  page.once('download', () => (saved = true));
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await page.waitForFunction(() => document.querySelector('#busy progress')?.value > 0.02);
  assert.match(await page.textContent('#busy'), /Recording the clip/);
  await shootPage(page, 'studio-recording');
  const time = await page.evaluate(() => studio.playback.time);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForFunction(() => !studio.recording);
  assert.equal(await page.evaluate(() => studio.playback.playing), true);
  await page.waitForFunction((t) => studio.playback.time !== t, time); // it plays on
  assert.equal(saved, false);
  assert.equal(await page.locator('#busy').textContent(), '');
  await page.evaluate(() => studio.playback.toggle(false));
});

test('a skin that the engine computes is waited for in every picture', async (t) => {
  const [plain, file] = ['limb.glb', 'flowing.glb'].map((name) => join(scratch, name));
  run('make', 'limb', '--vertices', '1000', '-o', plain);
  run('add', 'kinodynamics', plain, '--auto', '--no-compare', '-o', file);
  const flowing = await serve(file);
  t.after(() => flowing.close());
  const own = await openStudio(browser, flowing.url, small);
  assert.equal(await own.page.evaluate(() => studio.settings.blend), 'kinodynamic');
  await own.page.locator('summary', { hasText: 'Record' }).click();
  const { start } = await own.page.evaluate(() => studio.playback.current);
  await own.page.getByLabel('Speed').selectOption('2');
  const { bytes } = await record({ what: 'clip', as: 'gif', pictures: 10 }, own.page);
  const { count, images } = await decoded(bytes, [1, 5], own.page);
  assert.ok(count > 5);
  assert.ok(difference(...images) > 0.2, 'it moves');
  for (const [i, number] of [1, 5].entries()) {
    await standAt(start + number / 5, own.page);
    const gap = difference(images[i], await onStage(own.page));
    t.diagnostic(`picture ${number}: ${gap.toFixed(2)} of 255 from the stage`);
    assert.ok(gap < 1.5);
  }
  assert.deepEqual(own.problems, []);
  await own.page.close();
});

test('nothing fails on the way', () => assert.deepEqual(problems, []));
