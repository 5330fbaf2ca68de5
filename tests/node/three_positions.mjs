// Evaluates a character with three.js, vertex by vertex, as an independent reference:
//   node three_positions.mjs FILE CLIP TIME[,TIME...] [OUT]
// CLIP is the name or the number of an animation, or "rest" for the file as it stands. Writes to OUT, or to standard
// output, one JSON object
//   {"file", "clip", "times": [...], "meshes": [{"name", "node", "mesh", "primitive", "vertices",
//                                                "positions": [[x, y, z, x, y, z, ...] for each time]}]}
// with world-space positions in double precision. Meshes come in the order of the scene's traversal; "node", "mesh" and
// "primitive" are their numbers in the file.
import fs from 'node:fs';
import path from 'node:path';
import { AnimationMixer, Vector3 } from 'three';

// Textures play no part in positions; the loader only needs something to hand around in their place.
globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};
globalThis.createImageBitmap ??= async () => ({ width: 1, height: 1, close() {} });
globalThis.document ??= {
  createElementNS: () => {
    const image = {
      addEventListener(type, listener) {
        if (type === 'load') queueMicrotask(() => listener.call(image));
      },
      removeEventListener() {},
    };
    return image;
  },
};
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');

// External buffers become data URIs, which Node's fetch serves; the loader needs no access to files.
function selfContained(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.readUInt32LE(0) === 0x46546c67) return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const json = JSON.parse(bytes.toString('utf8'));
  for (const buffer of json.buffers ?? []) {
    if (!buffer.uri || buffer.uri.startsWith('data:')) continue;
    const data = fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(buffer.uri)));
    buffer.uri = 'data:application/octet-stream;base64,' + data.toString('base64');
  }
  return JSON.stringify(json);
}

const [file, clipName, timeList, out] = process.argv.slice(2);
if (!timeList) {
  console.error('usage: node three_positions.mjs FILE CLIP TIME[,TIME...] [OUT]');
  process.exit(2);
}
const loader = new GLTFLoader();
const gltf = await loader.parseAsync(selfContained(file), '');
const times = timeList.split(',').map(Number);
const clip = gltf.animations.find((c) => c.name === clipName) ?? gltf.animations[Number(clipName)];
if (!clip && clipName !== 'rest') {
  console.error(`${file}: no clip '${clipName}'; it has ${gltf.animations.map((c) => c.name).join(', ') || 'none'}`);
  process.exit(2);
}

const meshes = [];
gltf.scene.traverse((object) => {
  if (!object.isMesh) return;
  const own = gltf.parser.associations.get(object) ?? {};
  const above = gltf.parser.associations.get(object.parent) ?? {};
  meshes.push({ object, name: object.name, node: own.nodes ?? above.nodes, mesh: own.meshes ?? above.meshes, primitive: own.primitives ?? 0 });
});

const mixer = new AnimationMixer(gltf.scene);
if (clip) mixer.clipAction(clip).play();
const result = meshes.map(({ object, ...place }) => ({ ...place, vertices: object.geometry.attributes.position.count, positions: [] }));
const point = new Vector3();
for (const time of times) {
  if (clip) mixer.setTime(Math.min(Math.max(time, 0), clip.duration));
  gltf.scene.updateMatrixWorld(true);
  meshes.forEach(({ object }, m) => {
    if (object.isSkinnedMesh) object.skeleton.update();
    const positions = [];
    for (let v = 0; v < result[m].vertices; ++v) {
      object.getVertexPosition(v, point).applyMatrix4(object.matrixWorld);
      positions.push(point.x, point.y, point.z);
    }
    result[m].positions.push(positions);
  });
}
const text = JSON.stringify({ file, clip: clip?.name ?? 'rest', times, meshes: result });
if (out) fs.writeFileSync(out, text);
else process.stdout.write(text + '\n');
