// Checks the types of packages/three and its example strictly, against the packages that are installed here:
//   node check_package_types.mjs
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const folder = fileURLToPath(new URL('../../packages/three/', import.meta.url));
const packages = fileURLToPath(new URL('./node_modules/', import.meta.url));
// Made, not kept: a fresh checkout does not have it yet.
if (!fs.existsSync(folder + 'src/skin_shader.ts')) await import('../../packages/three/tools/embed_shader.mjs');
const program = ts.createProgram([folder + 'example/main.ts', folder + 'src/index.ts', folder + 'src/gpu_skin.ts'], {
  strict: true,
  noEmit: true,
  noUnusedLocals: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  paths: {
    three: [packages + '@types/three'],
    'three/addons/*': [packages + '@types/three/examples/jsm/*'],
    'supple-three': [folder + 'src/index.ts'],
  },
});
const problems = ts.getPreEmitDiagnostics(program);
const host = { getCanonicalFileName: (f) => f, getCurrentDirectory: () => folder, getNewLine: () => '\n' };
console.error(ts.formatDiagnostics(problems, host));
const checked = program.getSourceFiles().filter((f) => !f.isDeclarationFile).map((f) => path.basename(f.fileName));
console.log(checked.join(' '));
process.exit(problems.length > 0 ? 1 : 0);
