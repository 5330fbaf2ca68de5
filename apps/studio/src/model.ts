// An opened file: the engine's character, and three.js geometry and materials for each of its parts.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { SharedSkin } from '../../../packages/three/src/gpu_skin';
import type { Character, Engine, PartTables } from '../engine/engine';

export interface ModelPart {
  tables: PartTables;
  shared: SharedSkin;
  geometry: THREE.BufferGeometry;
  material: THREE.MeshStandardMaterial;
}

const plain = () => new THREE.MeshStandardMaterial({ color: 0xd8b49c, roughness: 0.65, metalness: 0 });

interface Looks {
  material: THREE.Material;
  uv?: THREE.BufferAttribute | THREE.InterleavedBufferAttribute;
}

/** Materials and texture coordinates as three.js reads them, by mesh and primitive. Empty where it cannot. */
async function looksOf(bytes: Uint8Array): Promise<Map<string, Looks>> {
  const result = new Map<string, Looks>();
  const gltf = await new GLTFLoader().parseAsync(bytes.slice().buffer, '');
  gltf.scene.traverse((object) => {
    const mesh = object as THREE.Mesh;
    const place = gltf.parser.associations.get(object);
    if (!mesh.isMesh || place?.meshes === undefined) return;
    const key = `${place.meshes}:${(place as { primitives?: number }).primitives ?? 0}`;
    result.set(key, { material: mesh.material as THREE.Material, uv: mesh.geometry.getAttribute('uv') as Looks['uv'] });
  });
  return result;
}

function geometryOf(part: PartTables, looks: Looks | undefined): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(part.positions.slice(), 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(part.normals.slice(), 3));
  if (looks?.uv && looks.uv.count === part.vertexCount) geometry.setAttribute('uv', looks.uv);
  geometry.setIndex(new THREE.BufferAttribute(part.indices.slice(), 1));
  geometry.computeBoundingSphere();
  return geometry;
}

export class Model {
  private constructor(
    readonly name: string,
    readonly character: Character,
    readonly parts: ModelPart[],
  ) {}

  static async open(engine: Engine, bytes: Uint8Array, name: string): Promise<Model> {
    const character = engine.open(bytes, name);
    const looks = await looksOf(bytes).catch(() => new Map<string, Looks>());
    const parts = character.parts.map((tables) => {
      const own = looks.get(`${tables.mesh}:${tables.primitive}`);
      const given = own?.material as THREE.MeshStandardMaterial | undefined;
      return {
        tables,
        shared: new SharedSkin(tables),
        geometry: geometryOf(tables, own),
        material: given?.isMeshStandardMaterial ? given.clone() : plain(),
      };
    });
    return new Model(name, character, parts);
  }

  get vertexCount(): number {
    return this.parts.reduce((sum, part) => sum + part.tables.vertexCount, 0);
  }

  /** Around all parts in the pose of the last update. */
  bounds(): THREE.Box3 {
    const box = new THREE.Box3();
    this.parts.forEach((_, p) => {
      const { positions } = this.character.evaluate(p, 'linear');
      const point = new THREE.Vector3();
      for (let i = 0; i < positions.length; i += 3) box.expandByPoint(point.fromArray(positions, i));
    });
    return box;
  }

  dispose(): void {
    for (const part of this.parts) {
      part.shared.dispose();
      part.geometry.dispose();
      part.material.dispose();
    }
    this.character.dispose();
  }
}
