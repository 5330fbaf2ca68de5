// A model on stage in one way of skinning it. Several figures of a model share its geometry and large tables.
import * as THREE from 'three';
import { GpuSkin } from '../../../packages/three/src/gpu_skin';
import type { Blend } from '../engine/engine';
import type { Model } from './model';

interface Drawn {
  mesh: THREE.Mesh;
  geometry: THREE.BufferGeometry; // as the file has it
  own: THREE.Material;
  mapped: THREE.BufferGeometry; // the same vertices with colours of a map
  coloured: THREE.Material;
  skin: GpuSkin;
}

/** Attributes by reference: disposing of the copy does not free what the other still draws. */
function sharing(source: THREE.BufferGeometry, names: string[]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  for (const name of names) if (source.hasAttribute(name)) geometry.setAttribute(name, source.getAttribute(name));
  return geometry.setIndex(source.index);
}

export class Figure {
  readonly group = new THREE.Group();
  private readonly drawn: Drawn[];

  /** `view`: the layer that only this figure's camera sees. */
  constructor(
    private readonly model: Model,
    view: number,
  ) {
    this.drawn = model.parts.map((part) => {
      const skin = new GpuSkin(part.shared);
      const own = skin.apply(part.material.clone());
      const coloured = skin.apply(
        new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.9, metalness: 0, side: part.material.side }),
      );
      const geometry = sharing(part.geometry, Object.keys(part.geometry.attributes));
      const mesh = new THREE.Mesh(geometry, own);
      mesh.frustumCulled = false; // the shader moves it away from its rest shape
      mesh.layers.set(view);
      this.group.add(mesh);
      return { mesh, geometry, own, mapped: sharing(part.geometry, ['position', 'normal']), coloured, skin };
    });
  }

  /** Takes the pose of the character's last update. */
  setFrame(blend: Blend): void {
    const { character } = this.model;
    const all = character.morphWeights().slice(); // the engine's own array holds until it is asked again
    this.drawn.forEach(({ skin }, p) => {
      const { firstMorphWeight, targetCount } = this.model.parts[p].tables;
      const { matrices, stretch, scaled, blend: own } = character.palette(p, blend);
      skin.setFrame({
        palette: matrices,
        dual: own === 'dual-quaternion', // rigid parts have nothing to blend
        stretch,
        scaled,
        weights: all.subarray(firstMorphWeight, firstMorphWeight + targetCount),
      });
    });
  }

  /** Three numbers a vertex, or null for the material of the file. */
  setColours(part: number, colours: Float32Array | null): void {
    const { mesh, geometry, own, mapped, coloured } = this.drawn[part];
    mesh.geometry = colours ? mapped : geometry;
    mesh.material = colours ? coloured : own;
    if (!colours) return;
    const present = mapped.getAttribute('color') as THREE.BufferAttribute | undefined;
    if (present) {
      present.array.set(colours);
      present.needsUpdate = true;
    } else {
      mapped.setAttribute('color', new THREE.BufferAttribute(colours.slice(), 3));
    }
  }

  setVisible(part: number, visible: boolean): void {
    this.drawn[part].mesh.visible = visible;
  }

  dispose(): void {
    for (const { geometry, own, mapped, coloured, skin } of this.drawn)
      for (const thing of [geometry, own, mapped, coloured, skin]) thing.dispose();
    this.group.removeFromParent();
  }
}
