// How muscles come from one frame to the next: frame after frame along a clip, sought out where the clip was moved, and
// in real time behind everything else.
import type { Kinodynamics } from '../engine/engine';
import type { Playback } from './playback';

type State = 'off' | 'free' | { clip: number; time: number };

export class MuscleMotion {
  private state: State = 'off';

  constructor(private readonly kinodynamics: Kinodynamics) {}

  /** Nobody sees them. */
  leave(): void {
    this.state = 'off';
  }

  /** A clip that stands still shows them anew. */
  retuned(): void {
    if (typeof this.state === 'object') this.state = 'off';
  }

  settle(): void {
    this.kinodynamics.settle();
    this.state = 'off';
  }

  swing(seconds: number): void {
    if (this.state === 'off') this.kinodynamics.settle();
    else this.kinodynamics.animate(seconds);
    this.state = 'free';
  }

  /** From the end of a clip to its beginning they are sought out too: few clips end as they begin. */
  follow({ clip, time, playing }: Playback): void {
    const last = typeof this.state === 'object' && this.state.clip === clip ? this.state.time : NaN;
    if (time === last) return;
    const longest = 0.25; // seconds: more is no frame of a clip that plays
    if (playing && time > last && time - last <= longest) this.kinodynamics.animate(time - last);
    else this.kinodynamics.seek(clip, time);
    this.state = { clip, time };
  }
}
