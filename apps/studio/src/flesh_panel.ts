// How the flesh swings: sliders for one element or for all, and presets by the feel of them.
import type { Flesh, FleshParameters } from '../engine/engine';
import { button, element, section, slider, toggle } from './dom';
import type { Studio } from './studio';

interface Knob {
  name: keyof FleshParameters;
  label: string;
  min: number;
  max: number;
  show: (value: number) => string;
  /** Sliders that span decades move by factors. */
  logarithmic?: boolean;
}
const knobs: Knob[] = [
  { name: 'frequency', label: 'frequency', min: 0.5, max: 20, logarithmic: true, show: (hertz) => `${hertz.toFixed(1)} Hz` },
  { name: 'dampingRatio', label: 'damping ratio', min: 0, max: 1.5, show: (ratio) => ratio.toFixed(2) },
  { name: 'gravity', label: 'gravity', min: 0, max: 3, show: (g) => `${g.toFixed(2)} g` },
  { name: 'gain', label: 'gain', min: 0, max: 3, show: (gain) => gain.toFixed(2) },
];

export class FleshPanel {
  readonly section = section('Flesh', true);
  private readonly refreshers: ((parameters: FleshParameters) => void)[] = [];

  constructor(
    private readonly studio: Studio,
    private readonly flesh: Flesh,
  ) {
    this.section.hidden = flesh.elements.length === 0;
    if (this.section.hidden) return;
    const { settings } = studio;
    const presets = flesh.presets.map(({ name, summary, frequency, dampingRatio }) =>
      button(name, summary, () => this.set({ frequency, dampingRatio })),
    );
    this.section.append(
      this.choice(),
      ...knobs.map((knob) => this.knob(knob)),
      element('div', { className: 'row' }, ...presets),
      toggle('springs', settings.springs, (on) => (studio.settings.springs = on)),
      toggle('displacements', settings.vectors, (on) => (studio.settings.vectors = on)),
    );
    this.refresh();
  }

  private choice(): HTMLElement {
    const select = element('select', { attributes: { 'aria-label': 'Flesh element' } });
    select.add(new Option('all', '-1'));
    this.flesh.elements.forEach(({ name }, e) => select.add(new Option(name || `element ${e + 1}`, String(e))));
    select.onchange = () => {
      this.studio.settings.element = Number(select.value);
      this.studio.changed();
      this.refresh();
    };
    return element('label', { className: 'row' }, element('span', { textContent: 'element' }), select);
  }

  private knob({ name, label, min, max, show, logarithmic }: Knob): HTMLElement {
    const [to, from] = logarithmic ? [Math.log, Math.exp] : [(x: number) => x, (x: number) => x];
    const { row, set } = slider({
      label,
      min: to(min),
      max: to(max),
      step: 0.01,
      value: to(min),
      show: (value) => show(from(value)),
      onslide: (value) => this.set({ [name]: from(value) }),
    });
    this.refreshers.push((parameters) => set(to(parameters[name])));
    return row;
  }

  private get chosen(): number[] {
    const { element: chosen } = this.studio.settings;
    return chosen < 0 ? [...this.flesh.elements.keys()] : [chosen];
  }

  private set(changes: Partial<FleshParameters>): void {
    for (const e of this.chosen) this.flesh.setParameters(e, changes);
    this.refresh();
  }

  /** Sliders show the chosen element, or the first of all. */
  private refresh(): void {
    const parameters = this.flesh.parameters(this.chosen[0]);
    for (const refresher of this.refreshers) refresher(parameters);
  }
}
