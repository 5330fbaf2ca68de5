// Joints drawn over the character: points to take hold of, the name of the one under the pointer, and bones as lines.
import * as THREE from 'three';
import type { Character } from '../engine/engine';
import { element } from './dom';
import type { Stage } from './stage';

/** A disc with a dark rim: seen on every skin. */
function disc(): THREE.Texture {
  const canvas = element('canvas', { width: 64, height: 64 });
  const context = canvas.getContext('2d')!;
  context.arc(32, 32, 27, 0, 2 * Math.PI);
  context.fillStyle = '#fff';
  context.fill();
  context.lineWidth = 7;
  context.strokeStyle = '#0b2a38';
  context.stroke();
  return new THREE.CanvasTexture(canvas);
}

const over = { depthTest: false, transparent: true };

export class JointView {
  /** Joints that some skin follows. */
  readonly joints: number[];
  private readonly points: THREE.Points;
  private readonly bones: THREE.LineSegments;
  private readonly ends: [number, number][]; // of bones
  private readonly picture = disc();
  private readonly name = element('div', { id: 'joint-name', hidden: true });
  private pointed = -1;
  /** Somebody points at the stage. Fingers do not hover: once they have touched it, joints stay in sight. */
  near = false;

  constructor(
    private readonly stage: Stage,
    private readonly character: Character,
  ) {
    this.joints = character.joints.flatMap((joint, j) => (joint.skinned ? [j] : []));
    this.ends = this.joints.flatMap((j): [number, number][] => {
      const { parent } = character.joints[j];
      return parent >= 0 && character.joints[parent].skinned ? [[parent, j]] : [];
    });
    const dots = new THREE.PointsMaterial({ ...over, size: 12, sizeAttenuation: false, vertexColors: true, map: this.picture, alphaTest: 0.1 });
    this.points = new THREE.Points(this.geometry(this.joints.length), dots);
    this.points.geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(3 * this.joints.length), 3));
    this.bones = new THREE.LineSegments(this.geometry(2 * this.ends.length), new THREE.LineBasicMaterial({ ...over, color: 0xffb000 }));
    for (const object of [this.points, this.bones]) {
      object.frustumCulled = false;
      object.renderOrder = object === this.points ? 12 : 11;
      stage.scene.add(object); // layer 0: every view has them
    }
    stage.canvas.after(this.name);
    this.paint();
  }

  private geometry(count: number): THREE.BufferGeometry {
    return new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * count), 3));
  }

  place(joint: number): THREE.Vector3 {
    return new THREE.Vector3().fromArray(this.character.world(joint), 12);
  }

  /** What is seen of it besides the pose. */
  get state(): number[] {
    return [this.pointed, Number(this.near)];
  }

  /** The joint under the pointer, -1 for none; `near`: whether there is a pointer at all. */
  point(joint: number, near = true): void {
    this.near = near || (this.near && matchMedia('(pointer: coarse)').matches);
    if (joint === this.pointed) return;
    this.pointed = joint;
    this.stage.canvas.style.cursor = joint >= 0 ? 'grab' : '';
    this.name.hidden = joint < 0;
    this.name.textContent = this.character.joints[joint]?.name ?? '';
    this.paint();
  }

  private paint(): void {
    const colours = this.points.geometry.getAttribute('color') as THREE.BufferAttribute;
    const [usual, chosen] = [new THREE.Color(0x35c5ff), new THREE.Color(0xffb000)];
    this.joints.forEach((joint, i) => (joint === this.pointed ? chosen : usual).toArray(colours.array, 3 * i));
    colours.needsUpdate = true;
  }

  /** Puts everything where the joints are after the character's last update. */
  refresh(handles: boolean, skeleton: boolean): void {
    this.points.visible = handles && this.near;
    this.bones.visible = skeleton;
    const put = (object: THREE.Points | THREE.LineSegments, joints: readonly number[]) => {
      const attribute = object.geometry.getAttribute('position') as THREE.BufferAttribute;
      joints.forEach((joint, i) => attribute.setXYZ(i, ...this.place(joint).toArray()));
      attribute.needsUpdate = true;
    };
    if (this.points.visible) put(this.points, this.joints);
    if (this.bones.visible) put(this.bones, this.ends.flat());
    if (this.pointed < 0) return;
    const at = this.place(this.pointed).project(this.stage.camera);
    const { x, y } = this.stage.columnSize;
    this.name.style.transform = `translate(${((at.x + 1) * x) / 2 + 14}px, ${((1 - at.y) * y) / 2 - 30}px)`;
  }

  dispose(): void {
    this.name.remove();
    this.picture.dispose();
    for (const object of [this.points, this.bones]) {
      object.removeFromParent();
      object.geometry.dispose();
      (object.material as THREE.Material).dispose();
    }
  }
}
