// An example set and where the parts of the character lie in it.
import type { Character, ExampleSet } from '../../engine/engine';

export interface OpenExamples {
  set: ExampleSet;
  parts: readonly { part: number; first: number; count: number }[]; // vertices of the set
}

/** Throws where the set was made for another character. */
export function openedFor(set: ExampleSet, character: Character): OpenExamples {
  let first = 0;
  const parts = set.parts(character).map((part) => {
    const count = character.parts[part].vertexCount;
    first += count;
    return { part, first: first - count, count };
  });
  return { set, parts };
}

/** The skin of a part in an example; null where the set does not show that part. */
export function truthOf({ set, parts }: OpenExamples, example: number, part: number): Float32Array | null {
  const own = parts.find((each) => each.part === part);
  return own ? set.positions(example).slice(3 * own.first, 3 * (own.first + own.count)) : null;
}

/** All that the set shows as one surface, in its order of vertices. */
export function joined({ parts }: OpenExamples, character: Character): { positions: () => Float32Array; indices: Uint32Array } {
  const last = parts[parts.length - 1];
  const indices = Uint32Array.from(parts.flatMap(({ part, first }) => [...character.parts[part].indices].map((vertex) => vertex + first)));
  return {
    indices,
    positions: () => {
      const result = new Float32Array(3 * (last.first + last.count));
      for (const { part, first } of parts) result.set(character.evaluate(part, 'linear').positions, 3 * first);
      return result;
    },
  };
}
