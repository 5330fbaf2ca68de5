// Names of a person's bones that no program has invented for itself: those of VRM 1.0, and bones of the palm and tips of
// the fingers beside them.
import type { Side } from './rig.js';

export const sides = ['left', 'right'] as const;
export const humanFingers = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'] as const;
export type HumanFinger = (typeof humanFingers)[number];

const single = ['hips', 'spine', 'chest', 'upperChest', 'neck', 'head', 'jaw'] as const;
const paired = ['Eye', 'Shoulder', 'UpperArm', 'LowerArm', 'Hand', 'UpperLeg', 'LowerLeg', 'Foot', 'Toes'] as const;
const segments = ['Metacarpal', 'Proximal', 'Intermediate', 'Distal', 'Tip'] as const;

export type SingleBone = (typeof single)[number];
export type PairedBone = (typeof paired)[number];
export type Segment = (typeof segments)[number];
/** 'hips', 'leftUpperArm', 'rightIndexProximal' ... A thumb has no intermediate bone: its metacarpal moves. */
export type HumanBone = SingleBone | `${Side}${PairedBone}` | `${Side}${HumanFinger}${Segment}`;

/** The bones of a finger that move, from base to tip, and its tip. */
export const chainOf = (finger: HumanFinger): readonly Segment[] =>
  finger === 'Thumb' ? ['Metacarpal', 'Proximal', 'Distal', 'Tip'] : ['Proximal', 'Intermediate', 'Distal', 'Tip'];

const all = new Set<string>([
  ...single,
  ...sides.flatMap((side) => paired.map((bone) => `${side}${bone}`)),
  ...sides.flatMap((side) =>
    humanFingers.flatMap((finger) =>
      segments.filter((s) => finger !== 'Thumb' || s !== 'Intermediate').map((s) => `${side}${finger}${s}`),
    ),
  ),
]);
export const humanBones = [...all] as HumanBone[];
export const isHumanBone = (name: string): name is HumanBone => all.has(name);
