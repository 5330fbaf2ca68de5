// How long the page is blocked at most while the engine works: kinodynamic skin of 90 thousand vertices is switched on, an
// example set of 191 arrives, colours are switched. Prints the longest task of the main thread (ms) for each, by the clock and by its processor time.
// Needs script/studio; run: node apps/studio/tools/blocks.mjs
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, openStudio, root, run, scratch, serve } from '../tests/support.mjs';

/** The demo's examples over and over until there are `count`. */
function largerSet(count) {
  const folder = join(scratch, 'examples');
  cpSync(join(root, 'build/studio-examples'), folder, { recursive: true, filter: (path) => !path.endsWith('work') });
  const index = JSON.parse(readFileSync(join(folder, 'examples.json'), 'utf8'));
  const had = index.examples.length;
  index.counts.examples = count;
  index.examples = Array.from({ length: count }, (_, i) => ({ ...index.examples[i % had], name: `${index.examples[i % had].name}-${i}` }));
  writeFileSync(join(folder, 'examples.json'), JSON.stringify(index));
  for (const name of ['rotations', 'positions', 'normals']) {
    const bytes = readFileSync(join(folder, `${name}.npy`));
    const start = 10 + bytes.readUInt16LE(8);
    const header = bytes.subarray(0, start).toString('latin1').replace(`(${had}, `, `(${count}, `);
    const size = (bytes.length - start) / had;
    const all = Array.from({ length: count }, (_, i) => bytes.subarray(start + size * (i % had), start + size * (i % had + 1)));
    writeFileSync(join(folder, `${name}.npy`), Buffer.concat([Buffer.from(header, 'latin1'), ...all]));
  }
  return folder;
}

/** Chooses files by a button of the page. */
async function choose(page, button, files) {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: button }).click()]);
  await chooser.setFiles(files);
}

/** The longest tasks of the main thread while something is done and for a while after it: by the clock, and by the processor
 * time of the task (on a busy machine the clock counts other programs too). */
async function longest(page, name, action, done) {
  await page.waitForTimeout(1500);
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  const start = performance.now();
  await action();
  await done();
  const took = performance.now() - start;
  await page.waitForTimeout(1500);
  const { traceEvents: events } = JSON.parse(await browser.stopTracing());
  const main = new Set(events.filter(({ name: kind, args }) => kind === 'thread_name' && args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = events.filter(({ name: kind, ph, pid, tid }) => kind === 'ThreadControllerImpl::RunTask' && ph === 'X' && main.has(`${pid} ${tid}`));
  const longestBy = (measure) => Math.max(...tasks.map((task) => (task[measure] ?? 0) / 1000));
  const above = tasks.filter(({ dur }) => dur > 50_000).length;
  console.log(`${name}: longest task ${longestBy('dur').toFixed(0)} ms (${above} above 50), of the processor ${longestBy('tdur').toFixed(0)} ms; done after ${(took / 1000).toFixed(1)} s`);
}

const browser = await launch([]);
try {
  const large = join(scratch, 'hand90.glb');
  run('make', 'hand', '--vertices', '90000', '-o', large, '--quiet');
  const again = join(scratch, 'again.glb');
  cpSync(large, again);
  const server = await serve(large);
  const { page } = await openStudio(browser, server.url, { viewport: { width: 640, height: 360 } });
  const still = () => page.evaluate(() => studio.playback.toggle(false));
  await still();
  const shown = () => page.waitForFunction(() => studio.now.supple.drawn.some((drawn) => drawn.isComputed), null, { timeout: 120_000 });
  await longest(page, 'kinodynamic skin of 90k vertices', () => page.getByLabel('blend', { exact: true }).selectOption('kinodynamic'), shown);
  await page.locator('summary', { hasText: 'Colours' }).click();
  for (const colouring of ['weights', 'displacement', 'field', 'none'])
    await longest(page, `colours of 90k vertices: ${colouring}`, () => page.getByLabel('show').selectOption(colouring), () => page.waitForFunction((none) => none || studio.legend, colouring === 'none'));
  await longest(page, 'a clip of 90k vertices plays, kinodynamic', () => page.evaluate(() => studio.playback.toggle(true)), () => page.waitForTimeout(4000));
  await still();
  await longest(page, 'another file of 90k vertices opens', () => choose(page, 'Open…', again), () => page.waitForFunction(() => studio.now.model.name === 'again.glb'));
  await page.close();
  await server.close();

  const examples = await serve(join(root, 'build/studio/demo.glb'));
  const second = (await openStudio(browser, examples.url, { viewport: { width: 640, height: 360 } })).page;
  await second.evaluate(() => studio.playback.toggle(false));
  const folder = largerSet(191);
  const files = readdirSync(folder).filter((name) => /\.npy$|^examples\.json$/.test(name)).map((name) => join(folder, name));
  await second.locator('summary', { hasText: 'Examples' }).click();
  await longest(second, 'an example set of 191 arrives', () => choose(second, 'Open a set…', files), () =>
    second.locator('#panel svg .curve').waitFor({ timeout: 120_000 }));
  await second.locator('summary', { hasText: 'Colours' }).click();
  for (const colouring of ['error', 'displacement', 'weights', 'supports', 'modes', 'none'])
    await longest(second, `colours of a fitted hand: ${colouring}`, () => second.getByLabel('show').selectOption(colouring), () => second.waitForTimeout(300));
  await second.close();
  await examples.close();
} finally {
  await browser.close();
}
