// What the engine is doing, once it takes longer than a moment: how far it is, and a way out.
import { button, element } from './dom';

const moment = 350; // milliseconds that nobody needs to be told of

export class Busy {
  constructor(private readonly place: HTMLElement) {}

  /** Shows that something is being done; gives what tells how far it is and what ends it. */
  begin(title: string, cancel?: () => void, after = moment): { tell: (share: number) => void; end: () => void } {
    const bar = element('progress', { max: 1, attributes: { 'aria-label': title } });
    const clock = element('output', {});
    const row = element('div', { className: 'job' }, element('span', { textContent: title }), bar, clock);
    if (cancel) row.append(button('Cancel', `Stop: ${title}`, cancel));
    const start = performance.now();
    const tick = () => (clock.textContent = `${((performance.now() - start) / 1000).toFixed(0)} s`);
    let ticking = 0;
    const timer = window.setTimeout(() => {
      this.place.append(row);
      tick();
      ticking = window.setInterval(tick, 500);
    }, after);
    return {
      tell: (share) => (bar.value = share),
      end: () => {
        clearTimeout(timer);
        clearInterval(ticking);
        row.remove();
      },
    };
  }

  async during<T>(title: string, work: (tell: (share: number) => void) => Promise<T>, cancel?: () => void): Promise<T> {
    const { tell, end } = this.begin(title, cancel);
    try {
      return await work(tell);
    } finally {
      end();
    }
  }
}
