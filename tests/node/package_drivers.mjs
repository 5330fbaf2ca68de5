// Runs the drivers of packages/three on a character:
//   node package_drivers.mjs FILE POSES OUT
// POSES is a JSON file of poses, each {"time": seconds of the first clip} or {"rotations": {"node": [x, y, z, w]}} from
// rest. OUT gets {"tracks": the clip's tracks that are left, "meshes": [{"node", "primitive", "weights": [[...] for each
// pose], "positions": [[...] for each pose]}]}.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AnimationMixer, Quaternion } from 'three';
import ts from 'typescript';
import { loadFile, meshesOf, positionsOf } from './three_file.mjs';

// The modules as a browser would get them; three.js is resolved from here.
const sources = new URL('../../packages/three/src/', import.meta.url);
// Made, not kept: a fresh checkout does not have it yet.
if (!fs.existsSync(new URL('skin_shader.ts', sources))) await import('../../packages/three/tools/embed_shader.mjs');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'supple_three_'));
fs.writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
for (const name of fs.readdirSync(sources)) {
  const script = ts
    .transpileModule(fs.readFileSync(new URL(name, sources), 'utf8'), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    })
    .outputText.replace(/from '(three[^']*)'/g, (_, module) => `from '${import.meta.resolve(module)}'`);
  fs.writeFileSync(path.join(folder, name.replace(/\.ts$/, '.js')), script);
}
const { readDrivers } = await import(path.join(folder, 'index.js'));
fs.rmSync(folder, { recursive: true });

const [file, posesFile, out] = process.argv.slice(2);
const gltf = await loadFile(file);
const drivers = readDrivers(gltf);
const clip = drivers.withoutDrivenTracks(gltf.animations[0]);
const mixer = new AnimationMixer(gltf.scene);
const nodes = [...gltf.parser.associations].filter(([, place]) => place?.nodes !== undefined);
const rest = nodes.map(([object]) => object.quaternion.clone());
const meshes = meshesOf(gltf);
const result = meshes.map(({ object, ...place }) => ({ ...place, weights: [], positions: [] }));
for (const { time, rotations } of JSON.parse(fs.readFileSync(posesFile, 'utf8'))) {
  mixer.stopAllAction();
  nodes.forEach(([object, { nodes: node }], n) => {
    object.quaternion.copy(rotations?.[node] ? new Quaternion().fromArray(rotations[node]) : rest[n]);
  });
  if (time !== undefined) {
    mixer.clipAction(clip).play();
    mixer.setTime(time);
  }
  drivers.update();
  gltf.scene.updateMatrixWorld(true);
  meshes.forEach(({ object }, m) => {
    result[m].weights.push([...(object.morphTargetInfluences ?? [])]);
    result[m].positions.push(positionsOf(object));
  });
}
fs.writeFileSync(out, JSON.stringify({ tracks: clip.tracks.map((track) => track.name), meshes: result }));
