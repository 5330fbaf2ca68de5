// A served studio and a browser that looks at it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const supple = process.env.SUPPLE ?? join(root, 'build/supple');
export const data = process.env.SUPPLE_DATA ?? join(root, '../shared/data');
export const scratch = mkdtempSync(join(tmpdir(), 'supple-studio-test-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const shots = process.env.SUPPLE_SCREENSHOTS;

export function run(...args) {
  const { status, stderr } = spawnSync(supple, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`supple ${args.join(' ')}: ${stderr}`);
}

/** `supple studio` on a free port; resolves to its address once it listens. */
export async function serve(...args) {
  const server = spawn(supple, ['studio', ...args, '--no-browser', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (chunk) => {
      text += chunk;
      const found = /"url"\s*:\s*"([^"]+)"/.exec(text);
      if (found) resolve(found[1]);
    });
    server.on('exit', () => reject(new Error(`supple studio ended: ${text}`)));
  });
  return { url, close: () => new Promise((resolve) => server.removeAllListeners('exit').on('exit', resolve).kill('SIGINT')) };
}

/** Pages are composed in software, which is cheaper here; but then their own thread waits for each picture: not for measuring. */
export async function launch(flags = ['--disable-gpu-compositing']) {
  const executablePath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  return chromium.launch({
    executablePath,
    // Software GL: the same pictures on every machine.
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', ...flags],
  });
}

/**
 * A page of the studio whose first frame is on screen; every problem it reports ends up in `problems`. Nothing moves by itself
 * unless the options say so, and a screen has half as many pixels each way as the page believes unless somebody keeps pictures:
 * a software driver takes its time for every frame and every pixel.
 */
export async function openStudio(browser, url, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, deviceScaleFactor: shots ? 1 : 0.5, colorScheme: 'light', reducedMotion: 'reduce', ...options });
  page.setDefaultTimeout(180_000); // other tests run beside, on machines of any speed
  const problems = [];
  const hosts = new Set();
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => request.url().startsWith('http') && hosts.add(new URL(request.url()).hostname));
  const start = performance.now();
  await page.goto(url);
  await page.waitForFunction(() => globalThis.studio?.pace.page > 0, null, { timeout: 240_000 });
  return { page, problems, hosts, firstFrame: performance.now() - start };
}

/** Drops files with these names and bytes on the page. The browser reads them from the disk: large ones take long through its driver. */
export async function drop(page, files) {
  const folder = mkdtempSync(join(scratch, 'dropped-'));
  const paths = files.map(([name, bytes], i) => {
    mkdirSync(join(folder, String(i)));
    writeFileSync(join(folder, String(i), name), bytes);
    return join(folder, String(i), name);
  });
  const input = await page.evaluateHandle(() => Object.assign(document.createElement('input'), { type: 'file', multiple: true }));
  await input.setInputFiles(paths);
  const transfer = await input.evaluateHandle((own) => {
    const data = new DataTransfer();
    for (const file of own.files) data.items.add(file);
    return data;
  });
  await page.dispatchEvent('#stage', 'drop', { dataTransfer: transfer });
}

/** Lets a few frames pass, and what the engine was asked for before and after them, so that the screen shows the state. */
export const frames = (page) =>
  page.evaluate(async () => {
    const turns = async (count) => { for (let i = 0; i < count; ++i) await new Promise(requestAnimationFrame); };
    const answered = async () => {
      const { skinner } = studio.now ?? {};
      const before = skinner?.arrivals;
      while (skinner?.working && skinner.arrivals === before) await turns(1);
    };
    await studio.now?.model.kinodynamics.settling;
    await turns(3);
    for (let i = 0; i < 2; ++i) {
      await answered();
      await turns(3);
    }
  });

/** Positions of the first part in the pose on stage as the engine has them, with some layers changed. */
export const computed = (page, layers = {}, blend = 'linear') =>
  page.evaluate(async ([changes, way]) => {
    const { corrections, modes, smoothing, flesh } = { ...studio.settings, ...changes };
    return [...(await studio.now.model.evaluate(0, { corrections, modes, smoothing, flesh }, way)).positions];
  }, [layers, blend]);

/** Keeps a picture of the page for people to look at, where they asked for it. */
export const shootPage = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`) });

/** The stage as it looks, without the panel. */
export const picture = (page) => page.locator('#stage canvas').screenshot();
