// What live input has to know of a character: the joints, how they rest, and how far they may turn.
import { type Quaternion, type Vector, identity, multiply, normalized, rotate } from './rotation.js';

/** A rotation about an axis fixed in the joint's rest frame, within limits (radians). */
export interface Dof {
  name: string;
  axis: Vector; // of length one
  min: number;
  max: number;
}

export interface Joint {
  name: string;
  parent?: string;
  rest: Quaternion; // relative to the parent
  position?: Vector; // relative to the parent, in any unit; where it is known, rigs can be laid over each other
  dofs: readonly Dof[]; // a pose is rest * R(dof 0) * R(dof 1) ...
}

export type Rig = ReadonlyMap<string, Joint>;
export type Side = 'left' | 'right';

export const rigOf = (joints: Iterable<Joint>): Rig => new Map([...joints].map((joint) => [joint.name, joint]));

interface GltfNode {
  name?: string;
  children?: number[];
  translation?: number[];
  rotation?: number[];
  extras?: { supple?: { dofs?: Dof[] } };
}

/** The rig in the JSON of a glTF file; of nodes with one name the first counts. */
export function readRig(gltf: { nodes?: GltfNode[] }): Rig {
  const nodes = gltf.nodes ?? [];
  const parents = new Map(nodes.flatMap((node, i) => (node.children ?? []).map((child) => [child, i] as const)));
  const nameOf = (i: number) => nodes[i].name ?? `node ${i}`;
  const joints = nodes.map((node, i): Joint => {
    const parent = parents.get(i);
    return {
      name: nameOf(i),
      parent: parent === undefined ? undefined : nameOf(parent),
      rest: node.rotation ? normalized(node.rotation as unknown as Quaternion) : identity,
      position: (node.translation ?? [0, 0, 0]) as unknown as Vector,
      dofs: node.extras?.supple?.dofs ?? [],
    };
  });
  return rigOf(joints.reverse()); // the last of a name stays in a map
}

/** The rotation at rest from the frame of `ancestor` to the frame in which `joint` turns, that of its parent. */
export function restBetween(rig: Rig, joint: Joint, ancestor: string): Quaternion {
  let rotation = identity;
  for (let at = joint.parent; at !== undefined && at !== ancestor; at = rig.get(at)?.parent)
    rotation = multiply(rig.get(at)?.rest ?? identity, rotation);
  return rotation;
}

/** Which hand it is: seen from the back, fingers up, the thumb of a left hand points right. Joints as in WebXR, -Z
 * along the bone. */
export function sideOf(rig: Rig): Side {
  const thumb = rig.get('thumb-metacarpal');
  return thumb && rotate(thumb.rest, [0, 0, -1])[0] > 0 ? 'left' : 'right';
}

/** Joints from the roots down: every parent comes before its children. */
export function fromRoots(rig: Rig): Joint[] {
  const order = new Set<Joint>();
  const add = (joint: Joint) => {
    const parent = joint.parent === undefined ? undefined : rig.get(joint.parent);
    if (parent && parent !== joint && !order.has(parent)) add(parent);
    order.add(joint);
  };
  for (const joint of rig.values()) add(joint);
  return [...order];
}
