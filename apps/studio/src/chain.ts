// Inverse kinematics: the joints above a held one bend, within their limits, until it lies under a point of the page.
import { Matrix4, Vector2, Vector3 } from 'three';
import type { Character, Quaternion } from '../engine/engine';
import { bonesAlone } from './settings';
import { turn, turned } from './rotation';

const longest = 4; // joints of a chain: an arm with its shoulder, a finger with its metacarpal
const rounds = 60;
const largestStep = 0.25; // radians a round
const small = 1e-3; // radians, for differences

/** One way that a chain can bend. */
interface Bend {
  joint: number;
  dof: number; // -1: about an axis of a joint without limits
  axis: Vector3; // of the joint's own frame
  min: number;
  max: number;
}

export function place(character: Character, joint: number): Vector3 {
  return new Vector3().fromArray(character.world(joint), 12);
}

/** In the world, an axis of a joint's own frame that a degree of freedom turns about; -1: of a joint without limits. Axes of later
 * ones turn with those before. Of the character's last update, which `angles` are of. */
export function axisInWorld(character: Character, joint: number, dof: number, axis: Vector3, angles: readonly number[]): Vector3 {
  const turnedAxis = axis.clone();
  const { dofs } = character.joints[joint];
  // The world frame holds all bends of the joint: what comes after this one is taken back.
  for (let later = dof + 1; dof >= 0 && later < dofs.length; ++later) turnedAxis.applyAxisAngle(new Vector3(...dofs[later].axis), -angles[later]);
  return turnedAxis.transformDirection(new Matrix4().fromArray(character.world(joint)));
}

/**
 * The joints that bend when one is held, the nearest first: those above it up to where the skeleton branches, so that a finger
 * does not turn the hand and a hand does not turn the chest. Empty where nothing moves it. Of the character's last update.
 */
export function chainOf(character: Character, held: number): number[] {
  const { joints } = character;
  const limited = joints.some(({ dofs }) => dofs.length > 0);
  const bends = (j: number) => joints[j].skinned && (!limited || joints[j].dofs.length > 0);
  const branches = (j: number) => joints.filter(({ parent, skinned }) => parent === j && skinned).length > 1;
  const at = place(character, held);
  const result: number[] = [];
  for (let j = joints[held].parent; j >= 0 && result.length < longest; j = joints[j].parent) {
    if (result.length > 0 && branches(j)) break;
    if (bends(j) && place(character, j).distanceTo(at) > 1e-6) result.push(j);
  }
  return result;
}

function bendsOf(character: Character, chain: readonly number[]): Bend[] {
  return chain.flatMap((joint) => {
    const { dofs } = character.joints[joint];
    if (dofs.length > 0) return dofs.map(({ axis, min, max }, dof) => ({ joint, dof, axis: new Vector3(...axis), min, max }));
    return [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => ({ joint, dof: -1, axis: new Vector3(...axis), min: -Infinity, max: Infinity }));
  });
}

/** Changes of the bends that move the held joint by a gap on the page: damped least squares, (J J^T + damping) y = gap. */
function steps(columns: readonly Vector2[], gap: Vector2): number[] {
  const sum = (of: (c: Vector2) => number) => columns.reduce((all, c) => all + of(c), 0);
  const damping = 1e-3 * sum((c) => c.lengthSq()) + 1e-9;
  const [xx, yy, xy] = [sum((c) => c.x * c.x) + damping, sum((c) => c.y * c.y) + damping, sum((c) => c.x * c.y)];
  const y = new Vector2(yy * gap.x - xy * gap.y, xx * gap.y - xy * gap.x).divideScalar(xx * yy - xy * xy);
  return columns.map((c) => c.dot(y));
}

export class Chain {
  private readonly bends: Bend[];
  private readonly start: Quaternion[];
  private readonly startAngles: number[][];

  /** Begins where the character is now. `onPage`: where a point of the scene is on the page. */
  constructor(
    private readonly character: Character,
    private readonly held: number,
    private readonly chain: readonly number[],
    private readonly onPage: (point: Vector3) => Vector2,
  ) {
    this.bends = bendsOf(character, chain);
    this.start = chain.map((joint) => character.rotation(joint));
    this.startAngles = chain.map((joint) => (character.joints[joint].dofs.length > 0 ? character.angles(joint) : []));
  }

  /**
   * Bends the chain from where it began, whatever was asked for before: the pose depends on the two ends of a drag alone, not
   * on the way between or on how often somebody looked.
   */
  reach(target: Vector2): void {
    const { character } = this;
    const angles = this.startAngles.map((own) => [...own]);
    const turns = this.start.map((own) => own);
    this.chain.forEach((joint, c) => character.setRotation(joint, this.start[c]));
    for (let round = 0; round < rounds; ++round) {
      character.update(bonesAlone);
      const at = place(character, this.held);
      const from = this.onPage(at);
      const gap = target.clone().sub(from);
      const columns = this.bends.map((bend) => this.column(bend, at, from, angles));
      const found = this.withinLimits(columns, gap, angles);
      const most = Math.max(...found.map(Math.abs), 0);
      if (most < 1e-6) return;
      const scale = Math.min(1, largestStep / most);
      this.chain.forEach((joint, c) => {
        this.bends.forEach((bend, b) => {
          if (bend.joint !== joint) return;
          if (bend.dof >= 0) angles[c][bend.dof] = Math.min(Math.max(angles[c][bend.dof] + scale * found[b], bend.min), bend.max);
          else turns[c] = turned(turns[c], turn(bend.axis.toArray(), scale * found[b]));
        });
        if (angles[c].length > 0) character.setAngles(joint, angles[c], true);
        else character.setRotation(joint, turns[c]);
      });
    }
  }

  /** How the held joint moves on the page with a bend, pixels a radian. */
  private column({ joint, dof, axis }: Bend, at: Vector3, from: Vector2, angles: readonly number[][]): Vector2 {
    const { character } = this;
    const centre = place(character, joint);
    const inWorld = axisInWorld(character, joint, dof, axis, angles[this.chain.indexOf(joint)]);
    const moved = at.clone().sub(centre).applyAxisAngle(inWorld, small).add(centre);
    return this.onPage(moved).sub(from).divideScalar(small);
  }

  /** Bends that stand at a limit and would go beyond it are left out, and the others do what they can. */
  private withinLimits(columns: readonly Vector2[], gap: Vector2, angles: readonly number[][]): number[] {
    const free = columns.map((c) => c.clone());
    for (let again = 0; again <= this.bends.length; ++again) {
      const found = steps(free, gap);
      const stuck = this.bends.findIndex(({ joint, dof, min, max }, b) => {
        if (dof < 0 || free[b].lengthSq() === 0) return false;
        const angle = angles[this.chain.indexOf(joint)][dof];
        return (angle <= min && found[b] < 0) || (angle >= max && found[b] > 0);
      });
      if (stuck < 0) return found;
      free[stuck].set(0, 0);
    }
    return this.bends.map(() => 0);
  }
}
