// Evaluates a character with three.js, vertex by vertex, as an independent reference:
//   node three_positions.mjs FILE CLIP TIME[,TIME...] [OUT]
// CLIP is the name or the number of an animation, or "rest" for the file as it stands. Writes to OUT, or to standard
// output, one JSON object
//   {"file", "clip", "times": [...], "meshes": [{"name", "node", "mesh", "primitive", "vertices",
//                                                "positions": [[x, y, z, x, y, z, ...] for each time]}]}
// with world-space positions in double precision. Meshes come in the order of the scene's traversal; "node", "mesh" and
// "primitive" are their numbers in the file.
import fs from 'node:fs';
import { AnimationMixer } from 'three';
import { loadFile, meshesOf, positionsOf } from './three_file.mjs';

const [file, clipName, timeList, out] = process.argv.slice(2);
if (!timeList) {
  console.error('usage: node three_positions.mjs FILE CLIP TIME[,TIME...] [OUT]');
  process.exit(2);
}
const gltf = await loadFile(file);
const times = timeList.split(',').map(Number);
const clip = gltf.animations.find((c) => c.name === clipName) ?? gltf.animations[Number(clipName)];
if (!clip && clipName !== 'rest') {
  console.error(`${file}: no clip '${clipName}'; it has ${gltf.animations.map((c) => c.name).join(', ') || 'none'}`);
  process.exit(2);
}

const meshes = meshesOf(gltf);
const mixer = new AnimationMixer(gltf.scene);
if (clip) mixer.clipAction(clip).play();
const result = meshes.map(({ object, ...place }) => ({ ...place, vertices: object.geometry.attributes.position.count, positions: [] }));
for (const time of times) {
  if (clip) mixer.setTime(Math.min(Math.max(time, 0), clip.duration));
  gltf.scene.updateMatrixWorld(true);
  meshes.forEach(({ object }, m) => result[m].positions.push(positionsOf(object)));
}
const text = JSON.stringify({ file, clip: clip?.name ?? 'rest', times, meshes: result });
if (out) fs.writeFileSync(out, text);
else process.stdout.write(text + '\n');
