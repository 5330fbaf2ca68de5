// All that a Supple file has, live on stock three.js, by the engine as WebAssembly: drivers, pose space, wrinkles, flesh, delta
// mush, kinodynamic skin.
//
//   const engine = await SuppleEngine.load();
//   const { gltf, skin } = await engine.loadFile('hand.glb');
//   ...each frame: mixer.update(seconds); skin.update(seconds); renderer.render(scene, camera);
import type { Object3D } from 'three';
import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js';
import { Engine, EngineError } from '../../../apps/studio/engine/engine.ts';
import { LiveSkin } from './live_skin.ts';

export { EngineError, LiveSkin };
export type { Layers } from '../../../apps/studio/engine/engine.ts';

export class SuppleEngine {
  private constructor(private readonly engine: Engine) {}

  /** The module that comes with this package, or its bytes, or where they are. */
  static async load(source: URL | Response | ArrayBuffer | Uint8Array = new URL('./supple_engine.wasm', import.meta.url)): Promise<SuppleEngine> {
    return new SuppleEngine(await Engine.load(source));
  }

  /** A file by its address, as three.js loads it, and its skin. */
  async loadFile(address: string, loader = new GLTFLoader()): Promise<{ gltf: GLTF; skin: LiveSkin }> {
    const response = await fetch(address);
    if (!response.ok) throw new EngineError(address, `cannot be loaded: ${response.status} ${response.statusText}`, 'look at the address');
    const bytes = new Uint8Array(await response.arrayBuffer());
    const gltf = await loader.parseAsync(bytes.slice().buffer, '');
    return { gltf, skin: this.attach(gltf, bytes) };
  }

  /** The skin of what GLTFLoader made of these bytes (a .glb, or a .gltf with everything inside). */
  attach(gltf: GLTF, bytes: Uint8Array): LiveSkin {
    const nodes = new Map<number, Object3D>();
    for (const [object, place] of gltf.parser.associations) if (place?.nodes !== undefined) nodes.set(place.nodes, object as Object3D);
    return new LiveSkin(() => this.engine.open(bytes, 'file'), gltf.scene, nodes);
  }
}
