// How long the page takes to its first picture, and what it is doing until then: milliseconds from the request of the page, median over
// some starts of a browser with software GL that shows an empty page before. Where /proc is (Linux), also how much processor time the
// browser took, which other work on the machine hardly changes.
// Needs script/studio. Usage: node apps/studio/tools/first_frame.mjs [--runs 5] [FILE]
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { launch, openStudio, serve } from '../tests/support.mjs';

const { values, positionals } = parseArgs({ options: { runs: { type: 'string', default: '5' } }, allowPositionals: true });
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Processes under this one. */
function descendants() {
  const parents = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      parents.set(Number(pid), fields(pid)[1]);
    } catch {} // it has ended meanwhile
  }
  const found = [process.pid];
  for (const own of found) for (const [pid, parent] of parents) if (parent === own) found.push(pid);
  return found.slice(1);
}
/** State, parent, and so on: see proc(5). */
const fields = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ').map(Number);

/** Milliseconds of processor time of everything that this program has started. The kernel counts hundredths of a second. */
function processorTime() {
  if (!existsSync('/proc/self/stat')) return NaN;
  return descendants().reduce((sum, pid) => {
    try {
      const [user, system] = fields(pid).slice(11, 13);
      return sum + 10 * (user + system);
    } catch {
      return sum;
    }
  }, 0);
}

/** When each part was reached. */
async function start(...files) {
  const [browser, server] = await Promise.all([launch([]), serve(...files)]);
  try {
    const blank = await browser.newPage();
    await blank.waitForTimeout(2000); // the browser has its own beginning
    const before = processorTime();
    const { page, firstFrame } = await openStudio(browser, server.url, { reducedMotion: 'reduce' });
    const taken = processorTime() - before;
    const parts = await page.evaluate(() => {
      const gl = studio.stage.renderer.getContext();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits for the driver
      const drawn = performance.now();
      const marks = performance.getEntriesByType('mark').filter(({ name }) => name.startsWith('studio: '));
      return [...marks.map(({ name, startTime }) => [name.slice(8), startTime]), ['the driver has drawn it', drawn]];
    });
    return new Map([...parts, ['first picture, seen from outside as the tests print it', firstFrame], ['processor time until then', taken]]);
  } finally {
    await browser.close();
    await server.close();
  }
}

const runs = [];
for (let i = 0; i < Number(values.runs); ++i) runs.push(await start(...positionals));
const names = [...new Set(runs.flatMap((run) => [...run.keys()]))];
const rows = names.map((name) => ({ name, times: runs.map((run) => run.get(name)).filter((time) => time > 0) })).filter(({ times }) => times.length > 0);
for (const { name, times } of rows.sort((a, b) => median(a.times) - median(b.times)))
  console.log(`${String(Math.round(median(times))).padStart(6)} ms  ${name} (${times.map((time) => Math.round(time)).join(', ')})`);
