// The JSON of a .gltf or .glb file.
import fs from 'node:fs';

export function readGltf(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.toString('latin1', 0, 4) !== 'glTF') return JSON.parse(bytes.toString('utf8'));
  return JSON.parse(bytes.toString('utf8', 20, 20 + bytes.readUInt32LE(12)));
}
