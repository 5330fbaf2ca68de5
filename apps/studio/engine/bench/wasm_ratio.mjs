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
const lines = (text) => text.trim().split('\n').map((line) => line.split(' '));
async function inNode() {
  let text = '';
  await create({ wasmBinary, print: (line) => (text += `${line}\n`) });
  return lines(text).map(([, time]) => ['wasm', time]);
}
const best = new Map(); // of each set of kernels: nanoseconds
const turns = 5;
for (let turn = 0; turn < turns; ++turn)
  for (const [name, time] of [...lines(execFileSync(native, { encoding: 'utf8' })), ...(await inNode())])
    best.set(name, Math.min(best.get(name) ?? Infinity, Number(time)));
const wasm = best.get('wasm');
if (![...best.values()].every((time) => time > 0)) throw new Error(`no times: ${JSON.stringify([...best])}`);
console.log(`linear blend of positions and normals, 50k vertices, 4 influences, one thread, best of ${turns} runs`);
for (const [name, time] of best) console.log(`  ${name.padEnd(10)}${time.toFixed(2)} ns/vertex${name === 'wasm' ? '' : `: wasm takes ${(wasm / time).toFixed(2)} times as long`}`);
