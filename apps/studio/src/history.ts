// What was done to the pose, to be undone and done again.
import type { Quaternion } from '../engine/engine';

/** A pose and how it came about. */
export interface Moment {
  rotations: Quaternion[]; // of all joints, bit by bit
  posedByHand: boolean;
  example: number;
  clip: number;
  time: number;
}

const most = 200; // moments that are kept

export class History {
  private past: Moment[] = [];
  private future: Moment[] = [];
  /** One of the two lists has changed. */
  onchange = () => {};

  get canUndo(): boolean {
    return this.past.length > 0;
  }
  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** Keeps what is about to change. */
  keep(before: Moment): void {
    this.past = [...this.past.slice(1 - most), before];
    this.future = [];
    this.onchange();
  }

  /** The moment before; `now` can be had back. */
  undo(now: Moment): Moment | undefined {
    const result = this.past.pop();
    if (result) this.future.push(now);
    this.onchange();
    return result;
  }

  redo(now: Moment): Moment | undefined {
    const result = this.future.pop();
    if (result) this.past.push(now);
    this.onchange();
    return result;
  }

  clear(): void {
    this.past = [];
    this.future = [];
    this.onchange();
  }
}
