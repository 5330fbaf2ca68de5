// The name of the product, one sentence, the stops of the tour, and what was measured at the one that is shown.
import { button, element } from './dom';
import { problem } from './messages';
import { reached } from './reached';
import type { Stop } from './stops';
import type { Studio } from './studio';
import type { Measured, Tour } from './tour';

const grip = 50; // pixels: the line's grip and its labels stand above the caption

export class TourBar {
  private readonly caption = element('p', { id: 'caption', hidden: true, attributes: { role: 'status' } });
  private readonly buttons: HTMLButtonElement[];
  private shown: { poseNumber: number; measured: Measured } | null = null;

  /** `onvisit`: a stop is on stage. */
  constructor(
    header: HTMLElement,
    private readonly studio: Studio,
    private readonly tour: Tour,
    private readonly stops: readonly Stop[],
    private readonly onvisit: () => void,
  ) {
    this.buttons = stops.map((stop, i) => button(stop.title, stop.text, () => void this.visit(i)));
    const list = element('nav', { attributes: { 'aria-label': 'Tour' } }, ...this.buttons);
    list.hidden = stops.length === 0;
    header.append(
      element('div', { className: 'name' }, element('h1', { textContent: 'Supple' }), ' Rigged mesh in, skin that behaves out: nothing to paint, plays in every glTF viewer.'),
      list,
    );
    header.after(this.caption);
    studio.stage.covered = () => {
      const { clientHeight } = studio.stage.canvas;
      document.body.style.setProperty('--header', `${header.offsetHeight}px`);
      const { offsetHeight } = this.caption;
      const below = offsetHeight > 0 ? offsetHeight + grip : 0; // without a tour there is neither
      return { top: Math.min(0.3, header.offsetHeight / clientHeight || 0), bottom: Math.min(0.25, below / clientHeight || 0) };
    };
  }

  get measured(): Measured | null {
    return this.shown?.measured ?? null;
  }

  async visit(number: number): Promise<void> {
    const stop = this.stops[number];
    this.leave();
    this.buttons[number].setAttribute('aria-busy', 'true');
    try {
      this.say(stop.text); // takes its place before the camera is turned
      const measured = await this.tour.visit(stop);
      if (!measured) return;
      reached('pose measured');
      this.shown = { poseNumber: this.studio.poseNumber, measured };
      this.say(`${stop.text} ${measured.caption}`);
      this.buttons.forEach((own, i) => own.setAttribute('aria-pressed', String(i === number)));
      this.onvisit();
    } catch (error) {
      problem(error, stop.title);
    } finally {
      this.buttons[number].removeAttribute('aria-busy');
    }
  }

  /** Another file is on stage. */
  leave(): void {
    this.shown = null;
    this.caption.hidden = true;
    for (const own of this.buttons) own.setAttribute('aria-pressed', 'false');
  }

  /** A pose that was not measured has no figure. */
  refresh(): void {
    if (this.shown && this.studio.poseNumber !== this.shown.poseNumber) this.leave();
  }

  private say(text: string): void {
    this.caption.textContent = text;
    this.caption.hidden = false;
  }
}
