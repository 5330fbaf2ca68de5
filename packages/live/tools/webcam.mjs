// A hand before the camera of this machine as a stream of joint rotations, on this machine alone:
//   node tools/webcam.mjs [--port 8765] [--hand left|right]
// Open the page that it names and allow the camera; then connect the studio, or any other page, to the stream that it names. Nothing
// is asked of other machines, and no picture leaves the page: what is sent on are the rotations of the fingers. The tracker and its
// model are those of the package @mediapipe/hands, which `npm install` brings.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { WebSocketServer } from 'ws';
import { checkAddress, largestMessage } from '../dist/index.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { values: options } = parseArgs({
  options: { port: { type: 'string', default: '8765' }, hand: { type: 'string', default: 'right' } },
});
function fail(message) {
  console.error(`webcam: ${message}`);
  process.exit(2);
}
if (!['left', 'right'].includes(options.hand)) fail(`--hand ${options.hand}: take left or right`);
const tracker = here('../node_modules/@mediapipe/hands');
if (!fs.existsSync(tracker))
  fail('the tracker is not there: npm install, in packages/live');

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
};
const folders = { '/tracker/': tracker, '/live/': here('../dist') };

/** The file behind a path of the page; nothing outside of the three places. */
function fileAt(url) {
  if (url === '/') return here('webcam.html');
  const folder = Object.keys(folders).find((prefix) => url.startsWith(prefix));
  const name = folder && url.slice(folder.length);
  return name && /^[\w.-]+$/.test(name) && !name.startsWith('.') ? path.join(folders[folder], name) : undefined;
}

const isOwnHost = (host) => host !== undefined && checkAddress(`ws://${host}`).ok;
const server = http.createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const file = isOwnHost(request.headers.host) ? fileAt(pathname) : undefined; // other names may be another site's
  if (!file || !fs.existsSync(file)) return response.writeHead(404).end();
  // Nothing from elsewhere: the tracker is compiled WebAssembly with functions that it makes of text.
  const policy =
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; connect-src 'self' data: blob: ws:; img-src 'self' blob: data:; worker-src 'self' blob:";
  response.writeHead(200, {
    'Content-Type': types[path.extname(file)] ?? 'application/octet-stream',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
  });
  fs.createReadStream(file).pipe(response);
});

/** Any page of any site may connect to this machine: only those that this machine serves are answered. */
const isOfThisMachine = (origin) => origin === undefined || (URL.canParse(origin) && isOwnHost(new URL(origin).host));
const sockets = new WebSocketServer({
  server,
  maxPayload: largestMessage,
  verifyClient: ({ origin }) => isOfThisMachine(origin),
});
const followers = new Set();
sockets.on('connection', (socket, request) => {
  const isCamera = new URL(request.url, 'http://localhost').pathname === '/camera';
  socket.on('error', () => {});
  if (!isCamera) {
    followers.add(socket);
    socket.on('close', () => followers.delete(socket));
    return;
  }
  socket.on('message', (data, isBinary) => {
    if (!isBinary) for (const follower of followers) follower.send(data.toString());
  });
});
server.on('error', (error) => fail(`port ${options.port}: ${error.message}: take another by --port`));
server.listen(Number(options.port), '127.0.0.1', () => {
  const { port } = server.address();
  console.log(`camera: http://127.0.0.1:${port}/?hand=${options.hand}\nstream: ws://127.0.0.1:${port}`);
});
