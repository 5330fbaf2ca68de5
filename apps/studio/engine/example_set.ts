// Example sets in the browser: the skins a character was fitted to, and how near it comes to them.
import { type Character, modeCount } from './character.ts';
import { EngineError, type Memory } from './memory.ts';

interface Description {
  part: string;
  origin: string;
  names: string[];
}

const folder = '/examples';  // the reader of sets wants files; these exist only while it reads

/** Poses and skins of one character: see docs/examples.md. */
export class ExampleSet {
  /** The part of the character whose skin it holds (of several the first), and how the set was made. */
  readonly part: string;
  readonly origin: string;
  readonly names: string[];
  readonly count: number;
  readonly #memory: Memory;
  #pointer: number;

  /** Files by their names; folders before a name do not matter. */
  static open(memory: Memory, files: ReadonlyMap<string, Uint8Array>): ExampleSet {
    const { FS } = memory.module;
    const paths = new Set<string>();
    FS.mkdirTree(folder);
    try {
      for (const [name, bytes] of files) {
        const path = `${folder}/${name.slice(name.lastIndexOf('/') + 1)}`;
        paths.add(path);
        FS.writeFile(path, bytes);
      }
      return new ExampleSet(memory, memory.accepted(memory.lendText(folder, (text) => memory.module._examples_open(text))));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      const item = error.item.replaceAll(`${folder}/`, '').replaceAll(folder, 'example set');
      throw new EngineError(item, error.problem, error.remedy);
    } finally {
      for (const path of paths) FS.unlink(path);
      FS.rmdir(folder);
    }
  }

  private constructor(memory: Memory, pointer: number) {
    this.#memory = memory;
    this.#pointer = pointer;
    const { part, origin, names } = memory.json<Description>(memory.module._examples_description(pointer));
    this.part = part;
    this.origin = origin;
    this.names = names;
    this.count = names.length;
  }

  get #open(): number {
    if (this.#pointer === 0) throw new EngineError('example set', 'has been disposed of', 'open its files again');
    return this.#pointer;
  }
  #example(number: number): number {
    if (Number.isInteger(number) && number >= 0 && number < this.count) return number;
    throw new EngineError(`example ${number}`, 'does not exist', `the set has ${this.count}, counted from 0`);
  }

  /** Gives the character the pose of an example; throws where the set was made for another one. */
  pose(example: number, character: Character): void {
    this.#memory.accepted(this.#memory.module._examples_pose(this.#open, this.#example(example), character.pointer));
  }
  /** The parts of a character whose vertices it has, one part after another; throws where it was made for another one. */
  parts(character: Character): number[] {
    return [...this.#memory.indices(this.#memory.accepted(this.#memory.module._examples_parts(this.#open, character.pointer)))];
  }
  /** Of all parts: world space, metres. Lies in the engine's memory: holds until the next call. */
  positions(example: number): Float32Array {
    return this.#memory.floats(this.#memory.module._examples_positions(this.#open, this.#example(example)));
  }
  /** See errorCurve(). */
  errors(character: Character, modes: readonly number[]): number[] {
    const counts = Uint32Array.from(modes, modeCount);
    const memory = this.#memory;
    return memory.lend(new Uint8Array(counts.buffer), (pointer) => [
      ...memory.doubles(
        memory.accepted(memory.module._examples_error_curve(this.#open, character.pointer, pointer, counts.length)),
      ),
    ]);
  }
  dispose(): void {
    if (this.#pointer !== 0) this.#memory.module._examples_close(this.#pointer);
    this.#pointer = 0;
  }
}
