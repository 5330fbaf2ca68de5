// How far skins are apart, and how much they hold.

/** Root of the mean squared distance between the vertices of two shapes, and the largest distance. */
export function distance(a: Float32Array, b: Float32Array): { mean: number; most: number } {
  let sum = 0;
  let most = 0;
  for (let i = 0; i < a.length; i += 3) {
    const square = (a[i] - b[i]) ** 2 + (a[i + 1] - b[i + 1]) ** 2 + (a[i + 2] - b[i + 2]) ** 2;
    sum += square;
    most = Math.max(most, square);
  }
  return { mean: Math.sqrt(sum / Math.max(1, a.length / 3)), most: Math.sqrt(most) };
}

/** What a closed surface holds: the sum of signed tetrahedra from the origin to its triangles. */
export function volume(positions: Float32Array, triangles: Uint32Array): number {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    sum +=
      positions[a] * (positions[b + 1] * positions[c + 2] - positions[b + 2] * positions[c + 1]) +
      positions[a + 1] * (positions[b + 2] * positions[c] - positions[b] * positions[c + 2]) +
      positions[a + 2] * (positions[b] * positions[c + 1] - positions[b + 1] * positions[c]);
  }
  return sum / 6;
}
