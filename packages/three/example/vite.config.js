import { fileURLToPath } from 'node:url';

export default {
  build: { target: 'es2022' }, // main.ts awaits at top level
  resolve: { alias: { 'supple-three': fileURLToPath(new URL('../src/index.ts', import.meta.url)) } },
};
