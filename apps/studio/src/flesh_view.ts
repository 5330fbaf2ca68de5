// Springs and displacements drawn over the character, as the figures of Dynamic Skinning (2005) have them: a square at
// each end of a spring, the virtual bone behind it, and a line from where bones alone take a vertex to where it is.
import * as THREE from 'three';
import type { Model } from './model';
import { blendOf, type Settings } from './settings';

const mostVectors = 1200; // of a part: more are a blue blot
const leastWeight = 0.03; // what is carried less has nothing to show
const local = new THREE.Color(0xffb000);
const dynamic = new THREE.Color(0xe8202a);
const bone = new THREE.Color(0x5b6470);

const shown = { depthTest: false, transparent: true, opacity: 0.9, toneMapped: false };

/** Points or lines whose places change every frame, over everything that is drawn. */
function overlay<T extends THREE.Points | THREE.LineSegments>(object: T, points: number, view: number): T {
  object.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * points), 3));
  object.frustumCulled = false;
  object.renderOrder = 11;
  object.layers.set(view);
  return object;
}

/** The same colours for every element. */
function painted<T extends THREE.Points | THREE.LineSegments>(object: T, elements: number, colours: THREE.Color[]): T {
  const numbers = Array.from({ length: elements }, () => colours.flatMap((colour) => colour.toArray())).flat();
  object.geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(numbers), 3));
  return object;
}

function place({ geometry }: THREE.Points | THREE.LineSegments, positions: Float32Array): void {
  const attribute = geometry.getAttribute('position') as THREE.BufferAttribute;
  attribute.array.set(positions);
  attribute.needsUpdate = true;
}

/** Some of the vertices that flesh carries along, evenly over their numbers. */
function carried(weights: Float32Array): Uint32Array {
  const all = Uint32Array.from(weights.keys()).filter((vertex) => weights[vertex] >= leastWeight);
  const every = Math.max(1, Math.ceil(all.length / mostVectors));
  return all.filter((_, i) => i % every === 0);
}

export class FleshView {
  readonly group = new THREE.Group();
  private readonly origins: THREE.Points;
  private readonly springs: THREE.LineSegments; // from local to dynamic origin, and along the virtual bone
  private readonly vectors: THREE.LineSegments[]; // one a part
  private readonly vertices: Uint32Array[]; // of each part, whose displacement is drawn

  /** `view`: the layer of the camera that shows flesh. */
  constructor(
    private readonly model: Model,
    view: number,
  ) {
    const { flesh } = model.character;
    const elements = flesh.elements.length;
    const points = new THREE.PointsMaterial({ ...shown, size: 9, sizeAttenuation: false, vertexColors: true });
    const lines = new THREE.LineBasicMaterial({ ...shown, vertexColors: true });
    this.origins = painted(overlay(new THREE.Points(new THREE.BufferGeometry(), points), 2 * elements, view), elements, [local, dynamic]);
    this.springs = painted(overlay(new THREE.LineSegments(new THREE.BufferGeometry(), lines), 4 * elements, view), elements, [local, dynamic, bone, bone]);
    this.vertices = model.parts.map((_, p) => (elements > 0 ? carried(flesh.weights(p)) : new Uint32Array(0)));
    const blue = new THREE.LineBasicMaterial({ ...shown, color: 0x1f5fff });
    this.vectors = this.vertices.map((list) => overlay(new THREE.LineSegments(new THREE.BufferGeometry(), blue), 2 * list.length, view));
    this.group.add(this.origins, this.springs, ...this.vectors);
  }

  /** Draws the character's last update. */
  refresh({ flesh, springs, vectors, blend, hidden }: Settings): void {
    this.origins.visible = this.springs.visible = flesh && springs;
    if (this.springs.visible) {
      const places = this.model.character.flesh.places();
      place(this.springs, places);
      place(this.origins, places.filter((_, i) => i % 12 < 6));
    }
    this.vectors.forEach((lines, p) => {
      lines.visible = flesh && vectors && blend !== 'kinodynamic' && !hidden.has(p) && this.vertices[p].length > 0;
      if (lines.visible) place(lines, this.model.character.flesh.displacements(p, blendOf(blend), this.vertices[p]));
    });
  }

  dispose(): void {
    for (const object of [this.origins, this.springs, ...this.vectors]) {
      object.geometry.dispose();
      (object.material as THREE.Material).dispose();
    }
    this.group.removeFromParent();
  }
}
