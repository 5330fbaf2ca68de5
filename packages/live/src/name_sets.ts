// What programs and devices call a person's bones.
import {
  type HumanBone,
  type HumanFinger,
  type PairedBone,
  type Segment,
  type SingleBone,
  chainOf,
  humanBones,
  humanFingers,
  sides,
} from './human_bones.js';
import type { Side } from './rig.js';

export type SetName =
  | 'Mixamo'
  | 'VRM'
  | 'Unreal'
  | 'Rigify'
  | 'WebXR'
  | 'OpenXR'
  | 'MediaPipe'
  | 'Supple figure';

export interface NameSet {
  name: SetName;
  /** What may stand before every name. */
  prefix?: RegExp;
  /** Names tell no side: a hand alone. */
  oneHand?: boolean;
  nameOf(bone: HumanBone): string | undefined;
}

const capital = (text: string) => text[0].toUpperCase() + text.slice(1);
/** Places 1, 2, 3, 4 of a finger's moving bones and its tip; 0 of a metacarpal that is none of them. */
const placeOf = (finger: HumanFinger, segment: Segment) => chainOf(finger).indexOf(segment) + 1;

interface Table {
  single: Partial<Record<SingleBone, string>>;
  paired?: (side: Side) => Partial<Record<PairedBone, string>>;
  finger?: (side: Side, finger: HumanFinger, segment: Segment) => string | undefined;
}

/** The names of a table, bone by bone. */
function namesOf({ single, paired, finger }: Table): (bone: HumanBone) => string | undefined {
  const names = new Map<string, string | undefined>(Object.entries(single));
  for (const side of sides) {
    for (const [bone, name] of Object.entries(paired?.(side) ?? {})) names.set(`${side}${bone}`, name);
    for (const own of humanFingers)
      for (const segment of ['Metacarpal', ...chainOf(own)] as const)
        names.set(`${side}${own}${segment}`, finger?.(side, own, segment));
  }
  return (bone) => names.get(bone);
}

const mixamo = namesOf({
  single: { hips: 'Hips', spine: 'Spine', chest: 'Spine1', upperChest: 'Spine2', neck: 'Neck', head: 'Head' },
  paired: (side) => {
    const s = capital(side);
    return {
      ...{ Eye: `${s}Eye`, Shoulder: `${s}Shoulder`, UpperArm: `${s}Arm`, LowerArm: `${s}ForeArm`, Hand: `${s}Hand` },
      ...{ UpperLeg: `${s}UpLeg`, LowerLeg: `${s}Leg`, Foot: `${s}Foot`, Toes: `${s}ToeBase` },
    };
  },
  finger: (side, finger, segment) => {
    const place = placeOf(finger, segment);
    return place > 0 ? `${capital(side)}Hand${finger === 'Little' ? 'Pinky' : finger}${place}` : undefined;
  },
});

const little = (finger: HumanFinger) => (finger === 'Little' ? 'pinky' : finger.toLowerCase());

/** The mannequin of Unreal 4 has three bones of the spine, that of Unreal 5 five. */
const unreal = (chest: string, upperChest: string) =>
  namesOf({
    single: { hips: 'pelvis', spine: 'spine_01', chest, upperChest, neck: 'neck_01', head: 'head' },
    paired: (side) => {
      const s = side[0];
      return {
        ...{ Shoulder: `clavicle_${s}`, UpperArm: `upperarm_${s}`, LowerArm: `lowerarm_${s}`, Hand: `hand_${s}` },
        ...{ UpperLeg: `thigh_${s}`, LowerLeg: `calf_${s}`, Foot: `foot_${s}`, Toes: `ball_${s}` },
      };
    },
    finger: (side, finger, segment) => {
      const place = placeOf(finger, segment);
      if (place === 0) return `${little(finger)}_metacarpal_${side[0]}`;
      return place < 4 ? `${little(finger)}_0${place}_${side[0]}` : undefined;
    },
  });

/** Rigify's skeleton, which Blender's human metarig has, too. Its "spine" is the hips. */
const rigify = namesOf({
  single: {
    ...{ hips: 'spine', spine: 'spine.001', chest: 'spine.002', upperChest: 'spine.003' },
    ...{ neck: 'spine.004', head: 'spine.006', jaw: 'jaw' },
  },
  paired: (side) => {
    const s = capital(side[0]);
    return {
      ...{ Eye: `eye.${s}`, Shoulder: `shoulder.${s}`, UpperArm: `upper_arm.${s}`, LowerArm: `forearm.${s}` },
      ...{ Hand: `hand.${s}`, UpperLeg: `thigh.${s}`, LowerLeg: `shin.${s}`, Foot: `foot.${s}`, Toes: `toe.${s}` },
    };
  },
  finger: (side, finger, segment) => {
    const s = capital(side[0]);
    const place = placeOf(finger, segment);
    if (place === 0) return `palm.0${humanFingers.indexOf(finger)}.${s}`;
    if (place === 4) return undefined;
    return finger === 'Thumb' ? `thumb.0${place}.${s}` : `f_${little(finger)}.0${place}.${s}`;
  },
});

const webxrFinger = (finger: HumanFinger) => (finger === 'Thumb' ? 'thumb' : `${little(finger)}-finger`);
const webxr = namesOf({
  single: {},
  paired: () => ({ LowerArm: 'forearm', Hand: 'wrist' }), // a hand of `supple make hand` has a forearm, too
  finger: (_, finger, segment) => {
    const bone = segment === 'Metacarpal' || segment === 'Tip' ? segment : `phalanx-${segment}`;
    return `${webxrFinger(finger)}-${bone}`.toLowerCase();
  },
});

/** As Godot, Blender and others write the joints of OpenXR. */
const openxr = namesOf({
  single: {},
  paired: (side) => ({ Hand: `Wrist_${capital(side[0])}` }),
  finger: (side, finger, segment) => `${finger}_${segment}_${capital(side[0])}`,
});

const landmarks = { Thumb: ['CMC', 'MCP', 'IP', 'TIP'], others: ['MCP', 'PIP', 'DIP', 'TIP'] };
const mediapipe = namesOf({
  single: {},
  paired: () => ({ Hand: 'WRIST' }),
  finger: (_, finger, segment) => {
    const place = placeOf(finger, segment);
    if (place === 0) return undefined;
    const bone = (finger === 'Thumb' ? landmarks.Thumb : landmarks.others)[place - 1];
    return `${webxrFinger(finger).replace('-', '_')}_${bone}`.toUpperCase();
  },
});

const figure = namesOf({
  single: { hips: 'hips', spine: 'spine', chest: 'chest', neck: 'neck', head: 'head' },
  paired: (side) => ({
    ...{ Shoulder: `shoulder-${side}`, UpperArm: `upper-arm-${side}`, LowerArm: `forearm-${side}` },
    ...{ Hand: `hand-${side}`, UpperLeg: `thigh-${side}`, LowerLeg: `shin-${side}`, Foot: `foot-${side}` },
  }),
});

export const nameSets: readonly NameSet[] = [
  { name: 'Mixamo', prefix: /^mixamorig\d*[:_]?/i, nameOf: mixamo },
  { name: 'VRM', nameOf: (bone) => bone },
  { name: 'Unreal', nameOf: unreal('spine_03', 'spine_05') },
  { name: 'Unreal', nameOf: unreal('spine_02', 'spine_03') },
  { name: 'Rigify', prefix: /^(DEF|ORG)[-_]/, nameOf: rigify },
  { name: 'WebXR', oneHand: true, nameOf: webxr },
  { name: 'OpenXR', nameOf: openxr },
  { name: 'MediaPipe', oneHand: true, nameOf: mediapipe },
  { name: 'Supple figure', nameOf: figure },
];

/** The names of a set, for people who make rigs or senders. */
export function namesIn(set: SetName, side?: Side): Map<HumanBone, string> {
  const found = nameSets.find(({ name }) => name === set)!;
  const own = humanBones.filter((bone) => !found.oneHand || !side || bone.startsWith(side));
  return new Map(own.flatMap((bone) => [[bone, found.nameOf(bone)] as const]).filter((pair): pair is [HumanBone, string] => pair[1] !== undefined));
}
