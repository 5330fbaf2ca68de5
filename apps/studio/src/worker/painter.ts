// Which numbers are shown as colours on the figures, and when they are found anew.
import type { Character } from '../../engine/engine';
import { type Coloured, determinantColours, distances, fieldColours, fleshColours, gradientColours, modeColours, supportColours, targetsOf, volumeColours, weightColours } from '../colours';
import { blendOf, bonesAlone, isOfFlow } from '../settings';
import { Determinants } from './determinants';
import type { FrameRequest, Painted, Values } from './messages';
import { type OpenExamples, truthOf } from './open_examples';

/** What is of a pose before says so. */
function waiting(shown: Coloured, current: boolean): Coloured {
  return current ? shown : { ...shown, legend: { ...shown.legend, title: `${shown.legend.title}; waits until the pose rests` } };
}

export class Painter {
  private readonly determinants: Determinants;
  private revision = -1;
  private largest = 0; // distance that was shown since something changed
  /** Whether colours wait for a pose that rests. */
  unfinished = false;

  constructor(private readonly character: Character) {
    this.determinants = new Determinants(character);
  }

  /**
   * Colours that depend on the pose are made anew every frame, the others when something changed; null where all stay as they
   * were. `examples`: the set that is compared with.
   */
  paint(request: FrameRequest, examples: OpenExamples | null): Painted | null {
    const { colouring, revision } = request.colours;
    const { character, determinants } = this;
    const ofVolume = colouring === 'determinant' || colouring === 'volume';
    if (ofVolume) determinants.refresh();
    this.unfinished = ofVolume && !determinants.current;
    const moving = ofVolume || colouring === 'error' || colouring === 'displacement';
    if (!moving && this.revision === revision) return null;
    if (this.revision !== revision) this.largest = 0;
    this.revision = revision;
    const painted: Painted = { parts: [], legend: null };
    character.parts.forEach((_, p) => {
      let shown: Coloured | null, beside: Coloured | null;
      if (colouring === 'error') {
        const truth = request.example >= 0 && examples ? truthOf(examples, request.example, p) : null;
        [shown, beside] = truth ? this.errors(request, p, truth) : [null, null];
      } else {
        shown = this.coloured(request, p);
        beside = moving ? null : shown;
      }
      if (shown) painted.legend = shown.legend;
      const valuesOf = (coloured: Coloured | null): Values | null => coloured && { ...coloured.values, kind: coloured.legend.kind };
      const supple = valuesOf(shown);
      painted.parts.push({ supple, linear: beside === shown ? supple : valuesOf(beside) });
    });
    return painted;
  }

  /** A part as it is shown, and by linear blend alone. */
  private both({ blend, layers }: FrameRequest, p: number): { shown: Float32Array; plain: Float32Array } {
    const { character } = this;
    const flows = blend === 'kinodynamic' && character.kinodynamics.flowing[p];
    const shown = (flows ? character.kinodynamics.evaluate(p) : character.evaluate(p, blendOf(blend))).positions.slice();
    character.update(bonesAlone);
    const plain = character.evaluate(p, 'linear').positions.slice();
    character.update(layers);
    return { shown, plain };
  }

  /** Distances from the reference, of Supple and of linear blend, in one scale. */
  private errors(request: FrameRequest, p: number, truth: Float32Array): [Coloured, Coloured] {
    const { shown, plain } = this.both(request, p);
    const title = 'distance from the reference';
    const { largest } = distances(plain, truth, title, distances(shown, truth, title, 0).largest);
    return [distances(shown, truth, title, largest), distances(plain, truth, title, largest)];
  }

  private coloured(request: FrameRequest, p: number): Coloured | null {
    const { determinants, character } = this;
    const { kinodynamics } = character;
    const { colouring, joint, element } = request.colours;
    if (isOfFlow(colouring) && !kinodynamics.flowing[p]) return null;
    const name = character.joints[joint]?.name ?? '';
    switch (colouring) {
      case 'none':
      case 'error': // see errors()
        return null;
      case 'weights':
        return weightColours(character.tables(p), character.parts[p].joints.indexOf(joint), name);
      case 'supports':
        return supportColours(character.tables(p), targetsOf(character, character.parts[p], joint), name);
      case 'modes':
        return modeColours(character.tables(p), targetsOf(character, character.parts[p], joint), name);
      case 'flesh': {
        const chosen = character.flesh.elements[element];
        return fleshColours(character.flesh.weights(p, chosen && element).slice(), chosen?.name ?? 'all elements');
      }
      case 'field':
        return fieldColours(kinodynamics.weights(p, joint).slice(), name);
      case 'gradient':
        return gradientColours(kinodynamics.gradients(p, joint).slice(), name);
      case 'determinant':
        return waiting(determinantColours(determinants.values[p], determinants.spread), determinants.current);
      case 'volume':
        return waiting(volumeColours(determinants.values[p], determinants.spread), determinants.current);
      case 'displacement': {
        const { shown, plain } = this.both(request, p);
        const coloured = distances(shown, plain, 'distance from linear blend', this.largest);
        this.largest = coloured.largest;
        return coloured;
      }
    }
  }
}
