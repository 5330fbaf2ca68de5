// What emscripten's loader gives: the functions of bindings/ by their names. Pointers are numbers; 0 is a refusal.
declare module '*supple_engine.mjs' {
  export interface WasmModule {
    HEAPU8: Uint8Array;
    FS: { mkdirTree(path: string): void; writeFile(path: string, data: Uint8Array): void; unlink(path: string): void; rmdir(path: string): void };
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _supple_error(): number;
    _character_open(contents: number, bytes: number, name: number): number;
    _character_close(character: number): void;
    _character_description(character: number): number;
    _character_tables(character: number, part: number): number;
    _character_forget_tables(): void;
    _character_rest(character: number): void;
    _character_sample(character: number, clip: number, seconds: number): void;
    _character_rotation(character: number, joint: number): number;
    _character_set_rotation(character: number, joint: number, x: number, y: number, z: number, w: number): void;
    _character_angles(character: number, joint: number): number;
    _character_set_angles(character: number, joint: number, angles: number, count: number, clamp: number): void;
    _character_update(character: number, corrections: number, modes: number, flesh: number): void;
    _character_world(character: number, joint: number): number;
    _character_morph_weights(character: number): number;
    _character_palette(character: number, part: number, dual: number): number;
    _character_evaluate(character: number, part: number, dual: number): number;
    _character_file(character: number): number;
    _character_forget_file(): void;
    _flesh_parameters(character: number, element: number): number;
    _flesh_set_parameters(character: number, element: number, frequency: number, dampingRatio: number, gravity: number, airFriction: number, gain: number, maxElongation: number): void;
    _flesh_swing(character: number, seconds: number): void;
    _flesh_settle(character: number): void;
    _flesh_places(character: number): number;
    _flesh_weights(character: number, part: number, element: number): number;
    _flesh_displacements(character: number, part: number, dual: number, vertices: number, count: number): number;
    _examples_open(folder: number): number;
    _examples_close(set: number): void;
    _examples_description(set: number): number;
    _examples_pose(set: number, example: number, character: number): number;
    _examples_positions(set: number, example: number): number;
    _examples_error_curve(set: number, character: number, modes: number, count: number): number;
  }
  export default function createModule(options: { wasmBinary: ArrayBuffer | Uint8Array }): Promise<WasmModule>;
}
