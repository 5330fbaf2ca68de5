// A model on stage in one way of skinning it. Several figures of a model share its geometry and large tables.
import * as THREE from 'three';
import { GpuSkin } from '../../../packages/three/src/gpu_skin';
import type { Blend, Surface } from '../engine/engine';
import type { Model, ModelPart } from './model';

/** Vertices with the material of the file, and the same ones with colours of a map. */
interface Look {
  geometry: THREE.BufferGeometry;
  own: THREE.Material;
  mapped: THREE.BufferGeometry;
  coloured: THREE.Material;
}
interface Drawn {
  mesh: THREE.Mesh;
  skin: GpuSkin;
  blended: Look; // the vertex shader moves it away from its rest shape
  computed: Look | null; // as the engine computes it; made when it is first shown
  isComputed: boolean;
  hasColours: boolean;
}

/** Attributes by reference: disposing of the copy does not free what the other still draws. */
function sharing(source: THREE.BufferGeometry, names: string[]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  for (const name of names) if (source.hasAttribute(name)) geometry.setAttribute(name, source.getAttribute(name));
  return geometry.setIndex(source.index);
}

function look({ material }: ModelPart, geometry: THREE.BufferGeometry): Look {
  const coloured = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.9, metalness: 0, side: material.side });
  return { geometry, own: material.clone(), mapped: sharing(geometry, ['position', 'normal']), coloured };
}

/** With places and normals of its own. */
function moving({ geometry, tables }: ModelPart): THREE.BufferGeometry {
  const result = sharing(geometry, Object.keys(geometry.attributes));
  for (const name of ['position', 'normal'])
    result.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * tables.vertexCount), 3).setUsage(THREE.DynamicDrawUsage));
  return result;
}

function write(geometry: THREE.BufferGeometry, name: string, numbers: Float32Array): void {
  const attribute = geometry.getAttribute(name) as THREE.BufferAttribute;
  attribute.array.set(numbers);
  attribute.needsUpdate = true;
}

export class Figure {
  readonly group = new THREE.Group();
  private readonly drawn: Drawn[];
  private translucent = false;
  private wireframe = false;

  /** `view`: the layer that only this figure's camera sees. */
  constructor(
    private readonly model: Model,
    view: number,
  ) {
    this.drawn = model.parts.map((part) => {
      const skin = new GpuSkin(part.shared);
      const blended = look(part, sharing(part.geometry, Object.keys(part.geometry.attributes)));
      skin.apply(blended.own);
      skin.apply(blended.coloured);
      const mesh = new THREE.Mesh(blended.geometry, blended.own);
      mesh.frustumCulled = false; // its bounds are those of the rest shape
      mesh.layers.set(view);
      this.group.add(mesh);
      return { mesh, skin, blended, computed: null, isComputed: false, hasColours: false };
    });
  }

  /** Takes the pose of the character's last update. */
  setFrame(blend: Blend): void {
    const { character } = this.model;
    this.take(blend, (p) => (character.isComputed(p) ? character.evaluate(p, blend) : null));
  }

  /** Takes the pose that the character's kinodynamics have taken; what does not flow, that of its last update. */
  setFlowingFrame(): void {
    const { character } = this.model;
    const { kinodynamics } = character;
    this.take('linear', (p) => {
      if (kinodynamics.flowing[p]) return kinodynamics.evaluate(p);
      return character.isComputed(p) ? character.evaluate(p, 'linear') : null;
    });
  }

  /** `computed`: a part whose shape is the engine's, and null of one that the vertex shader blends. */
  private take(blend: Blend, computed: (part: number) => Surface | null): void {
    const { character } = this.model;
    const all = character.morphWeights().slice(); // the engine's own array holds until it is asked again
    this.drawn.forEach((drawn, p) => {
      const { firstMorphWeight, targetCount } = this.model.parts[p].tables;
      const { matrices, stretch, scaled, blend: own } = character.palette(p, blend);
      drawn.skin.setFrame({
        palette: matrices,
        dual: own === 'dual-quaternion', // rigid parts have nothing to blend
        stretch,
        scaled,
        weights: all.subarray(firstMorphWeight, firstMorphWeight + targetCount),
      });
      const surface = drawn.mesh.visible ? computed(p) : null;
      if (surface) this.write(p, surface);
      this.show(drawn, surface !== null, drawn.hasColours);
    });
  }

  private write(p: number, { positions, normals }: Surface): void {
    const [drawn, part] = [this.drawn[p], this.model.parts[p]];
    drawn.computed ??= this.asEdges(this.lettingThrough(look(part, moving(part))));
    write(drawn.computed.geometry, 'position', positions);
    write(drawn.computed.geometry, 'normal', normals);
  }

  /** Whether what lies under a skin that the engine computes is seen through it. */
  setTranslucent(translucent: boolean): void {
    if (translucent === this.translucent) return;
    this.translucent = translucent;
    for (const { computed } of this.drawn) if (computed) this.lettingThrough(computed);
  }

  private lettingThrough(look: Look): Look {
    for (const material of [look.own, look.coloured]) {
      const opaque = { transparent: false, opacity: 1, depthWrite: true };
      Object.assign(material, this.translucent ? { transparent: true, opacity: 0.38, depthWrite: false } : opaque);
      material.needsUpdate = true;
    }
    return look;
  }

  /** Three numbers a vertex, or null for the material of the file. */
  setColours(part: number, colours: Float32Array | null): void {
    const drawn = this.drawn[part];
    if (colours) {
      const { mapped } = (drawn.isComputed && drawn.computed) || drawn.blended;
      if (mapped.hasAttribute('color')) write(mapped, 'color', colours);
      else mapped.setAttribute('color', new THREE.BufferAttribute(colours.slice(), 3));
    }
    this.show(drawn, drawn.isComputed, colours !== null);
  }

  private show(drawn: Drawn, isComputed: boolean, hasColours: boolean): void {
    Object.assign(drawn, { isComputed, hasColours });
    const { geometry, own, mapped, coloured } = (isComputed && drawn.computed) || drawn.blended;
    const ready = hasColours && mapped.hasAttribute('color');
    drawn.mesh.geometry = ready ? mapped : geometry;
    drawn.mesh.material = ready ? coloured : own;
  }

  setWireframe(on: boolean): void {
    if (on === this.wireframe) return;
    this.wireframe = on;
    for (const { blended, computed } of this.drawn) for (const look of computed ? [blended, computed] : [blended]) this.asEdges(look);
  }

  private asEdges(look: Look): Look {
    for (const material of [look.own, look.coloured]) Object.assign(material, { wireframe: this.wireframe });
    return look;
  }

  setVisible(part: number, visible: boolean): void {
    this.drawn[part].mesh.visible = visible;
  }

  dispose(): void {
    for (const { blended, computed, skin } of this.drawn) {
      for (const { geometry, own, mapped, coloured } of computed ? [blended, computed] : [blended])
        for (const thing of [geometry, own, mapped, coloured]) thing.dispose();
      skin.dispose();
    }
    this.group.removeFromParent();
  }
}
