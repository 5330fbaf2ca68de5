// The hand that a character has for devices that see hands.
import { recognise } from './bones_of_names.js';
import { type HumanBone, sides } from './human_bones.js';
import type { LiveFrame } from './protocol.js';
import { type Result, failure, success } from './result.js';
import { retarget } from './retarget.js';
import { type Rig, type Side, sideOf } from './rig.js';
import { webxrHand } from './webxr_hand.js';

export interface HandOn {
  /** The hand that sources of frames move: joints as WebXR's. */
  rig: Rig;
  side: Side;
  /** A frame of that hand as one of the character. */
  onto(frame: LiveFrame): LiveFrame;
}

const isWebxr = (rig: Rig) => rig.has('wrist') && rig.has('index-finger-phalanx-proximal');

/** A rig with WebXR's joints is moved as it is; of any other whose names are known, the hand on the wanted side, or the
 * one that it has. */
export function handOn(rig: Rig, wanted: Side = 'right'): Result<HandOn> {
  if (isWebxr(rig)) return success({ rig, side: sideOf(rig), onto: (frame) => frame });
  const known = recognise(rig.keys(), wanted);
  const has = (side: Side) => known?.bones.has(`${side}IndexProximal` as HumanBone);
  const side = [wanted, ...sides].find(has);
  if (!known || !side)
    return failure('character', 'has no hand with fingers whose names are known', 'docs/live.md lists the names');
  const hand = webxrHand(side);
  const found = retarget(hand, rig, { target: known });
  return found.ok ? success({ rig: hand, side, onto: (frame) => found.value.frame(frame) }) : found;
}
