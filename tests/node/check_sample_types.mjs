// Checks the types of samples/three strictly, against the packages that are installed here:
//   node check_sample_types.mjs
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const samples = fileURLToPath(new URL('../../samples/three/', import.meta.url));
const packages = fileURLToPath(new URL('./node_modules/', import.meta.url));
const program = ts.createProgram([samples + 'main.ts', samples + 'supple-deformers.ts'], {
  strict: true,
  noEmit: true,
  noUnusedLocals: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  paths: { three: [packages + '@types/three'], 'three/addons/*': [packages + '@types/three/examples/jsm/*'] },
});
const problems = ts.getPreEmitDiagnostics(program);
const host = { getCanonicalFileName: (f) => f, getCurrentDirectory: () => samples, getNewLine: () => '\n' };
console.error(ts.formatDiagnostics(problems, host));
const checked = program.getSourceFiles().filter((f) => !f.isDeclarationFile).map((f) => path.basename(f.fileName));
console.log(checked.join(' '));
process.exit(problems.length > 0 ? 1 : 0);
