// Copies the held-out examples of a set into a smaller set, for the page's tour.
// Usage: node held_out.mjs SET OUTPUT
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [set, output] = process.argv.slice(2);
const index = JSON.parse(readFileSync(join(set, 'examples.json'), 'utf8'));
const chosen = index.examples.flatMap(({ role, flags }, i) => (role === 'test' && flags.length === 0 ? [i] : []));
if (chosen.length === 0) throw new Error(`${set} has no held-out examples`);

/** The rows of a .npy file (version 1: magic, version, length of the header, header, numbers) that were chosen. */
function rows(bytes) {
  const start = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, start);
  const [, count] = /'shape': \((\d+),/.exec(header);
  const row = (bytes.length - start) / Number(count);
  const shape = header.replace(/'shape': \(\d+/, `'shape': (${chosen.length}`).trimEnd().padEnd(start - 11) + '\n';
  return Buffer.concat([bytes.subarray(0, 10), Buffer.from(shape, 'latin1'), ...chosen.map((i) => bytes.subarray(start + i * row, start + (i + 1) * row))]);
}

mkdirSync(output, { recursive: true });
const names = ['positions', 'normals', 'rotations', ...(index.translations ? ['translations'] : []), ...(index.scales ? ['scales'] : [])];
for (const name of names) writeFileSync(join(output, `${name}.npy`), rows(readFileSync(join(set, `${name}.npy`))));
for (const name of ['rest_positions', 'rest_normals', 'triangles']) writeFileSync(join(output, `${name}.npy`), readFileSync(join(set, `${name}.npy`)));
index.examples = chosen.map((i) => index.examples[i]);
index.counts.examples = chosen.length;
writeFileSync(join(output, 'examples.json'), JSON.stringify(index));
