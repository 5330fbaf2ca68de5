// Kinodynamic skinning in the browser: skin that flows with the bones and keeps its volume, and muscles that swing under
// it by vorticity (Kinodynamic Skinning using Volume-Preserving Deformations, 2007).
import type { OpenedCharacter, Surface } from './character_data.ts';
import { EngineError, type Memory } from './memory.ts';

/** Where the weights of limbs in space come from: distances to bones, tissue under the skin, or the file's skin weights. */
export const fieldSources = ['automatic', 'primitives', 'painted'] as const;
export type FieldSource = (typeof fieldSources)[number];
/** Equation 5 without regard to volume, equation 7, or fourth order in the frame of the limb. */
export const flowIntegrators = ['blend', 'euler', 'rk4-limb'] as const;
export type FlowIntegrator = (typeof flowIntegrators)[number];

export interface Flow {
  source: FieldSource;
  shortening: number;  // automatic: what is cut off bones at joints, in units of the flesh's depth
  spread: number;  // automatic: how softly weights fall off
  reach: number;  // painted: how far beyond the skin weights vanish
  contact: number;  // how near a limb comes to skin that does not hang on it before it pushes; 0: it passes through
  integrator: FlowIntegrator;
  step: number;  // radians: the largest turn of a joint that is taken at once
}
/** How much of a turn's volume is kept: all of it where alpha + beta = 1. */
export interface Volume {
  alpha: number;
  beta: number;
}
export interface Muscle {
  name: string;
  joint: number;
}
export interface MuscleParameters {
  frequency: number;  // Hz
  dampingRatio: number;  // 1 just does not swing
  gravity: number;  // times that of the earth
  stretch: number;  // 1/s^2 along its axis; below 0 squashes
  life: number;  // of the limb's acceleration, as if the muscle caused it: 1 cancels the swing
  limit: number;  // of the shortest radius: how far it may carry the skin
  reach: number;  // in units of the shortest radius
}
/** Surfaces of all muscles, one after another. */
export interface MuscleShapes {
  positions: Float32Array;
  triangles: Uint32Array;
  points: Uint32Array;  // how many each muscle has
}
/** An ellipsoid about what gives a limb its weight in space. */
export interface Tissue {
  toWorld: Float32Array;  // of the unit ball: 4x4, column by column
  joint: number;
  bone: boolean;
}

const tissueNumbers = 18;

/**
 * What is shown is the pose of Character.update() as settle(), animate() or seek() last took it. Arrays that methods
 * return hold until the next call of any method of the engine.
 */
export class Kinodynamics {
  /** Whether each part flows. Those without a skin do not, nor bones: they are blended as ever. */
  readonly flowing: readonly boolean[];
  muscles: readonly Muscle[] = [];
  readonly #memory: Memory;
  readonly #character: OpenedCharacter;

  constructor(memory: Memory, character: OpenedCharacter) {
    this.#memory = memory;
    this.#character = character;
    this.flowing = this.#describe();
  }

  #describe(): boolean[] {
    const { module } = this.#memory;
    const all = this.#memory.json<{ flowing: boolean[]; muscles: Muscle[] }>(module._kinodynamics_description(this.#character.pointer));
    this.muscles = all.muscles;
    return all.flowing;
  }
  #muscle(muscle: number): number {
    if (Number.isInteger(muscle) && muscle >= 0 && muscle < this.muscles.length) return muscle;
    throw new EngineError(`muscle ${muscle}`, 'does not exist', `there are ${this.muscles.length}, counted from 0`);
  }
  #accept(answer: number): void {
    this.#memory.accepted(answer);
  }

  flow(): Flow {
    const [source, shortening, spread, reach, contact, integrator, step] = this.#memory.floats(
      this.#memory.module._kinodynamics_flow(this.#character.pointer),
    );
    return { source: fieldSources[source], shortening, spread, reach, contact, integrator: flowIntegrators[integrator], step };
  }
  /**
   * Those that are left out stay as they are. All but the integrator and the step take a moment: the field is made anew.
   * Primitives are proposed where the file has none.
   */
  setFlow(changes: Partial<Flow>): void {
    const { source, shortening, spread, reach, contact, integrator, step } = { ...this.flow(), ...changes };
    this.#accept(
      this.#memory.module._kinodynamics_set_flow(
        this.#character.pointer, fieldSources.indexOf(source), shortening, spread, reach, contact, flowIntegrators.indexOf(integrator), step,
      ),
    );
  }
  /** What a joint keeps (at rest, where a curve says how it changes with the angle), or null: as the turn asks. */
  volume(joint: number): Volume | null {
    const [keys, alpha, beta] = this.#memory.floats(
      this.#memory.module._kinodynamics_volume(this.#character.pointer, this.#character.checkedJoint(joint)),
    );
    return keys > 0 ? { alpha, beta } : null;
  }
  setVolume(joint: number, volume: Volume | null): void {
    const { alpha, beta } = volume ?? { alpha: 0, beta: 0 };
    this.#accept(
      this.#memory.module._kinodynamics_set_volume(this.#character.pointer, this.#character.checkedJoint(joint), volume ? 0 : 1, alpha, beta),
    );
  }

  parameters(muscle: number): MuscleParameters {
    const [frequency, dampingRatio, gravity, stretch, life, limit, reach] = this.#memory.floats(
      this.#memory.module._kinodynamics_muscle(this.#character.pointer, this.#muscle(muscle)),
    );
    return { frequency, dampingRatio, gravity, stretch, life, limit, reach };
  }
  /** Those that are left out stay as they are. They may change while the character moves. */
  setParameters(muscle: number, changes: Partial<MuscleParameters>): void {
    const all = { ...this.parameters(muscle), ...changes };
    this.#accept(
      this.#memory.module._kinodynamics_set_muscle(
        this.#character.pointer, muscle, all.frequency, all.dampingRatio, all.gravity, all.stretch, all.life, all.limit, all.reach,
      ),
    );
  }
  /** Seconds before a moment of a clip that count where it is sought out. */
  get window(): number {
    return this.#memory.floats(this.#memory.module._kinodynamics_flow(this.#character.pointer))[7];
  }
  set window(seconds: number) {
    if (!(seconds >= 0 && seconds < Infinity)) throw new EngineError('window', 'is out of range', 'give seconds from 0 up');
    this.#memory.module._kinodynamics_set_window(this.#character.pointer, seconds);
  }
  /** A first set for a rig, instead of the muscles that it has. */
  proposeMuscles(): void {
    this.#accept(this.#memory.module._kinodynamics_propose_muscles(this.#character.pointer));
    this.#describe();
  }

  /** Takes the pose of the last update, muscles hanging still in it. */
  settle(): void {
    this.#accept(this.#memory.module._kinodynamics_settle(this.#character.pointer));
  }
  /** Takes the pose of the last update a moment later: muscles swing. At most a quarter of a second counts. */
  animate(seconds: number): void {
    this.#accept(this.#memory.module._kinodynamics_animate(this.#character.pointer, seconds));
  }
  /** Takes the pose of the last update, muscles as this moment of a clip finds them. */
  seek(clip: number, seconds: number): void {
    this.#accept(this.#memory.module._kinodynamics_seek(this.#character.pointer, this.#character.checkedClip(clip), seconds));
  }
  /** The part in world space; empty where it does not flow. */
  evaluate(part: number): Surface {
    const views = this.#memory.accepted(
      this.#memory.module._kinodynamics_surface(this.#character.pointer, this.#character.checkedPart(part)),
    );
    return { positions: this.#memory.floats(views, 0), normals: this.#memory.floats(views, 1) };
  }
  /** Another number whenever the flow has changed: with the pose, or with what setFlow() and setVolume() say. */
  get flowNumber(): number {
    return this.#memory.module._kinodynamics_flow_number(this.#character.pointer);
  }

  muscleShapes(): MuscleShapes {
    const views = this.#memory.accepted(this.#memory.module._kinodynamics_shapes(this.#character.pointer));
    return { positions: this.#memory.floats(views, 0), triangles: this.#memory.indices(views, 1), points: this.#memory.indices(views, 2) };
  }
  /** None with painted weights. */
  tissue(): Tissue[] {
    const numbers = this.#memory.floats(this.#memory.accepted(this.#memory.module._kinodynamics_tissue(this.#character.pointer)));
    return Array.from({ length: numbers.length / tissueNumbers }, (_, i) => {
      const own = numbers.subarray(tissueNumbers * i, tissueNumbers * (i + 1));
      return { toWorld: own.subarray(0, 16), joint: own[16], bone: own[17] !== 0 };
    });
  }
  /** How much of space at each vertex belongs to a joint's limb: 0 to 1. Empty where the part does not flow. */
  weights(part: number, joint: number): Float32Array {
    return this.#fieldMap(part, joint, 0);
  }
  /** How fast that changes in space, 1/m. */
  gradients(part: number, joint: number): Float32Array {
    return this.#fieldMap(part, joint, 1);
  }
  #fieldMap(part: number, joint: number, gradient: number): Float32Array {
    const { module } = this.#memory;
    const character = this.#character;
    return this.#memory.floats(
      this.#memory.accepted(module._kinodynamics_field_map(character.pointer, character.checkedPart(part), character.checkedJoint(joint), gradient)),
    );
  }
  /** The flow's local ratio of volumes at each vertex. As slow as six frames. */
  determinants(part: number): Float32Array {
    const { module } = this.#memory;
    return this.#memory.floats(
      this.#memory.accepted(module._kinodynamics_determinants(this.#character.pointer, this.#character.checkedPart(part))),
    );
  }
}
