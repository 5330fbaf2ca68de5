// Loads glTF files with three.js under Node, and evaluates their vertices one by one.
import fs from 'node:fs';
import path from 'node:path';
import { Vector3 } from 'three';

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

export const loadFile = (file) => new GLTFLoader().parseAsync(selfContained(file), '');

// The meshes in the order of the scene's traversal, with their numbers in the file.
export function meshesOf(gltf) {
  const meshes = [];
  gltf.scene.traverse((object) => {
    if (!object.isMesh) return;
    const own = gltf.parser.associations.get(object) ?? {};
    const above = gltf.parser.associations.get(object.parent) ?? {};
    meshes.push({ object, name: object.name, node: own.nodes ?? above.nodes, mesh: own.meshes ?? above.meshes, primitive: own.primitives ?? 0 });
  });
  return meshes;
}

// World-space positions of a mesh as [x, y, z, x, y, z, ...]; the scene's matrices must be up to date.
export function positionsOf(object) {
  const point = new Vector3();
  const positions = [];
  if (object.isSkinnedMesh) object.skeleton.update();
  for (let v = 0; v < object.geometry.attributes.position.count; ++v) {
    object.getVertexPosition(v, point).applyMatrix4(object.matrixWorld);
    positions.push(point.x, point.y, point.z);
  }
  return positions;
}
