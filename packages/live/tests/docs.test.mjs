// The sender in docs/live.md, as its reader would run it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { openStream } from 'supple-live';
import { rigs } from './hand.mjs';

const python = process.env.PYTHON ?? 'python3';
const source = fs
  .readFileSync(new URL('../../../docs/live.md', import.meta.url), 'utf8')
  .match(/```python\n([\s\S]*?)```/)[1]
  .replace('8765', '0'); // any free port
const skip =
  spawnSync(python, ['-c', 'import websockets']).status === 0 ? false : `needs ${python} with websockets (or PYTHON)`;

/** The address that the sender got, by asking its server. */
const report = `
_serve = websockets.serve
class serve(_serve):
    async def __aenter__(self):
        server = await super().__aenter__()
        print(server.sockets[0].getsockname()[1], flush=True)
        return server
websockets.serve = serve
`;

test('the sender of the documentation sends frames', { skip }, async () => {
  const sender = spawn(python, ['-c', source.replace('import websockets\n', `import websockets\n${report}`)]);
  let errors = '';
  sender.stderr.on('data', (data) => (errors += data));
  try {
    const port = await new Promise((resolve, reject) => {
      sender.stdout.once('data', (data) => resolve(Number(`${data}`)));
      sender.once('exit', () => reject(new Error(errors)));
    });
    const frames = await new Promise((resolve, reject) => {
      const got = [];
      const stream = openStream(
        `ws://127.0.0.1:${port}`,
        rigs.right,
        {
          onFrame: (frame) => got.push(frame) === 5 && (stream.value.close(), resolve(got)),
          onProblem: reject,
        },
        (address) => new WebSocket(address),
      );
    });
    for (const { joints } of frames) assert.equal(joints.size, 3);
  } finally {
    sender.kill();
  }
});
