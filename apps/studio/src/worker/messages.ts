// What the page asks of the engine in its worker, and what comes back.
import type { CharacterData, Flow, Layers, Muscle, MuscleParameters, MuscleShapes, PoseState, Surface, Tissue, Volume } from '../../engine/engine';
import type { Legend } from '../colours';
import type { Colouring, Skinning } from '../settings';

/** How a flowing skin is set: as the worker has it after the last change. */
export interface KinodynamicState {
  flowing: boolean[];
  muscles: Muscle[];
  flow: Flow;
  window: number;
  volumes: (Volume | null)[]; // of each joint
  parameters: MuscleParameters[]; // of each muscle
}
export interface Opened {
  data: CharacterData;
  rig: Uint8Array; // its rigFile()
  file: Uint8Array; // as three.js can read it
  kinodynamics: KinodynamicState;
  carried: Uint32Array[]; // of each part: vertices whose displacement by flesh is drawn
  points: Float32Array[]; // of each part, some vertices at the beginning of the first clip by linear blend, three numbers each
}

/** How muscles come to the pose of a frame. */
export type MuscleStep = { how: 'settle' } | { how: 'animate'; seconds: number } | { how: 'seek'; clip: number; seconds: number };

export interface FrameRequest {
  pose: PoseState;
  layers: Layers;
  blend: Skinning;
  surfaces: number[]; // parts that the engine must compute
  muscles: MuscleStep | null; // null: they stay as they are
  drawn: { muscles: boolean; tissue: boolean; vectors: number[] }; // parts whose vectors are drawn
  colours: { colouring: Colouring; joint: number; element: number; revision: number };
  example: number; // that is compared with; -1: none
}
/** Numbers at the vertices of a part, as the shader of the map takes them. */
export interface Values {
  numbers: Float32Array;
  channels: 1 | 3;
  low: number;
  high: number;
  kind: Legend['kind'];
}
export interface Painted {
  parts: { supple: Values | null; linear: Values | null }[];
  legend: Legend | null;
}
export interface FrameAnswer {
  surfaces: (Surface | null)[]; // of each part
  shapes: MuscleShapes | null;
  tissue: Tissue[] | null;
  vectors: (Float32Array | null)[];
  painted: Painted | null; // null: as before
  still: boolean; // every surface is what it was in the frame before
  unfinished: boolean; // colours wait for a pose that rests
  milliseconds: number; // that the engine took
}

export interface ExamplesOpened {
  parts: number[]; // of the character
  names: string[];
}
export interface Example {
  surfaces: Surface[]; // of these parts
  locals: Float32Array; // of PoseState
}
/** Where an example set lies: the whole address of a folder, or files by their names. */
export type ExampleSource = string | ReadonlyMap<string, Uint8Array>;

/** Two ways to skin one pose, and how far each is from what is right. */
export interface Contest {
  pose: number; // which of the poses
  linear: number;
  supple: number;
  direction: [number, number, number]; // from where the difference is seen best
  middle: [number, number, number]; // half of it is on either side
  about: Float32Array; // where it is: points
  shape: Float32Array; // of Supple
}
export interface VolumeContest extends Contest {
  held: number; // at rest, m^3
  path: Float32Array; // Supple's shapes of all poses, one after another
}

/** What crosses the border when something fails. */
export type Failure = { item: string; problem: string; remedy: string } | { message: string };
export type Answer = { id: number; value: unknown } | { id: number; failure: Failure } | { id: number; share: number };
export interface Question {
  id: number;
  name: string;
  words: unknown[];
}
