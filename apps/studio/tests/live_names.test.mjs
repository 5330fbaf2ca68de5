// A stream with the names of WebXR moves a hand whose joints are named otherwise.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { namesIn } from '../../../packages/live/dist/index.js';
import { launch, openStudio, root, run, scratch, serve } from './support.mjs';

/** The same file with other names of nodes. */
function rename(from, to, nameOf) {
  const bytes = readFileSync(from);
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  for (const node of json.nodes) node.name = nameOf(node.name);
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const words = (...list) => Buffer.from(Uint32Array.from(list).buffer);
  const tail = bytes.subarray(20 + length);
  writeFileSync(to, Buffer.concat([words(0x46546c67, 2, 20 + padded.length + tail.length, padded.length, 0x4e4f534a), padded, tail]));
}

test('a stream with names of WebXR bends a hand with names of Mixamo', async () => {
  const [plain, file, recording] = ['hand.glb', 'mixamo.glb', 'stream.json'].map((name) => join(scratch, name));
  run('make', 'hand', '--vertices', '1500', '--no-bones', '-o', plain, '--quiet');
  const mixamo = namesIn('Mixamo');
  const names = new Map([...namesIn('WebXR', 'right')].flatMap(([bone, name]) => (mixamo.has(bone) ? [[name, `mixamorig:${mixamo.get(bone)}`]] : [])));
  rename(plain, file, (name) => names.get(name) ?? name);
  const bent = 0.8; // radians, well within the limits
  const joints = { 'index-finger-phalanx-intermediate': [-Math.sin(bent / 2), 0, 0, Math.cos(bent / 2)] };
  writeFileSync(recording, JSON.stringify([0, 0.1, 0.2, 0.3].map((time) => ({ version: 1, time, relative: true, joints }))));
  const replay = spawn('node', [join(root, 'packages/live/tools/replay.mjs'), recording, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const server = await serve(file);
  const browser = await launch();
  try {
    const address = await new Promise((resolve) => replay.stdout.on('data', (text) => resolve(/ws:\/\/[\d.:]+/.exec(String(text))[0])));
    const { page, problems } = await openStudio(browser, server.url);
    await page.evaluate(() => resetAll());
    await page.getByText('Live hand', { exact: true }).click();
    await page.getByLabel('Address of the stream').fill(address);
    await page.getByText('Connect', { exact: true }).click();
    await page.getByText(/Following: \d+ frames/).waitFor();
    // The hand is the same one, so that its finger bends by as much; the filter starts with the first frame.
    const found = await page.evaluate((name) => {
      const { character } = studio.now.model;
      return character.angles(character.joints.findIndex((joint) => joint.name === name))[0];
    }, names.get('index-finger-phalanx-intermediate'));
    assert.ok(Math.abs(found - bent) < 1e-3, `${found} instead of ${bent}`);
    assert.deepEqual(problems, []);
  } finally {
    replay.kill();
    await browser.close();
    await server.close();
  }
});
