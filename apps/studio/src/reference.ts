// The truth that a skin was trained on, as plain geometry beside the figures.
import * as THREE from 'three';
import type { Surface } from '../engine/engine';
import type { Model } from './model';

export class Reference {
  readonly group = new THREE.Group();
  private readonly mesh: THREE.Mesh;

  constructor(model: Model, part: number, view: number) {
    const source = model.parts[part];
    const geometry = new THREE.BufferGeometry();
    for (const name of ['position', 'normal']) geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * source.tables.vertexCount), 3));
    geometry.setIndex(source.geometry.index);
    this.mesh = new THREE.Mesh(geometry, source.material.clone());
    this.mesh.frustumCulled = false;
    this.mesh.layers.set(view);
    this.group.add(this.mesh);
  }

  show({ positions, normals }: Surface): void {
    for (const [name, array] of Object.entries({ position: positions, normal: normals })) {
      const attribute = this.mesh.geometry.getAttribute(name) as THREE.BufferAttribute;
      attribute.array = array;
      attribute.needsUpdate = true;
    }
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
    this.group.removeFromParent();
  }
}
