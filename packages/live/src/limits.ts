// Joints turn as far as they can and no farther.
import { dofAngles, turnOf } from './dof_angles.js';
import type { LiveFrame } from './protocol.js';
import type { Joint, Rig } from './rig.js';
import { type Quaternion, conjugate, multiply, normalized } from './rotation.js';

/** The rotation that the joint's degrees of freedom can reach: each angle within its limits. A joint without degrees of
 * freedom turns freely. */
export function limited({ rest, dofs }: Joint, rotation: Quaternion): Quaternion {
  if (dofs.length === 0) return rotation;
  const angles = dofAngles(dofs, multiply(conjugate(rest), rotation));
  const within = angles.map((angle, d) => Math.min(Math.max(angle, dofs[d].min), dofs[d].max));
  return normalized(multiply(rest, turnOf(dofs, within)));
}

export function limitedFrame(frame: LiveFrame, rig: Rig): LiveFrame {
  const joints = [...frame.joints].map(([name, rotation]): [string, Quaternion] => {
    const joint = rig.get(name);
    return [name, joint ? limited(joint, rotation) : rotation];
  });
  return { time: frame.time, joints: new Map(joints) };
}
