// The flesh of a character in the browser: body parts that swing behind the bones, and how.
import type { Blend, OpenedCharacter } from './character_data.ts';
import { EngineError, type Memory } from './memory.ts';

/** A body part on springs. */
export interface FleshElement {
  name: string;
  driver: number;  // the joint whose motion it trails behind
}
export interface FleshParameters {
  frequency: number;  // Hz, of its first spring; the others keep their ratio to it
  dampingRatio: number;  // 1 just does not swing
  gravity: number;  // times that of the earth
  airFriction: number;  // kg/s
  gain: number;
  maxElongation: number;  // metres
}
/** How a spring feels, for people who do not think in hertz. */
export interface SpringPreset {
  name: string;
  summary: string;
  frequency: number;
  dampingRatio: number;
}
export interface FleshDescription {
  elements: FleshElement[];
  presets: SpringPreset[];
}

/**
 * After Character.sample() flesh is what the clip has then, as the exported file plays it; after swing() and settle() it
 * is its own master. Arrays that methods return hold until the next call of any method of the engine.
 */
export class Flesh {
  readonly elements: FleshElement[];
  readonly presets: SpringPreset[];
  readonly #memory: Memory;
  readonly #character: OpenedCharacter;

  constructor(memory: Memory, character: OpenedCharacter, { elements, presets }: FleshDescription) {
    this.#memory = memory;
    this.#character = character;
    this.elements = elements;
    this.presets = presets;
  }

  #element(element: number): number {
    if (Number.isInteger(element) && element >= 0 && element < this.elements.length) return element;
    throw new EngineError(`flesh element ${element}`, 'does not exist', `there are ${this.elements.length}, counted from 0`);
  }

  parameters(element: number): FleshParameters {
    const { module } = this.#memory;
    const [frequency, dampingRatio, gravity, airFriction, gain, maxElongation] = this.#memory.floats(
      module._flesh_parameters(this.#character.pointer, this.#element(element)),
    );
    return { frequency, dampingRatio, gravity, airFriction, gain, maxElongation };
  }
  /** Those that are left out stay as they are. They may change while the character moves. */
  setParameters(element: number, changes: Partial<FleshParameters>): void {
    const all = { ...this.parameters(element), ...changes };
    if (!Object.values(all).every((value) => Number.isFinite(value) && value >= 0) || all.frequency === 0)
      throw new EngineError(`flesh element ${element}`, 'was given numbers out of range', 'give finite ones from 0 up, and a frequency above 0');
    this.#memory.module._flesh_set_parameters(
      this.#character.pointer, element, all.frequency, all.dampingRatio, all.gravity, all.airFriction, all.gain, all.maxElongation,
    );
  }

  /** A moment later in real time, with the joints as they are posed now. At most a quarter of a second counts. */
  swing(seconds: number): void {
    this.#memory.module._flesh_swing(this.#character.pointer, seconds);
  }
  /** Hanging still in the pose as it is now. */
  settle(): void {
    this.#memory.module._flesh_settle(this.#character.pointer);
  }

  /** Twelve numbers an element, of the last update: local origin, dynamic origin, virtual bone from and to. */
  places(): Float32Array {
    return this.#memory.floats(this.#memory.module._flesh_places(this.#character.pointer));
  }
  /** How much of each vertex of a part an element carries along; without one: all together. */
  weights(part: number, element?: number): Float32Array {
    const chosen = element === undefined ? -1 : this.#element(element);
    return this.#memory.floats(this.#memory.module._flesh_weights(this.#character.pointer, this.#character.checkedPart(part), chosen));
  }
  /** Six numbers for each of some vertices: where bones alone take it, and where it is as of the last update. */
  displacements(part: number, blend: Blend, vertices: Uint32Array): Float32Array {
    const memory = this.#memory;
    const { vertexCount } = this.#character.parts[this.#character.checkedPart(part)];
    if (vertices.some((vertex) => vertex >= vertexCount))
      throw new EngineError(`part ${part}`, 'was asked for a vertex that it does not have', `it has ${vertexCount}`);
    const bytes = new Uint8Array(vertices.buffer, vertices.byteOffset, vertices.byteLength);
    const views = memory.lend(bytes, (pointer) =>
      memory.module._flesh_displacements(this.#character.pointer, part, blend === 'linear' ? 0 : 1, pointer, vertices.length),
    );
    return memory.floats(memory.accepted(views));
  }
}
