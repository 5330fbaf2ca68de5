// The angles of a joint's degrees of freedom that come nearest to a rotation away from rest.
import type { Dof } from './rig.js';
import {
  type Quaternion,
  type Vector,
  conjugate,
  cross,
  dot,
  fromAxisAngle,
  identity,
  length,
  multiply,
  rotate,
  toRotationVector,
} from './rotation.js';

/** R(dof 0) * R(dof 1) ... */
export const turnOf = (dofs: readonly Dof[], angles: readonly number[]): Quaternion =>
  dofs.reduce((turn, dof, d) => multiply(turn, fromAxisAngle(dof.axis, angles[d])), identity);

const wrapped = (angle: number) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
const imaginary = (q: Quaternion): Vector => [q[0], q[1], q[2]];

/** Swing and twist: the twist about the axis is the nearest rotation about it. */
const hingeAngle = (axis: Vector, turn: Quaternion) => wrapped(2 * Math.atan2(dot(imaginary(turn), axis), turn[3]));

/** Two orthogonal axes a, b. With c = a x b, the quaternion of R(a, A) R(b, B) has the components
 * cos A/2 cos B/2, sin A/2 cos B/2, cos A/2 sin B/2, sin A/2 sin B/2 along 1, a, b, c. The nearest rotation is the one
 * of the largest scalar product with `turn`, which is a sum of two cosines: of (A + B)/2 and of (A - B)/2. */
function saddleAngles(a: Vector, b: Vector, turn: Quaternion): [number, number] {
  const v = imaginary(turn);
  const [w, p, q, r] = [turn[3], dot(v, a), dot(v, b), dot(v, cross(a, b))];
  const sum = Math.atan2(p + q, w - r);
  const difference = Math.atan2(p - q, w + r);
  return [wrapped(sum + difference), wrapped(sum - difference)];
}

/** Three orthogonal axes a, b and c = s (a x b), where s is 1 or -1: R(a, A) R(b, B) R(c, C) takes a x b to
 * sin B a + cos B (cos A (a x b) - sin A b), and its inverse takes a to sin B (a x b) + cos B (cos sC a - sin sC b). Of
 * the two solutions this is the one with B within a right angle. */
function ballAngles(a: Vector, b: Vector, c: Vector, turn: Quaternion): [number, number, number] {
  const third = cross(a, b);
  const there = rotate(turn, third);
  const back = rotate(conjugate(turn), a);
  const handedness = Math.sign(dot(third, c));
  return [
    Math.atan2(-dot(there, b), dot(there, third)),
    Math.asin(Math.max(-1, Math.min(1, dot(there, a)))),
    handedness * Math.atan2(-dot(back, b), dot(back, a)),
  ];
}

/** x with (C^T C + damping) x = C^T r, for up to three columns, by Cramer's rule. */
function leastSquares(columns: readonly Vector[], r: Vector): Vector {
  const column = (d: number): Vector => columns[d] ?? [0, 0, 0];
  const row = (i: number) =>
    [0, 1, 2].map((j) => dot(column(i), column(j)) + (i === j ? 1e-9 : 0)) as unknown as Vector;
  const [x, y, z] = [row(0), row(1), row(2)]; // symmetric: rows are columns
  const right = [0, 1, 2].map((d) => dot(column(d), r)) as unknown as Vector;
  const determinant = dot(x, cross(y, z));
  return [
    dot(right, cross(y, z)) / determinant,
    dot(x, cross(right, z)) / determinant,
    dot(x, cross(y, right)) / determinant,
  ];
}

const mismatch = (dofs: readonly Dof[], angles: readonly number[], turn: Quaternion) =>
  toRotationVector(multiply(conjugate(turnOf(dofs, angles)), turn));

/** Gauss-Newton from one start, as the C++ library does it. */
function refined(dofs: readonly Dof[], turn: Quaternion, start: readonly number[]): number[] {
  const angles = [...start];
  for (let iteration = 0; iteration < 60; ++iteration) {
    // Column d: axis d as seen after the rotations that follow it.
    const columns = dofs.map((dof, d) => rotate(conjugate(turnOf(dofs.slice(d + 1), angles.slice(d + 1))), dof.axis));
    const step = leastSquares(columns, mismatch(dofs, angles, turn));
    dofs.forEach((_, d) => (angles[d] += step[d]));
    if (length(step) < 1e-12) break;
  }
  return angles;
}

/** Skewed axes: angles may have several solutions, and the start nearest to rest that fits wins. */
function searchedAngles(dofs: readonly Dof[], turn: Quaternion): number[] {
  let best = dofs.map(() => 0);
  let left = length(toRotationVector(turn));
  for (const start of [0, Math.PI / 2, -Math.PI / 2, 0.9 * Math.PI, -0.9 * Math.PI]) {
    for (let d = 0; d < dofs.length; ++d) {
      const angles = refined(
        dofs,
        turn,
        dofs.map((_, k) => (k === d ? start : 0)),
      );
      const remaining = length(mismatch(dofs, angles, turn));
      if (remaining < left - 1e-9) [best, left] = [angles, remaining];
    }
    if (left < 1e-6) break;
  }
  return best.map(wrapped);
}

const orthogonal = (a: Dof, b: Dof) => Math.abs(dot(a.axis, b.axis)) < 1e-6;

/** Least squares in the remaining angle: exact where the turn can be reached. Radians, within half a turn. */
export function dofAngles(dofs: readonly Dof[], turn: Quaternion): number[] {
  const [a, b, c] = dofs;
  if (dofs.length === 0) return [];
  if (dofs.length === 1) return [hingeAngle(a.axis, turn)];
  if (dofs.length === 2 && orthogonal(a, b)) return saddleAngles(a.axis, b.axis, turn);
  if (dofs.length === 3 && orthogonal(a, b) && orthogonal(b, c) && orthogonal(c, a))
    return ballAngles(a.axis, b.axis, c.axis, turn);
  return searchedAngles(dofs, turn);
}
