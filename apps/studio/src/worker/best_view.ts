// From which side the difference between two shapes of one surface is seen best.
import * as THREE from 'three';
import { axesOf } from '../framing';

const cells = 44; // of a picture, each way
const key = new THREE.Vector3(-0.45, 0.75, 0.5).normalize(); // where light comes from: right, up, towards the camera

/** Part of the plane that a picture shows: its lower left corner and the width of a cell. */
interface Window {
  x: number;
  y: number;
  cell: number;
}

/** The surface as it is seen along the axes: how bright each cell is, or NaN where nothing is. */
function drawn(positions: Float32Array, triangles: Uint32Array, axes: readonly THREE.Vector3[], { x, y, cell }: Window): Float32Array {
  const count = positions.length / 3;
  const turned = new Float32Array(3 * count); // in cells
  for (let v = 0; v < count; ++v)
    for (let k = 0; k < 3; ++k) {
      const along = positions[3 * v] * axes[k].x + positions[3 * v + 1] * axes[k].y + positions[3 * v + 2] * axes[k].z;
      turned[3 * v + k] = (along - [x, y, 0][k]) / cell;
    }
  const depths = new Float32Array(cells * cells).fill(-Infinity);
  const result = new Float32Array(cells * cells).fill(NaN);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [ux, uy, uz] = [turned[b] - turned[a], turned[b + 1] - turned[a + 1], turned[b + 2] - turned[a + 2]];
    const [wx, wy, wz] = [turned[c] - turned[a], turned[c + 1] - turned[a + 1], turned[c + 2] - turned[a + 2]];
    const nz = ux * wy - uy * wx; // twice the area on the picture
    if (nz <= 0) continue; // faces away
    const [nx, ny] = [uy * wz - uz * wy, uz * wx - ux * wz];
    const bright = 0.3 + 0.7 * Math.max(0, (nx * key.x + ny * key.y + nz * key.z) / Math.hypot(nx, ny, nz));
    const low = [0, 1].map((k) => Math.max(0, Math.ceil(Math.min(turned[a + k], turned[b + k], turned[c + k]) - 0.5)));
    const high = [0, 1].map((k) => Math.min(cells - 1, Math.floor(Math.max(turned[a + k], turned[b + k], turned[c + k]) - 0.5)));
    for (let j = low[1]; j <= high[1]; ++j)
      for (let i = low[0]; i <= high[0]; ++i) {
        const [px, py] = [i + 0.5 - turned[a], j + 0.5 - turned[a + 1]];
        const [s, r] = [(px * wy - py * wx) / nz, (ux * py - uy * px) / nz];
        if (s < 0 || r < 0 || s + r > 1) continue;
        const depth = turned[a + 2] + s * uz + r * wz;
        if (depth <= depths[i + cells * j]) continue;
        depths[i + cells * j] = depth;
        result[i + cells * j] = bright;
      }
  }
  return result;
}

/** Vertices of the second shape about where the shapes differ: within a ball that nine tenths of the squared distances lie in,
 * and some way around. */
export function whereDifferent(a: Float32Array, b: Float32Array): Float32Array {
  const count = a.length / 3;
  const squares = new Float64Array(count);
  const [point, other, centre] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  let sum = 0;
  for (let v = 0; v < count; ++v) {
    squares[v] = point.fromArray(b, 3 * v).distanceToSquared(other.fromArray(a, 3 * v));
    centre.addScaledVector(point, squares[v]);
    sum += squares[v];
  }
  if (!(sum > 0)) return b;
  centre.divideScalar(sum);
  const order = Array.from({ length: count }, (_, v) => [point.fromArray(b, 3 * v).distanceTo(centre), squares[v]]).sort((p, q) => p[0] - q[0]);
  let inside = 0;
  const reach = 1.25 * order.find(([, square]) => (inside += square) >= 0.9 * sum)![0];
  const found: number[] = [];
  for (let v = 0; v < count; ++v)
    if (point.fromArray(b, 3 * v).distanceTo(centre) <= reach) found.push(point.x, point.y, point.z);
  return Float32Array.from(found);
}


interface Seen {
  amount: number; // share of the picture that differs
  across: number; // along the first axis: half of that is on either side
}

function difference(a: Float32Array, b: Float32Array, triangles: Uint32Array, about: Float32Array, direction: THREE.Vector3): Seen {
  const axes = axesOf(direction);
  const box = new THREE.Box3();
  const [point, turned] = [new THREE.Vector3(), new THREE.Vector3()];
  for (let i = 0; i < about.length; i += 3) {
    point.fromArray(about, i);
    box.expandByPoint(turned.set(point.dot(axes[0]), point.dot(axes[1]), 0));
  }
  const cell = Math.max(box.max.x - box.min.x, box.max.y - box.min.y) / cells || 1;
  const window = { x: (box.min.x + box.max.x - cells * cell) / 2, y: (box.min.y + box.max.y - cells * cell) / 2, cell };
  const [one, other] = [a, b].map((shape) => drawn(shape, triangles, axes, window));
  const columns = new Float32Array(cells);
  for (let c = 0; c < cells * cells; ++c) {
    const [empty, alsoEmpty] = [Number.isNaN(one[c]), Number.isNaN(other[c])];
    if (empty && alsoEmpty) continue;
    columns[c % cells] += empty !== alsoEmpty ? 1 : Math.min(1, 1.5 * Math.abs(one[c] - other[c])); // an outline moved, or shading changed
  }
  const amount = columns.reduce((sum, own) => sum + own, 0);
  let left = 0;
  const column = columns.findIndex((own) => (left += own) >= amount / 2);
  return { amount: amount / (cells * cells), across: window.x + (column + 0.5) * cell };
}

/** The direction, of those that people look from, that shows most of the difference about some points, and a point where half
 * of it is on either side. */
export function bestView(a: Float32Array, b: Float32Array, triangles: Uint32Array, about: Float32Array): { direction: THREE.Vector3; middle: THREE.Vector3 } {
  let best = { direction: new THREE.Vector3(0, 0, 1), amount: -1, across: 0 };
  for (const height of [0.12, 0.45])
    for (let turn = 0; turn < 16; ++turn) {
      const direction = new THREE.Vector3(Math.sin((turn * Math.PI) / 8), height, Math.cos((turn * Math.PI) / 8)).normalize();
      const found = difference(a, b, triangles, about, direction);
      if (found.amount > best.amount) best = { direction, ...found };
    }
  const [right, up, back] = axesOf(best.direction);
  const centre = new THREE.Box3().setFromArray(about).getCenter(new THREE.Vector3());
  const middle = new THREE.Vector3().addScaledVector(right, best.across).addScaledVector(up, centre.dot(up)).addScaledVector(back, centre.dot(back));
  return { direction: best.direction, middle };
}
