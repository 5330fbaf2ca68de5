// The runtime as one module beside the WebAssembly that it loads; three.js stays the user's own.
import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const wasm = 'supple_engine.wasm';

export default defineConfig({
  plugins: [
    {
      name: 'engine-beside',
      // Users' own tools find the file by this expression: it must stay as it is.
      renderChunk: (code) => code.replaceAll('SUPPLE_ENGINE_ADDRESS', `new URL('./${wasm}', import.meta.url)`),
      transform: (code, id) => (id.endsWith('runtime/engine.ts') ? code.replace(`new URL('./${wasm}', import.meta.url)`, 'SUPPLE_ENGINE_ADDRESS').replace(`new URL("./${wasm}", import.meta.url)`, 'SUPPLE_ENGINE_ADDRESS') : null),
      enforce: 'pre',
      closeBundle: () => {
        mkdirSync(here('../dist/engine'), { recursive: true });
        copyFileSync(here(`../../../apps/studio/engine/dist/${wasm}`), here(`../dist/engine/${wasm}`));
      },
    },
  ],
  build: {
    outDir: here('../dist/engine'),
    emptyOutDir: true,
    minify: false,
    target: 'es2022',
    lib: { entry: { engine: here('engine.ts'), viewer: here('viewer.ts') }, formats: ['es'], fileName: (_, name) => `${name}.js` },
    rollupOptions: { external: [/^three($|\/)/] },
  },
});
