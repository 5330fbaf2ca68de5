// From points on the fingers to rotations of a hand's joints: how far each bone is bent and spread, by geometry alone.
//
// The rig's joints are named and oriented as in WebXR: -Z along the bone to the tip, +Y to the back of the hand. The
// joint at the base of a finger bends and spreads, the others are hinges. Metacarpals and the wrist have no points of
// their own and stay as they are.
import type { LiveFrame } from './protocol.js';
import { type Rig, type Side, restBetween, sideOf } from './rig.js';
import {
  type Quaternion,
  type Vector,
  conjugate,
  cross,
  dot,
  fromAxisAngle,
  length,
  multiply,
  normalized,
  rotate,
  scale,
  subtract,
} from './rotation.js';

/** Where a finger's bones meet, from base to tip; any unit. The thumb's base is the root of its metacarpal. */
export type FingerPoints = readonly [Vector, Vector, Vector, Vector];

export interface HandPoints {
  side: Side;
  direction: Vector; // from the palm to the fingers
  normal: Vector; // out of the palm
  fingers: ReadonlyMap<Finger, FingerPoints>;
}

/** What was seen at a time in seconds: no hand, one, or several. */
export interface PointsFrame {
  time: number;
  hands: readonly HandPoints[];
}

export const fingers = ['thumb', 'index-finger', 'middle-finger', 'ring-finger', 'pinky-finger'] as const;
export type Finger = (typeof fingers)[number];

/** The joints at the first three points of a finger. */
export const jointsOf = (finger: Finger): string[] =>
  finger === 'thumb'
    ? ['thumb-metacarpal', 'thumb-phalanx-proximal', 'thumb-phalanx-distal']
    : ['proximal', 'intermediate', 'distal'].map((bone) => `${finger}-phalanx-${bone}`);

/** Takes vectors into the frame of the wrist: x across, y to the back, z away from the fingers. */
function intoWrist(hand: HandPoints, mirrored: boolean): ((v: Vector) => Vector) | undefined {
  const z = scale(hand.direction, -1 / length(hand.direction));
  const across = cross(scale(hand.normal, -1 / length(hand.normal)), z);
  if (!(length(across) > 1e-6)) return undefined; // no plane: parallel, zero or not finite
  const x = scale(across, 1 / length(across));
  const y = cross(z, x);
  return (v) => [(mirrored ? -1 : 1) * dot(v, x), dot(v, y), dot(v, z)];
}

/** The spread loses its meaning as the bone nears 90 degrees of flexion, where it would turn about itself: from 70
 * degrees on it fades out. */
const fade = (cosine: number) => Math.min(1, cosine / Math.cos((70 * Math.PI) / 180));

/** Away from rest, so that -Z comes to lie along `bone`: first spread about Y, then bent about -X. */
function bendAndSpread(bone: Vector): Quaternion {
  const cosine = Math.hypot(bone[0], bone[2]);
  // Beyond 90 degrees the bone points back; bending farther explains that, spreading by half a turn does not.
  const beyond = bone[2] > 0;
  const flexion = Math.atan2(-bone[1], beyond ? -cosine : cosine);
  const spread = beyond ? Math.atan2(bone[0], bone[2]) : Math.atan2(-bone[0], -bone[2]);
  const turn = fromAxisAngle([0, 1, 0], spread * fade(cosine / length(bone)));
  return multiply(turn, fromAxisAngle([-1, 0, 0], flexion));
}

const bend = (bone: Vector) => fromAxisAngle([-1, 0, 0], Math.atan2(-bone[1], -bone[2]));

/** Rotations relative to the parents. A hand of the other side is mirrored; fingers without sensible points, and joints
 * that the rig does not have, are left out. */
export function jointsFromPoints(hand: HandPoints, rig: Rig, side: Side = sideOf(rig)): Map<string, Quaternion> {
  const joints = new Map<string, Quaternion>();
  const into = intoWrist(hand, hand.side !== side);
  if (!into) return joints;
  for (const [finger, points] of hand.fingers) {
    const chain = jointsOf(finger).flatMap((name) => rig.get(name) ?? []);
    const bones = chain.map((_, k) => into(subtract(points[k + 1], points[k])));
    if (chain.length < 3 || !bones.every((bone) => length(bone) > 0 && length(bone) < Infinity)) continue;
    let frame = restBetween(rig, chain[0], 'wrist'); // in which the joint turns, seen from the wrist
    chain.forEach(({ name, rest }, k) => {
      const bone = rotate(conjugate(multiply(frame, rest)), bones[k]);
      const rotation = normalized(multiply(rest, k === 0 ? bendAndSpread(bone) : bend(bone)));
      joints.set(name, rotation);
      frame = multiply(frame, rotation);
    });
  }
  return joints;
}

/** The frames in which a hand of the wanted side was seen; of several the first counts. Frames without it are left out:
 * meanwhile the hand stays as it was, and after a longer gap the filter starts anew. */
export function framesFromPoints(frames: Iterable<PointsFrame>, rig: Rig, wanted: Side = sideOf(rig)): LiveFrame[] {
  return [...frames].flatMap(({ time, hands }) => {
    const hand = hands.find(({ side }) => side === wanted);
    const joints = hand ? jointsFromPoints(hand, rig) : new Map<string, Quaternion>();
    return joints.size > 0 ? [{ time, joints }] : [];
  });
}
