// Steady where the hand is still, quick where it moves: the one-euro filter on rotations.
// Casiez, Roussel and Vogel, "1 € Filter: A Simple Speed-based Low-pass Filter for Noisy Input in Interactive
// Systems", CHI 2012. Time is that of the messages, so that the same recording gives the same motion.
import type { LiveFrame } from './protocol.js';
import {
  type Quaternion,
  type Vector,
  conjugate,
  fromRotationVector,
  length,
  multiply,
  normalized,
  scale,
  toRotationVector,
} from './rotation.js';

export interface FilterOptions {
  minCutoff: number; // Hz, for a joint at rest: lower is steadier
  beta: number; // Hz for each rad/s of the joint's speed: higher lags less
  speedCutoff: number; // Hz, of the speed's own low-pass
  maxGap: number; // seconds without a frame after which the motion starts anew
}

export const defaultFilter: FilterOptions = { minCutoff: 1.5, beta: 1, speedCutoff: 1, maxGap: 0.5 };

/** The share of a new value in a low-pass of first order: its lag behind a steady motion is 1 / (2 pi cutoff). */
const share = (cutoff: number, dt: number) => 1 / (1 + 1 / (2 * Math.PI * cutoff * dt));

export class RotationFilter {
  private last?: { time: number; raw: Quaternion; smooth: Quaternion; velocity: Vector };

  constructor(private readonly options: FilterOptions = defaultFilter) {}

  /** The smoothed rotation. A frame that is not later than the one before changes nothing. */
  next(raw: Quaternion, time: number): Quaternion {
    const { minCutoff, beta, speedCutoff, maxGap } = this.options;
    const { last } = this;
    if (!last || time - last.time > maxGap) {
      this.last = { time, raw, smooth: raw, velocity: [0, 0, 0] };
      return raw;
    }
    const dt = time - last.time;
    if (!(dt > 0)) return last.smooth;
    // As a vector, so that noise to and fro cancels before its length is taken.
    const now = scale(toRotationVector(multiply(conjugate(last.raw), raw)), 1 / dt);
    const s = share(speedCutoff, dt);
    const velocity = now.map((v, k) => last.velocity[k] + s * (v - last.velocity[k])) as unknown as Vector;
    const towards = toRotationVector(multiply(conjugate(last.smooth), raw));
    const step = scale(towards, share(minCutoff + beta * length(velocity), dt));
    const smooth = normalized(multiply(last.smooth, fromRotationVector(step)));
    this.last = { time, raw, smooth, velocity };
    return smooth;
  }
}

/** One filter for each joint that turns up. */
export class FrameFilter {
  private readonly filters = new Map<string, RotationFilter>();

  constructor(private readonly options: FilterOptions = defaultFilter) {}

  next(frame: LiveFrame): LiveFrame {
    const joints = new Map<string, Quaternion>();
    for (const [name, rotation] of frame.joints) {
      const filter = this.filters.get(name) ?? new RotationFilter(this.options);
      this.filters.set(name, filter);
      joints.set(name, filter.next(rotation, frame.time));
    }
    return { time: frame.time, joints };
  }
}
