// What lights the stage: a room that metals mirror, and two lamps that model the shape.
import * as THREE from 'three';

/** Colours of the room from the ground to the sky, linear, with how far up each is: -1 to 1. */
const room: [number, [number, number, number]][] = [
  [-1, [0.1, 0.09, 0.085]], [-0.15, [0.2, 0.185, 0.175]], [0.05, [0.5, 0.51, 0.53]], [0.45, [0.75, 0.78, 0.83]], [1, [1.05, 1.08, 1.12]],
];

function colourAt(height: number): THREE.Color {
  const next = Math.max(1, room.findIndex(([above]) => above >= height));
  const [[low, below], [high, above]] = [room[next - 1], room[next]];
  return new THREE.Color(...below).lerp(new THREE.Color(...above), (height - low) / (high - low));
}

/** How bright a soft lamp is in a direction: a window to the left, a smaller one behind. */
function windows(direction: THREE.Vector3): number {
  const lamp = (x: number, y: number, z: number, sharpness: number) =>
    Math.exp(sharpness * (direction.dot(new THREE.Vector3(x, y, z).normalize()) - 1));
  return 3.2 * lamp(-0.8, 0.75, 0.5, 18) + 2 * lamp(0.9, 0.4, -0.7, 25);
}

/**
 * The room as three.js wants it for reflections. Nothing in it is sharp, so that 64 x 32 samples are enough: made in a moment,
 * also where graphics are software.
 */
export function environment(renderer: THREE.WebGLRenderer): THREE.Texture {
  const [width, height] = [64, 32];
  const pixels = new Float32Array(4 * width * height);
  const direction = new THREE.Vector3();
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) {
      direction.setFromSphericalCoords(1, Math.PI * (1 - (y + 0.5) / height), 2 * Math.PI * ((x + 0.5) / width) + Math.PI / 2);
      const colour = colourAt(direction.y).addScalar(windows(direction));
      pixels.set([colour.r, colour.g, colour.b, 1], 4 * (y * width + x));
    }
  const picture = new THREE.DataTexture(pixels, width, height, THREE.RGBAFormat, THREE.FloatType);
  Object.assign(picture, { mapping: THREE.EquirectangularReflectionMapping, magFilter: THREE.LinearFilter, minFilter: THREE.LinearFilter, needsUpdate: true });
  const generator = new THREE.PMREMGenerator(renderer);
  const result = generator.fromEquirectangular(picture).texture;
  generator.dispose();
  picture.dispose();
  return result;
}

/** A key from the left and a rim from behind. The room does the rest. */
export function lamps(): THREE.Light[] {
  const key = new THREE.DirectionalLight(0xfff4e8, 2.1);
  key.position.set(-0.7, 1, 0.4);
  const rim = new THREE.DirectionalLight(0xdfe9ff, 1.1);
  rim.position.set(0.8, 0.3, -0.9);
  for (const light of [key, rim]) light.layers.enableAll();
  return [key, rim];
}
