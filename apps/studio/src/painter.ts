// Which numbers are shown as colours on the figures, and when they are found anew.
import {
  type Coloured, type Legend, determinantColours, distances, fieldColours, fleshColours, gradientColours, modeColours, supportColours, targetsOf, volumeColours, weightColours,
} from './colours';
import { Determinants } from './determinants';
import type { Figure } from './figure';
import type { Model } from './model';
import { type Settings, blendOf, bonesAlone, isOfFlow } from './settings';

/** What is of a pose before says so. */
function waiting(shown: Coloured, current: boolean): Coloured {
  return current ? shown : { ...shown, legend: { ...shown.legend, title: `${shown.legend.title}; waits until the pose rests` } };
}

export class Painter {
  legend: Legend | null = null;
  private readonly determinants: Determinants;
  private stale = true;
  private largest = 0; // distance that was shown since something changed

  constructor(
    private readonly model: Model,
    private readonly supple: Figure,
    private readonly linear: Figure,
  ) {
    this.determinants = new Determinants(model.character);
  }

  /** Settings have. */
  changed(): void {
    this.stale = true;
    this.largest = 0;
  }

  /** Colours that depend on the pose are made anew every frame, the others when something changed. `truth`: positions
   * of a part to compare with, where there are any. */
  paint(settings: Settings, truth: (part: number) => Float32Array | null): void {
    const { colouring } = settings;
    if (colouring === 'determinant' || colouring === 'volume') this.determinants.refresh();
    const moving = ['error', 'displacement', 'determinant', 'volume'].includes(colouring);
    if (!moving && !this.stale) return;
    this.stale = false;
    this.legend = null;
    this.model.parts.forEach((_, p) => {
      const [shown, beside] = colouring === 'error' ? this.errors(settings, p, truth(p)?.slice()) : [this.coloured(settings, p)];
      if (shown) this.legend = shown.legend;
      this.supple.setColours(p, shown?.colours ?? null);
      this.linear.setColours(p, (moving ? beside : shown)?.colours ?? null);
    });
  }

  /** A part as it is shown, and by linear blend alone. */
  private both(settings: Settings, p: number): { shown: Float32Array; plain: Float32Array } {
    const { character } = this.model;
    const { blend } = settings;
    const flows = blend === 'kinodynamic' && character.kinodynamics.flowing[p];
    const shown = (flows ? character.kinodynamics.evaluate(p) : character.evaluate(p, blendOf(blend))).positions.slice();
    character.update(bonesAlone);
    const plain = character.evaluate(p, 'linear').positions.slice();
    character.update(settings);
    return { shown, plain };
  }

  /** Distances from the reference, of Supple and of linear blend, in one scale. */
  private errors(settings: Settings, p: number, truth: Float32Array | undefined): [Coloured, Coloured] | [null, null] {
    if (!truth) return [null, null];
    const { shown, plain } = this.both(settings, p);
    const title = 'distance from the reference';
    const { largest } = distances(plain, truth, title, distances(shown, truth, title, 0).largest);
    return [distances(shown, truth, title, largest), distances(plain, truth, title, largest)];
  }

  private coloured(settings: Settings, p: number): Coloured | null {
    const { determinants } = this;
    const { character, parts } = this.model;
    const { kinodynamics } = character;
    const { tables } = parts[p];
    const { colouring, joint, element } = settings;
    if (isOfFlow(colouring) && !kinodynamics.flowing[p]) return null;
    const name = character.joints[joint]?.name ?? '';
    switch (colouring) {
      case 'none':
      case 'error': // see errors()
        return null;
      case 'weights':
        return weightColours(tables, tables.joints.indexOf(joint), name);
      case 'supports':
        return supportColours(tables, targetsOf(character, tables, joint), name);
      case 'modes':
        return modeColours(tables, targetsOf(character, tables, joint), name);
      case 'flesh': {
        const chosen = character.flesh.elements[element];
        return fleshColours(character.flesh.weights(p, chosen && element), chosen?.name ?? 'all elements');
      }
      case 'field':
        return fieldColours(kinodynamics.weights(p, joint), name);
      case 'gradient':
        return gradientColours(kinodynamics.gradients(p, joint), name);
      case 'determinant':
        return waiting(determinantColours(determinants.values[p], determinants.spread), determinants.current);
      case 'volume':
        return waiting(volumeColours(determinants.values[p], determinants.spread), determinants.current);
      case 'displacement': {
        const { shown, plain } = this.both(settings, p);
        const coloured = distances(shown, plain, 'distance from linear blend', this.largest);
        this.largest = coloured.largest;
        return coloured;
      }
    }
  }
}
