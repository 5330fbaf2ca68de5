// How the skin flows and how its muscles swing: where weights come from, what each joint keeps of its volume, and
// sliders for one muscle or for all.
import { type Flow, type MuscleParameters, fieldSources, flowIntegrators } from '../engine/engine';
import { button, choice, element, section, slider, toggle } from './dom';
import type { Kinodynamics } from './kinodynamics';
import { problem } from './messages';
import type { Studio } from './studio';

interface Knob<Name> {
  name: Name;
  label: string;
  min: number;
  max: number;
  show: (value: number) => string;
  /** Sliders that span decades move by factors. */
  logarithmic?: boolean;
}
const plain = (value: number) => value.toFixed(2);
const degrees = (radians: number) => `${Math.round((radians * 180) / Math.PI)}°`;

type FlowKnob = Knob<'shortening' | 'spread' | 'reach' | 'contact' | 'step'>;
const fieldKnobs: Record<Flow['source'], FlowKnob[]> = {
  automatic: [
    { name: 'shortening', label: 'shortening', min: 0, max: 2, show: plain },
    { name: 'spread', label: 'spread', min: 0.3, max: 4, show: plain },
  ],
  primitives: [],
  painted: [{ name: 'reach', label: 'reach of weights', min: 1, max: 6, show: plain }],
};
const contactKnob: FlowKnob = { name: 'contact', label: 'contact', min: 0, max: 1, show: plain };
const stepKnob: FlowKnob = { name: 'step', label: 'step', min: 0.1, max: 1.6, show: degrees };
const muscleKnobs: Knob<keyof MuscleParameters>[] = [
  { name: 'frequency', label: 'swing frequency', min: 0.5, max: 20, logarithmic: true, show: (hertz) => `${hertz.toFixed(1)} Hz` },
  { name: 'dampingRatio', label: 'swing damping', min: 0, max: 1.5, show: plain },
  { name: 'gravity', label: 'muscle gravity', min: 0, max: 3, show: (g) => `${g.toFixed(2)} g` },
  { name: 'stretch', label: 'stretch', min: -100, max: 100, show: (pull) => `${pull.toFixed(0)} /s²` },
  { name: 'life', label: 'life', min: 0, max: 2, show: plain },
  { name: 'limit', label: 'limit', min: 0.05, max: 1, show: (part) => `${part.toFixed(2)} r` },
  { name: 'reach', label: 'muscle reach', min: 2, max: 8, show: (radii) => `${radii.toFixed(1)} r` },
];

export class KinodynamicsPanel {
  readonly section = section('Kinodynamics', true);
  private readonly refreshers: (() => void)[] = [];
  private shownMuscles = 0; // how many, and which field: with others, other sliders
  private shownSource = '';

  /** `onjoint`: another joint was chosen. */
  constructor(
    private readonly studio: Studio,
    private readonly kinodynamics: Kinodynamics,
    private readonly onjoint: () => void,
  ) {
    // What is refused leaves everything as it was, sliders included.
    kinodynamics.onchange = (error) => {
      if (error) problem(error, 'Kinodynamics');
      studio.retuned();
      const known = this.shownMuscles === kinodynamics.muscles.length && this.shownSource === kinodynamics.flow().source;
      if (known) this.refresh();
      else this.show();
    };
  }

  /** Shows the settings, or nothing while the skin is blended. */
  show(): void {
    this.refreshers.length = 0;
    this.shownMuscles = this.kinodynamics.muscles.length;
    this.shownSource = this.kinodynamics.flow().source;
    const [summary] = this.section.children;
    this.section.hidden = this.studio.settings.blend !== 'kinodynamic';
    this.section.replaceChildren(summary, ...(this.section.hidden ? [] : [...this.flow(), ...this.volume(), ...this.muscles()]));
    this.refresh();
  }

  private refresh(): void {
    for (const refresher of this.refreshers) refresher();
  }

  private knob<Name>({ name, label, min, max, show, logarithmic }: Knob<Name>, get: (name: Name) => number, set: (name: Name, value: number) => void): HTMLElement {
    const [to, from] = logarithmic ? [Math.log, Math.exp] : [(x: number) => x, (x: number) => x];
    const { row, set: move } = slider({
      label,
      min: to(min),
      max: to(max),
      step: 0.01,
      value: to(min),
      show: (value) => show(from(value)),
      onslide: (value) => {
        set(name, from(value));
        this.refresh();
      },
    });
    this.refreshers.push(() => move(to(get(name))));
    return row;
  }

  private flow(): HTMLElement[] {
    const { kinodynamics } = this;
    const { source, integrator } = kinodynamics.flow();
    const names = { automatic: 'automatic', primitives: 'tissue', painted: 'painted weights' };
    const schemes = { blend: 'blend (equation 5)', euler: 'Euler (equation 7)', 'rk4-limb': 'Runge-Kutta by limb' };
    const set = (changes: Partial<Flow>) => kinodynamics.setFlow(changes);
    const flowKnob = (knob: FlowKnob) => this.knob(knob, (name) => kinodynamics.flow()[name], (name, value) => kinodynamics.setFlow({ [name]: value }));
    return [
      choice('field', fieldSources, names, source, (chosen) => {
        set({ source: chosen });
        this.show();
      }),
      ...[...fieldKnobs[source], contactKnob].map(flowKnob),
      choice('integrator', flowIntegrators, schemes, integrator, (chosen) => set({ integrator: chosen })),
      flowKnob(stepKnob),
      toggle('tissue', this.studio.settings.tissue, (on) => (this.studio.settings.tissue = on)),
    ];
  }

  private volume(): HTMLElement[] {
    const { kinodynamics, studio } = this;
    const { joints } = studio.now!.model.character;
    const { joint } = studio.settings;
    const select = element('select', { attributes: { 'aria-label': 'Joint that keeps volume' } });
    joints.forEach(({ name, skinned }, j) => skinned && select.add(new Option(name, String(j), false, j === joint)));
    select.onchange = () => {
      studio.settings.joint = Number(select.value);
      studio.changed();
      this.onjoint();
    };
    const own = kinodynamics.volume(joint);
    const automatic = toggle('volume as the turn asks', own === null, (on) => {
      kinodynamics.setVolume(joint, on ? null : { alpha: 0.5, beta: 0.5 });
      this.show();
    });
    // No more than all of the volume can be kept: one share gives way to the other.
    const share = (name: 'alpha' | 'beta', other: 'alpha' | 'beta') =>
      this.knob({ name, label: name, min: 0, max: 1, show: plain }, () => kinodynamics.volume(joint)?.[name] ?? 0.5, (_, value) => {
        const rest = Math.min(kinodynamics.volume(joint)?.[other] ?? 0.5, 1 - value);
        kinodynamics.setVolume(joint, name === 'alpha' ? { alpha: value, beta: rest } : { alpha: rest, beta: value });
      });
    return [
      element('label', { className: 'row' }, element('span', { textContent: 'joint' }), select),
      automatic,
      ...(own ? [share('alpha', 'beta'), share('beta', 'alpha')] : []),
    ];
  }

  private get chosen(): number[] {
    const { muscle } = this.studio.settings;
    return muscle < 0 ? [...this.kinodynamics.muscles.keys()] : [muscle];
  }

  /** Sliders show the chosen muscle, or the first of all. */
  private muscles(): HTMLElement[] {
    const { kinodynamics, studio } = this;
    if (kinodynamics.muscles.length === 0) {
      const propose = button('Propose muscles', 'Place an ellipsoid in every limb with enough flesh', () => kinodynamics.proposeMuscles());
      return [element('div', { className: 'row' }, propose)];
    }
    const select = element('select', { attributes: { 'aria-label': 'Muscle' } });
    select.add(new Option('all', '-1'));
    kinodynamics.muscles.forEach(({ name }, m) => select.add(new Option(name || `muscle ${m + 1}`, String(m), false, m === studio.settings.muscle)));
    select.onchange = () => {
      studio.settings.muscle = Number(select.value);
      this.refresh();
    };
    const knobs = muscleKnobs.map((knob) =>
      this.knob(knob, (name) => kinodynamics.parameters(this.chosen[0])[name], (name, value) => kinodynamics.setParameters(this.chosen, { [name]: value })),
    );
    const window = this.knob(
      { name: 'window', label: 'window', min: 0, max: 4, show: (seconds) => `${seconds.toFixed(2)} s` },
      () => kinodynamics.window,
      (_, seconds) => kinodynamics.setWindow(seconds),
    );
    return [
      element('label', { className: 'row' }, element('span', { textContent: 'muscle' }), select),
      ...knobs,
      window,
      toggle('muscles', studio.settings.muscles, (on) => (studio.settings.muscles = on)),
    ];
  }
}
