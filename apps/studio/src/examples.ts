// An example set in the engine's worker, and the example that stands beside the figures.
import type { Group } from 'three';
import type { Character, Layers } from '../engine/engine';
import type { Model } from './model';
import { Reference } from './reference';
import { Cancelled } from './remote';
import type { Contest, ExampleSource, ExamplesOpened } from './worker/messages';

export class Examples {
  readonly names: readonly string[];
  private readonly reference: Reference;
  private chosen: Float32Array | null = null; // transforms of the joints in the example
  private choices = 0;
  private curve: Promise<number[]> | null = null;

  private constructor(
    private readonly model: Model,
    { names, parts }: ExamplesOpened,
    view: number,
  ) {
    this.names = names;
    this.reference = new Reference(model, parts, view);
  }

  static async open(model: Model, source: ExampleSource, view: number, tell: (share: number) => void): Promise<Examples> {
    const whole = typeof source === 'string' ? new URL(source, location.href).href : source; // workers lie in another folder
    return new Examples(model, await model.remote.ask('openExamples', [whole], tell), view);
  }

  get count(): number {
    return this.names.length;
  }
  get group(): Group {
    return this.reference.group;
  }

  /** Shows an example, once the engine has given it; false where another was chosen meanwhile. */
  async choose(example: number): Promise<boolean> {
    const choice = ++this.choices;
    const { surfaces, locals } = await this.model.remote.ask('example', [example]);
    if (choice !== this.choices) return false;
    this.reference.show(surfaces);
    this.chosen = locals;
    return true;
  }

  /** Gives a character the pose of the chosen example, its flesh hanging still. */
  pose(character: Character): void {
    if (!this.chosen) return;
    character.rest();
    character.poseState = { ...character.poseState, locals: this.chosen };
    character.flesh.settle();
  }

  /** For each number of modes up to the most, the error beside linear blend's: found once. */
  errors(most: number, tell: (share: number) => void): Promise<number[]> {
    return (this.curve ??= this.model.remote.ask('errors', [Array.from({ length: most + 1 }, (_, k) => k)], tell));
  }

  contest(layers: Layers, tell: (share: number) => void): Promise<Contest | null> {
    return this.model.remote.ask('contestOfExamples', [layers], tell);
  }

  dispose(): void {
    this.reference.dispose();
    this.model.remote.ask('closeExamples', []).catch((error) => {
      if (!(error instanceof Cancelled)) throw error; // the worker went first
    });
  }
}
