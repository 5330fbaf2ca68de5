// Hand landmarks of MediaPipe: 21 points of a hand that a camera sees.
import { type Finger, type FingerPoints, type HandPoints, fingers } from './hand_points.js';
import type { Side } from './rig.js';
import { type Vector, cross, length, subtract } from './rotation.js';

export interface Landmark {
  x: number;
  y: number;
  z: number;
}

const count = 21;
const wrist = 0;
/** The root of a finger: 1 of the thumb, 5 of the index finger ... The thumb's is that of its metacarpal. */
const base = (finger: number) => 1 + 4 * finger;

/** MediaPipe has x to the right of the picture, y down and z away from the camera; here y goes up and z comes nearer. */
const point = ({ x, y, z }: Landmark): Vector => [x, -y, -z];

/** The points of one hand. `landmarks`: the world landmarks, in metres (those of the picture have another unit for each
 * axis). Nothing where they are no hand: too few, not finite, or all in a line. */
export function handFromLandmarks(landmarks: readonly Landmark[], side: Side): HandPoints | undefined {
  if (landmarks.length !== count) return undefined;
  const points = landmarks.map(point);
  const [toIndex, toMiddle, toLittle] = [1, 2, 4].map((finger) => subtract(points[base(finger)], points[wrist]));
  const normal = side === 'right' ? cross(toIndex, toLittle) : cross(toLittle, toIndex);
  if (!(length(normal) > 0 && length(normal) < Infinity)) return undefined;
  const chain = (finger: number) => points.slice(base(finger), base(finger) + 4) as unknown as FingerPoints;
  const own = fingers.map((finger, f): [Finger, FingerPoints] => [finger, chain(f)]);
  return { side, direction: toMiddle, normal, fingers: new Map(own) };
}
