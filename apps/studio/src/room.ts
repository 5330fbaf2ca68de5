// The room that metals mirror, blurred for every roughness as three.js wants it. All that is in it is round about some axis, and
// so is what a rough surface sees of it: curves over the cosine to the axis hold the whole of it. It is computed here in
// milliseconds; three.js itself would draw it with the graphics driver, which takes seconds where that is software.
import * as THREE from 'three';

/** Colours of the room from the ground to the sky, linear, with how far up each is: -1 to 1. */
const heights: [number, [number, number, number]][] = [
  [-1, [0.1, 0.09, 0.085]], [-0.15, [0.2, 0.185, 0.175]], [0.05, [0.5, 0.51, 0.53]], [0.45, [0.75, 0.78, 0.83]], [1, [1.05, 1.08, 1.12]],
];
/** Soft lamps: a window to the right, across from the key lamp, and a smaller one behind. */
const windows = [
  { towards: new THREE.Vector3(0.8, 0.75, 0.5).normalize(), brightness: 3.2, sharpness: 18 },
  { towards: new THREE.Vector3(-0.9, 0.4, -0.7).normalize(), brightness: 2, sharpness: 25 },
];

/** Texels along an edge of the cube for each roughness, the sharpest first. Nothing in the room is as sharp as one of the first. */
const sizes = [64, 32, 16, 8];
const steps = 128; // of a curve

function channel(height: number, c: number): number {
  const next = Math.max(1, heights.findIndex(([above]) => above >= height));
  const [[low, below], [high, above]] = [heights[next - 1], heights[next]];
  return below[c] + ((above[c] - below[c]) * (height - low)) / (high - low);
}

/** A direction that a rough surface mirrors, seen along its normal: cosine and sine of the angle to it, and how much it counts. */
type Sample = readonly [cosine: number, sine: number, weight: number];

/** Directions by the distribution of GGX, as THREE.PMREMGenerator takes them. */
function samplesOf(roughness: number): Sample[] {
  const count = roughness > 0 ? 16 : 1;
  const alpha = roughness ** 2;
  return Array.from({ length: count }, (_, i): Sample => {
    const share = (i + 0.5) / count;
    const inverse = 1 / (1 - share + alpha ** 2 * share);
    const cosine = (1 - share - alpha ** 2 * share) * inverse;
    return [cosine, 2 * alpha * Math.sqrt(share * (1 - share)) * inverse, cosine];
  }).filter(([, , weight]) => weight > 0);
}

/** What a rough surface sees of something that is round about an axis, by the cosine between its normal and the axis. */
function curve(shape: (cosine: number) => number, samples: readonly Sample[]): Float32Array {
  const turns = samples.length > 1 ? 6 : 1;
  const around = Array.from({ length: turns }, (_, i) => Math.cos((Math.PI * (i + 0.5)) / turns));
  const all = turns * samples.reduce((sum, [, , weight]) => sum + weight, 0);
  return Float32Array.from({ length: steps + 1 }, (_, i) => {
    const up = (2 * i) / steps - 1;
    const across = Math.sqrt(1 - up * up);
    let sum = 0;
    for (const [cosine, sine, weight] of samples) for (const turn of around) sum += weight * shape(up * cosine + across * sine * turn);
    return sum / all;
  });
}

function at(values: Float32Array, cosine: number): number {
  const place = Math.min(Math.max((cosine + 1) / 2, 0), 1) * steps;
  const before = Math.min(Math.floor(place), steps - 1);
  return values[before] + (values[before + 1] - values[before]) * (place - before);
}

/** Where a texel of a cube's side looks to; x and y from -1 to 1, to the right and down as OpenGL has them. */
const sides: ((x: number, y: number) => [number, number, number])[] = [
  (x, y) => [1, -y, -x], (x, y) => [-1, -y, x], (x, y) => [x, 1, y], (x, y) => [x, -1, -y], (x, y) => [x, -y, 1], (x, y) => [-x, -y, -1],
];

function levelOf(size: number, roughness: number): Uint16Array[] {
  const samples = samplesOf(roughness);
  const colours = [0, 1, 2].map((c) => curve((height) => channel(height, c), samples));
  const lamps = windows.map(({ brightness, sharpness }) => curve((cosine) => brightness * Math.exp(sharpness * (cosine - 1)), samples));
  const direction = new THREE.Vector3();
  const { toHalfFloat } = THREE.DataUtils;
  return sides.map((side) => {
    const texels = new Uint16Array(4 * size * size).fill(toHalfFloat(1));
    for (let row = 0; row < size; ++row)
      for (let column = 0; column < size; ++column) {
        direction.set(...side((2 * column + 1) / size - 1, (2 * row + 1) / size - 1)).normalize();
        direction.x *= -1; // three.js mirrors cubes that were not drawn by it
        let bright = 0;
        for (let w = 0; w < windows.length; ++w) bright += at(lamps[w], direction.dot(windows[w].towards));
        for (let c = 0; c < 3; ++c) texels[4 * (row * size + column) + c] = toHalfFloat(at(colours[c], direction.y) + bright);
      }
    return texels;
  });
}

/** Its levels have the roughnesses of THREE.PMREMGenerator.lodToRoughness(). */
export function roomTexture(): THREE.Texture {
  const last = sizes.length - 1;
  const levels = sizes.map((size, level) => levelOf(size, 1 - Math.sqrt(1 - level / last)));
  const images = sides.map((_, side) => ({
    width: sizes[0],
    height: sizes[0],
    mipmaps: sizes.map((size, level) => ({ data: levels[level][side], width: size, height: size })),
  }));
  // A texture of numbers as they are, in a class that can be given every level of a cube.
  const result = new THREE.CompressedCubeTexture(images as never, THREE.RGBAFormat as never, THREE.HalfFloatType);
  Object.assign(result, { isPMREMTexture: true, minFilter: THREE.LinearMipmapLinearFilter, magFilter: THREE.LinearFilter, colorSpace: THREE.LinearSRGBColorSpace, needsUpdate: true });
  return result;
}
