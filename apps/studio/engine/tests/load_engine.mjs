// Builds engine.ts with the compiler that checks it, and loads it over the module of script/wasm.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const engineFolder = fileURLToPath(new URL('../', import.meta.url));
export const repository = fileURLToPath(new URL('../../../../', import.meta.url));
export const nodeChecks = path.join(repository, 'tests/node');
const ts = createRequire(path.join(nodeChecks, 'package.json'))('typescript');

// Strict in every way, as the page checks it too. Returns messages and the names of the checked files.
export function compile(outDir) {
  const program = ts.createProgram([path.join(engineFolder, 'engine.ts')], {
    strict: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    noImplicitReturns: true,
    rewriteRelativeImportExtensions: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    noEmit: outDir === undefined,
    outDir,
  });
  const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  const host = { getCanonicalFileName: (f) => f, getCurrentDirectory: () => engineFolder, getNewLine: () => '\n' };
  const files = program.getSourceFiles().map((f) => f.fileName).filter((f) => f.startsWith(engineFolder));
  return { problems: ts.formatDiagnostics(problems, host), files: files.map((f) => path.relative(engineFolder, f)) };
}

const built = fs.mkdtempSync(path.join(os.tmpdir(), 'supple_engine_'));
process.on('exit', () => fs.rmSync(built, { recursive: true }));
const { problems } = compile(built);
if (problems) throw new Error(problems);
fs.writeFileSync(path.join(built, 'package.json'), '{"type": "module"}');
fs.symlinkSync(path.join(engineFolder, 'dist'), path.join(built, 'dist'));

export const { Engine, EngineError, errorCurve } = await import(pathToFileURL(path.join(built, 'engine.js')));
export const wasm = fs.readFileSync(path.join(engineFolder, 'dist/supple_engine.wasm'));
