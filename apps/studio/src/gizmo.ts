// Turning the chosen joint by its rings: drag one, or let keys turn the marked one. Limits hold, and a drag is one step to undo.
import { Plane, Raycaster, Vector2, Vector3 } from 'three';
import type { Character, Quaternion } from '../engine/engine';
import { element } from './dom';
import type { Dragging, JointDrag } from './joint_drag';
import { type Lie, Ring, Start, type Turn, lieOf, turnsOf } from './rings';
import type { Stage } from './stage';

const pixels = 70; // radius of a ring on the page
const reach = { mouse: 9, other: 20 }; // pixels around a ring
const disc = 8; // pixels: a joint's own point goes before a ring that lies further away
const flat = 0.25; // cosine between a ring's axis and the line of sight: a ring that is seen from its edge is pulled along it
const samples = 64; // of a ring, to find the pointer's place on it
const step = Math.PI / 90; // radians, of a key

interface Drag {
  pointer: number;
  ring: number;
  start: Start;
  keep: (() => void) | null; // until it is called
  angleAt: (point: Vector2) => number | null; // how far a pointer on the page has turned it, radians; null: it says nothing
}

const wrapped = (angle: number) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

export class Gizmo {
  private joint = -1; // whose rings are shown; -1: none
  private rings: Ring[] = [];
  private hot = -1; // ring under the pointer
  private marked = 0; // ring that keys turn
  private drag: Drag | null = null;
  private keyed: { time: number; joint: number; ring: number; left: Quaternion } | null = null; // the last turn by a key, and where it left the joint
  private readonly name = element('div', { id: 'ring-name', hidden: true, attributes: { role: 'status' } });
  private readonly place: HTMLElement;

  constructor(
    private readonly stage: Stage,
    private readonly character: Character,
    private readonly points: JointDrag,
    private readonly on: Pick<Dragging, 'ontake' | 'onturn'>,
  ) {
    this.place = stage.canvas.parentElement!;
    this.place.append(this.name);
    this.listen('addEventListener');
  }

  /** Above the canvas and before it, so that camera and joints hear of nothing that a ring takes. */
  private listen(how: 'addEventListener' | 'removeEventListener'): void {
    const events = { pointerdown: this.take, pointermove: this.pull, pointerup: this.release, pointercancel: this.release, lostpointercapture: this.release, pointerout: this.leave };
    for (const [name, hear] of Object.entries(events)) this.place[how](name, hear as EventListener, { capture: true });
  }

  dispose(): void {
    this.listen('removeEventListener');
    this.name.remove();
    this.show(-1);
  }

  /** What is seen of it besides the pose. */
  get state(): number[] {
    return [this.joint, this.hot, this.marked];
  }

  /** Has rings for a joint, or none (-1). */
  show(joint: number): void {
    if (joint === this.joint) return;
    for (const ring of this.rings) ring.dispose();
    this.joint = joint;
    this.drag = null;
    this.hot = -1;
    this.marked = 0;
    this.rings = joint >= 0 ? turnsOf(this.character, joint).map((way, i) => new Ring(way, i)) : [];
    if (this.rings.length > 0) this.stage.scene.add(...this.rings.map(({ group }) => group)); // layer 0: every view has them
  }

  /** Puts the rings around a joint, or nowhere (-1), after the character's last update. */
  refresh(joint: number): void {
    this.show(joint);
    this.name.hidden = joint < 0 || this.rings.length === 0;
    if (this.name.hidden) return;
    const { camera, columnSize } = this.stage;
    const radius = this.radius();
    this.rings.forEach((ring, i) => ring.place(lieOf(this.character, joint, ring.way), radius, i === this.hot || i === this.drag?.ring, i === this.marked));
    const told = this.rings[this.drag?.ring ?? (this.hot >= 0 ? this.hot : this.marked)].way;
    const angle = told.dof >= 0 ? ` ${Math.round((this.character.angles(joint)[told.dof] * 180) / Math.PI)}°` : '';
    const text = `${this.character.joints[joint].name}: ${told.name}${angle}`;
    if (this.name.textContent !== text) this.name.textContent = text;
    const at = lieOf(this.character, joint, told).centre.project(camera);
    this.name.style.transform = `translate(${((at.x + 1) * columnSize.x) / 2}px, ${((1 - at.y) * columnSize.y) / 2 + pixels + 12}px) translateX(-50%)`;
  }

  private radius(): number {
    const { camera, columnSize } = this.stage;
    const depth = -lieOf(this.character, this.joint, this.rings[0].way).centre.applyMatrix4(camera.matrixWorldInverse).z;
    return (pixels * 2 * depth * Math.tan((camera.fov * Math.PI) / 360)) / columnSize.y;
  }

  /** On the page, in pixels from the middle of a column. */
  private onPage(point: Vector3): Vector2 {
    const projected = point.clone().project(this.stage.camera);
    return new Vector2(projected.x, projected.y).multiply(this.stage.columnSize).divideScalar(2);
  }

  private pointer(event: PointerEvent): Vector2 {
    return this.stage.pointIn(event).multiply(this.stage.columnSize).divideScalar(2);
  }

  private pointOn({ centre, axis, begin }: Lie, radius: number, angle: number): Vector2 {
    return this.onPage(begin.clone().applyAxisAngle(axis, angle).multiplyScalar(radius).add(centre));
  }

  /** The ring under a pointer and the place on it, unless a joint's point is nearer. */
  private under(event: PointerEvent): { ring: number; angle: number } | null {
    if (this.joint < 0) return null;
    const [pointer, radius] = [this.pointer(event), this.radius()];
    let nearest = event.pointerType === 'mouse' ? reach.mouse : reach.other;
    let found: { ring: number; angle: number } | null = null;
    for (const [ring, { way }] of this.rings.entries()) {
      const lie = lieOf(this.character, this.joint, way);
      for (let i = 0; i <= samples; ++i) {
        const angle = (lie.range * i) / samples;
        const distance = this.pointOn(lie, radius, angle).distanceTo(pointer);
        if (distance < nearest) [nearest, found] = [distance, { ring, angle }];
      }
    }
    const point = this.points.distance(event);
    return point < disc && point < nearest ? null : found;
  }

  private readonly take = (event: PointerEvent) => {
    if (event.target !== this.stage.canvas || event.button !== 0) return;
    const under = this.under(event);
    if (!under) return;
    const { way } = this.rings[under.ring];
    this.drag = {
      pointer: event.pointerId,
      ring: under.ring,
      start: new Start(this.character, this.joint),
      keep: this.on.ontake(),
      angleAt: this.angles(way, under.angle, this.pointer(event)),
    };
    this.marked = under.ring;
    this.stage.canvas.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation();
  };

  /** How far a pointer has gone round a ring since it was taken at a place on it. */
  private angles(way: Turn, grabbed: number, first: Vector2): Drag['angleAt'] {
    const lie = lieOf(this.character, this.joint, way);
    const { camera } = this.stage;
    const sight = lie.centre.clone().sub(camera.position).normalize();
    if (Math.abs(sight.dot(lie.axis)) < flat) {
      const small = 1e-3;
      const radius = this.radius();
      const tangent = this.pointOn(lie, radius, grabbed + small).sub(this.pointOn(lie, radius, grabbed - small)).divideScalar(2 * small); // pixels a radian
      return (point) => (tangent.lengthSq() > 1 ? point.clone().sub(first).dot(tangent) / tangent.lengthSq() : null);
    }
    const plane = new Plane().setFromNormalAndCoplanarPoint(lie.axis, lie.centre);
    const [across, size] = [lie.axis.clone().cross(lie.begin), this.stage.columnSize];
    const ray = new Raycaster();
    const angleOf = (point: Vector2): number | null => {
      ray.setFromCamera(point.clone().multiplyScalar(2).divide(size), camera);
      const hit = ray.ray.intersectPlane(plane, new Vector3())?.sub(lie.centre);
      return hit ? Math.atan2(hit.dot(across), hit.dot(lie.begin)) : null;
    };
    const from = angleOf(first) ?? grabbed;
    let last = 0;
    return (point) => {
      const angle = angleOf(point);
      return angle === null ? null : (last += wrapped(angle - from - last)); // on from where it was, also beyond half a turn
    };
  }

  private readonly pull = (event: PointerEvent) => {
    const { drag } = this;
    if (!drag) {
      if (event.target !== this.stage.canvas || this.joint < 0) return;
      this.point(event.buttons === 0 ? (this.under(event)?.ring ?? -1) : -1);
      if (this.hot >= 0) event.stopImmediatePropagation();
      return;
    }
    if (event.pointerId !== drag.pointer) return;
    event.stopImmediatePropagation();
    const angle = drag.angleAt(this.pointer(event));
    if (angle === null) return;
    drag.keep?.();
    drag.keep = null;
    drag.start.turn(this.rings[drag.ring].way, angle);
    this.on.onturn();
  };

  private readonly release = (event: PointerEvent) => {
    if (event.pointerId !== this.drag?.pointer) return;
    this.drag = null;
    event.stopImmediatePropagation();
  };

  private readonly leave = (event: PointerEvent) => {
    if (event.target === this.stage.canvas) this.point(-1);
  };

  private point(ring: number): void {
    if (ring === this.hot) return;
    if (ring >= 0) this.points.pointAway();
    this.hot = ring;
    this.stage.canvas.style.cursor = ring >= 0 ? 'grab' : '';
  }

  /** The next ring is the one that keys turn. */
  markNext(): void {
    if (this.rings.length > 0) this.marked = (this.marked + 1) % this.rings.length;
  }

  /** Turns the marked ring by some steps; false where there is none. Keys that follow each other closely are one step to undo. */
  turn(steps: number): boolean {
    if (this.joint < 0 || !this.rings[this.marked]) return false;
    const { keyed, joint, marked: ring, character } = this;
    const time = performance.now();
    const goesOn = keyed?.joint === joint && keyed.ring === ring && time - keyed.time < 1000 && character.rotation(joint).every((x, i) => x === keyed.left[i]);
    const keep = this.on.ontake();
    if (!goesOn) keep();
    new Start(character, joint).turn(this.rings[ring].way, steps * step);
    this.keyed = { time, joint, ring, left: character.rotation(joint) };
    this.on.onturn();
    return true;
  }
}
