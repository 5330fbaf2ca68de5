// The line between two pictures of one pose, to be moved by pointer, finger or keys.
import { element } from './dom';

const step = 0.02; // of the width, for a key
const swaySeconds = 3.2;

export class Wipe {
  share = 0.5; // of the width, from the left
  readonly handle: HTMLElement;
  private swaying = 0; // number of the last sway: another one, or a hand, ends it

  /** `place`: what the line divides. `onmove`: it has moved. */
  constructor(
    private readonly place: HTMLElement,
    private readonly onmove: () => void,
  ) {
    this.handle = element('div', {
      id: 'wipe', hidden: true, tabIndex: 0,
      attributes: { role: 'slider', 'aria-label': 'Linear blend on the left, Supple on the right', 'aria-valuemin': '0', 'aria-valuemax': '100' },
    }, element('span', { textContent: '◂ ▸', attributes: { 'aria-hidden': 'true' } }));
    place.append(this.handle);
    this.handle.onpointerdown = (event) => {
      this.handle.setPointerCapture(event.pointerId);
      ++this.swaying;
    };
    this.handle.onpointermove = (event) => {
      if (!this.handle.hasPointerCapture(event.pointerId)) return;
      const { left, width } = place.getBoundingClientRect();
      this.set((event.clientX - left) / width);
    };
    this.handle.onkeydown = (event) => {
      const to = { ArrowLeft: this.share - step, ArrowRight: this.share + step, Home: 0, End: 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation(); // the clip has these keys elsewhere
      ++this.swaying;
      this.set(to);
    };
    this.set(0.5);
  }

  set(share: number): void {
    this.share = Math.min(Math.max(share, 0), 1);
    this.place.parentElement!.style.setProperty('--wipe', `${100 * this.share}%`);
    this.handle.setAttribute('aria-valuenow', String(Math.round(100 * this.share)));
    this.handle.setAttribute('aria-valuetext', `${Math.round(100 * this.share)} % of the picture is linear blend`);
    this.onmove();
  }

  /** Goes once to either side and rests, so that one sees what it does; stays where people want no motion. */
  sway(rest: number): void {
    const own = ++this.swaying;
    this.set(rest);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const began = performance.now();
    const next = (now: number) => {
      if (own !== this.swaying) return;
      const t = Math.max(0, (now - began) / 1000 / swaySeconds);
      this.set(t >= 1 ? rest : rest + 0.28 * Math.sin(2 * Math.PI * t) * Math.sin(Math.PI * t));
      if (t < 1) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }
}
