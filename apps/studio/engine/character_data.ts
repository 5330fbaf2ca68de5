// What the engine says of a character, as plain data, and what its parts ask of the character they belong to.

/** One way a joint can turn, about an axis fixed in its own rest frame. Angles in radians, away from rest. */
export interface Dof {
  name: string;
  axis: [number, number, number];
  min: number;
  max: number;
}
/** Every node of the file is a joint; parents come before their children. */
export interface Joint {
  name: string;
  parent: number;  // -1: a root
  dofs: Dof[];
  skinned: boolean;  // some skin is bound to it; not so twins, which carry flesh and are turned by nobody
  node: number;  // its number in the glTF file
}
/** Times in seconds. */
export interface Clip {
  name: string;
  start: number;
  end: number;
}
/** Morph weights that follow one or two joints: entries [firstWeight, firstWeight + targets) of morphWeights(). */
export interface Driver {
  name: string;
  joints: number[];
  firstWeight: number;
  targets: number;
}
/**
 * Example shapes of a part, the rest shape among them, that the pose mixes: `equal` by one weight an example, otherwise
 * by each vertex's own, which look at the joints as far as the vertex feels them.
 */
export interface PoseSpace {
  part: number;
  examples: number;
  influence: 'equal' | 'weights' | 'subtree';
}
/** A part as the vertex shader reads it: see SkinTables in supple/gpu/skin_tables.h. The arrays are the page's own. */
export interface PartTables {
  name: string;
  mesh: number;  // numbers in the glTF file
  primitive: number;
  node: number;
  rigid: boolean;  // bound to no skin: moves with its node, and is never blended
  smoothed: boolean;  // its posed surface is smoothed, see Layers
  joints: number[];  // of each entry of its palette
  vertexCount: number;
  jointCount: number;
  targetCount: number;
  firstMorphWeight: number;  // its place in morphWeights()
  positions: Float32Array;
  normals: Float32Array;
  indices: Uint32Array;
  ranges: Uint32Array;
  influences: Float32Array;
  offsets: Float32Array;
  textureWidth: number;
}
export type Blend = 'linear' | 'dual-quaternion';
export type Quaternion = [number, number, number, number];  // x, y, z, w

/** What is shown of the skin. What is left out stands at rest. */
export interface Layers {
  corrections: boolean;
  modes: number;  // how many modes of each driver; Infinity: all
  smoothing: boolean;  // of posed surfaces; not of those that flow
  flesh: boolean;
}
export interface Palette {
  matrices: Float32Array;  // 16 a joint: columns of its matrix, or real and dual quaternion
  stretch: Float32Array | null;  // 16 a joint: what dual quaternions cannot carry
  scaled: boolean;  // matrices are more than rotations: normals need the inverse transpose
  blend: Blend;  // what the matrices are: those of rigid parts are always linear
}
export interface Surface {
  positions: Float32Array;
  normals: Float32Array;
}

/** A pose that travels between engines which have the same character open. */
export interface PoseState {
  locals: Float32Array;  // ten numbers a joint: translation, rotation, scale
  weights: Float32Array;  // of morph targets, before layers set theirs
  flesh: Float32Array;  // ten numbers an element: what it does
}

/** A character as classes for its flesh and its kinodynamics see it. Numbers are returned where they exist, or thrown at. */
export interface OpenedCharacter {
  readonly pointer: number;
  readonly parts: readonly PartTables[];
  checkedPart(part: number): number;
  checkedJoint(joint: number): number;
  checkedClip(clip: number): number;
}
