// What files that were dropped or chosen are: a model with its parts, an example set, a recorded hand motion.
import type { Beside } from './beside';
import { chooseModel } from './choose_model';
import type { Given } from './given';
import type { ExampleSource } from './worker/messages';

export interface Takers {
  open: (bytes: Uint8Array, name: string, beside: Beside | null) => Promise<boolean>;
  openExamples: (source: ExampleSource) => Promise<void>;
  play: (text: string, name: string) => void;
}

const isModel = ({ path }: Given) => /\.(glb|gltf|vrm)$/i.test(path);
const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
const bytesOf = async (file: Blob) => new Uint8Array(await file.arrayBuffer());

async function takeModel(models: Given[], all: readonly Given[], { open }: Takers): Promise<void> {
  models.sort((a, b) => a.path.localeCompare(b.path, undefined, { numeric: true }));
  const chosen = models.length > 1 ? await chooseModel(models) : models[0];
  if (!chosen) return;
  const beside = all.length > 1 ? { folder: folderOf(chosen.path), files: new Map(all.map(({ path, file }): [string, Blob] => [path, file])) } : null;
  await open(await bytesOf(chosen.file), chosen.file.name, beside);
}

async function takeExamples(index: Given, all: readonly Given[], { openExamples }: Takers): Promise<void> {
  const folder = folderOf(index.path);
  const files = new Map<string, Uint8Array>();
  for (const { path, file } of all) if (folderOf(path) === folder && /\.(json|npy)$/.test(path)) files.set(file.name, await bytesOf(file));
  await openExamples(files);
}

/** Takes what it finds first: the model, or else the example set, or else the recording. */
export async function takeFiles(given: readonly Given[], takers: Takers): Promise<void> {
  const models = given.filter(isModel);
  const index = given.find(({ file }) => file.name === 'examples.json');
  const recording = given.find(({ file }) => /\.json$/i.test(file.name));
  // A folder of examples may hold the character they are of as well; it is the examples that are meant.
  if (index && (models.length === 0 || models.every(({ path }) => folderOf(path) === folderOf(index.path)))) return takeExamples(index, given, takers);
  if (models.length > 0) return takeModel(models, given, takers);
  if (recording) return takers.play(await recording.file.text(), recording.file.name);
  const problem = given.length === 0 ? 'There is nothing in it.' : given.length === 1 ? `${given[0].path} is no model.` : `None of these ${given.length} files is a model.`;
  throw new Error(`${problem} Drop a .glb, a .gltf with its parts or their folder, the files of an example set, or a recorded hand motion (.json).`);
}
