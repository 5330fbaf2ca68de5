// A character in the browser: its rig, the pose that is being made, and what a frame shows of it.
import type { Blend, Clip, Driver, Joint, Layers, OpenedCharacter, Palette, PartTables, PoseSpace, PoseState, Quaternion, Surface } from './character_data.ts';
import { Flesh, type FleshDescription } from './flesh.ts';
import { Kinodynamics } from './kinodynamics.ts';
import { EngineError, type Memory } from './memory.ts';

type PartDescription = Pick<PartTables, 'name' | 'mesh' | 'primitive' | 'node' | 'rigid' | 'smoothed' | 'joints' | 'firstMorphWeight'>;
export interface Description {
  name: string;
  joints: Joint[];
  clips: Clip[];
  drivers: Driver[];
  parts: PartDescription[];
  poseSpace: PoseSpace | null;
  wrinkles: number;
  flesh: FleshDescription;
  warnings: string[];
}

/** All that is known of a character without asking for a pose: what another engine needs to open its rig alone. */
export interface CharacterData {
  description: Description;
  parts: PartTables[];
}

const textureWidth = 2048;  // SkinTables::texture_width
export const allModes = 0xffffffff;
export const modeCount = (modes: number): number => Math.min(Math.max(Math.floor(modes), 0), allModes);

/**
 * Arrays that methods return lie in the engine's memory: they hold until the next call of any of its methods. Copy
 * (`slice()`) what is to be kept.
 */
export class Character implements OpenedCharacter {
  readonly name: string;
  readonly joints: Joint[];
  readonly clips: Clip[];
  readonly drivers: Driver[];
  readonly parts: PartTables[];
  readonly poseSpace: PoseSpace | null;
  /** Strips of skin that fold. */
  readonly wrinkles: number;
  readonly flesh: Flesh;
  readonly kinodynamics: Kinodynamics;
  /** What was repaired or ignored while the file was read. */
  readonly warnings: string[];
  readonly #memory: Memory;
  readonly #description: Description;
  #pointer: number;

  /** Made by Engine.open(). `known`: what the whole file says, where only its rig is opened here. */
  constructor(memory: Memory, pointer: number, known?: CharacterData) {
    this.#memory = memory;
    this.#pointer = pointer;
    const all = known?.description ?? memory.json<Description>(memory.module._character_description(pointer));
    this.#description = all;
    this.name = all.name;
    this.joints = all.joints;
    this.clips = all.clips;
    this.drivers = all.drivers;
    this.poseSpace = all.poseSpace;
    this.wrinkles = all.wrinkles;
    this.warnings = all.warnings;
    this.flesh = new Flesh(memory, this, all.flesh);
    this.parts = known?.parts ?? all.parts.map((_, number) => this.tables(number));
    this.kinodynamics = new Kinodynamics(memory, this);
  }

  get data(): CharacterData {
    return { description: this.#description, parts: this.parts };
  }

  /** The tables of a part, made anew. */
  tables(number: number): PartTables {
    const memory = this.#memory;
    const views = memory.accepted(memory.module._character_tables(this.pointer, number));
    const [jointCount, targetCount] = memory.words(views + 6 * 8, 2);
    const positions = memory.floats(views, 0).slice();
    const result = {
      ...this.#description.parts[number],
      vertexCount: positions.length / 3,
      jointCount,
      targetCount,
      positions,
      normals: memory.floats(views, 1).slice(),
      indices: memory.indices(views, 2).slice(),
      ranges: memory.indices(views, 3).slice(),
      influences: memory.floats(views, 4).slice(),
      offsets: memory.floats(views, 5).slice(),
      textureWidth,
    };
    memory.module._character_forget_tables();
    return result;
  }

  /** For other classes of the engine. */
  get pointer(): number {
    if (this.#pointer === 0) throw new EngineError(this.name, 'has been disposed of', 'open the file again');
    return this.#pointer;
  }
  #place(list: readonly unknown[], number: number, what: string): number {
    if (Number.isInteger(number) && number >= 0 && number < list.length) return number;
    throw new EngineError(`${what} ${number}`, 'does not exist', `${this.name} has ${list.length}, counted from 0`);
  }
  /** Numbers, checked: for this and other classes of the engine. */
  checkedPart(part: number): number {
    return this.#place(this.parts, part, 'part');
  }
  checkedJoint(joint: number): number {
    return this.#place(this.joints, joint, 'joint');
  }
  checkedClip(clip: number): number {
    return this.#place(this.clips, clip, 'clip');
  }

  /** Sets the pose of the file at rest. */
  rest(): void {
    this.#memory.module._character_rest(this.pointer);
  }
  /** Sets the pose of a clip at a time, and its flesh with it; before its first and after its last key the pose stays. */
  sample(clip: number, seconds: number): void {
    this.#memory.module._character_sample(this.pointer, this.checkedClip(clip), seconds);
  }
  /** The joint's local rotation in the pose. */
  rotation(joint: number): Quaternion {
    const [x, y, z, w] = this.#memory.floats(this.#memory.module._character_rotation(this.pointer, this.checkedJoint(joint)));
    return [x, y, z, w];
  }
  setRotation(joint: number, [x, y, z, w]: Quaternion): void {
    const length = Math.hypot(x, y, z, w);
    if (!(length > 0 && length < Infinity))
      throw new EngineError(`rotation of joint ${joint}`, 'is no rotation', 'give a finite quaternion that is not zero');
    this.#memory.module._character_set_rotation(this.pointer, this.checkedJoint(joint), x, y, z, w);
  }
  /** Radians away from rest, one per degree of freedom of the joint: the nearest where its rotation has others too. */
  angles(joint: number): number[] {
    return [...this.#memory.floats(this.#memory.module._character_angles(this.pointer, this.checkedJoint(joint)))];
  }
  setAngles(joint: number, angles: number[], clamp: boolean): void {
    const known = this.joints[this.checkedJoint(joint)].dofs.length;
    if (angles.length > known || !angles.every(Number.isFinite))
      throw new EngineError(`angles of joint ${joint}`, 'do not fit it', `give ${known} finite numbers or fewer`);
    this.#memory.lend(new Uint8Array(Float32Array.from(angles).buffer), (pointer) =>
      this.#memory.module._character_set_angles(this.pointer, joint, pointer, angles.length, clamp ? 1 : 0),
    );
  }

  /** The pose of the last update with its flesh, as another engine with the same character takes it. */
  get poseState(): PoseState {
    const { module } = this.#memory;
    return {
      locals: this.#memory.floats(module._character_locals(this.pointer)).slice(),
      weights: this.#memory.floats(module._character_given_weights(this.pointer)).slice(),
      flesh: this.#memory.floats(module._flesh_motions(this.pointer)).slice(),
    };
  }
  set poseState({ locals, weights, flesh }: PoseState) {
    const now = this.poseState;
    if (locals.length !== now.locals.length || weights.length !== now.weights.length || flesh.length !== now.flesh.length)
      throw new EngineError('pose', 'is of another character', 'take one of this character');
    const lend = (numbers: Float32Array, use: (pointer: number) => void) =>
      this.#memory.lend(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), use);
    const { module } = this.#memory;
    lend(locals, (pointer) => module._character_set_locals(this.pointer, pointer));
    lend(weights, (pointer) => module._character_set_given_weights(this.pointer, pointer));
    lend(flesh, (pointer) => module._flesh_show(this.pointer, pointer));
  }

  /**
   * Flesh, world transforms, morph weights and palettes of the pose as it is now. What follows speaks of the last update.
   */
  update({ corrections, modes, smoothing, flesh }: Layers): void {
    this.#memory.module._character_update(this.pointer, corrections ? 1 : 0, modeCount(modes), smoothing ? 1 : 0, flesh ? 1 : 0);
  }
  /** 4x4, column by column. */
  world(joint: number): Float32Array {
    return this.#memory.floats(this.#memory.module._character_world(this.pointer, this.checkedJoint(joint)));
  }
  /** Of a part that is weighed by its vertices, what would be nearest if they all had the same weights. */
  morphWeights(): Float32Array {
    return this.#memory.floats(this.#memory.module._character_morph_weights(this.pointer));
  }
  /** Of a skinned part, or the one matrix of a rigid part. Throws where dual quaternions cannot follow a mirroring joint. */
  palette(part: number, blend: Blend): Palette {
    const memory = this.#memory;
    const views = memory.accepted(
      memory.module._character_palette(this.pointer, this.checkedPart(part), blend === 'linear' ? 0 : 1),
    );
    const [scaled, dual] = memory.words(views + 2 * 8, 2);
    const stretch = memory.floats(views, 1);
    return {
      matrices: memory.floats(views, 0),
      stretch: stretch.length > 0 ? stretch : null,
      scaled: scaled !== 0,
      blend: dual !== 0 ? 'dual-quaternion' : 'linear',
    };
  }
  /**
   * Whether weights and palette do not tell all of the part's shape, so that evaluate() alone gives it: where its examples
   * have weights of each vertex's own, or its posed surface is smoothed.
   */
  isComputed(part: number): boolean {
    return this.#memory.module._character_is_computed(this.pointer, this.checkedPart(part)) !== 0;
  }
  /** The part in world space, computed here and not on the GPU: what the shader must give, unless isComputed(). */
  evaluate(part: number, blend: Blend): Surface {
    const memory = this.#memory;
    const views = memory.accepted(
      memory.module._character_evaluate(this.pointer, this.checkedPart(part), blend === 'linear' ? 0 : 1),
    );
    return { positions: memory.floats(views, 0), normals: memory.floats(views, 1) };
  }
  /**
   * The file as it was opened, with what the last update shows as a clip called "studio", and with kinodynamics as they
   * were set. The bytes are the page's own.
   */
  exportGlb(): Uint8Array<ArrayBuffer> {
    const bytes = this.#memory.bytes(this.#memory.accepted(this.#memory.module._character_file(this.pointer))).slice();
    this.#memory.module._character_forget_file();
    return bytes;
  }
  /**
   * A small file that has all but the surfaces: with `data` it opens at once, poses the character and gives palettes and
   * morph weights.
   */
  rigFile(): Uint8Array<ArrayBuffer> {
    const bytes = this.#memory.bytes(this.#memory.accepted(this.#memory.module._character_rig_file(this.pointer))).slice();
    this.#memory.module._character_forget_file();
    return bytes;
  }
  /** Gives its memory back. Nothing else may be asked of it then. */
  dispose(): void {
    if (this.#pointer !== 0) this.#memory.module._character_close(this.#pointer);
    this.#pointer = 0;
  }
}
