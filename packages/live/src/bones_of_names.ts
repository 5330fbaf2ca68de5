// Which joints of a character are which bones of a person, by their names.
import { type HumanBone, humanBones, isHumanBone } from './human_bones.js';
import { type NameSet, type SetName, nameSets } from './name_sets.js';
import type { Side } from './rig.js';

export interface Recognised {
  set: SetName;
  bones: ReadonlyMap<HumanBone, string>; // to the names of joints
}

/** What names have in common however they are written: loaders drop dots and colons, people change case and dashes. */
const keyOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
const withoutNamespace = (name: string) => name.slice(Math.max(name.lastIndexOf(':'), name.lastIndexOf('|')) + 1);

function bonesBy({ prefix, nameOf, oneHand }: NameSet, names: readonly string[], side: Side): Map<HumanBone, string> {
  const joints = new Map<string, string>();
  for (const name of names) {
    const key = keyOf(withoutNamespace(prefix ? name.replace(prefix, '') : name));
    if (!joints.has(key)) joints.set(key, name); // of joints with one name the first counts
  }
  const bones = new Map<HumanBone, string>();
  for (const bone of humanBones) {
    if (oneHand && !bone.startsWith(side)) continue;
    const name = nameOf(bone);
    const joint = name === undefined ? undefined : joints.get(keyOf(name));
    if (joint !== undefined) bones.set(bone, joint);
  }
  return bones;
}

const least = 3; // bones: one or two may be called so by chance

/** The set that explains most of the names; nothing where none explains three of them. `side`: of a hand whose names
 * tell none, as those of WebXR. */
export function recognise(names: Iterable<string>, side: Side = 'right'): Recognised | undefined {
  const list = [...names];
  let best: Recognised | undefined;
  for (const set of nameSets) {
    const bones = bonesBy(set, list, side);
    if (bones.size >= least && bones.size > (best?.bones.size ?? 0)) best = { set: set.name, bones };
  }
  return best;
}

interface HumanoidJson {
  nodes?: { name?: string }[];
  extensions?: {
    VRMC_vrm?: { humanoid?: { humanBones?: Record<string, { node: number } | undefined> } };
    VRM?: { humanoid?: { humanBones?: { bone: string; node: number }[] } };
  };
}

/** In VRM 0.x the bones of a thumb are called as those of the other fingers. */
const thumbOfOld = (bone: string) => bone.replace(/Thumb(Proximal|Intermediate)$/, (_, b) => `Thumb${b === 'Proximal' ? 'Metacarpal' : 'Proximal'}`);

/** The bones of a glTF file: as its VRM extension lists them, whatever its nodes are called, or by their names. */
export function readBones(gltf: HumanoidJson, side: Side = 'right'): Recognised | undefined {
  const nameOf = (node: number) => gltf.nodes?.[node]?.name ?? `node ${node}`;
  const { VRMC_vrm, VRM } = gltf.extensions ?? {};
  const listed = VRMC_vrm
    ? Object.entries(VRMC_vrm.humanoid?.humanBones ?? {}).flatMap(([bone, own]) => (own ? [[bone, own.node] as const] : []))
    : VRM?.humanoid?.humanBones?.map(({ bone, node }) => [thumbOfOld(bone), node] as const);
  const bones = (listed ?? []).flatMap(([bone, node]): [HumanBone, string][] => (isHumanBone(bone) ? [[bone, nameOf(node)]] : []));
  if (bones.length > 0) return { set: 'VRM', bones: new Map(bones) };
  return recognise((gltf.nodes ?? []).map((_, i) => nameOf(i)), side);
}
