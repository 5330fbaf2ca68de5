// Example sets that are made from the demo's, for tests of what the page does with them.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './support.mjs';

const original = join(root, 'build/studio-examples');

/** An array of NumPy: its shape, and its numbers, 32 bits each. */
function readArray(file) {
  const bytes = readFileSync(file);
  const [size, at] = bytes[6] === 1 ? [bytes.readUInt16LE(8), 10] : [bytes.readUInt32LE(8), 12];
  const head = bytes.subarray(at, at + size).toString();
  assert.match(head, /'<[fui]4'/);
  return { head, shape: /\(([^)]*)\)/.exec(head)[1].split(',').filter((n) => n.trim()).map(Number), numbers: new Uint32Array(bytes.buffer.slice(bytes.byteOffset + at + size, bytes.byteOffset + bytes.length)) };
}
function writeArray(file, { head, shape, numbers }) {
  const text = head.trimEnd().replace(/\([^)]*\)/, `(${shape.join(', ')},)`);
  const padded = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + '\n';
  const prefix = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, padded.length & 255, padded.length >> 8]);
  writeFileSync(file, Buffer.concat([prefix, Buffer.from(padded), Buffer.from(numbers.buffer)]));
}

/** Every sixth example of the demo's set: the page measures all that it has, over and over. `change` may alter index and arrays. */
export function fewExamples(folder, change = () => {}) {
  mkdirSync(folder, { recursive: true });
  const index = JSON.parse(readFileSync(join(original, 'examples.json'), 'utf8'));
  const arrays = Object.fromEntries(readdirSync(original).filter((own) => own.endsWith('.npy')).map((name) => [name, readArray(join(original, name))]));
  const kept = index.examples.flatMap((_, e) => (e % 6 === 0 ? [e] : []));
  for (const array of Object.values(arrays)) {
    const [count, ...others] = array.shape;
    if (count !== index.counts.examples) continue;
    const size = others.reduce((all, n) => all * n, 1);
    array.numbers = Uint32Array.from(kept.flatMap((e) => [...array.numbers.subarray(size * e, size * (e + 1))]));
    array.shape = [kept.length, ...others];
  }
  index.examples = kept.map((e) => index.examples[e]);
  index.counts.examples = kept.length;
  change(index, arrays);
  for (const [name, array] of Object.entries(arrays)) writeArray(join(folder, name), array);
  writeFileSync(join(folder, 'examples.json'), JSON.stringify(index));
  return folder;
}
