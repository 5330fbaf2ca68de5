// The motion of one rig on another whose joints have other names and other axes.
//
// A joint's own axes mean nothing on another rig; how far it has turned away from rest in the world does. With W the
// orientation of a joint in the world and R the one at rest, W R^-1 is that turn, and the joint of the target that is
// the same bone takes W_target = W_source R_source^-1 R_target. Where the rigs do not stand alike, the turn is brought
// from one world into the other before (`turn`); where limbs do not rest alike, as the arms of a T and of an A, R_target
// is turned first so that its bone lies along the source's (`align`).
import { type Recognised, recognise } from './bones_of_names.js';
import { type HumanBone, type HumanFinger, chainOf, humanFingers, sides } from './human_bones.js';
import type { LiveFrame } from './protocol.js';
import { type PlaceOf, type Placed, atRest, bodyAxes, handAxes, wayBetween } from './rest_frame.js';
import { type Result, failure, success } from './result.js';
import { type Joint, type Rig, fromRoots, sideOf } from './rig.js';
import { type Quaternion, conjugate, identity, multiply, normalized, rotate, shortest } from './rotation.js';

export interface RetargetOptions {
  /** Joints of the bones, where names do not tell or readBones() knows better. */
  source?: Recognised;
  target?: Recognised;
  /** From the world of the source to that of the target. Without it: found where both rigs say where their joints are,
   * and none elsewhere. */
  turn?: Quaternion;
  /** Whether limbs that rest in different directions are laid over each other. Without it: yes. */
  align?: boolean;
}

interface Pair {
  source: string; // joint
  moving: string[]; // joints of the source that move it: its own and those above it, up to the next bone that is shared
  away: Quaternion; // R_source^-1
  reference: Quaternion; // R_target, turned where limbs are laid over each other
}

const right = Math.PI / 2;

/** The nearest rotation that takes axes to axes: people of one file stand upright and face along an axis. */
function snapped(q: Quaternion): Quaternion {
  const turns = [0, 1, 2, 3].map((k): Quaternion => [Math.sin((k * right) / 2), 0, 0, Math.cos((k * right) / 2)]);
  const faces = [...turns, turns[1], turns[3]].map((t, k): Quaternion => (k < 4 ? t : [0, 0, t[0], t[3]]));
  const all = faces.flatMap((face) => turns.map(([s, , , w]) => multiply(face, [0, s, 0, w] as Quaternion)));
  const near = (p: Quaternion) => Math.abs(p.reduce((sum, c, i) => sum + c * q[i], 0));
  return all.reduce((best, p) => (near(p) > near(best) ? p : best));
}

/** Where the rigs are laid over each other: a bone, and the one that it points to. */
function limbs(): [HumanBone, HumanBone][][] {
  return sides.flatMap((side) => {
    const arm: [HumanBone, HumanBone][] = [
      [`${side}UpperArm`, `${side}LowerArm`],
      [`${side}LowerArm`, `${side}Hand`],
      [`${side}Hand`, `${side}MiddleProximal`],
    ];
    const leg: [HumanBone, HumanBone][] = [
      [`${side}UpperLeg`, `${side}LowerLeg`],
      [`${side}LowerLeg`, `${side}Foot`],
    ];
    const finger = (own: HumanFinger) =>
      chainOf(own)
        .slice(0, -1)
        .map((s, k): [HumanBone, HumanBone] => [`${side}${own}${s}`, `${side}${own}${chainOf(own)[k + 1]}`]);
    return [arm, leg, ...humanFingers.map(finger)];
  });
}

/** For each bone, the turn that lays the target's over the source's. A bone whose end is not known goes with the one
 * before it. */
function overlays(source: PlaceOf, target: PlaceOf, turn: Quaternion): Map<HumanBone, Quaternion> {
  const result = new Map<HumanBone, Quaternion>();
  for (const limb of limbs()) {
    let before = identity;
    for (const [bone, end] of limb) {
      const [from, to] = [wayBetween(target, bone, end), wayBetween(source, bone, end)];
      if (from && to) before = shortest(from, rotate(turn, to));
      result.set(bone, before);
    }
  }
  return result;
}

export class Retarget {
  private readonly rotations = new Map<string, Quaternion>(); // of the source, as far as they were told

  /** Made by retarget(). */
  constructor(
    private readonly source: readonly Joint[], // from the roots down
    private readonly target: readonly Joint[],
    private readonly pairs: ReadonlyMap<string, Pair>, // by the target's joints
    /** The bones that both rigs have. */
    readonly bones: readonly HumanBone[],
    readonly turn: Quaternion,
  ) {}

  /** The same pose of the target: joints whose bones have moved so far. */
  frame({ time, joints }: LiveFrame): LiveFrame {
    for (const [name, rotation] of joints) this.rotations.set(name, rotation);
    const { turn, pairs, rotations } = this;
    const from = new Map<string, Quaternion>();
    for (const { name, parent, rest } of this.source) {
      const above = (parent !== undefined && from.get(parent)) || identity;
      from.set(name, multiply(above, rotations.get(name) ?? rest));
    }
    const to = new Map<string, Quaternion>();
    const result = new Map<string, Quaternion>();
    for (const { name, parent, rest } of this.target) {
      const above = (parent !== undefined && to.get(parent)) || identity;
      const pair = pairs.get(name);
      if (!pair?.moving.some((joint) => rotations.has(joint))) {
        to.set(name, multiply(above, rest));
        continue;
      }
      const away = multiply(from.get(pair.source)!, pair.away);
      const own = multiply(multiply(multiply(turn, away), conjugate(turn)), pair.reference);
      to.set(name, own);
      result.set(name, normalized(multiply(conjugate(above), own)));
    }
    return { time, joints: result };
  }
}

const named = (rig: Rig) => recognise(rig.keys(), sideOf(rig));
const nothingKnown = (which: string, rig: Rig) =>
  failure(
    `${which} rig`,
    `has names of no known set (${[...rig.keys()].slice(0, 4).join(', ')} ...)`,
    'say which joint is which bone, or rename them as Mixamo, VRM, Unreal, Rigify or WebXR do',
  );

/** The turn from one world to the other by the bodies, or else by a hand that both have. */
function turnBetween(source: PlaceOf, target: PlaceOf): Quaternion {
  const from = bodyAxes(source);
  const to = bodyAxes(target);
  if (from && to) return snapped(multiply(to, conjugate(from)));
  for (const side of sides) {
    const [a, b] = [handAxes(source, side), handAxes(target, side)];
    if (a && b) return multiply(b, conjugate(a));
  }
  return identity;
}

/** Joints from one up to, and without, the next that `isEnd` names. */
function upTo(rig: Rig, joint: string, isEnd: (name: string) => boolean): string[] {
  const result = [joint];
  for (let at = rig.get(joint)?.parent; at !== undefined && !isEnd(at); at = rig.get(at)?.parent) result.push(at);
  return result;
}

/** Prepares to move `target` as `source` moves. */
export function retarget(source: Rig, target: Rig, options: RetargetOptions = {}): Result<Retarget> {
  const from = options.source ?? named(source);
  if (!from) return nothingKnown('source', source);
  const to = options.target ?? named(target);
  if (!to) return nothingKnown('target', target);
  const shared = [...to.bones.keys()].filter((bone) => source.has(from.bones.get(bone) ?? '') && target.has(to.bones.get(bone)!));
  if (shared.length === 0)
    return failure('rigs', `have no bone in common (${from.set}, ${to.set})`, 'is one a left hand and the other a right one?');
  const [placed, own] = [atRest(source), atRest(target)];
  const at = (rests: Map<string, Placed>, { bones }: Recognised): PlaceOf => (bone) => rests.get(bones.get(bone) ?? '')?.position;
  const [sourceAt, targetAt] = [at(placed, from), at(own, to)];
  const turn = options.turn ?? turnBetween(sourceAt, targetAt);
  const laid = options.align === false ? undefined : overlays(sourceAt, targetAt, turn);
  const ends = new Set(shared.map((bone) => from.bones.get(bone)!));
  const pairs = shared.map((bone): [string, Pair] => {
    const [joint, other] = [to.bones.get(bone)!, from.bones.get(bone)!];
    return [
      joint,
      {
        source: other,
        moving: upTo(source, other, (name) => ends.has(name)),
        away: conjugate(placed.get(other)!.orientation),
        reference: multiply(laid?.get(bone) ?? identity, own.get(joint)!.orientation),
      },
    ];
  });
  return success(new Retarget(fromRoots(source), fromRoots(target), new Map(pairs), shared, turn));
}
