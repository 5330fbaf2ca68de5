// Angles between rotations, as precisely as the file's numbers allow.
import { Quaternion } from 'three';

// Angles below the rounding of the file's numbers are none.
const angleOrNone = (angle: number) => (angle < 1e-6 ? 0 : angle);

// Not Quaternion.angleTo, whose arc cosine has no precision left for small angles.
const between = new Quaternion();
export function angleBetween(a: Quaternion, b: Quaternion): number {
  between.copy(a).conjugate().multiply(b);
  return angleOrNone(2 * Math.atan2(Math.hypot(between.x, between.y, between.z), Math.abs(between.w)));
}

/** q = swing * twist, the twist about the axis; half a turn of swing has none. */
export function swingAndTwist(q: Quaternion, [x, y, z]: number[]): [Quaternion, Quaternion] {
  const along = q.x * x + q.y * y + q.z * z;
  const twist = new Quaternion(x * along, y * along, z * along, q.w);
  if (twist.lengthSq() < 1e-12) twist.identity();
  twist.normalize();
  return [q.clone().multiply(twist.clone().conjugate()), twist];
}

/** The axis times the angle (radians). */
export function rotationVector(q: Quaternion): number[] {
  const sign = q.w < 0 ? -1 : 1;
  const sine = Math.hypot(q.x, q.y, q.z);
  const scale = sign * (sine < 1e-8 ? 2 : (2 * Math.atan2(sine, Math.abs(q.w))) / sine);
  return [q.x * scale, q.y * scale, q.z * scale];
}
