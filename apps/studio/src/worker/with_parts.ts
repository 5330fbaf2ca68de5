// A model whose buffers and pictures lie in files of their own, put together into one .glb.
import { EngineError } from '../../engine/engine';
import { type Beside, decoded, partAt } from '../beside';
import { Gltf, type GltfJson, readGltf, writeGltf } from './gltf_container';

const isLink = (uri: string | undefined): uri is string => uri !== undefined && !/^data:/i.test(uri);
const shown = (uri: string) => (uri.length > 80 ? `${uri.slice(0, 80)}…` : decoded(uri));

/** By its first bytes: names may lie, and browsers want to know. */
function pictureType(bytes: Uint8Array): string {
  if (bytes[0] === 0x89 && bytes[1] === 0x50) return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return 'image/jpeg';
  if (bytes[0] === 0x52 && bytes[8] === 0x57) return 'image/webp';
  return bytes[0] === 0xab ? 'image/ktx2' : 'application/octet-stream';
}

/** Pieces of one binary chunk, each at a multiple of four bytes. */
class Chunk {
  private readonly pieces: Uint8Array[] = [];
  length = 0;

  /** Where it begins. */
  add(bytes: Uint8Array): number {
    const at = this.length;
    this.pieces.push(bytes);
    this.length += Math.ceil(bytes.length / 4) * 4;
    return at;
  }

  bytes(): Uint8Array {
    const result = new Uint8Array(this.length);
    this.pieces.reduce((at, piece) => (result.set(piece, at), at + Math.ceil(piece.length / 4) * 4), 0);
    return result;
  }
}

type View = GltfJson['bufferViews'][number];

/** What says where bytes of a buffer lie: views, and what extensions have in their place. */
function placesOf(view: View): { buffer: number; byteOffset?: number }[] {
  const inside = Object.values(view.extensions ?? {}).filter((own): own is { buffer: number } => typeof own?.buffer === 'number');
  return [view, ...inside];
}

async function partsOf(links: readonly string[], beside: Beside): Promise<Map<string, Uint8Array>> {
  const result = new Map<string, Uint8Array>();
  for (const uri of links) {
    const part = result.has(uri) ? undefined : partAt(beside, uri);
    if (part) result.set(uri, new Uint8Array(await part.arrayBuffer()));
  }
  return result;
}

/** Buffers that lie in files go behind the binary chunk, and views follow them. */
function takeBuffers(json: GltfJson, bin: Uint8Array | null, parts: ReadonlyMap<string, Uint8Array>, chunk: Chunk): void {
  const moved: { buffer: number; shift: number }[] = [];
  const rest: GltfJson['buffers'] = [];
  (json.buffers ?? []).forEach((buffer, b) => {
    const bytes = b === 0 && buffer.uri === undefined && bin ? bin : isLink(buffer.uri) ? parts.get(buffer.uri)! : null;
    moved.push(bytes ? { buffer: 0, shift: chunk.add(bytes.subarray(0, buffer.byteLength)) } : { buffer: rest.push(buffer), shift: 0 });
  });
  for (const place of (json.bufferViews ?? []).flatMap(placesOf)) {
    const to = moved[place.buffer];
    if (!to) continue; // a mistake of the file, which its reader names
    place.buffer = to.buffer;
    if (to.shift > 0) place.byteOffset = (place.byteOffset ?? 0) + to.shift;
  }
  json.buffers = [{ byteLength: 0 }, ...rest]; // the chunk's length is known later
}

function takePictures(json: GltfJson, parts: ReadonlyMap<string, Uint8Array>, chunk: Chunk): void {
  for (const image of json.images ?? []) {
    const bytes = isLink(image.uri) ? parts.get(image.uri) : undefined;
    if (!bytes) continue; // is shown without, and told so
    delete image.uri;
    image.mimeType = pictureType(bytes);
    image.bufferView = (json.bufferViews ??= []).push({ buffer: 0, byteOffset: chunk.add(bytes), byteLength: bytes.length }) - 1;
  }
}

/** The model in one piece; the same bytes where it is one, or where nothing was given that could be part of it. */
export async function withParts(bytes: Uint8Array, name: string, beside: Beside | null): Promise<Uint8Array> {
  const gltf = readGltf(bytes);
  if (!gltf || typeof gltf.json !== 'object' || gltf.json === null) return bytes; // whoever reads it next says why
  const { json } = gltf;
  const buffers = (json.buffers ?? []).filter(({ uri }) => isLink(uri));
  const pictures = (json.images ?? []).flatMap(({ uri }) => (isLink(uri) ? [uri] : []));
  if (buffers.length === 0 && (pictures.length === 0 || !beside)) return bytes;
  const links = [...buffers.map(({ uri }) => uri!), ...pictures];
  const parts = await partsOf(links, beside ?? { folder: '', files: new Map() });
  if (buffers.some(({ uri }) => !parts.has(uri!))) {
    const missing = [...new Set(links)].filter((uri) => !parts.has(uri)).map(shown);
    throw new EngineError(name, `needs files that were not given: ${missing.join(', ')}`, 'drop or choose them together with it, or the folder that has them all');
  }
  for (const { uri, byteLength } of buffers)
    if (parts.get(uri!)!.length < byteLength)
      throw new EngineError(`${name}: ${shown(uri!)}`, `has ${parts.get(uri!)!.length} bytes where ${byteLength} are needed`, 'it is of another file, or was cut off: export both again');
  const chunk = new Chunk();
  takeBuffers(json, gltf.bin, parts, chunk);
  takePictures(json, parts, chunk);
  json.buffers[0].byteLength = chunk.length;
  return writeGltf(new Gltf(json, chunk.bytes(), true));
}
