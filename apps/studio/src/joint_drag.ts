// Joints on stage that can be taken hold of: dragging one turns the joint above it, within its limits.
import * as THREE from 'three';
import type { Character, Quaternion } from '../engine/engine';
import { turn, turned } from './joints_panel';
import type { Stage } from './stage';

const reach = 18; // pixels of the page around a joint

export class JointDrag {
  private readonly points: THREE.Points;
  private readonly shown: number[]; // joints that some skin follows
  private readonly held = { joint: -1, pointer: -1 };
  enabled = true;

  constructor(
    private readonly stage: Stage,
    private readonly character: Character,
    private readonly onturn: (joint: number) => void,
  ) {
    const geometry = new THREE.BufferGeometry();
    this.shown = character.joints.flatMap((joint, j) => (joint.skinned ? [j] : []));
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * this.shown.length), 3));
    const material = new THREE.PointsMaterial({ size: 5, sizeAttenuation: false, color: 0x35c5ff, depthTest: false, transparent: true, opacity: 0.85 });
    this.points = new THREE.Points(geometry, material);
    this.points.frustumCulled = false;
    this.points.renderOrder = 10;
    stage.scene.add(this.points); // layer 0: every view has them
    const canvas = stage.canvas;
    canvas.addEventListener('pointerdown', this.take, { capture: true });
    canvas.addEventListener('pointermove', this.pull, { capture: true });
    for (const end of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(end, this.release, { capture: true });
  }

  dispose(): void {
    const canvas = this.stage.canvas;
    canvas.removeEventListener('pointerdown', this.take, { capture: true });
    canvas.removeEventListener('pointermove', this.pull, { capture: true });
    for (const end of ['pointerup', 'pointercancel'] as const) canvas.removeEventListener(end, this.release, { capture: true });
    this.points.removeFromParent();
    this.points.geometry.dispose();
    (this.points.material as THREE.Material).dispose();
  }

  /** Puts the points where the joints are after the character's last update. */
  refresh(): void {
    this.points.visible = this.enabled;
    const attribute = this.points.geometry.getAttribute('position') as THREE.BufferAttribute;
    this.shown.forEach((joint, i) => attribute.setXYZ(i, ...this.place(joint).toArray()));
    attribute.needsUpdate = true;
  }

  private place(joint: number): THREE.Vector3 {
    return new THREE.Vector3().fromArray(this.character.world(joint), 12);
  }

  /** On the page, in pixels from the middle of a column. */
  private onPage(point: THREE.Vector3): THREE.Vector2 {
    const projected = point.clone().project(this.stage.camera);
    const size = this.stage.columnSize;
    return new THREE.Vector2((projected.x * size.x) / 2, (projected.y * size.y) / 2);
  }

  private pointer(event: PointerEvent): THREE.Vector2 {
    return this.stage.pointIn(event).multiply(this.stage.columnSize).divideScalar(2);
  }

  private readonly take = (event: PointerEvent) => {
    if (!this.enabled || event.button !== 0) return;
    const pointer = this.pointer(event);
    let nearest = reach;
    this.shown.forEach((j) => {
      if (this.turning(j) < 0) return;
      const distance = this.onPage(this.place(j)).distanceTo(pointer);
      if (distance < nearest) {
        nearest = distance;
        this.held.joint = j;
      }
    });
    if (nearest === reach) return;
    this.held.pointer = event.pointerId;
    this.stage.canvas.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation(); // the camera stays
  };

  /** The joint above that moves this one: the nearest at another place. */
  private turning(joint: number): number {
    const { joints } = this.character;
    let above = joints[joint].parent;
    while (above >= 0 && this.place(above).distanceTo(this.place(joint)) < 1e-6) above = joints[above].parent;
    while (above >= 0 && joints[above].dofs.length === 0 && joints.some((j) => j.dofs.length > 0)) above = joints[above].parent;
    return above >= 0 && joints[above].skinned ? above : -1;
  }

  private readonly pull = (event: PointerEvent) => {
    if (event.pointerId !== this.held.pointer) return;
    event.stopImmediatePropagation();
    const joint = this.turning(this.held.joint);
    const { dofs } = this.character.joints[joint];
    const axes = dofs.length > 0 ? dofs.map((dof) => dof.axis) : [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const steps = this.step(joint, axes, this.pointer(event));
    if (dofs.length > 0) {
      const angles = this.character.angles(joint);
      this.character.setAngles(joint, angles.map((angle, d) => angle + steps[d]), true);
    } else {
      const q = axes.reduce<Quaternion>((all, axis, d) => turned(all, turn(axis, steps[d])), this.character.rotation(joint));
      this.character.setRotation(joint, q);
    }
    this.onturn(joint);
  };

  /** Damped least squares: angles about the axes that bring the held joint towards the pointer. One damped step an event
   * is enough: events follow each other faster than the eye. */
  private step(joint: number, axes: readonly (readonly number[])[], pointer: THREE.Vector2): number[] {
    const centre = this.place(joint);
    const at = this.place(this.held.joint);
    const frame = new THREE.Matrix4().fromArray(this.character.world(joint));
    const small = 1e-3; // radians
    const from = this.onPage(at);
    const columns = axes.map((axis) => {
      const inWorld = new THREE.Vector3(...(axis as [number, number, number])).transformDirection(frame);
      const moved = at.clone().sub(centre).applyAxisAngle(inWorld, small).add(centre);
      return this.onPage(moved).sub(from).divideScalar(small); // pixels a radian
    });
    const gap = pointer.sub(from);
    const damping = 0.05 * columns.reduce((sum, c) => sum + c.lengthSq(), 1e-6);
    // (J J^T + damping) y = gap, steps = J^T y
    const xx = columns.reduce((sum, c) => sum + c.x * c.x, damping);
    const yy = columns.reduce((sum, c) => sum + c.y * c.y, damping);
    const xy = columns.reduce((sum, c) => sum + c.x * c.y, 0);
    const determinant = xx * yy - xy * xy;
    const y = new THREE.Vector2(yy * gap.x - xy * gap.y, xx * gap.y - xy * gap.x).divideScalar(determinant);
    return columns.map((c) => Math.max(-0.3, Math.min(0.3, c.dot(y))));
  }

  private readonly release = (event: PointerEvent) => {
    if (event.pointerId !== this.held.pointer) return;
    this.held.pointer = this.held.joint = -1;
    event.stopImmediatePropagation();
  };
}
