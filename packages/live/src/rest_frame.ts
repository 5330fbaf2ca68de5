// A rig at rest in its own world: how joints are oriented, where they are, and which way the person faces.
import type { HumanBone } from './human_bones.js';
import { type Rig, type Side, fromRoots } from './rig.js';
import {
  type Quaternion,
  type Vector,
  add,
  cross,
  dot,
  fromAxes,
  identity,
  length,
  multiply,
  rotate,
  scale,
  subtract,
} from './rotation.js';

export interface Placed {
  orientation: Quaternion;
  position?: Vector; // nothing where a joint at or above it has none
}

export function atRest(rig: Rig): Map<string, Placed> {
  const placed = new Map<string, Placed>();
  for (const { name, parent, rest, position } of fromRoots(rig)) {
    const above = parent === undefined ? undefined : placed.get(parent);
    const { orientation, position: base } = above ?? { orientation: identity, position: [0, 0, 0] as Vector };
    const at = base && position && add(base, rotate(orientation, position));
    placed.set(name, { orientation: multiply(orientation, rest), position: at });
  }
  return placed;
}

/** Where the bones of a person are. */
export type PlaceOf = (bone: HumanBone) => Vector | undefined;

/** From one bone to another; nothing where one is missing or both are at one place. */
export function wayBetween(placeOf: PlaceOf, from: HumanBone, to: HumanBone): Vector | undefined {
  const [a, b] = [placeOf(from), placeOf(to)];
  const way = a && b && subtract(b, a);
  return way && length(way) > 1e-9 ? way : undefined;
}

/** Axes with y along one direction and x as near to another as that allows. */
function axes(x: Vector | undefined, y: Vector | undefined): Quaternion | undefined {
  if (!x || !y) return undefined;
  const up = scale(y, 1 / length(y));
  const across = subtract(x, scale(up, dot(x, up)));
  if (!(length(across) > 1e-6 * length(x))) return undefined;
  const side = scale(across, 1 / length(across));
  return fromAxes(side, up, cross(side, up));
}

/** x to the person's left, y up. */
export function bodyAxes(placeOf: PlaceOf): Quaternion | undefined {
  const way = (from: HumanBone, to: HumanBone) => wayBetween(placeOf, from, to);
  const up = way('hips', 'head') ?? way('hips', 'neck') ?? way('hips', 'chest') ?? way('hips', 'spine');
  return axes(way('rightUpperLeg', 'leftUpperLeg') ?? way('rightUpperArm', 'leftUpperArm'), up);
}

/** x from the little finger to the index, y along the middle finger. */
export function handAxes(placeOf: PlaceOf, side: Side): Quaternion | undefined {
  const way = (from: HumanBone, to: HumanBone) => wayBetween(placeOf, from, to);
  return axes(way(`${side}LittleProximal`, `${side}IndexProximal`), way(`${side}Hand`, `${side}MiddleProximal`));
}
