// The page for everybody: axe-core finds nothing, contrast included, and the static build asks nothing of anybody else.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { drop, frames, launch, openStudio, root, run, scratch, serve } from './support.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** What axe-core objects to on a page, one line each. Over what a dialog covers it cannot tell contrasts. */
async function violations(page, isCovered = false) {
  await page.evaluate(axe); // as the tests' own script: the page's policy lets no other in
  const { violations: found, passes } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations', 'passes'] }));
  assert.ok(isCovered || passes.some(({ id }) => id === 'color-contrast'), 'contrast was looked at');
  return found.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
}

const wide = { width: 1280, height: 720 };
const narrow = { width: 390, height: 844 };
for (const [colorScheme, sizes] of [['light', [wide, narrow]], ['dark', [narrow, wide]]])
  test(`axe-core finds nothing on the tour, ${colorScheme}, ${sizes.map(({ width }) => width).join(' and then ')} pixels wide`, async () => {
    const server = await serve();
    const { page, problems } = await openStudio(browser, server.url, { viewport: sizes[0], colorScheme });
    await page.waitForFunction(() => tour.measured);
    await page.evaluate(() => { for (const section of document.querySelectorAll('details')) section.open = true; });
    for (const size of sizes) {
      await page.setViewportSize(size);
      await frames(page);
      assert.deepEqual(await violations(page), [], `${size.width} pixels wide`);
    }
    assert.deepEqual(problems, []);
    await page.close();
    await server.close();
  });

test('axe-core finds nothing on a character with every panel', async () => {
  const [plain, soft, file] = ['limb.glb', 'soft.glb', 'all.glb'].map((name) => join(scratch, name));
  run('make', 'limb', '--vertices', '1000', '-o', plain);
  run('add', 'flesh', plain, '--auto', '--no-compare', '-o', soft);
  run('add', 'kinodynamics', soft, '--auto', '--no-compare', '-o', file);
  const server = await serve(file);
  const { page } = await openStudio(browser, server.url);
  await page.getByLabel('blend', { exact: true }).selectOption('kinodynamic');
  await page.evaluate(() => { for (const section of document.querySelectorAll('details')) section.open = true; });
  await page.getByLabel('rings to turn the chosen joint').check();
  await page.getByLabel('show').selectOption('weights');
  await page.waitForFunction(() => studio.legend);
  await page.getByText('Validate', { exact: true }).click();
  await page.getByText(/glTF validator/).waitFor();
  await frames(page);
  assert.deepEqual(await violations(page), []);
  await drop(page, [['one.glb', readFileSync(plain)], ['two.glb', readFileSync(soft)]]);
  await page.getByRole('dialog').waitFor();
  assert.deepEqual(await violations(page, true), []);
  await page.close();
  await server.close();
});

test('all stops of the tour are had from the page itself, under its own policy', async (t) => {
  const server = await serve();
  const { page, hosts, problems } = await openStudio(browser, server.url);
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  const count = await page.locator('#argument nav button').count();
  for (let stop = 0; stop < count; ++stop) await page.evaluate((n) => tour.visit(n), stop);
  t.diagnostic(`${requests.length} requests after the first frame, hosts: ${[...hosts].join(', ')}`);
  assert.ok(requests.length > count);
  assert.deepEqual([...hosts], [new URL(server.url).hostname]);
  const policy = readFileSync(join(root, 'build/studio/index.html'), 'utf8');
  assert.match(policy, /http-equiv="Content-Security-Policy"[^>]*default-src 'self'/s);
  assert.deepEqual(problems, []);
  await page.close();
  await server.close();
});
