// An opened file: the engine's character, and three.js geometry and materials for each of its parts.
import * as THREE from 'three';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { SharedSkin } from '../../../packages/three/src/gpu_skin';
import { type Character, type Engine, EngineError, type PartTables, type Quaternion } from '../engine/engine';
import { withoutDraco } from './draco';

export interface ModelPart {
  tables: PartTables;
  shared: SharedSkin;
  geometry: THREE.BufferGeometry;
  material: THREE.MeshStandardMaterial;
}

const plain = () => new THREE.MeshStandardMaterial({ color: 0xd8b49c, roughness: 0.65, metalness: 0 });

interface Looks {
  material: THREE.Material;
  geometry: THREE.BufferGeometry;
}

/** Materials without light get some: the stage has lamps, and shape is what it is about. */
function lit(material: THREE.Material | undefined): THREE.MeshStandardMaterial {
  const given = material as THREE.MeshStandardMaterial | undefined;
  if (given?.isMeshStandardMaterial) return given.clone();
  const result = plain();
  const unlit = material as THREE.MeshBasicMaterial | undefined;
  if (unlit?.isMeshBasicMaterial) {
    result.color.copy(unlit.color);
    Object.assign(result, { map: unlit.map, side: unlit.side, vertexColors: unlit.vertexColors, roughness: 1 });
  }
  return result;
}

const whitePixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAP///////ywAAAAAAQABAAACAkQBADs=';

/** Lets through what lies in the file itself. Pictures in other files, and above all on other machines, are not asked
 * for: a white one takes their place, and `left` tells of it. */
function onlyInside(left: (address: string) => void): THREE.LoadingManager {
  return new THREE.LoadingManager().setURLModifier((address) => {
    if (/^(data|blob):/i.test(address)) return address;
    left(address);
    return whitePixel;
  });
}

/** Materials, texture coordinates and colours as three.js reads them, by mesh and primitive. */
async function looksOf(bytes: Uint8Array, notes: string[]): Promise<Map<string, Looks>> {
  const result = new Map<string, Looks>();
  const outside = new Set<string>();
  const loader = new GLTFLoader(onlyInside((address) => outside.add(address))).setMeshoptDecoder(MeshoptDecoder);
  const gltf = await loader.parseAsync(bytes.slice().buffer, '');
  if (outside.size > 0)
    notes.push(`is shown without textures that are not in the file (${outside.size}, first ${[...outside][0].slice(0, 80)}); put them into it: supple convert`);
  gltf.scene.traverse((object) => {
    const mesh = object as THREE.Mesh;
    const place = gltf.parser.associations.get(object);
    if (!mesh.isMesh || place?.meshes === undefined) return;
    const key = `${place.meshes}:${(place as { primitives?: number }).primitives ?? 0}`;
    result.set(key, { material: mesh.material as THREE.Material, geometry: mesh.geometry });
  });
  return result;
}

function geometryOf(part: PartTables, looks: Looks | undefined): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(part.positions.slice(), 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(part.normals.slice(), 3));
  for (const name of ['uv', 'uv1', 'color']) {
    const attribute = looks?.geometry.getAttribute(name);
    if (attribute?.count === part.vertexCount) geometry.setAttribute(name, attribute);
  }
  geometry.setIndex(new THREE.BufferAttribute(part.indices.slice(), 1));
  geometry.computeBoundingSphere();
  return geometry;
}

function check(character: Character, name: string, rows: number): void {
  if (character.parts.length === 0)
    throw new EngineError(name, 'has no surface to show', 'open a file with a mesh: supple bind puts one on a skeleton');
  for (const part of character.parts)
    if (SharedSkin.rows(part) > rows)
      throw new EngineError(
        `${name}, part '${part.name}'`,
        `needs a texture of ${SharedSkin.rows(part)} rows where this graphics driver has ${rows}`,
        'split the mesh, or give its vertices fewer morph targets',
      );
}

export class Model {
  private constructor(
    readonly name: string,
    readonly character: Character,
    readonly parts: ModelPart[],
    /** What the page could not show of the file. */
    readonly notes: string[],
    /** Rotations of the joints in the file's own pose. */
    readonly rests: readonly Quaternion[],
  ) {}

  /** `rows`: those of the largest texture that the graphics driver has. */
  static async open(engine: Engine, file: Uint8Array, name: string, rows: number): Promise<Model> {
    const bytes = await withoutDraco(file, name);
    const character = engine.open(bytes, name);
    try {
      check(character, name, rows);
      const notes: string[] = [];
      const looks = await looksOf(bytes, notes).catch((error: Error) => {
        notes.push(`is shown without its materials: ${error.message}`);
        return new Map<string, Looks>();
      });
      const parts = character.parts.map((tables) => {
        const own = looks.get(`${tables.mesh}:${tables.primitive}`);
        const material = lit(own?.material);
        const geometry = geometryOf(tables, own);
        material.vertexColors &&= geometry.hasAttribute('color');
        return { tables, shared: new SharedSkin(tables), geometry, material };
      });
      character.rest();
      return new Model(name, character, parts, notes, character.joints.map((_, j) => character.rotation(j)));
    } catch (error) {
      character.dispose();
      throw error;
    }
  }

  get vertexCount(): number {
    return this.parts.reduce((sum, part) => sum + part.tables.vertexCount, 0);
  }

  /** Vertices of all parts in the pose of the last update, by linear blend: three numbers each. */
  points(): Float32Array[] {
    return this.parts.map((_, p) => this.character.evaluate(p, 'linear').positions.slice());
  }

  dispose(): void {
    for (const part of this.parts) {
      part.shared.dispose();
      part.geometry.dispose();
      for (const value of Object.values(part.material)) if ((value as THREE.Texture | null)?.isTexture) (value as THREE.Texture).dispose();
      part.material.dispose();
    }
    this.character.dispose();
  }
}
