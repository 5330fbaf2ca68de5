// One slider for every way a joint can turn, named and limited by the rig.
import type { Character, Joint } from '../engine/engine';
import { button, element, section, slider } from './dom';
import { turn, turned } from './rotation';

const degrees = (radians: number) => (radians * 180) / Math.PI;
const show = (value: number) => `${Math.round(value)}°`;

/** What sliders do to the pose. */
export interface Turning {
  /** A joint is about to be turned. */
  onbegin: () => void;
  onturn: (joint: number) => void;
  /** A joint is to go back to rest. */
  onreset: (joint: number) => void;
}

export class JointsPanel {
  readonly section = section('Joints', false);
  private readonly refreshers: (() => void)[] = [];

  constructor(
    character: Character,
    private readonly on: Turning,
  ) {
    const filter = element('input', { type: 'search', placeholder: 'find a joint', attributes: { 'aria-label': 'Find a joint' } });
    const list = element('div', { className: 'joints' });
    character.joints.forEach((joint, j) => {
      if (!joint.skinned) return;
      const rows = joint.dofs.length > 0 ? this.limited(character, joint, j) : this.free(character, j);
      const rest = button('rest', `Puts ${joint.name} back to rest`, () => on.onreset(j));
      rest.setAttribute('aria-label', `${joint.name} to rest`);
      list.append(element('fieldset', {}, element('legend', {}, element('span', { textContent: joint.name }), rest), ...rows));
    });
    filter.oninput = () => {
      for (const group of list.children)
        (group as HTMLElement).hidden = !group.firstElementChild!.firstElementChild!.textContent!.toLowerCase().includes(filter.value.trim().toLowerCase());
    };
    this.section.append(filter, list);
    this.section.addEventListener('toggle', () => this.refresh());
  }

  /** Moves the sliders to a pose that something else made; those that nobody sees wait. Sliders without limits count
   * from there. */
  refresh(): void {
    if (this.section.open) for (const refresher of this.refreshers) refresher();
  }

  private limited(character: Character, joint: Joint, j: number): HTMLElement[] {
    return joint.dofs.map((dof, d) => {
      const { row, set } = slider({
        label: dof.name,
        min: Math.round(degrees(dof.min)),
        max: Math.round(degrees(dof.max)),
        step: 1,
        value: 0,
        show,
        onbegin: this.on.onbegin,
        entry: `degrees of ${dof.name}`,
        onslide: (value) => {
          const angles = character.angles(j);
          angles[d] = (value * Math.PI) / 180;
          character.setAngles(j, angles, true);
          this.on.onturn(j);
        },
      });
      this.refreshers.push(() => set(degrees(character.angles(j)[d])));
      return row;
    });
  }

  /** A rig without limits: a quarter turn either way about the joint's own axes, away from where it was when the sliders
   * were last at rest. */
  private free(character: Character, j: number): HTMLElement[] {
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
        onbegin: this.on.onbegin,
        entry: `degrees about ${label}`,
        onslide: (value) => {
          angles[axis] = (value * Math.PI) / 180;
          const turns = angles.map((angle, a) => turn([a === 0, a === 1, a === 2].map(Number), angle));
          character.setRotation(j, turns.reduce((q, t) => turned(q, t), from));
          this.on.onturn(j);
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
