// A hand before the camera moves the one in the studio, by MediaPipe's tracker as its package brings it. The camera sees pictures
// of our own hand.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { launch, openStudio, root, run, scratch, serve, shootPage } from './support.mjs';

const tracker = join(root, 'packages/live/node_modules/@mediapipe/hands');
// The tracker's network takes minutes without a graphics card; what its landmarks become is tested in packages/live everywhere.
const missing = existsSync(tracker) ? false : `needs ${tracker} (npm install in packages/live)`;
const skip = process.env.SUPPLE_WEBCAM ? missing : 'takes minutes: SUPPLE_WEBCAM=1 runs it';

/** The camera's page and the stream, on a free port. */
async function webcam() {
  const tool = spawn('node', [join(root, 'packages/live/tools/webcam.mjs'), '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = await new Promise((resolve, reject) => {
    let text = '';
    tool.on('exit', () => reject(new Error('the tool ended: build packages/live first (npm run build)')));
    tool.stdout.on('data', (chunk) => /stream: .*\n/.test((text += chunk)) && resolve(text));
  });
  return { page: /camera: (\S+)/.exec(said)[1], stream: /stream: (\S+)/.exec(said)[1], close: () => tool.removeAllListeners('exit').kill() };
}

test('a hand before the camera bends the hand in the studio, and nothing is asked of other machines', { skip }, async (t) => {
  const hand = join(scratch, 'hand.glb');
  run('make', 'hand', '--vertices', '4000', '-o', hand, '--quiet');
  run('render', hand, '--view', 'palm', '--hide', 'bones', '--size', '640x480', '--pose', '*index*.flexion=60', '-o', join(scratch, 'bent.png'), '--quiet');
  const camera = await webcam();
  const browser = await launch();
  const server = await serve(hand);
  try {
    const { page: studio, problems } = await openStudio(browser, server.url);
    await studio.getByText('Live hand', { exact: true }).click();
    await studio.getByLabel('Address of the stream').fill(camera.stream);
    await studio.getByText('Connect', { exact: true }).click();
    await studio.getByText('Connected.').waitFor();

    const page = await browser.newPage();
    const hosts = new Set();
    page.on('request', (request) => request.url().startsWith('http') && hosts.add(new URL(request.url()).hostname));
    await page.addInitScript((url) => {
      navigator.mediaDevices.getUserMedia = async () => {
        const image = Object.assign(new Image(), { src: url });
        await image.decode();
        const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 480 });
        setInterval(() => canvas.getContext('2d').drawImage(image, 0, 0), 50);
        return canvas.captureStream(10);
      };
    }, `data:image/png;base64,${readFileSync(join(scratch, 'bent.png')).toString('base64')}`);
    await page.goto(camera.page);
    await page.getByText(/A right hand: [2-9] frames sent/).waitFor({ timeout: 240_000 });
    await studio.waitForFunction(() => {
      const { character } = globalThis.studio.now.model;
      const joint = character.joints.findIndex(({ name }) => name === 'index-finger-phalanx-proximal');
      return character.angles(joint)[1] > 0.5;
    });
    const bends = await studio.evaluate(() => {
      const { character } = globalThis.studio.now.model;
      const bend = (name) => {
        const joint = character.joints.findIndex((own) => own.name === name);
        return (character.angles(joint)[character.joints[joint].dofs.findIndex((dof) => dof.name === 'flexion')] * 180) / Math.PI;
      };
      return ['index-finger-phalanx-proximal', 'index-finger-phalanx-intermediate', 'middle-finger-phalanx-proximal', 'ring-finger-phalanx-proximal'].map(bend);
    });
    t.diagnostic(`index finger bent by ${bends.slice(0, 2).map(Math.round).join(' and ')} degrees where 60 were shown, middle and ring at their roots by ${bends.slice(2).map(Math.round).join(' and ')} where none was`);
    assert.ok(bends[0] > 30 && bends[1] > 30, 'the index finger is bent');
    assert.ok(Math.abs(bends[2]) < 25 && Math.abs(bends[3]) < 25, 'the others are not');
    assert.deepEqual([...hosts], ['127.0.0.1']);
    await shootPage(studio, 'webcam');
    await shootPage(page, 'webcam-camera');
    assert.deepEqual(problems, []);
  } finally {
    await browser.close();
    await server.close();
    camera.close();
  }
});
