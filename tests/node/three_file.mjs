// Loads glTF files with three.js under Node, and evaluates their vertices one by one.
import { Vector3 } from 'three';
import { selfContained } from './self_contained.mjs';

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
const { MeshoptDecoder } = await import('three/addons/libs/meshopt_decoder.module.js');

export function loadFile(file) {
  const { glb, json } = selfContained(file);
  return new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(glb?.buffer ?? json, '');
}

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
