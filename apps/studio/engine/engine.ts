// The runtime in the browser: opens characters, poses them and says what the vertex shader needs. Everything that a page
// uses of it is here.
//
//   const engine = await Engine.load(new URL('supple_engine.wasm', location.href));
//   const hand = engine.open(bytes, 'hand.glb');
//   hand.sample(0, seconds);
//   hand.update({ corrections: true, modes: Infinity, smoothing: true, flesh: true });
//   draw(hand.palette(0, 'linear'), hand.morphWeights());
import { Character, type CharacterData } from './character.ts';
import createModule from './dist/supple_engine.mjs';
import { ExampleSet } from './example_set.ts';
import { Flesh } from './flesh.ts';
import { Kinodynamics, fieldSources, flowIntegrators } from './kinodynamics.ts';
import { EngineError, Memory } from './memory.ts';

export { Character, EngineError, ExampleSet, Flesh, Kinodynamics, fieldSources, flowIntegrators };
export type { Blend, Clip, Dof, Driver, Joint, Layers, Palette, PartTables, PoseSpace, PoseState, Quaternion, Surface } from './character_data.ts';
export type { CharacterData } from './character.ts';
export type { FleshElement, FleshParameters, SpringPreset } from './flesh.ts';
export type { FieldSource, Flow, FlowIntegrator, Muscle, MuscleParameters, MuscleShapes, Tissue, Volume } from './kinodynamics.ts';

async function bytesOf(source: URL | Response | ArrayBuffer | Uint8Array): Promise<ArrayBuffer | Uint8Array> {
  if (source instanceof ArrayBuffer || source instanceof Uint8Array) return source;
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok)
    throw new EngineError(response.url, `cannot be loaded: ${response.status} ${response.statusText}`, 'reload the page');
  return response.arrayBuffer();
}

export class Engine {
  readonly #memory: Memory;

  private constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** What load() takes, compiled: workers are given it, so that each need not compile it again. */
  static async compile(source: URL | Response | ArrayBuffer | Uint8Array): Promise<WebAssembly.Module> {
    return WebAssembly.compile((await bytesOf(source)) as BufferSource);
  }

  /** From the bytes of supple_engine.wasm, or where they are, or what compile() made of them. */
  static async load(source: URL | Response | ArrayBuffer | Uint8Array | WebAssembly.Module): Promise<Engine> {
    const compiled = source instanceof WebAssembly.Module ? source : await Engine.compile(source);
    const made = new Promise<Memory>((resolve, reject) => {
      const instantiateWasm = (imports: WebAssembly.Imports, use: (instance: WebAssembly.Instance) => void) => {
        WebAssembly.instantiate(compiled, imports).then(use).catch(reject);
        return {};
      };
      createModule({ instantiateWasm }).then((module) => resolve(new Memory(module)), reject);
    });
    return new Engine(await made);
  }

  /**
   * A .glb, or a .gltf with everything inside. `name` is the file's, for messages. `known`: what another engine says of the
   * whole file, where these are the bytes of its rigFile().
   */
  open(bytes: Uint8Array, name: string, known?: CharacterData): Character {
    const memory = this.#memory;
    const pointer = memory.lend(bytes, (contents) =>
      memory.lendText(name, (text) => memory.accepted(memory.module._character_open(contents, bytes.length, text))),
    );
    try {
      return new Character(memory, pointer, known);
    } catch (error) {
      memory.module._character_close(pointer);
      throw error;
    }
  }

  /** The files of an example set (examples.json and its arrays) by their names. */
  openExamples(files: ReadonlyMap<string, Uint8Array>): ExampleSet {
    return ExampleSet.open(this.#memory, files);
  }

  /** Bytes that the engine has taken from the browser, used or not. They never shrink. */
  get heapBytes(): number {
    return this.#memory.size;
  }
}

/**
 * For each number of modes, how far the character is from the examples beside linear blend skinning: the mean over
 * examples of the root of the summed squared distances, as a ratio. 1: no better; 0: exact.
 */
export function errorCurve(character: Character, set: ExampleSet, modes: number[]): number[] {
  return set.errors(character, modes);
}
