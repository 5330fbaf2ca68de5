// Rotations as quaternions (x, y, z, w) of length one, in glTF's order; vectors; both as plain arrays.

export type Vector = readonly [number, number, number];
export type Quaternion = readonly [number, number, number, number];

export const identity: Quaternion = [0, 0, 0, 1];

export const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (v: Vector) => Math.hypot(v[0], v[1], v[2]);
export const scale = (v: Vector, s: number): Vector => [v[0] * s, v[1] * s, v[2] * s];
export const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** First b, then a. */
export const multiply = (a: Quaternion, b: Quaternion): Quaternion => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
  a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];

export const conjugate = (q: Quaternion): Quaternion => [-q[0], -q[1], -q[2], q[3]];

export function normalized(q: Quaternion): Quaternion {
  const norm = Math.hypot(...q);
  return [q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm];
}

export function rotate(q: Quaternion, v: Vector): Vector {
  const [x, y, z] = multiply(multiply(q, [v[0], v[1], v[2], 0]), conjugate(q));
  return [x, y, z];
}

/** The axis has length one. */
export function fromAxisAngle(axis: Vector, angle: number): Quaternion {
  const sine = Math.sin(angle / 2);
  return [axis[0] * sine, axis[1] * sine, axis[2] * sine, Math.cos(angle / 2)];
}

/** Axis times angle, the angle at most half a turn: q and -q give the same. */
export function toRotationVector(q: Quaternion): Vector {
  const imaginary: Vector = [q[0], q[1], q[2]];
  const sine = length(imaginary);
  const sign = q[3] < 0 ? -1 : 1;
  return scale(imaginary, sign * (sine < 1e-12 ? 2 : (2 * Math.atan2(sine, Math.abs(q[3]))) / sine));
}

export function fromRotationVector(v: Vector): Quaternion {
  const angle = length(v);
  return angle < 1e-12 ? normalized([v[0] / 2, v[1] / 2, v[2] / 2, 1]) : fromAxisAngle(scale(v, 1 / angle), angle);
}

/** Radians, at most half a turn. */
export const angleBetween = (a: Quaternion, b: Quaternion) => length(toRotationVector(multiply(conjugate(a), b)));

/** The shortest rotation that takes the direction of one vector to that of another. */
export function shortest(from: Vector, to: Vector): Quaternion {
  const [a, b] = [scale(from, 1 / length(from)), scale(to, 1 / length(to))];
  const w = 1 + dot(a, b);
  if (w > 1e-9) return normalized([...cross(a, b), w]);
  const across = cross(a, Math.abs(a[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]); // half a turn, about any axis that is across
  return normalized([...across, 0]);
}

/** The rotation that takes x, y and z to these axes, which are orthogonal, right-handed and of length one. */
export function fromAxes(x: Vector, y: Vector, z: Vector): Quaternion {
  // Of the four ways to write it, the one that divides by the largest number.
  const squares = [1 + x[0] - y[1] - z[2], 1 - x[0] + y[1] - z[2], 1 - x[0] - y[1] + z[2], 1 + x[0] + y[1] + z[2]];
  const numbers: Quaternion[] = [
    [squares[0], x[1] + y[0], z[0] + x[2], y[2] - z[1]],
    [x[1] + y[0], squares[1], y[2] + z[1], z[0] - x[2]],
    [z[0] + x[2], y[2] + z[1], squares[2], x[1] - y[0]],
    [y[2] - z[1], z[0] - x[2], x[1] - y[0], squares[3]],
  ];
  return normalized(numbers[squares.indexOf(Math.max(...squares))]);
}
