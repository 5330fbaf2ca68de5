// Rings around a joint, one for each way it can turn: where they lie, how far they go, and how they are drawn.
import * as THREE from 'three';
import type { Character, Quaternion } from '../engine/engine';
import { axisInWorld, place } from './chain';
import { turn, turned } from './rotation';

const colours = [0xff6257, 0x5fd36a, 0x57a5ff];
const held = new THREE.Color(0xffc400);
const over = { depthTest: false, depthWrite: false, transparent: true, toneMapped: false };

/** One way a joint can turn. */
export interface Turn {
  name: string;
  dof: number; // -1: about an axis of a joint without limits
  axis: THREE.Vector3; // of the joint's own frame
  min: number; // radians
  max: number;
}

export function turnsOf({ joints }: Character, joint: number): Turn[] {
  const { dofs } = joints[joint];
  if (dofs.length > 0) return dofs.map(({ name, axis, min, max }, dof) => ({ name, dof, axis: new THREE.Vector3(...axis), min, max }));
  return ['x', 'y', 'z'].map((name, i) => ({ name, dof: -1, axis: new THREE.Vector3(...[0, 1, 2].map((k) => Number(k === i))), min: -Math.PI, max: Math.PI }));
}

/** Joints that rings can turn: those that have limits, or all that some skin follows where none has. */
export function turnable({ joints }: Character): number[] {
  const limited = joints.some(({ dofs }) => dofs.length > 0);
  return joints.flatMap(({ skinned, dofs }, j) => (skinned && (!limited || dofs.length > 0) ? [j] : []));
}

/** A pose of a joint that is turned away from: by any angle, the same however often somebody asks. */
export class Start {
  private readonly angles: number[];
  private readonly rotation: Quaternion;

  constructor(
    private readonly character: Character,
    private readonly joint: number,
  ) {
    this.angles = character.joints[joint].dofs.length > 0 ? character.angles(joint) : [];
    this.rotation = character.rotation(joint);
  }

  /** Within limits. */
  turn({ dof, axis, min, max }: Turn, radians: number): void {
    const { character, joint } = this;
    if (dof < 0) return character.setRotation(joint, turned(this.rotation, turn(axis.toArray(), radians)));
    const angles = [...this.angles];
    angles[dof] = Math.min(Math.max(angles[dof] + radians, min), max);
    character.setAngles(joint, angles, true);
  }
}

/** Where a ring lies in the world: its plane, and where on it the joint is now. */
export interface Lie {
  centre: THREE.Vector3;
  axis: THREE.Vector3;
  begin: THREE.Vector3; // where its range begins, from the centre; a unit long
  angle: number; // from there to where the joint is, radians
  range: number; // radians
}

/** Where the bone of a joint goes, seen along an axis: to its children, or away from its parent. */
function along(character: Character, joint: number, axis: THREE.Vector3): THREE.Vector3 {
  const { joints } = character;
  const at = place(character, joint);
  const result = new THREE.Vector3();
  joints.forEach(({ parent, skinned }, j) => parent === joint && skinned && result.add(place(character, j).sub(at)));
  if (result.lengthSq() < 1e-12 && joints[joint].parent >= 0) result.copy(at).sub(place(character, joints[joint].parent));
  result.projectOnPlane(axis);
  if (result.lengthSq() < 1e-12) result.set(Math.abs(axis.x) < 0.9 ? 1 : 0, Math.abs(axis.x) < 0.9 ? 0 : 1, 0).projectOnPlane(axis);
  return result.normalize();
}

export function lieOf(character: Character, joint: number, { dof, axis, min, max }: Turn): Lie {
  const angles = dof >= 0 ? character.angles(joint) : [];
  const inWorld = axisInWorld(character, joint, dof, axis, angles);
  const angle = dof >= 0 ? angles[dof] - min : 0;
  const begin = along(character, joint, inWorld).applyAxisAngle(inWorld, -angle);
  return { centre: place(character, joint), axis: inWorld, begin, angle, range: max - min };
}

export class Ring {
  readonly group = new THREE.Group();
  private readonly colour: THREE.Color;
  private readonly knob = new THREE.Mesh(new THREE.SphereGeometry(0.075, 16, 10), new THREE.MeshBasicMaterial(over));
  private readonly arc: THREE.Mesh<THREE.TorusGeometry, THREE.MeshBasicMaterial>;
  private readonly round: THREE.Mesh<THREE.TorusGeometry, THREE.MeshBasicMaterial>; // what lies beyond the limits

  constructor(readonly way: Turn, number: number) {
    this.colour = new THREE.Color(colours[number % colours.length]);
    this.arc = new THREE.Mesh(new THREE.TorusGeometry(1, 0.028, 8, 64, way.max - way.min), new THREE.MeshBasicMaterial(over));
    this.round = new THREE.Mesh(new THREE.TorusGeometry(1, 0.009, 6, 64), new THREE.MeshBasicMaterial({ ...over, opacity: 0.45 }));
    [this.round, this.arc, this.knob].forEach((mesh, i) => {
      mesh.renderOrder = 13 + i;
      mesh.frustumCulled = false;
      this.group.add(mesh);
    });
    this.round.visible = way.dof >= 0;
  }

  /** `radius`: in the world. `hot`: a pointer is at it. `marked`: keys turn it. */
  place({ centre, axis, begin, angle }: Lie, radius: number, hot: boolean, marked: boolean): void {
    this.group.position.copy(centre);
    this.group.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(begin, axis.clone().cross(begin), axis));
    this.group.scale.setScalar(radius);
    this.knob.position.set(Math.cos(angle), Math.sin(angle), 0);
    this.knob.scale.setScalar(marked ? 1.5 : 1);
    for (const { material } of [this.arc, this.round, this.knob]) (material as THREE.MeshBasicMaterial).color.copy(hot ? held : this.colour);
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const mesh of [this.arc, this.round, this.knob]) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
    }
  }
}
