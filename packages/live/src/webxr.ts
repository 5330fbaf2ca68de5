// Tracked hands of WebXR as frames of joint rotations. The rig's joints are named and oriented as WebXR's.
//
// A device tells how its own idea of a hand is oriented, joint by joint. Joints that turn in the rig take over the
// rotation relative to the nearest joint above them that turns, too, or to the wrist; what lies between is as the rig
// has it at rest. So metacarpals that a device places differently do not bend the fingers.
import type { LiveFrame } from './protocol.js';
import { type Joint, type Rig, type Side, restBetween, sideOf } from './rig.js';
import { type Quaternion, conjugate, multiply, normalized } from './rotation.js';

/** The parts of the WebXR interfaces that are used here; XRFrame and XRHand fit. */
export interface JointSource<Space, Base> {
  getJointPose?(
    joint: Space,
    base: Base,
  ): { transform: { orientation: { x: number; y: number; z: number; w: number } } } | null | undefined;
}
export interface TrackedHand<Space> {
  get(joint: string): Space | undefined;
}

interface XrScope {
  XRHand?: unknown;
  navigator?: { xr?: { isSessionSupported(mode: string): Promise<boolean> } };
}

/** Whether this browser can track hands; sessions then ask for the optional feature 'hand-tracking'. */
export async function canTrackHands(scope: object = globalThis): Promise<boolean> {
  const { XRHand, navigator } = scope as XrScope;
  if (XRHand === undefined || !navigator?.xr) return false;
  return navigator.xr.isSessionSupported('immersive-vr').catch(() => false);
}

/** The joint above that turns, too, or the wrist; nothing for joints that do not hang on a wrist. */
function measuredFrom(rig: Rig, joint: Joint): string | undefined {
  for (let at = joint.parent; at !== undefined; at = rig.get(at)?.parent)
    if (at === 'wrist' || (rig.get(at)?.dofs.length ?? 0) > 0) return at;
  return undefined;
}

/** One frame of a tracked hand, or nothing where its wrist was not seen. A hand of the other side is mirrored. */
export function frameFromXRHand<Space, Base>(
  source: JointSource<Space, Base>,
  hand: TrackedHand<Space>,
  side: Side,
  base: Base,
  time: number, // seconds
  rig: Rig,
): LiveFrame | undefined {
  const mirror = side === sideOf(rig) ? 1 : -1;
  const orientationOf = (name: string): Quaternion | undefined => {
    const space = hand.get(name);
    const q = space !== undefined ? source.getJointPose?.(space, base)?.transform.orientation : undefined;
    return q && [q.x, mirror * q.y, mirror * q.z, q.w];
  };
  if (!orientationOf('wrist')) return undefined;
  const joints = new Map<string, Quaternion>();
  for (const joint of rig.values()) {
    const from = joint.dofs.length > 0 ? measuredFrom(rig, joint) : undefined;
    const above = from && orientationOf(from);
    const own = above && orientationOf(joint.name);
    if (!own) continue;
    const parent = multiply(above, restBetween(rig, joint, from));
    joints.set(joint.name, normalized(multiply(conjugate(parent), own)));
  }
  return { time, joints };
}
