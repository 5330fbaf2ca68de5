// An opened file: its rig, which the page poses; the engine in a worker, which has the whole of it; and three.js geometry and
// materials for each of its parts.
import * as THREE from 'three';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { SharedSkin } from '../../../packages/three/src/gpu_skin';
import { type Blend, type Character, type Engine, EngineError, type Layers, type PartTables, type Quaternion, type Surface } from '../engine/engine';
import { type Beside, decoded } from './beside';
import { Kinodynamics } from './kinodynamics';
import { Remote } from './remote';
import { bonesAlone } from './settings';
import type { Opened } from './worker/messages';

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
  if (outside.size > 0) {
    const names = [...outside].slice(0, 5).map((address) => decoded(address).slice(0, 80)).join(', ');
    const more = outside.size > 5 ? ` and ${outside.size - 5} more` : '';
    notes.push(`is shown without textures that are not in the file: ${names}${more}; drop its folder, or put them into it: supple convert`);
  }
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

/** What it takes to open files. */
export interface Opening {
  engine: Engine; // of the page: it has rigs alone
  compiled: WebAssembly.Module; // the engine for workers
  rows: number; // of the largest texture that the graphics driver has
}

export class Model {
  private constructor(
    readonly name: string,
    /** The file as it was given, and what was given with it. */
    readonly bytes: Uint8Array,
    readonly beside: Beside | null,
    private readonly opening: Opening,
    /** The rig of the file: poses, palettes and morph weights, but no surfaces. */
    readonly character: Character,
    readonly kinodynamics: Kinodynamics,
    /** The whole file. */
    public remote: Remote,
    readonly parts: ModelPart[],
    /** Of each part, vertices whose displacement by flesh is drawn. */
    readonly carried: readonly Uint32Array[],
    /** What the page could not show of the file. */
    readonly notes: string[],
    /** Rotations of the joints in the file's own pose. */
    readonly rests: readonly Quaternion[],
    /** Some vertices of each part at the beginning of the first clip, by linear blend, three numbers each. */
    readonly points: readonly Float32Array[],
  ) {}

  /** `remote` is a new worker: closing it ends this. `reading`: its answer, where it was asked to open the file before. */
  static async open(opening: Opening, remote: Remote, bytes: Uint8Array, name: string, beside: Beside | null = null, reading?: Promise<Opened>): Promise<Model> {
    const { engine, compiled, rows } = opening;
    const opened = await (reading ?? remote.ask('open', [compiled, bytes, name, beside]));
    const character = engine.open(opened.rig, name, opened.data);
    try {
      check(character, name, rows);
      const notes: string[] = [];
      const looks = await looksOf(opened.file, notes).catch((error: Error) => {
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
      const rests = character.joints.map((_, j) => character.rotation(j));
      return new Model(name, bytes, beside, opening, character, new Kinodynamics(remote, opened.kinodynamics), remote, parts, opened.carried, notes, rests, opened.points);
    } catch (error) {
      character.dispose();
      throw error;
    }
  }

  /** Ends what the worker does, whatever it is: another one takes its place, with the same file and settings. */
  async restart(): Promise<void> {
    this.remote.close();
    const remote = (this.remote = new Remote());
    const { kinodynamics } = await remote.ask('open', [this.opening.compiled, this.bytes, this.name, this.beside]);
    await this.kinodynamics.restart(remote, kinodynamics);
  }

  get vertexCount(): number {
    return this.parts.reduce((sum, part) => sum + part.tables.vertexCount, 0);
  }

  /** Vertices of all parts in the pose as it is now, by linear blend, three numbers each: enough to see how large it is. */
  pointsNow(): Promise<Float32Array[]> {
    this.character.update(bonesAlone);
    return this.remote.ask('points', [this.character.poseState]);
  }

  /** A part as the engine has it in the pose as it is now. */
  evaluate(part: number, layers: Layers, blend: Blend = 'linear'): Promise<Surface> {
    this.character.update(layers);
    return this.remote.ask('evaluate', [part, this.character.poseState, layers, blend]);
  }

  /** The file with the pose as it is now. */
  exportGlb(layers: Layers): Promise<Uint8Array> {
    this.character.update(layers);
    return this.remote.ask('exportGlb', [this.character.poseState, layers]);
  }

  dispose(): void {
    for (const part of this.parts) {
      part.shared.dispose();
      part.geometry.dispose();
      for (const value of Object.values(part.material)) if ((value as THREE.Texture | null)?.isTexture) (value as THREE.Texture).dispose();
      part.material.dispose();
    }
    this.character.dispose();
    this.remote.close();
  }
}
