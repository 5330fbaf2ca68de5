// One slider for every way a joint can turn, named and limited by the rig.
import type { Character, Joint, Quaternion } from '../engine/engine';
import { element, section, slider } from './dom';

const degrees = (radians: number) => (radians * 180) / Math.PI;
const show = (value: number) => `${Math.round(value)}°`;

function multiply(a: Quaternion, b: Quaternion): Quaternion {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

/** Rotation about an axis of the joint's own frame. */
export function turn(axis: readonly number[], radians: number): Quaternion {
  const s = Math.sin(radians / 2);
  return [axis[0] * s, axis[1] * s, axis[2] * s, Math.cos(radians / 2)];
}

export const turned = multiply;

export class JointsPanel {
  readonly section = section('Joints', false);
  private readonly refreshers: (() => void)[] = [];

  /** `onturn`: a joint was moved by hand. */
  constructor(character: Character, onturn: (joint: number) => void) {
    const filter = element('input', { type: 'search', placeholder: 'find a joint', attributes: { 'aria-label': 'Find a joint' } });
    const list = element('div', { className: 'joints' });
    character.joints.forEach((joint, j) => {
      if (!joint.skinned) return;
      const rows = joint.dofs.length > 0 ? this.limited(character, joint, j, onturn) : this.free(character, j, onturn);
      list.append(element('fieldset', {}, element('legend', { textContent: joint.name }), ...rows));
    });
    filter.oninput = () => {
      for (const group of list.children)
        (group as HTMLElement).hidden = !group.firstElementChild!.textContent!.toLowerCase().includes(filter.value.trim().toLowerCase());
    };
    this.section.append(filter, list);
    this.section.addEventListener('toggle', () => this.refresh());
  }

  /** Moves the sliders to a pose that something else made; those that nobody sees wait. Sliders without limits count
   * from there. */
  refresh(): void {
    if (this.section.open) for (const refresher of this.refreshers) refresher();
  }

  private limited(character: Character, joint: Joint, j: number, onturn: (joint: number) => void): HTMLElement[] {
    return joint.dofs.map((dof, d) => {
      const { row, set } = slider({
        label: dof.name,
        min: Math.round(degrees(dof.min)),
        max: Math.round(degrees(dof.max)),
        step: 1,
        value: 0,
        show,
        onslide: (value) => {
          const angles = character.angles(j);
          angles[d] = (value * Math.PI) / 180;
          character.setAngles(j, angles, true);
          onturn(j);
        },
      });
      this.refreshers.push(() => set(degrees(character.angles(j)[d])));
      return row;
    });
  }

  /** A rig without limits: a quarter turn either way about the joint's own axes, away from where it was when the sliders
   * were last at rest. */
  private free(character: Character, j: number, onturn: (joint: number) => void): HTMLElement[] {
    const angles = [0, 0, 0];
    let from = character.rotation(j);
    const sliders = ['x', 'y', 'z'].map((label, axis) =>
      slider({
        label,
        min: -90,
        max: 90,
        step: 1,
        value: 0,
        show,
        onslide: (value) => {
          angles[axis] = (value * Math.PI) / 180;
          const turns = angles.map((angle, a) => turn([a === 0, a === 1, a === 2].map(Number), angle));
          character.setRotation(j, turns.reduce((q, t) => multiply(q, t), from));
          onturn(j);
        },
      }),
    );
    this.refreshers.push(() => {
      from = character.rotation(j);
      angles.fill(0);
      sliders.forEach(({ set }) => set(0));
    });
    return sliders.map(({ row }) => row);
  }
}
