// A hand of few vertices and the means to pose it by hand, for tests of handling it.
import { join } from 'node:path';
import { frames, launch, openStudio, run, scratch, serve } from './support.mjs';

/** The studio with the hand: browser, server, page, problems, and what closes them. */
export async function openHand() {
  const file = join(scratch, 'hand.glb');
  run('make', 'hand', '--vertices', '1000', '-o', file, '--quiet');
  const browser = await launch();
  const server = await serve(file);
  const close = async () => {
    await browser.close();
    await server.close();
  };
  return { browser, server, close, ...(await openStudio(browser, server.url)) };
}

export const pose = (page) => page.evaluate(() => studio.now.model.character.joints.map((_, j) => studio.now.model.character.rotation(j)));
/** Largest angle between two poses, degrees: quaternions are apart by twice the sine of a quarter of it. */
export const apart = (a, b) => Math.max(...a.map((q, j) => (720 / Math.PI) * Math.asin(Math.min(1, Math.hypot(...q.map((x, k) => x - b[j][k])) / 2))));
/** Joints that are turned otherwise in two poses. */
export const moved = (a, b) => a.flatMap((q, j) => (q.some((x, k) => Math.abs(x - b[j][k]) > 1e-5) ? [j] : []));

/** Where a joint is on the page. */
export const onPage = (page, name) =>
  page.evaluate((n) => {
    const { character } = studio.now.model;
    const point = studio.now.jointView.place(character.joints.findIndex((j) => j.name === n)).project(studio.stage.camera);
    const box = studio.stage.canvas.getBoundingClientRect();
    return [box.left + ((point.x + 1) / 2) * box.width, box.top + ((1 - point.y) / 2) * box.height];
  }, name);

export async function dragTo(page, from, to, steps) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps });
  await page.mouse.up();
  await frames(page);
}
