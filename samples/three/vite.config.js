export default { build: { target: 'es2022' } }; // main.ts awaits at top level
