// Springs and displacements drawn over the character, as the figures of Dynamic Skinning (2005) have them: a square at
// each end of a spring, the virtual bone behind it, and a line from where bones alone take a vertex to where it is.
import * as THREE from 'three';
import type { Model } from './model';
import type { Settings } from './settings';

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

export class FleshView {
  readonly group = new THREE.Group();
  private readonly origins: THREE.Points;
  private readonly springs: THREE.LineSegments; // from local to dynamic origin, and along the virtual bone
  private readonly vectors: THREE.LineSegments[]; // one a part

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
    const blue = new THREE.LineBasicMaterial({ ...shown, color: 0x1f5fff });
    this.vectors = model.carried.map((list) => overlay(new THREE.LineSegments(new THREE.BufferGeometry(), blue), 2 * list.length, view));
    for (const lines of this.vectors) lines.visible = false; // until the engine has found some
    this.group.add(this.origins, this.springs, ...this.vectors);
  }

  /** Parts whose displacements are wanted. */
  wanted({ flesh, vectors, blend, hidden }: Settings): number[] {
    const shown = flesh && vectors && blend !== 'kinodynamic';
    return this.model.carried.flatMap((list, p) => (shown && !hidden.has(p) && list.length > 0 ? [p] : []));
  }

  /** Draws the springs of the character's last update. */
  refresh(settings: Settings): void {
    this.origins.visible = this.springs.visible = settings.flesh && settings.springs;
    if (this.springs.visible) {
      const places = this.model.character.flesh.places();
      place(this.springs, places);
      place(this.origins, places.filter((_, i) => i % 12 < 6));
    }
    const wanted = this.wanted(settings);
    this.vectors.forEach((lines, p) => (lines.visible &&= wanted.includes(p)));
  }

  /** Draws displacements of each part, as the engine found them. */
  show(vectors: readonly (Float32Array | null)[]): void {
    this.vectors.forEach((lines, p) => {
      const found = vectors[p];
      lines.visible = found !== null;
      if (found) place(lines, found);
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
