// engine.ts and all it imports hold in the strictest reading of the compiler.
import assert from 'node:assert';
import test from 'node:test';
import { compile } from './load_engine.mjs';

test('every file of the engine passes the compiler', () => {
  const { problems, files } = compile();
  assert.equal(problems, '');
  assert.deepEqual(files.sort(), ['character.ts', 'engine.ts', 'example_set.ts', 'flesh.ts', 'kinodynamics.ts', 'memory.ts', 'wasm_module.d.ts']);
});
