// Files that the tests open, made once by the command line: a hand, its examples, and the hand fitted to them.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { repository } from './load_engine.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'supple_models_'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
export const inFolder = (name) => path.join(folder, name);
export const read = (file) => new Uint8Array(fs.readFileSync(file));

export function supple(...words) {
  const program = process.env.SUPPLE_CLI ?? path.join(repository, 'build/supple');
  return execFileSync(program, words, { encoding: 'utf8' });
}

let hand;
export function plainHand() {
  if (!hand) supple('make', 'hand', '--vertices', '3000', '-q', '-o', (hand = inFolder('hand.glb')));
  return hand;
}

let fleshy;
/** A limb with flesh between its joints, its clip baked. */
export function fleshLimb() {
  if (fleshy) return fleshy;
  supple('make', 'limb', '--vertices', '1000', '-q', '-o', inFolder('limb.glb'));
  supple('add', 'flesh', inFolder('limb.glb'), '--auto', '-q', '-o', (fleshy = inFolder('flesh.glb')));
  return fleshy;
}

let examples;
/** Coarse elements and few poses: seconds. */
function handExamples() {
  if (examples) return examples;
  const joints = 'index-finger-phalanx-proximal,index-finger-phalanx-intermediate';
  supple('simulate', plainHand(), '-o', (examples = inFolder('examples')), '--size', '10', '--no-pictures', '--random', '2', '--per-dof', '3', '--joints', joints, '-q');
  return examples;
}

let fitted;
/** { file, examples: folder, errors: what the fit measured }. */
export function fittedHand() {
  if (fitted) return fitted;
  const file = inFolder('fitted.glb');
  const { errors } = JSON.parse(supple('fit', plainHand(), '--examples', handExamples(), '-o', file, '--json'));
  return (fitted = { file, examples: handExamples(), errors });
}

const poseSpaces = new Map();
/** The hand with the examples themselves in it: mixed alike for all vertices (psd), or for each by its joints (wpsd). */
export function poseSpaceHand(method) {
  if (!poseSpaces.has(method)) {
    const file = inFolder(`${method}.glb`);
    supple('fit', plainHand(), '--examples', handExamples(), '--method', method, '-q', '-o', file);
    poseSpaces.set(method, { file, examples: handExamples() });
  }
  return poseSpaces.get(method);
}

export function largestDifference(a, b) {
  if (a.length !== b.length || a.length === 0) throw new Error(`${a.length} numbers beside ${b.length}`);
  let largest = 0;
  for (let i = 0; i < a.length; ++i) {
    const difference = Math.abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;  // NaN counts
  }
  return largest;
}
