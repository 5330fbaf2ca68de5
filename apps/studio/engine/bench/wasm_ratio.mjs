// Runs both builds of linear_blend.cpp in turn and prints what the browser's costs beside the machine's own:
//   node wasm_ratio.mjs NATIVE MODULE
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [native, module] = process.argv.slice(2).map((name) => path.resolve(name));
if (!module) {
  console.error('usage: node wasm_ratio.mjs NATIVE MODULE');
  process.exit(2);
}
const { default: create } = await import(pathToFileURL(module));
const wasmBinary = fs.readFileSync(module.replace(/\.mjs$/, '.wasm'));
async function inNode() {
  let text = '';
  await create({ wasmBinary, print: (line) => (text += line) });
  return Number(text);
}
const times = { native: [], wasm: [] };
for (let turn = 0; turn < 5; ++turn) {
  times.native.push(Number(execFileSync(native, { encoding: 'utf8' })));
  times.wasm.push(await inNode());
}
const [a, b] = [Math.min(...times.native), Math.min(...times.wasm)];
if (!(a > 0 && b > 0)) throw new Error(`no times: ${JSON.stringify(times)}`);
console.log(`linear blend of positions and normals, 50k vertices, 4 influences, one thread, best of ${times.wasm.length} runs`);
console.log(`  native  ${a.toFixed(2)} ns/vertex`);
console.log(`  wasm    ${b.toFixed(2)} ns/vertex, ${(b / a).toFixed(2)} times native`);
