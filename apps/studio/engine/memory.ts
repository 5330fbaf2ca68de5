// The memory of the module: arrays and texts in and out, and refusals as errors. Memory may grow, and move, in any call:
// arrays that lie in it are looked up anew each time.
/// <reference path="./wasm_module.d.ts" />
import type { WasmModule } from './dist/supple_engine.mjs';

/** Why the engine refused: which item is at fault, what is wrong with it, and what can be done. */
export class EngineError extends Error {
  readonly item: string;
  readonly problem: string;
  readonly remedy: string;

  constructor(item: string, problem: string, remedy: string) {
    super((item ? `${item}: ${problem}` : problem) + (remedy ? ` (${remedy})` : ''));
    this.name = 'EngineError';
    this.item = item;
    this.problem = problem;
    this.remedy = remedy;
  }
}

const pairOfWords = 8;  // bytes of a View of bindings/answer.h: address, size in bytes

export class Memory {
  constructor(readonly module: WasmModule) {}

  private get buffer(): ArrayBufferLike {
    return this.module.HEAPU8.buffer;
  }
  /** Bytes of the whole heap, used or not. */
  get size(): number {
    return this.buffer.byteLength;
  }

  words(pointer: number, count: number): Uint32Array {
    return new Uint32Array(this.buffer, pointer, count);
  }
  bytes(pointer: number, view = 0): Uint8Array {
    const [address, size] = this.words(pointer + view * pairOfWords, 2);
    return new Uint8Array(this.buffer, address, size);
  }
  /** The array number `view` of a struct that begins with views. It lies in the module's memory. */
  floats(pointer: number, view = 0): Float32Array {
    const bytes = this.bytes(pointer, view);
    return new Float32Array(this.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }
  indices(pointer: number, view = 0): Uint32Array {
    const bytes = this.bytes(pointer, view);
    return new Uint32Array(this.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }
  doubles(pointer: number): Float64Array {
    const bytes = this.bytes(pointer);
    return new Float64Array(this.buffer, bytes.byteOffset, bytes.byteLength / 8);
  }
  /** A JSON text. Its shape is that of the bindings, which are built together with this file. */
  json<Value>(pointer: number): Value {
    return JSON.parse(new TextDecoder().decode(this.bytes(pointer).slice())) as Value;
  }

  /** Lends the engine a copy of the bytes while `use` runs. */
  lend<Value>(bytes: Uint8Array, use: (pointer: number) => Value): Value {
    const pointer = this.module._malloc(Math.max(bytes.length, 1));
    if (pointer === 0) throw new EngineError('the browser', 'has not enough memory for this', 'use a smaller file');
    try {
      this.module.HEAPU8.set(bytes, pointer);
      return use(pointer);
    } finally {
      this.module._free(pointer);
    }
  }
  lendText<Value>(text: string, use: (pointer: number) => Value): Value {
    return this.lend(new TextEncoder().encode(text + '\0'), use);
  }

  /** What a call gave, unless it was refused. */
  accepted(pointer: number): number {
    if (pointer !== 0) return pointer;
    const { item, problem, remedy } = this.json<EngineError>(this.module._supple_error());
    throw new EngineError(item, problem, remedy);
  }
}
