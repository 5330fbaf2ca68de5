// How fast pictures come, as somebody who looks at them sees it: from one to the next, whoever keeps them waiting.

export class Pace {
  private readonly times: number[] = []; // milliseconds, of the last pictures
  private work = 0; // milliseconds of the page for one, smoothed

  drawn(time: number, work: number): void {
    this.times.push(time);
    if (this.times.length > 60) this.times.shift();
    this.work += (this.work > 0 ? 0.1 : 1) * (work - this.work);
  }

  /** Milliseconds of the page's own work for a picture. */
  get page(): number {
    return this.work;
  }

  /** Pictures a second, of those of the last one; 0 where nothing moves. */
  get rate(): number {
    const last = this.times[this.times.length - 1] ?? 0;
    const recent = this.times.filter((time) => time > last - 1000);
    if (performance.now() - last > 700 || recent.length < 3) return 0;
    return (1000 * (recent.length - 1)) / (last - recent[0]);
  }

  /** `skin`: milliseconds of the engine for the shape of one picture; 0 where the graphics card has it. */
  text(skin: number): string {
    const parts = [this.rate > 0 ? `${this.rate.toFixed(0)} pictures a second` : 'still', skin > 0 ? `skin ${skin.toFixed(0)} ms` : '', `page ${this.page.toFixed(1)} ms`];
    return parts.filter((part) => part !== '').join(' · ');
  }
}
