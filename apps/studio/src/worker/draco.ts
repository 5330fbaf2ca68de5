// KHR_draco_mesh_compression, undone before the engine reads the file: the engine is built without Draco, and the
// decoder that comes with three.js is fetched from beside the page for the files that need it.
import decoderScript from 'three/examples/jsm/libs/draco/gltf/draco_wasm_wrapper.js?url';
import decoderWasm from 'three/examples/jsm/libs/draco/gltf/draco_decoder.wasm?url';
import { EngineError } from '../../engine/engine';
import { type Gltf, type GltfJson, readGltf, writeGltf } from './gltf_container';

const extensionName = 'KHR_draco_mesh_compression';

type Pointer = number;
interface DracoModule {
  Decoder: new () => {
    DecodeArrayToMesh(data: Int8Array, bytes: number, mesh: DracoMesh): { ok(): boolean; error_msg(): string };
    GetTrianglesUInt32Array(mesh: DracoMesh, bytes: number, to: Pointer): boolean;
    GetAttributeByUniqueId(mesh: DracoMesh, id: number): { num_components(): number; ptr?: number };
    GetAttributeDataArrayForAllPoints(mesh: DracoMesh, attribute: unknown, type: number, bytes: number, to: Pointer): boolean;
  };
  Mesh: new () => DracoMesh;
  HEAPU8: Uint8Array;
  _malloc(bytes: number): Pointer;
  _free(pointer: Pointer): void;
  destroy(object: unknown): void;
  DT_INT8: number;
  DT_UINT8: number;
  DT_INT16: number;
  DT_UINT16: number;
  DT_UINT32: number;
  DT_FLOAT32: number;
}
interface DracoMesh {
  num_faces(): number;
  num_points(): number;
}

let loading: Promise<DracoModule> | undefined;

async function load(): Promise<DracoModule> {
  (globalThis as unknown as { importScripts(address: string): void }).importScripts(new URL(decoderScript, location.href).href);
  const wasmBinary = await (await fetch(decoderWasm)).arrayBuffer();
  const create = (globalThis as unknown as { DracoDecoderModule: (options: object) => PromiseLike<DracoModule> }).DracoDecoderModule;
  return new Promise((resolve) => create({ wasmBinary, onModuleLoaded: resolve }));
}

const components = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 } as Record<string, number>;

/** Decodes into memory of the module, and gives back a copy. */
function taken(draco: DracoModule, bytes: number, fill: (to: Pointer) => boolean): Uint8Array {
  const pointer = draco._malloc(Math.max(bytes, 1));
  const filled = fill(pointer);
  const copy = draco.HEAPU8.slice(pointer, pointer + bytes);
  draco._free(pointer);
  if (!filled) throw new Error('an attribute does not fit its accessor');
  return copy;
}

/** Bytes of four more than fit: rows of an attribute begin at multiples of four. */
function padded(rows: Uint8Array, count: number, row: number, stride: number): Uint8Array {
  if (row === stride) return rows;
  const result = new Uint8Array(count * stride);
  for (let i = 0; i < count; ++i) result.set(rows.subarray(i * row, (i + 1) * row), i * stride);
  return result;
}

class Undo {
  private readonly data: Uint8Array[] = [];
  private size = 0;
  private readonly json: GltfJson;

  constructor(
    private readonly draco: DracoModule,
    private readonly gltf: Gltf,
  ) {
    this.json = gltf.json;
  }

  async run(): Promise<void> {
    const buffer = this.json.buffers.length;
    for (const mesh of this.json.meshes ?? []) {
      for (const primitive of mesh.primitives) {
        const extension = primitive.extensions?.[extensionName];
        if (!extension) continue;
        await this.primitive(primitive, extension, buffer);
        delete primitive.extensions![extensionName];
      }
    }
    const whole = new Uint8Array(this.size);
    let at = 0;
    for (const piece of this.data) {
      whole.set(piece, at);
      at += Math.ceil(piece.length / 4) * 4;
    }
    this.gltf.addBuffer(whole);
    for (const list of ['extensionsUsed', 'extensionsRequired'] as const)
      this.json[list] = this.json[list]?.filter((name) => name !== extensionName);
  }

  private async primitive(primitive: GltfJson['meshes'][0]['primitives'][0], extension: { bufferView: number; attributes: Record<string, number> }, buffer: number) {
    const { draco, json } = this;
    const stream = await this.gltf.view(extension.bufferView);
    const decoder = new draco.Decoder();
    const mesh = new draco.Mesh();
    try {
      const status = decoder.DecodeArrayToMesh(new Int8Array(stream), stream.length, mesh);
      if (!status.ok()) throw new Error(status.error_msg());
      const corners = 3 * mesh.num_faces();
      const indices = taken(draco, 4 * corners, (to) => decoder.GetTrianglesUInt32Array(mesh, 4 * corners, to));
      primitive.indices ??= json.accessors.push({ type: 'SCALAR', componentType: 5125, count: 0 }) - 1;
      Object.assign(json.accessors[primitive.indices], { componentType: 5125, count: corners, bufferView: this.add(indices, buffer, 34963), byteOffset: 0 });
      primitive.mode = 4;
      for (const [semantic, id] of Object.entries(extension.attributes)) {
        const accessor = json.accessors[primitive.attributes[semantic]];
        const [type, size] = { 5120: [draco.DT_INT8, 1], 5121: [draco.DT_UINT8, 1], 5122: [draco.DT_INT16, 2], 5123: [draco.DT_UINT16, 2], 5125: [draco.DT_UINT32, 4], 5126: [draco.DT_FLOAT32, 4] }[accessor.componentType]!;
        const row = components[accessor.type] * size, stride = Math.ceil(row / 4) * 4, count = mesh.num_points();
        if (accessor.count !== count) throw new Error(`${semantic} has ${accessor.count} elements where ${count} were compressed`);
        const attribute = decoder.GetAttributeByUniqueId(mesh, id);
        const rows = taken(draco, count * row, (to) => decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, type, count * row, to));
        Object.assign(accessor, { bufferView: this.add(padded(rows, count, row, stride), buffer, 34962, stride), byteOffset: 0 });
      }
    } finally {
      draco.destroy(mesh);
      draco.destroy(decoder);
    }
  }

  private add(bytes: Uint8Array, buffer: number, target: number, byteStride?: number): number {
    this.data.push(bytes);
    const byteOffset = this.size;
    this.size += Math.ceil(bytes.length / 4) * 4;
    return this.json.bufferViews.push({ buffer, byteOffset, byteLength: bytes.length, target, ...(byteStride && { byteStride }) }) - 1;
  }
}

/** The file without Draco; the same bytes where it has none. */
export async function withoutDraco(bytes: Uint8Array, name: string): Promise<Uint8Array> {
  const gltf = readGltf(bytes);
  if (!gltf?.json.extensionsUsed?.includes(extensionName)) return bytes;
  try {
    await new Undo(await (loading ??= load()), gltf).run();
  } catch (error) {
    throw new EngineError(`${name}: ${extensionName}`, `cannot be decoded: ${(error as Error).message}`, 'export the file again, or without this extension');
  }
  return writeGltf(gltf);
}
