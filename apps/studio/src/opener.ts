// Files on their way to the stage: the last that was asked for counts.
import type { Beside } from './beside';
import type { Busy } from './busy';
import { readAhead } from './early';
import { Model, type Opening } from './model';
import { type OnStage, forget } from './on_stage';
import { reached } from './reached';
import { Cancelled, Remote } from './remote';

export interface Opened {
  next: OnStage;
  points: readonly Float32Array[]; // of the model at the beginning of its first clip, by linear blend
}

export class Opener {
  private last: Remote | null = null; // of a file that is not on stage yet

  constructor(
    private readonly engine: Opening,
    private readonly busy: Busy,
  ) {}

  /** `beside`: what was given with the file. `prepare` makes what shows a model. Null where another file was asked for meanwhile, or nobody wants it any more. */
  async open(bytes: Uint8Array, name: string, beside: Beside | null, prepare: (model: Model) => Promise<OnStage>): Promise<Opened | null> {
    this.last?.close();
    const ahead = readAhead(bytes);
    const remote = (this.last = ahead?.remote ?? new Remote());
    let model: Model;
    try {
      model = await this.busy.during(`Opening ${name}`, () => Model.open(this.engine, remote, bytes, name, beside, ahead?.opened), () => remote.close());
    } catch (error) {
      remote.close();
      if (error instanceof Cancelled) return null;
      throw error;
    }
    if (this.last !== remote) {
      model.dispose();
      return null;
    }
    let next: OnStage;
    try {
      reached('file in the page');
      next = await prepare(model);
      reached('shaders');
    } catch (error) {
      model.dispose();
      throw error;
    }
    if (this.last !== remote) {
      forget(next);
      return null;
    }
    this.last = null;
    return { next, points: model.points };
  }
}
