// What three.js takes to skin a file's meshes on the CPU, over its first clip: node three_skinning.mjs FILE
// Prints {"program", "us_per_pose"}, the fastest of several rounds.
import fs from 'node:fs';
import { AnimationMixer, Vector3, REVISION } from '../../tests/node/node_modules/three/build/three.module.js';
import { loadFile, meshesOf } from '../../tests/node/three_file.mjs';

const POSES = 16;
const ROUNDS = 7;
const gltf = await loadFile(process.argv[2]);
const clip = gltf.animations[0];
const mixer = new AnimationMixer(gltf.scene);
if (clip) mixer.clipAction(clip).play();
const meshes = meshesOf(gltf).map(({ object }) => object);
for (const mesh of meshes) {
  mesh.morphTargetInfluences?.fill(0);
  mesh.geometry.morphAttributes = {}; // linear blend alone, as of the others
}
const point = new Vector3();
let best = Infinity;
for (let round = 0; round < ROUNDS; ++round) {
  const begin = performance.now();
  for (let pose = 0; pose < POSES; ++pose) {
    if (clip) mixer.setTime((clip.duration * pose) / POSES);
    gltf.scene.updateMatrixWorld(true);
    for (const mesh of meshes) {
      if (mesh.isSkinnedMesh) mesh.skeleton.update();
      const count = mesh.geometry.attributes.position.count;
      for (let v = 0; v < count; ++v) mesh.getVertexPosition(v, point);
    }
  }
  best = Math.min(best, ((performance.now() - begin) * 1000) / POSES);
}
fs.writeSync(1, JSON.stringify({ program: `three.js r${REVISION}, getVertexPosition`, us_per_pose: best }) + '\n');
