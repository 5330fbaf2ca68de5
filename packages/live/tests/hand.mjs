// The hands of `supple make hand`, and where their points are in a pose.
import { turnOf, readRig } from 'supple-live';
import { readGltf } from '../tools/read_gltf.mjs';

const files = Object.fromEntries(
  ['left', 'right'].map((side) => [side, readGltf(new URL(`../rigs/${side}_hand.gltf`, import.meta.url))]),
);
export const rigs = { left: readRig(files.left), right: readRig(files.right) };

export const multiply = ([a, b, c, d], [x, y, z, w]) => [
  d * x + a * w + b * z - c * y,
  d * y - a * z + b * w + c * x,
  d * z + a * y - b * x + c * w,
  d * w - a * x - b * y - c * z,
];
export const conjugate = ([x, y, z, w]) => [-x, -y, -z, w];
export const rotate = (q, v) => multiply(multiply(q, [...v, 0]), conjugate(q)).slice(0, 3);
export const axisAngle = (axis, angle) => [...axis.map((c) => c * Math.sin(angle / 2)), Math.cos(angle / 2)];
export const angleBetween = (a, b) => {
  const [x, y, z, w] = multiply(conjugate(a), b);
  return 2 * Math.atan2(Math.hypot(x, y, z), Math.abs(w));
};
export const degrees = (angle) => (angle * 180) / Math.PI;
export const radians = (angle) => (angle * Math.PI) / 180;

/** Numbers that look random and are the same in every run: mulberry32. */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
export const randomRotation = (rng, angle = Math.PI) => {
  const axis = [rng() - 0.5, rng() - 0.5, rng() - 0.5];
  return axisAngle(
    axis.map((c) => c / Math.hypot(...axis)),
    angle,
  );
};

/** The rotation of a joint for angles of its degrees of freedom. */
export const posed = (joint, angles) => multiply(joint.rest, turnOf(joint.dofs, angles));

/** Position and orientation of every joint, for rotations of some; `root` turns the whole hand. */
export function worldOf(side, rotations, root = [0, 0, 0, 1]) {
  const { nodes } = files[side];
  const world = new Map();
  const visit = (index, position, orientation) => {
    const { name, translation = [0, 0, 0], rotation = [0, 0, 0, 1], children = [] } = nodes[index];
    const at = rotate(orientation, translation).map((c, k) => c + position[k]);
    const own = multiply(orientation, rotations.get(name) ?? rotation);
    world.set(name, { position: at, orientation: own });
    for (const child of children) visit(child, at, own);
  };
  visit(
    nodes.findIndex(({ name }) => name === 'forearm'),
    [0, 0, 0],
    root,
  );
  return world;
}
