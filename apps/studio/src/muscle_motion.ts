// How muscles come from one frame to the next: frame after frame along a clip, sought out where the clip was moved, and
// in real time behind everything else.
import type { Playback } from './playback';
import type { MuscleStep } from './worker/messages';

type State = 'off' | 'free' | { clip: number; time: number };

export class MuscleMotion {
  private state: State = 'off';

  /** Nobody sees them. */
  leave(): void {
    this.state = 'off';
  }

  /** A clip that stands still shows them anew. */
  retuned(): void {
    if (typeof this.state === 'object') this.state = 'off';
  }

  settle(): MuscleStep {
    this.state = 'off';
    return { how: 'settle' };
  }

  swing(seconds: number): MuscleStep {
    const step: MuscleStep = this.state === 'off' ? { how: 'settle' } : { how: 'animate', seconds };
    this.state = 'free';
    return step;
  }

  /** From the end of a clip to its beginning they are sought out too: few clips end as they begin. Null: they stay. */
  follow({ clip, time, playing }: Playback): MuscleStep | null {
    const last = typeof this.state === 'object' && this.state.clip === clip ? this.state.time : NaN;
    if (time === last) return null;
    this.state = { clip, time };
    const longest = 0.25; // seconds: more is no frame of a clip that plays
    if (playing && time > last && time - last <= longest) return { how: 'animate', seconds: time - last };
    return { how: 'seek', clip, seconds: time };
  }
}
