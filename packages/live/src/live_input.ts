// What a page does with every frame, wherever it came from: smooth it, then keep it within the joints' limits.
import { type FilterOptions, FrameFilter, defaultFilter } from './filter.js';
import { limitedFrame } from './limits.js';
import type { LiveFrame } from './protocol.js';
import type { Rig } from './rig.js';

export class LiveInput {
  private readonly filter: FrameFilter;

  constructor(
    private readonly rig: Rig,
    options: Partial<FilterOptions> = {},
  ) {
    this.filter = new FrameFilter({ ...defaultFilter, ...options });
  }

  /** Rotations to set on the joints, relative to their parents; joints that are not in the frame stay as they are. */
  next(frame: LiveFrame): LiveFrame {
    return limitedFrame(this.filter.next(frame), this.rig);
  }
}
