// The truth that a skin was trained on, as plain geometry beside the figures.
import * as THREE from 'three';
import type { Model } from './model';

export class Reference {
  readonly group = new THREE.Group();
  private readonly mesh: THREE.Mesh;

  constructor(model: Model, part: number, view: number) {
    const source = model.parts[part];
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * source.tables.vertexCount), 3));
    geometry.setIndex(source.geometry.index);
    this.mesh = new THREE.Mesh(geometry, source.material.clone());
    this.mesh.frustumCulled = false;
    this.mesh.layers.set(view);
    this.group.add(this.mesh);
  }

  setPositions(positions: Float32Array): void {
    const { geometry } = this.mesh;
    const attribute = geometry.getAttribute('position') as THREE.BufferAttribute;
    attribute.array.set(positions);
    attribute.needsUpdate = true;
    geometry.computeVertexNormals();
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
    this.group.removeFromParent();
  }
}
