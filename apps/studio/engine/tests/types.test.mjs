// engine.ts and all it imports hold in the strictest reading of the compiler.
import assert from 'node:assert';
import fs from 'node:fs';
import test from 'node:test';
import { compile } from './load_engine.mjs';

test('every file of the engine passes the compiler', () => {
  const { problems, files } = compile();
  assert.equal(problems, '');
  assert.deepEqual(files.sort(), ['character.ts', 'character_data.ts', 'engine.ts', 'example_set.ts', 'flesh.ts', 'kinodynamics.ts', 'memory.ts', 'wasm_module.d.ts']);
});

test('no file of the engine imports itself by way of others, not even for types', () => {
  const folder = new URL('../', import.meta.url);
  const importsOf = (name) => [...fs.readFileSync(new URL(name, folder), 'utf8').matchAll(/from '\.\/(\w+\.ts)'/g)].map(([, file]) => file);
  const visit = (name, way) => {
    assert.ok(!way.includes(name), [...way, name].join(' -> '));
    for (const next of importsOf(name)) visit(next, [...way, name]);
  };
  visit('engine.ts', []);
});
