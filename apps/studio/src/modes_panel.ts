// How many modes each joint uses, and what that costs in error.
import type { Character } from '../engine/engine';
import type { Busy } from './busy';
import { element, section, slider } from './dom';
import type { Examples } from './examples';
import { problem } from './messages';
import { Cancelled } from './remote';

const width = 240;
const height = 90;
const margin = 22;

function svg(tag: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const result = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) result.setAttribute(name, String(value));
  result.textContent = text;
  return result;
}

/** Error over the number of modes, as a share of linear blend's. */
function chart(errors: number[]): { picture: SVGElement; mark: (modes: number) => void } {
  const x = (k: number) => margin + ((width - 2 * margin) * k) / Math.max(1, errors.length - 1);
  const y = (error: number) => height - margin - (height - 2 * margin) * Math.min(error / Math.max(1, ...errors), 1);
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Error over the number of modes' });
  picture.append(
    svg('path', { d: `M${margin},${y(0)}H${width - margin}M${margin},${y(0)}V${y(1)}`, class: 'axis' }),
    svg('polyline', { points: errors.map((error, k) => `${x(k)},${y(error)}`).join(' '), class: 'curve' }),
    svg('text', { x: 2, y: y(1) + 4 }, '1'),
    svg('text', { x: 2, y: y(0) + 4 }, '0'),
    svg('text', { x: width / 2, y: height - 4, 'text-anchor': 'middle' }, 'modes a joint'),
  );
  const dot = svg('circle', { r: 4, class: 'mark' });
  const label = svg('text', { 'text-anchor': 'end', x: width - margin, y: 14 });
  picture.append(dot, label);
  const mark = (modes: number) => {
    const k = Math.min(modes, errors.length - 1);
    dot.setAttribute('cx', String(x(k)));
    dot.setAttribute('cy', String(y(errors[k])));
    label.textContent = `${(100 * errors[k]).toFixed(1)} % of linear blend's error`;
  };
  return { picture, mark };
}

export class ModesPanel {
  readonly section = section('Modes', true);
  private readonly body = element('div');
  private shown = 0; // another one whenever the panel is built anew

  /** `oncancel`: nobody wants to wait for the curve. */
  constructor(
    private readonly busy: Busy,
    private readonly onmodes: (modes: number) => void,
    private readonly oncancel: () => void,
  ) {
    this.section.append(this.body);
  }

  show(character: Character, examples: Examples | null, modes: number): void {
    const shown = ++this.shown;
    const most = Math.max(0, ...character.drivers.map((driver) => driver.targets));
    this.section.hidden = most === 0;
    this.body.replaceChildren();
    if (most === 0) return;
    let mark = (_: number) => {};
    let start = Math.min(modes, most);
    const { row } = slider({
      label: 'modes a joint',
      min: 0,
      max: most,
      step: 1,
      value: start,
      show: (value) => `${value} of ${most}`,
      onslide: (value) => {
        start = value;
        mark(value);
        this.onmodes(value);
      },
    });
    this.body.append(row);
    if (!examples) {
      this.body.append(
        element('p', { className: 'hint', textContent: 'Open the example set that the skin was fitted to, and the error for each number of modes appears here.' }),
      );
      return;
    }
    // Every example is skinned once for every number of modes: that takes a while.
    this.busy
      .during('Measuring the skin by its examples', (tell) => examples.errors(most, tell), this.oncancel)
      .then((errors) => {
        if (shown !== this.shown) return;
        const drawn = chart(errors);
        mark = drawn.mark;
        mark(Math.min(start, most));
        this.body.append(drawn.picture);
      })
      .catch((error) => error instanceof Cancelled || problem(error, 'Error over the number of modes'));
  }
}
