// A glTF file as one piece: { glb: bytes } or { json: text }, external buffers as data URIs, so that loaders need no
// access to files.
import fs from 'node:fs';
import path from 'node:path';

export function selfContained(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.readUInt32LE(0) === 0x46546c67) return { glb: new Uint8Array(bytes) };
  const json = JSON.parse(bytes.toString('utf8'));
  for (const buffer of json.buffers ?? []) {
    if (!buffer.uri || buffer.uri.startsWith('data:')) continue;
    const data = fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(buffer.uri)));
    buffer.uri = 'data:application/octet-stream;base64,' + data.toString('base64');
  }
  return { json: JSON.stringify(json) };
}
