// Evaluates a character with Babylon.js, vertex by vertex, as an independent reference:
//   node babylon_positions.mjs FILE CLIP TIME[,TIME...] [OUT]
// The arguments and the JSON object written are those of three_positions.mjs. Babylon's CPU evaluator skins in single
// precision.
import fs from 'node:fs';
import { NullEngine } from '@babylonjs/core/Engines/nullEngine.js';
import { LoadAssetContainerAsync } from '@babylonjs/core/Loading/sceneLoader.js';
import { Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { Logger } from '@babylonjs/core/Misc/logger.js';
import { Scene } from '@babylonjs/core/scene.js';
import '@babylonjs/core/Animations/animatable.js';
import '@babylonjs/loaders/glTF/index.js';
import { selfContained } from './self_contained.mjs';

const [file, clipName, timeList, out] = process.argv.slice(2);
if (!timeList) {
  console.error('usage: node babylon_positions.mjs FILE CLIP TIME[,TIME...] [OUT]');
  process.exit(2);
}
Logger.LogLevels = Logger.ErrorLogLevel;
const scene = new Scene(new NullEngine());
const { glb, json: gltf } = selfContained(file);
let json;  // the file's, in which the loader notes what it made of each node
const container = await LoadAssetContainerAsync(glb ?? 'data:' + gltf, scene, {
  pluginExtension: glb ? '.glb' : '.gltf',
  pluginOptions: { gltf: { skipMaterials: true, animationStartMode: 0, onParsed: (data) => (json = data.json) } },
});
container.addAllToScene();
const times = timeList.split(',').map(Number);
const groups = container.animationGroups;
const clip = groups.find((g) => g.name === clipName) ?? groups[Number(clipName)];
if (!clip && clipName !== 'rest') {
  console.error(`${file}: no clip '${clipName}'; it has ${groups.map((g) => g.name).join(', ') || 'none'}`);
  process.exit(2);
}

const meshes = json.nodes.flatMap((node, index) =>
  (node._primitiveBabylonMeshes ?? []).map((object, primitive) => ({ object, name: object.name, node: index, mesh: node.mesh, primitive })),
);
const result = meshes.map(({ object, ...place }) => ({ ...place, vertices: object.getTotalVertices(), positions: [] }));
if (clip) {
  clip.start(false);
  clip.pause();
}
// Babylon is left-handed: a root node that the loader adds turns right-handed files round. Undone, world space is the
// file's.
const undo = container.rootNodes[0].computeWorldMatrix(true).clone().invert();
const frameRate = clip?.targetedAnimations[0].animation.framePerSecond;
for (const time of times) {
  clip?.goToFrame(time * frameRate);
  for (const node of [...container.transformNodes, ...container.meshes]) node.computeWorldMatrix(true);
  for (const skeleton of container.skeletons) skeleton.prepare(true);
  meshes.forEach(({ object }, m) => {
    const data = object.getPositionData(true, true);
    const toWorld = object.getWorldMatrix().multiply(undo);  // Babylon multiplies row vectors
    const positions = [];
    for (let v = 0; v < data.length; v += 3) {
      const p = Vector3.TransformCoordinatesFromFloatsToRef(data[v], data[v + 1], data[v + 2], toWorld, new Vector3());
      positions.push(p.x, p.y, p.z);
    }
    result[m].positions.push(positions);
  });
}
const text = JSON.stringify({ file, clip: clip?.name ?? 'rest', times, meshes: result });
if (out) fs.writeFileSync(out, text);
else process.stdout.write(text + '\n');
