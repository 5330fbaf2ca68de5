// The colours of a map with what they stand for.
import { changeAt, emberAt, type Legend } from './colours';
import { element } from './dom';

const css = (linear: number) => Math.round(255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055));
const gradient = (at: (t: number) => [number, number, number], from: number) =>
  Array.from({ length: 11 }, (_, i) => `rgb(${at(from + ((1 - from) * i) / 10).map(css).join(' ')}) ${10 * i}%`).join(', ');
const bars: Record<Legend['kind'], string> = { map: gradient(emberAt, 0), change: gradient(changeAt, -1), rgb: '#300, #f00, #0f0, #00f' };

export function legendElement(): HTMLElement {
  return element('div', { className: 'legend', hidden: true });
}

export function showLegend(place: HTMLElement, legend: Legend | null): void {
  place.hidden = legend === null;
  if (!legend) return;
  const bar = element('div', { className: 'bar' });
  bar.style.background = `linear-gradient(to right, ${bars[legend.kind]})`;
  place.replaceChildren(
    element('div', { textContent: legend.title }),
    bar,
    element('div', { className: 'ends' }, element('span', { textContent: legend.low }), element('span', { textContent: legend.high })),
  );
}
