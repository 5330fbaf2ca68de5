// Basis functions of many joints: a sum over joints, and over pairs of joints, of Gaussians that are 0 at rest.
import { Quaternion } from 'three';

/** What the kernel reads of a driver. */
export interface PoseKernelJson {
  radii?: number[]; // one per joint
  pairs?: [number, number][]; // places in joints
  pairWeight?: number;
}

/** One value for every centre. A joint that the pose or the centre leaves at rest adds nothing. */
export function poseKernel(json: PoseKernelJson, setting: Quaternion[], centres: Quaternion[][]): number[] {
  const radii = json.radii!;
  const fromRest = setting.map((q, k) => gaussian(sineSquared(q), radii[k]));
  const turned = setting.map((q) => sineSquared(q) >= noTurn);
  return centres.map((centre) => {
    const kappa = centre.map((c, k) => {
      const out = sineSquared(c);
      if (!turned[k] || out < noTurn) return 0;
      return gaussian(sineSquaredBetween(setting[k], c), radii[k]) - fromRest[k] * gaussian(out, radii[k]);
    });
    const pairs = (json.pairs ?? []).reduce((sum, [a, b]) => sum + kappa[a] * kappa[b], 0);
    return kappa.reduce((sum, value) => sum + value, 0) + (json.pairWeight ?? 0) * pairs;
  });
}

const noTurn = (1e-6 / 2) ** 2; // angles below 1e-6 are the rounding of single precision

/** exp(-chord^2 / (2 radius^2)), chord = 2 sin(angle / 2). */
const gaussian = (sineSquared: number, radius: number) => Math.exp((-2 * sineSquared) / radius ** 2);

/** Of half the angle of a rotation. */
const sineSquared = (q: Quaternion) => q.x ** 2 + q.y ** 2 + q.z ** 2;

const sineSquaredBetween = (a: Quaternion, b: Quaternion) => sineSquared(between.copy(a).conjugate().multiply(b));
const between = new Quaternion();
