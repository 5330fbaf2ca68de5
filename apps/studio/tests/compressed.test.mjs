// Compressed files in the page, and pages of static files that ask nothing of other machines.
import assert from 'node:assert/strict';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import draco3d from 'draco3d';
import { computed, launch, openStudio, root, run, scratch, serve, shootPage } from './support.mjs';

let browser;
const file = (name) => join(scratch, name);

before(async () => {
  browser = await launch();
  run('make', 'hand', '--vertices', '1500', '--no-bones', '-q', '-o', file('plain.glb'));
  run('convert', file('plain.glb'), '-q', '--compress', '-o', file('meshopt.glb'));
  await writeDraco(file('plain.glb'), file('draco.glb'));
});
after(() => browser?.close());

function readGlb(path) {
  const bytes = readFileSync(path);
  const length = bytes.readUInt32LE(12);
  return { json: JSON.parse(bytes.subarray(20, 20 + length)), bin: bytes.subarray(28 + length) };
}

function writeGlb(path, json, bin) {
  const pad = (data, fill) => Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4, fill)]);
  const [text, data] = [pad(Buffer.from(JSON.stringify(json)), ' '), pad(bin, 0)];
  const words = (...list) => Buffer.from(Uint32Array.from(list).buffer);
  writeFileSync(path, Buffer.concat([words(0x46546c67, 2, 28 + text.length + data.length, text.length, 0x4e4f534a), text, words(data.length, 0x004e4942), data]));
}

/** The same file with its one primitive compressed by Draco's own encoder, vertices in their order. */
async function writeDraco(from, to) {
  const { json, bin } = readGlb(from);
  const draco = await draco3d.createEncoderModule({});
  const [encoder, builder, mesh] = [new draco.Encoder(), new draco.MeshBuilder(), new draco.Mesh()];
  const [primitive] = json.meshes[0].primitives;
  const bytesOf = (accessor) => {
    const view = json.bufferViews[accessor.bufferView];
    return bin.subarray((view.byteOffset ?? 0) + (accessor.byteOffset ?? 0)).subarray(0, view.byteLength);
  };
  const indices = json.accessors[primitive.indices];
  const corners = Uint32Array.from({ length: indices.count }, (_, i) => bytesOf(indices).readUInt16LE(2 * i));
  builder.AddFacesToMesh(mesh, corners.length / 3, corners);
  const attributes = {};
  for (const [semantic, number] of Object.entries(primitive.attributes)) {
    const accessor = json.accessors[number];
    const width = { VEC2: 2, VEC3: 3, VEC4: 4 }[accessor.type];
    const bytes = bytesOf(accessor);
    const kind = semantic === 'POSITION' ? draco.POSITION : semantic === 'NORMAL' ? draco.NORMAL : draco.GENERIC;
    attributes[semantic] =
      accessor.componentType === 5126
        ? builder.AddFloatAttribute(mesh, kind, accessor.count, width, new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 4 * width * accessor.count)))
        : builder.AddUInt8Attribute(mesh, kind, accessor.count, width, new Uint8Array(bytes));
    delete accessor.bufferView;
    delete accessor.byteOffset;
  }
  delete indices.bufferView;
  encoder.SetEncodingMethod(draco.MESH_SEQUENTIAL_ENCODING);
  encoder.SetAttributeQuantization(draco.POSITION, 14);
  const out = new draco.DracoInt8Array();
  const length = encoder.EncodeMeshToDracoBuffer(mesh, out);
  assert.ok(length > 0);
  const stream = Buffer.from(Int8Array.from({ length }, (_, i) => out.GetValue(i)).buffer);
  const byteOffset = Math.ceil(bin.length / 4) * 4;
  primitive.extensions = { KHR_draco_mesh_compression: { bufferView: json.bufferViews.push({ buffer: 0, byteOffset, byteLength: length }) - 1, attributes } };
  json.extensionsUsed = json.extensionsRequired = ['KHR_draco_mesh_compression'];
  json.buffers[0].byteLength = byteOffset + length;
  writeGlb(to, json, Buffer.concat([bin, Buffer.alloc(byteOffset - bin.length), stream]));
}

/** What the page shows of a file at two seconds of its clip. */
async function shown(path, name) {
  const server = await serve(path);
  const { page, problems } = await openStudio(browser, server.url);
  await page.evaluate(() => {
    studio.playback.standAt(0, 2);
    studio.now.model.character.sample(0, 2);
  });
  const positions = await computed(page);
  const notes = await page.textContent('#messages');
  await shootPage(page, name);
  await page.close();
  await server.close();
  assert.deepEqual(problems, []);
  assert.equal(notes, '');
  return positions;
}

test('files of meshopt and Draco are shown as the plain one is', async (t) => {
  const plain = await shown(file('plain.glb'), 'compressed-plain');
  for (const [name, most] of [
    ['meshopt', 2e-5], // metres: 2^-16 of a quarter of a metre, and weights
    ['draco', 4e-5], // 14 bits of a quarter of a metre
  ]) {
    const positions = await shown(file(`${name}.glb`), `compressed-${name}`);
    assert.equal(positions.length, plain.length);
    const worst = Math.max(...positions.map((value, i) => Math.abs(value - plain[i])));
    t.diagnostic(`${name}: ${(worst * 1e6).toFixed(1)} micrometres at most`);
    assert.ok(worst > 0 && worst < most, `${name}: ${worst}`);
  }
});

test('damaged Draco data are named', async () => {
  const { json, bin } = readGlb(file('draco.glb'));
  const view = json.bufferViews.at(-1);
  bin.fill(0xff, view.byteOffset + 12, view.byteOffset + 60);
  writeGlb(file('damaged.glb'), json, bin);
  const server = await serve(file('plain.glb'));
  const { page } = await openStudio(browser, server.url);
  await page.evaluate(async (base64) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], 'damaged.glb'));
    document.getElementById('stage').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
  }, readFileSync(file('damaged.glb')).toString('base64'));
  await page.getByText(/KHR_draco_mesh_compression/).waitFor();
  await page.close();
  await server.close();
});

/** The page as any server of static files has it, without headers of ours; `model` in place of the demo, and no tour. */
function staticPage(model) {
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.json': 'application/json' };
  return listen((request, response) => {
    const name = new URL(request.url, 'http://x').pathname.slice(1) || 'index.html';
    const path = name === 'demo.glb' ? model : join(root, 'build/studio', name);
    if (name === 'tour.json') return response.end('{"stops": []}');
    if (!existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': types[extname(path)] ?? 'application/octet-stream' });
    createReadStream(path).pipe(response);
  });
}

async function listen(answer, host = '127.0.0.1') {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, host, resolve));
  return { url: `http://${host}:${server.address().port}/`, close: () => new Promise((done) => server.close(done)) };
}

test('textures on other hosts are not asked for, and the page says so', async () => {
  const asked = [];
  const elsewhere = await listen((request, response) => {
    asked.push(request.url);
    response.writeHead(404, { 'Access-Control-Allow-Origin': '*' }).end();
  }, '127.0.0.2');
  const { json, bin } = readGlb(file('plain.glb'));
  json.images = [{ uri: `${elsewhere.url}picture.png` }, { uri: 'beside.png' }];
  json.textures = [{ source: 0 }, { source: 1 }];
  json.materials[0].pbrMetallicRoughness.baseColorTexture = { index: 0 };
  json.materials[0].emissiveTexture = { index: 1 };
  writeGlb(file('linked.glb'), json, bin);
  const page = await staticPage(file('linked.glb'));
  const opened = await openStudio(browser, page.url);
  const again = [];
  opened.page.on('request', (request) => again.push(request.url()));
  await opened.page.getByText(/textures that are not in the file/).waitFor();
  assert.deepEqual([...opened.hosts], ['127.0.0.1']);
  assert.deepEqual(asked, []);
  assert.deepEqual(opened.problems, []);
  // Whatever asks, the page's own policy stops it.
  const refused = await opened.page.evaluate((url) => fetch(url).then(() => false, () => true), `${elsewhere.url}x`);
  assert.ok(refused);
  assert.deepEqual(asked, []);
  await opened.page.waitForTimeout(2500); // `supple studio` would be asked for changes twice by now
  assert.deepEqual(again.filter((url) => url.includes('session.json')), []);
  await opened.page.close();
  await page.close();
  await elsewhere.close();
});
