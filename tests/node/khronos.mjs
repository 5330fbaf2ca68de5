// Every glTF file below a folder is read and converted, or refused with a reason:
//   node khronos.mjs PROGRAM FOLDER
// Fails where the program ends otherwise (a crash, a sanitizer's report, more than a minute), where it refuses without a
// word, and where the Khronos validator finds errors in a converted file that it does not find in the file it came from.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import validator from 'gltf-validator';

const [program, folder] = process.argv.slice(2);
const refused = 2; // the exit code for bad input

function filesBelow(place) {
  return fs.readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(place, entry.name);
    if (entry.isDirectory()) return filesBelow(name);
    return /\.(gltf|glb)$/i.test(entry.name) ? [name] : [];
  });
}

/** How many errors of each kind the validator finds. */
async function errorsOf(file) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: async (uri) =>
      new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))),
  });
  const counts = {};
  for (const { severity, code } of report.issues.messages) {
    if (severity === 0) counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

function run(...words) {
  const ended = spawnSync(program, words, { timeout: 60000, encoding: 'utf8', maxBuffer: 1 << 28 });
  const said = ended.stderr?.trim() ?? '';
  if (ended.error?.code === 'ETIMEDOUT') return { problem: 'did not end within a minute' };
  if (ended.status === 0) return {};
  const reason = said.split('\n').find((line) => line.startsWith('supple: error: '));
  if (ended.status === refused && reason) return { refusal: reason.slice('supple: error: '.length) };
  return { problem: `ended with ${ended.signal ?? ended.status}: ${said.split('\n').slice(0, 3).join(' ')}` };
}

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'supple-khronos-'));
const counts = { read: 0, refused: 0, wrong: 0 };
for (const file of filesBelow(folder).sort()) {
  const converted = path.join(work, 'converted.glb');
  fs.rmSync(converted, { force: true });
  const inspected = run('inspect', file);
  const result = inspected.problem || inspected.refusal ? inspected : run('convert', file, '-o', converted);
  if (!result.problem && !result.refusal) {
    const before = await errorsOf(file).catch(() => ({}));
    const after = await errorsOf(converted);
    const more = Object.keys(after).filter((code) => after[code] > (before[code] ?? 0));
    if (more.length > 0) result.problem = `is written with new errors: ${more.join(', ')}`;
  }
  const kind = result.problem ? 'wrong' : result.refusal ? 'refused' : 'read';
  counts[kind] += 1;
  console.log(`${kind.padEnd(8)} ${path.relative(folder, file)}${kind === 'read' ? '' : `: ${result.problem ?? result.refusal}`}`);
}
fs.rmSync(work, { recursive: true });
console.log(`${counts.read} read, ${counts.refused} refused with a reason, ${counts.wrong} wrong`);
process.exit(counts.wrong > 0 || counts.read + counts.refused === 0 ? 1 : 0);
