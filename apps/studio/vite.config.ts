// The page as static files: any server will do, and so will `supple studio`.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  base: './',
  // The packages beside this one are read as source: they share its one copy of three.js.
  resolve: { dedupe: ['three'] },
  build: {
    outDir: process.env.SUPPLE_STUDIO_OUT ?? here('../../build/studio'),
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 900,
  },
});
