// The truth that a skin was trained on, as plain geometry beside the figures.
import * as THREE from 'three';
import type { Surface } from '../engine/engine';
import type { Model } from './model';

function meshOf(model: Model, part: number, view: number): THREE.Mesh {
  const source = model.parts[part];
  const geometry = new THREE.BufferGeometry();
  for (const name of ['position', 'normal']) geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * source.tables.vertexCount), 3));
  geometry.setIndex(source.geometry.index);
  const mesh = new THREE.Mesh(geometry, source.material.clone());
  mesh.frustumCulled = false;
  mesh.layers.set(view);
  return mesh;
}

export class Reference {
  readonly group = new THREE.Group();
  private readonly meshes: THREE.Mesh[];

  constructor(model: Model, parts: readonly number[], view: number) {
    this.meshes = parts.map((part) => meshOf(model, part, view));
    this.group.add(...this.meshes);
  }

  /** One surface for each part. */
  show(surfaces: readonly Surface[]): void {
    surfaces.forEach(({ positions, normals }, i) => {
      for (const [name, array] of Object.entries({ position: positions, normal: normals })) {
        const attribute = this.meshes[i].geometry.getAttribute(name) as THREE.BufferAttribute;
        attribute.array = array;
        attribute.needsUpdate = true;
      }
    });
  }

  dispose(): void {
    for (const { geometry, material } of this.meshes) {
      geometry.dispose();
      (material as THREE.Material).dispose();
    }
    this.group.removeFromParent();
  }
}
