// How much the flow changes volume at every vertex. As slow as six frames, so that it is found once the pose rests; what
// moves keeps the colours that it had.
import type { Character } from '../../engine/engine';

export interface Spread {
  least: number;
  most: number;
  low: number; // all but a hundredth lie above
  high: number; // and below
}

function spreadOf(values: Float32Array[]): Spread {
  const all = new Float32Array(values.reduce((sum, own) => sum + own.length, 0));
  values.reduce((place, own) => (all.set(own, place), place + own.length), 0);
  all.sort();
  const at = (part: number) => all[Math.round(part * (all.length - 1))] ?? 1;
  return { least: at(0), most: at(1), low: Math.min(1, at(0.01)), high: Math.max(1, at(0.99)) };
}

export class Determinants {
  /** One number a vertex of each part; none where it does not flow. */
  readonly values: Float32Array[];
  spread: Spread = { least: 1, most: 1, low: 1, high: 1 };
  private seen = -1; // numbers of the flow: in the last frame, and when they were found
  private found = -1;

  constructor(private readonly character: Character) {
    this.values = character.parts.map((part, p) => new Float32Array(character.kinodynamics.flowing[p] ? part.vertexCount : 0).fill(1));
  }

  /** Whether they are those of the pose. */
  get current(): boolean {
    return this.found === this.character.kinodynamics.flowNumber;
  }

  /** For every frame. */
  refresh(): void {
    const { kinodynamics } = this.character;
    const { flowNumber } = kinodynamics;
    const rests = flowNumber === this.seen;
    this.seen = flowNumber;
    if (!rests || this.current) return;
    this.found = flowNumber;
    this.values.forEach((own, p) => {
      if (own.length > 0) own.set(kinodynamics.determinants(p));
    });
    this.spread = spreadOf(this.values);
  }
}
