// Numbers at the vertices as colours, with the legend that explains them.
import type { Character, PartTables } from '../engine/engine';
import type { Spread } from './worker/determinants';

/** Linear RGB from 0 to 1: near black, purple, orange, pale yellow. Lightness grows in even steps. */
export const ember = [
  [0.002, 0.001, 0.012], [0.085, 0.012, 0.15], [0.31, 0.022, 0.152], [0.65, 0.085, 0.046], [0.94, 0.36, 0.018], [0.97, 0.95, 0.44],
];

export function emberAt(t: number): [number, number, number] {
  const x = Math.min(Math.max(t, 0), 1) * (ember.length - 1);
  const i = Math.min(Math.floor(x), ember.length - 2);
  const f = x - i;
  return [0, 1, 2].map((c) => ember[i][c] * (1 - f) + ember[i + 1][c] * f) as [number, number, number];
}

export const change = { less: [0.02, 0.1, 0.6], same: 0.8, more: [0.6, 0.03, 0.02] };

/** Linear RGB from -1 to 1: blue, pale, red. */
export function changeAt(t: number): [number, number, number] {
  const x = Math.min(Math.max(t, -1), 1);
  const end = x < 0 ? change.less : change.more;
  return [0, 1, 2].map((c) => change.same + (end[c] - change.same) * Math.abs(x)) as [number, number, number];
}

/** Numbers at the vertices, and which of them the map's ends stand for. */
export interface Coloured {
  values: { numbers: Float32Array; channels: 1 | 3; low: number; high: number };
  legend: Legend;
}
export interface Legend {
  title: string;
  low: string;
  high: string;
  kind: 'map' | 'rgb' | 'change';
}

const millimetres = (metres: number) => `${(1000 * metres).toFixed(metres < 0.001 ? 3 : 2)} mm`;

const mapped = (numbers: Float32Array, high: number, low = 0) => ({ numbers, channels: 1 as const, low, high });

/** Distances between two shapes. `scale` is a reading that was larger before: a legend that jumps cannot be read. */
export function distances(a: Float32Array, b: Float32Array, title: string, scale: number): Coloured & { largest: number } {
  const values = new Float32Array(a.length / 3);
  let largest = scale;
  for (let v = 0; v < values.length; ++v) {
    values[v] = Math.hypot(a[3 * v] - b[3 * v], a[3 * v + 1] - b[3 * v + 1], a[3 * v + 2] - b[3 * v + 2]);
    largest = Math.max(largest, values[v]);
  }
  return { values: mapped(values, largest), legend: { title, low: '0', high: millimetres(largest), kind: 'map' }, largest };
}

/** Skin weights of one joint, by its place in the part's palette. */
export function weightColours(part: PartTables, place: number, name: string): Coloured {
  const values = new Float32Array(part.vertexCount);
  for (let v = 0; v < part.vertexCount; ++v) {
    const [first, count] = [part.ranges[4 * v], part.ranges[4 * v + 1]];
    for (let i = first; i < first + count; ++i)
      if (part.influences[2 * i] === place) values[v] += part.influences[2 * i + 1];
  }
  return { values: mapped(values, 1), legend: { title: `weights of ${name}`, low: '0', high: '1', kind: 'map' } };
}

/** How much of each vertex flesh carries along. */
export function fleshColours(weights: Float32Array, name: string): Coloured {
  return { values: mapped(weights, 1), legend: { title: `flesh weights of ${name}`, low: '0', high: '1', kind: 'map' } };
}

/** The weight in space of one limb. */
export function fieldColours(weights: Float32Array, name: string): Coloured {
  return { values: mapped(weights, 1), legend: { title: `weight of ${name} in space`, low: '0', high: '1', kind: 'map' } };
}

/** How fast that changes, 1/m. */
export function gradientColours(gradients: Float32Array, name: string): Coloured {
  const high = gradients.reduce((a, b) => Math.max(a, b), 0);
  return { values: mapped(gradients, high), legend: { title: `|∇W| of ${name}`, low: '0', high: `${(high / 100).toFixed(2)} per cm`, kind: 'map' } };
}

/** Ratios of volumes. A few vertices in the crease of a fist do not set the scale: the title tells of them. */
export function determinantColours(values: Float32Array, { least, most, low, high }: Spread): Coloured {
  const legend = { title: `det J from ${least.toFixed(3)} to ${most.toFixed(3)}`, low: low.toFixed(3), high: high.toFixed(3), kind: 'map' } as const;
  return { values: mapped(values.slice(), high, low), legend };
}

/** The same as growth and shrinkage, pale where volume is kept. */
export function volumeColours(values: Float32Array, { low, high }: Spread): Coloured {
  const most = Math.max(0.01, 1 - low, high - 1); // a hundredth: rounding is not shown as if it mattered
  const percent = `${(100 * most).toFixed(1)} %`;
  return { values: mapped(values.slice(), 1 + most, 1 - most), legend: { title: 'change of volume', low: `−${percent}`, high: `+${percent}`, kind: 'change' } };
}

/** Length of each of some targets' offsets at every vertex. */
function offsetLengths(part: PartTables, targets: number[]): Float32Array[] {
  const result = targets.map(() => new Float32Array(part.vertexCount));
  const placeOf = new Map(targets.map((target, k) => [target, k]));
  for (let v = 0; v < part.vertexCount; ++v) {
    const [first, count] = [part.ranges[4 * v + 2], part.ranges[4 * v + 3]];
    for (let i = first; i < first + count; ++i) {
      const k = placeOf.get(part.offsets[8 * i]);
      if (k !== undefined) result[k][v] = Math.hypot(part.offsets[8 * i + 1], part.offsets[8 * i + 2], part.offsets[8 * i + 3]);
    }
  }
  return result;
}

/** Targets, by their numbers in the part, of the drivers that a joint belongs to; those of the joint alone come first. */
export function targetsOf(character: Character, part: PartTables, joint: number): number[] {
  return character.drivers
    .filter((driver) => driver.joints.includes(joint))
    .sort((a, b) => a.joints.length - b.joints.length)
    .flatMap((driver) => Array.from({ length: driver.targets }, (_, k) => driver.firstWeight + k - part.firstMorphWeight))
    .filter((target) => target >= 0 && target < part.targetCount);
}

export function supportColours(part: PartTables, targets: number[], name: string): Coloured {
  const values = new Float32Array(part.vertexCount);
  for (const lengths of offsetLengths(part, targets)) lengths.forEach((length, v) => (values[v] += length > 0 ? 1 : 0));
  const high = Math.max(1, ...targets.map(() => 1).concat(targets.length));
  return {
    values: mapped(values, high),
    legend: { title: `modes of ${name} at each vertex`, low: '0', high: String(high), kind: 'map' },
  };
}

export function modeColours(part: PartTables, targets: number[], name: string): Coloured {
  const colours = new Float32Array(3 * part.vertexCount).fill(0.03);
  offsetLengths(part, targets.slice(0, 3)).forEach((lengths, channel) => {
    const largest = lengths.reduce((a, b) => Math.max(a, b), 0);
    if (largest > 0) lengths.forEach((length, v) => (colours[3 * v + channel] = 0.03 + (0.97 * length) / largest));
  });
  return { values: { numbers: colours, channels: 3, low: 0, high: 1 }, legend: { title: `modes 1, 2, 3 of ${name}`, low: '0', high: 'largest of each', kind: 'rgb' } };
}
