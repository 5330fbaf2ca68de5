// A recording of hand points as a pose plan for `supple simulate`: every second frame of the first two thirds to learn
// from, those between and the last third to test with.
// Usage: node tools/plan.mjs RECORDING.json PLAN.json [left|right] [FRAMES-TO-SKIP]
import fs from 'node:fs';
import { LiveInput, describe, dofAngles, framesFromPoints, readLeapRecording, readRig } from '../dist/index.js';
import { readGltf } from './read_gltf.mjs';

const [recording, output, side = 'left', skip = '0'] = process.argv.slice(2);
if (!output) {
  console.error('node tools/plan.mjs RECORDING.json PLAN.json [left|right] [FRAMES-TO-SKIP]');
  process.exit(2);
}
const rig = readRig(readGltf(new URL(`../rigs/${side}_hand.gltf`, import.meta.url)));
const points = readLeapRecording(JSON.parse(fs.readFileSync(recording, 'utf8')));
if (!points.ok) {
  console.error(`${recording}: ${describe(points.error)}`);
  process.exit(1);
}

const turned = (rest, [x, y, z, w]) => {
  const [a, b, c] = rest.slice(0, 3).map((v) => -v);
  const d = rest[3];
  return [
    d * x + a * w + b * z - c * y,
    d * y - a * z + b * w + c * x,
    d * z + a * y - b * x + c * w,
    d * w - a * x - b * y - c * z,
  ];
};
const hundredths = (radians) => Math.round((radians * 18000) / Math.PI) / 100;

const input = new LiveInput(rig);
const frames = framesFromPoints(points.value, rig).filter((_, f) => f % (Number(skip) + 1) === 0);
const poses = frames.map((frame, f) => {
  const angles = {};
  for (const [name, rotation] of input.next(frame).joints) {
    const joint = rig.get(name);
    const of = dofAngles(joint.dofs, turned(joint.rest, rotation));
    angles[name] = Object.fromEntries(of.map((angle, d) => [joint.dofs[d].name, hundredths(angle)]));
  }
  const unseen = 3 * f >= 2 * frames.length;
  const learnt = !unseen && f % 2 === 0;
  const pose = { name: `frame-${String(f).padStart(3, '0')}`, angles };
  return learnt ? { ...pose, tags: ['clip'] } : { ...pose, role: 'test', tags: ['clip', unseen ? 'unseen' : 'between'] };
});
const sweeps = [{ name: 'recording', poses }]; // in its order: flesh that touches itself depends on the way
fs.writeFileSync(output, JSON.stringify({ pose_plan: 1, sweeps }, null, 1) + '\n');
console.log(`${output}: ${poses.length} poses, ${poses.filter((p) => !p.role).length} to learn from`);
