// A .glb or .gltf file taken apart into its JSON and its buffers, and put together again.
export interface GltfJson {
  extensionsUsed?: string[];
  extensionsRequired?: string[];
  buffers: { byteLength: number; uri?: string }[];
  bufferViews: { buffer: number; byteOffset?: number; byteLength: number; byteStride?: number; target?: number; extensions?: Record<string, { buffer?: number }> }[];
  images?: { uri?: string; bufferView?: number; mimeType?: string }[];
  accessors: { bufferView?: number; byteOffset?: number; componentType: number; type: string; count: number }[];
  meshes: {
    primitives: {
      attributes: Record<string, number>;
      indices?: number;
      mode?: number;
      extensions?: Record<string, { bufferView: number; attributes: Record<string, number> }>;
    }[];
  }[];
}

const [magic, jsonType, binType] = [0x46546c67, 0x4e4f534a, 0x004e4942];

export class Gltf {
  constructor(
    readonly json: GltfJson,
    /** The binary chunk of a .glb. */
    readonly bin: Uint8Array | null,
    readonly isBinary: boolean,
  ) {}

  async view(number: number): Promise<Uint8Array> {
    const { buffer, byteOffset = 0, byteLength } = this.json.bufferViews[number];
    const { uri } = this.json.buffers[buffer];
    if (uri !== undefined && !uri.startsWith('data:')) throw new Error(`buffer ${buffer} lies in another file`);
    const whole = uri === undefined ? this.bin : new Uint8Array(await (await fetch(uri)).arrayBuffer());
    if (!whole || byteOffset + byteLength > whole.length) throw new Error(`buffer ${buffer} is too short`);
    return whole.subarray(byteOffset, byteOffset + byteLength);
  }

  addBuffer(bytes: Uint8Array): void {
    let text = '';
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    this.json.buffers.push({ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${btoa(text)}` });
  }
}

/** Null where it is no such file: whoever reads it next says why. */
export function readGltf(bytes: Uint8Array): Gltf | null {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parse = (text: Uint8Array) => JSON.parse(new TextDecoder().decode(text)) as GltfJson;
  try {
    if (data.getUint32(0, true) !== magic) return new Gltf(parse(bytes), null, false);
    const length = data.getUint32(12, true);
    const bin = 20 + length + 8 <= bytes.length ? bytes.subarray(28 + length, 28 + length + data.getUint32(20 + length, true)) : null;
    return new Gltf(parse(bytes.subarray(20, 20 + length)), bin, true);
  } catch {
    return null;
  }
}

export function writeGltf(gltf: Gltf): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(gltf.json));
  if (!gltf.isBinary) return text;
  const pad = (n: number) => Math.ceil(n / 4) * 4;
  const bin = gltf.bin ?? new Uint8Array();
  const result = new Uint8Array(20 + pad(text.length) + (gltf.bin ? 8 + pad(bin.length) : 0)).fill(0x20, 20, 20 + pad(text.length));
  const data = new DataView(result.buffer);
  [magic, 2, result.length, pad(text.length), jsonType].forEach((word, i) => data.setUint32(4 * i, word, true));
  result.set(text, 20);
  if (gltf.bin) {
    const at = 20 + pad(text.length);
    data.setUint32(at, pad(bin.length), true);
    data.setUint32(at + 4, binType, true);
    result.set(bin, at + 8);
  }
  return result;
}
