// Morph weights that follow the joints (SUPPLE_deformers, see docs/SUPPLE_deformers.md), live on stock three.js:
//
//   const drivers = readDrivers(gltf);                          // gltf: what GLTFLoader gave
//   mixer.clipAction(drivers.withoutDrivenTracks(clip)).play(); // weights baked into the clip are no longer needed
//   ...each frame: mixer.update(seconds); drivers.update(); renderer.render(scene, camera);
import { AnimationClip, Mesh, Object3D, Quaternion } from 'three';
import type { GLTF } from 'three/addons/loaders/GLTFLoader.js';

interface DriverJson {
  node: number; // that carries the mesh
  firstTarget: number;
  joints: number[]; // one or two nodes
  reference: number[][]; // their rotations in the pose where the weights are restWeights
  kernel: keyof typeof kernels;
  radius: number; // radians
  twistAxes?: number[][];
  twistWeight?: number;
  centres: number[][]; // one or two quaternions each
  coefficients: number[][]; // a row of one number per target for every basis function
  restWeights: number[];
}

const kernels = {
  exponential: (r: number, radius: number) => Math.exp(-r / radius),
  gaussian: (r: number, radius: number) => Math.exp(-((r / radius) ** 2)),
  linear: (r: number) => r,
  cubic: (r: number) => r ** 3, // with a polynomial of degree one in the rotation vectors
};

// Angles below the rounding of the file's numbers are none.
const angleOrNone = (angle: number) => (angle < 1e-6 ? 0 : angle);

// Not Quaternion.angleTo, whose arc cosine has no precision left for small angles.
const between = new Quaternion();
const identity = new Quaternion();
function angleBetween(a: Quaternion, b: Quaternion): number {
  between.copy(a).conjugate().multiply(b);
  return angleOrNone(2 * Math.atan2(Math.hypot(between.x, between.y, between.z), Math.abs(between.w)));
}

// q = swing * twist, the twist about the axis; half a turn of swing has none.
function swingAndTwist(q: Quaternion, [x, y, z]: number[]): [Quaternion, Quaternion] {
  const along = q.x * x + q.y * y + q.z * z;
  const twist = new Quaternion(x * along, y * along, z * along, q.w);
  if (twist.lengthSq() < 1e-12) twist.identity();
  twist.normalize();
  return [q.clone().multiply(twist.clone().conjugate()), twist];
}

function rotationVector(q: Quaternion): number[] {
  const sign = q.w < 0 ? -1 : 1;
  const sine = Math.hypot(q.x, q.y, q.z);
  const scale = sign * (sine < 1e-8 ? 2 : (2 * Math.atan2(sine, Math.abs(q.w))) / sine);
  return [q.x * scale, q.y * scale, q.z * scale];
}

class Driver {
  private readonly toSetting: Quaternion[]; // per joint: the inverse of its reference
  private readonly centres: Quaternion[][]; // as compared() gives them

  constructor(
    private readonly json: DriverJson,
    private readonly joints: Object3D[],
    readonly meshes: Mesh[], // the primitives of the driven node
  ) {
    this.toSetting = json.reference.map((q) => new Quaternion().fromArray(q).conjugate());
    this.centres = json.centres.map((numbers) =>
      this.compared(json.joints.map((_, k) => new Quaternion().fromArray(numbers, 4 * k))),
    );
  }

  get targets(): number[] {
    return this.json.restWeights.map((_, k) => this.json.firstTarget + k);
  }

  update(): void {
    const { coefficients, firstTarget, restWeights } = this.json;
    const setting = this.joints.map((joint, k) => this.toSetting[k].clone().multiply(joint.quaternion));
    const atRest = setting.every((q) => angleBetween(q, identity) === 0);
    const basis = atRest ? [] : this.basis(setting);
    restWeights.forEach((rest, target) => {
      const weight = basis.reduce((sum, value, row) => sum + value * coefficients[row][target], rest);
      for (const mesh of this.meshes) mesh.morphTargetInfluences![firstTarget + target] = weight;
    });
  }

  private basis(setting: Quaternion[]): number[] {
    const { kernel, radius } = this.json;
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

export class Drivers {
  constructor(private readonly drivers: Driver[]) {}

  /** After the mixer, or whatever else moved the bones; before rendering. */
  update(): void {
    for (const driver of this.drivers) driver.update();
  }

  /** A copy without the weight tracks of meshes whose targets are all driven. Where some are not, the track stays:
   * update() comes after it and has the last word on the driven ones. */
  withoutDrivenTracks(clip: AnimationClip): AnimationClip {
    const driven = new Map<Mesh, Set<number>>();
    for (const { meshes, targets } of this.drivers)
      for (const mesh of meshes) driven.set(mesh, new Set([...(driven.get(mesh) ?? []), ...targets]));
    const whole = [...driven].filter(([mesh, targets]) => targets.size === mesh.morphTargetInfluences!.length);
    const names = new Set(whole.map(([mesh]) => `${mesh.name || mesh.uuid}.morphTargetInfluences`));
    const copy = clip.clone();
    copy.tracks = copy.tracks.filter((track) => !names.has(track.name));
    return copy;
  }
}

/** The drivers of a loaded file; none where it has none, or a version that is not known here. */
export function readDrivers(gltf: GLTF): Drivers {
  const extension = gltf.parser.json.extensions?.SUPPLE_deformers;
  if (extension?.version !== 1) return new Drivers([]);
  const nodes = new Map<number, Object3D>();
  for (const [object, place] of gltf.parser.associations)
    if (place?.nodes !== undefined) nodes.set(place.nodes, object as Object3D); // materials may have no place
  // A mesh of several primitives is a group of meshes, which are no nodes themselves.
  const meshesOf = (node: Object3D) =>
    [node, ...node.children.filter((child) => gltf.parser.associations.get(child)?.nodes === undefined)].filter(
      (object): object is Mesh => (object as Mesh).isMesh,
    );
  const drivers = (extension.drivers as DriverJson[]).flatMap((json) => {
    const node = nodes.get(json.node);
    const joints = json.joints.map((joint) => nodes.get(joint));
    if (!node || joints.includes(undefined)) return []; // of another scene
    return [new Driver(json, joints as Object3D[], meshesOf(node))];
  });
  return new Drivers(drivers);
}
