// One driver: basis functions of the rotations of one joint or of many, which give the weights of some consecutive morph
// targets.
import { Mesh, Object3D, Quaternion } from 'three';
import { poseKernel } from './pose-kernel.js';
import { angleBetween, rotationVector, swingAndTwist } from './rotations.js';

/** A driver as it is written in the file: docs/SUPPLE_deformers.md. */
export interface DriverJson {
  node: number; // that carries the mesh
  firstTarget: number;
  joints: number[]; // nodes
  reference: number[][]; // their rotations in the pose where the weights are restWeights
  kernel: keyof typeof kernels | 'pose';
  radius: number; // radians; not of the kernel 'pose'
  twistAxes?: number[][];
  twistWeight?: number;
  radii?: number[]; // of the kernel 'pose', one per joint
  pairs?: [number, number][]; // likewise: places in joints
  pairWeight?: number;
  centres: number[][]; // a quaternion per joint each
  coefficients: number[][]; // a row of one number per target for every basis function
  restWeights: number[];
  least?: number[]; // weights are clamped into [least, most]; without a list there is no such limit
  most?: number[];
}

const kernels = {
  exponential: (r: number, radius: number) => Math.exp(-r / radius),
  gaussian: (r: number, radius: number) => Math.exp(-((r / radius) ** 2)),
  linear: (r: number) => r,
  cubic: (r: number) => r ** 3, // with a polynomial of degree one in the rotation vectors
};

const identity = new Quaternion();

export class Driver {
  private readonly toSetting: Quaternion[]; // per joint: the inverse of its reference
  private readonly centres: Quaternion[][]; // as compared() gives them

  constructor(
    private readonly json: DriverJson,
    private readonly joints: Object3D[],
    readonly meshes: Mesh[], // the primitives of the driven node
  ) {
    this.toSetting = json.reference.map((q) => new Quaternion().fromArray(q).conjugate());
    if (json.kernel === 'pose') for (const row of json.coefficients) row.forEach((c, k) => (row[k] = Math.fround(c)));
    this.centres = json.centres.map((numbers) =>
      this.compared(json.joints.map((_, k) => new Quaternion().fromArray(numbers, 4 * k))),
    );
  }

  get targets(): number[] {
    return this.json.restWeights.map((_, k) => this.json.firstTarget + k);
  }

  /** Joint rotations in, morph weights out. */
  update(): void {
    const { coefficients, firstTarget, restWeights, least, most } = this.json;
    const setting = this.joints.map((joint, k) => this.toSetting[k].clone().multiply(joint.quaternion));
    const atRest = setting.every((q) => angleBetween(q, identity) === 0);
    const basis = atRest ? [] : this.basis(setting);
    restWeights.forEach((rest, target) => {
      const sum = basis.reduce((sum, value, row) => sum + value * coefficients[row][target], rest);
      const weight = Math.min(Math.max(sum, least?.[target] ?? -Infinity), most?.[target] ?? Infinity);
      for (const mesh of this.meshes) mesh.morphTargetInfluences![firstTarget + target] = weight;
    });
  }

  private basis(setting: Quaternion[]): number[] {
    const { kernel, radius } = this.json;
    if (kernel === 'pose') return poseKernel(this.json, setting, this.centres);
    const here = this.compared(setting);
    const values = this.centres.map((centre) => kernels[kernel](this.distance(here, centre), radius));
    if (kernel === 'cubic') values.push(1, ...setting.flatMap(rotationVector));
    return values;
  }

  /** The rotations that distances are measured between: the joints' own, or the swing and the twist of each. */
  private compared(setting: Quaternion[]): Quaternion[] {
    const { twistAxes } = this.json;
    return twistAxes ? setting.flatMap((q, k) => swingAndTwist(q, twistAxes[k])) : setting;
  }

  private distance(a: Quaternion[], b: Quaternion[]): number {
    const { twistAxes, twistWeight = 1 } = this.json;
    const weight = (k: number) => (twistAxes && k % 2 === 1 ? twistWeight : 1);
    return Math.hypot(...a.map((q, k) => weight(k) * angleBetween(q, b[k])));
  }
}
