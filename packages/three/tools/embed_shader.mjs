// Writes src/skin_shader.ts from the one shader that the native engine uses too: whole or not at all, since several
// builds may do so at once.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const text = readFileSync(here('../../../supple/gpu/skin.glsl'), 'utf8');
const made = here('../src/skin_shader.ts');
const part = `${made}.${process.pid}`;
writeFileSync(part, `// Made from supple/gpu/skin.glsl by tools/embed_shader.mjs.\nexport const skinShader = ${JSON.stringify(text)};\n`);
renameSync(part, made);
