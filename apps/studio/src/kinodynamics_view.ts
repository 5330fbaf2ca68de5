// What lies under a skin that flows: muscles as their vortices deform them, and the tissue that gives limbs their
// weights in space.
import * as THREE from 'three';
import type { MuscleShapes, Tissue } from '../engine/engine';
import type { Settings } from './settings';

const muscle = new THREE.Color(0xb2382e);
const chosen = new THREE.Color(0xff9d2e);
const soft = new THREE.Color(0x2b78d4);
const bone = new THREE.Color(0x8d8468);

export class KinodynamicsView {
  readonly group = new THREE.Group();
  private readonly muscles = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.55 }));
  private tissue: THREE.InstancedMesh | null = null;
  private readonly ball = new THREE.SphereGeometry(1, 24, 12);
  private readonly wire = new THREE.MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.22, depthWrite: false, depthTest: false, toneMapped: false });

  /** `view`: the layer of the camera that shows the flowing skin. */
  constructor(private readonly view: number) {
    this.muscles.frustumCulled = false;
    this.muscles.layers.set(view);
    this.muscles.visible = false; // until the engine has found some
    this.group.add(this.muscles);
  }

  /** What is wanted of the engine for a frame. */
  wanted({ blend, muscles, tissue }: Settings): { muscles: boolean; tissue: boolean } {
    const flows = blend === 'kinodynamic';
    return { muscles: flows && muscles, tissue: flows && tissue };
  }

  /** Hides what is not wanted any more. */
  refresh(settings: Settings): void {
    const wanted = this.wanted(settings);
    this.muscles.visible &&= wanted.muscles;
    if (this.tissue) this.tissue.visible &&= wanted.tissue;
  }

  /** Draws the pose that kinodynamics have taken. */
  show(shapes: MuscleShapes | null, tissue: readonly Tissue[] | null, marked: number): void {
    this.muscles.visible = shapes !== null;
    if (shapes) this.placeMuscles(shapes, marked);
    if (tissue) this.placeTissue(tissue);
    if (this.tissue) this.tissue.visible = tissue !== null;
  }

  private placeMuscles({ positions, triangles, points }: MuscleShapes, marked: number): void {
    const { geometry } = this.muscles;
    const present = geometry.getAttribute('position') as THREE.BufferAttribute | undefined;
    if (present?.array.length === positions.length) {
      present.array.set(positions);
      present.needsUpdate = true;
    } else {
      geometry.dispose(); // proposals may have replaced the muscles of the file
      geometry.setAttribute('position', new THREE.BufferAttribute(positions.slice(), 3));
      geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(positions.length), 3));
      geometry.deleteAttribute('normal');
      geometry.setIndex(new THREE.BufferAttribute(triangles.slice(), 1));
    }
    const colours = geometry.getAttribute('color') as THREE.BufferAttribute;
    let point = 0;
    points.forEach((count, m) => {
      const { r, g, b } = m === marked ? chosen : muscle;
      for (const end = point + count; point < end; ++point) colours.setXYZ(point, r, g, b);
    });
    colours.needsUpdate = true;
    geometry.computeVertexNormals();
  }

  private placeTissue(all: readonly Tissue[]): void {
    if (this.tissue?.count !== all.length) {
      this.forgetTissue();
      this.tissue = new THREE.InstancedMesh(this.ball, this.wire, all.length);
      this.tissue.frustumCulled = false;
      this.tissue.renderOrder = 9;
      this.tissue.layers.set(this.view);
      this.group.add(this.tissue);
    }
    const place = new THREE.Matrix4();
    all.forEach((ellipsoid, i) => {
      this.tissue!.setMatrixAt(i, place.fromArray(ellipsoid.toWorld));
      this.tissue!.setColorAt(i, ellipsoid.bone ? bone : soft);
    });
    this.tissue.instanceMatrix.needsUpdate = true;
    if (this.tissue.instanceColor) this.tissue.instanceColor.needsUpdate = true;
  }

  private forgetTissue(): void {
    this.tissue?.removeFromParent();
    this.tissue?.dispose();
    this.tissue = null;
  }

  dispose(): void {
    this.forgetTissue();
    for (const thing of [this.ball, this.wire, this.muscles.geometry, this.muscles.material]) thing.dispose();
    this.group.removeFromParent();
  }
}
