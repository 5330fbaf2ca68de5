// All drivers of a loaded file, found by the numbers of their nodes.
import type { AnimationClip, Mesh, Object3D } from 'three';
import type { GLTF } from 'three/addons/loaders/GLTFLoader.js';
import { Driver, type DriverJson } from './driver.js';

export class Drivers {
  constructor(private readonly drivers: Driver[]) {}

  /** How many there are: 0 where the file has none. */
  get size(): number {
    return this.drivers.length;
  }

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
  const drivers = ((extension.drivers ?? []) as DriverJson[]).flatMap((json) => {
    const node = nodes.get(json.node);
    const joints = json.joints.map((joint) => nodes.get(joint));
    if (!node || joints.includes(undefined)) return []; // of another scene
    return [new Driver(json, joints as Object3D[], meshesOf(node))];
  });
  return new Drivers(drivers);
}
