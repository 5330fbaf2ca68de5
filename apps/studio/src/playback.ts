// Clips: play, scrub, speed.
import type { Clip } from '../engine/engine';
import { button, element } from './dom';

export class Playback {
  playing = true;
  clip = 0;
  time = 0;
  speed = 1;
  private clips: readonly Clip[] = [];
  private readonly select = element('select', { attributes: { 'aria-label': 'Clip' } });
  private readonly scrub = element('input', { type: 'range', min: '0', max: '1', step: 'any', attributes: { 'aria-label': 'Time' } });
  private readonly clock = element('output', {});
  private readonly pace = element('select', { attributes: { 'aria-label': 'Speed' } });
  private readonly start = button('Play', 'Play or pause (space)', () => this.toggle());

  readonly undo = button('↶', 'Undo (Ctrl+Z)', () => this.onundo());
  readonly redo = button('↷', 'Redo (Ctrl+Shift+Z)', () => this.onredo());
  onundo = () => {};
  onredo = () => {};

  /** `onscrub`: the pose is the clip's again. */
  constructor(
    place: HTMLElement,
    private readonly onscrub: () => void,
  ) {
    for (const speed of [0.1, 0.25, 0.5, 1, 2]) this.pace.add(new Option(`${speed}×`, String(speed), speed === 1, speed === 1));
    this.pace.onchange = () => (this.speed = Number(this.pace.value));
    this.select.onchange = () => this.choose(this.select.selectedIndex);
    this.scrub.oninput = () => {
      this.playing = false;
      this.time = this.scrub.valueAsNumber;
      this.show();
      this.onscrub();
    };
    place.append(this.start, this.select, this.scrub, this.clock, this.pace, this.undo, this.redo);
  }

  setClips(clips: readonly Clip[]): void {
    this.clips = clips;
    this.select.replaceChildren(...clips.map((clip, i) => new Option(clip.name || `clip ${i + 1}`)));
    for (const control of [this.start, this.select, this.scrub, this.pace]) control.disabled = clips.length === 0;
    this.playing = clips.length > 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.choose(0);
  }

  get current(): Clip | undefined {
    return this.clips[this.clip];
  }

  choose(clip: number): void {
    this.clip = clip;
    const { start, end } = this.current ?? { start: 0, end: 1 };
    Object.assign(this.scrub, { min: String(start), max: String(end) });
    this.select.selectedIndex = clip;
    this.time = start;
    this.show();
    this.onscrub();
  }

  toggle(playing = !this.playing): void {
    this.playing = playing && this.clips.length > 0;
    if (this.playing) this.onscrub();
    this.show();
  }

  step(seconds: number): void {
    this.playing = false;
    this.advance(seconds);
    this.onscrub();
  }

  /** Stands at a moment of a clip. */
  standAt(clip: number, time: number): void {
    if (clip !== this.clip) this.choose(clip);
    this.playing = false;
    this.time = time;
    this.show();
  }

  /** Moves on by some seconds of the clip, around its end. */
  advance(seconds: number): void {
    if (!this.current) return;
    const { start, end } = this.current;
    const length = end - start;
    if (length > 0) this.time = start + ((((this.time - start + seconds) % length) + length) % length);
    this.show();
  }

  private show(): void {
    this.start.textContent = this.playing ? 'Pause' : 'Play';
    this.scrub.value = String(this.time);
    this.clock.textContent = this.current ? `${this.time.toFixed(2)} s` : 'no clip';
  }
}
