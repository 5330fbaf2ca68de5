// Joints on stage that can be taken hold of: dragging one bends the chain above it, within its limits.
import { Vector2, type Vector3 } from 'three';
import type { Character } from '../engine/engine';
import { Chain, chainOf } from './chain';
import type { JointView } from './joint_view';
import type { Stage } from './stage';

const reach = { mouse: 16, other: 26 }; // pixels of the page around a joint: fingers are wider than pointers

export interface Dragging {
  /** A joint is held: gives what keeps the pose as it was for undo, once it changes. */
  ontake: () => () => void;
  onturn: () => void;
  /** A joint is to go back to rest. */
  onreset: (joint: number) => void;
  /** A joint was pointed out. */
  onchoose: (joint: number) => void;
}

export class JointDrag {
  private held: { chain: Chain; pointer: number; offset: Vector2; keep: (() => void) | null } | null = null;
  enabled = true;

  constructor(
    private readonly stage: Stage,
    private readonly character: Character,
    private readonly view: JointView,
    private readonly on: Dragging,
  ) {
    this.listen('addEventListener');
  }

  dispose(): void {
    this.listen('removeEventListener');
  }

  private listen(how: 'addEventListener' | 'removeEventListener'): void {
    const { canvas } = this.stage;
    canvas[how]('pointerdown', this.take as EventListener, { capture: true });
    canvas[how]('pointermove', this.pull as EventListener, { capture: true });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) canvas[how](end, this.release as EventListener, { capture: true });
    canvas[how]('pointerleave', this.leave as EventListener);
    canvas[how]('dblclick', this.reset as EventListener);
  }

  /** On the page, in pixels from the middle of a column. */
  private readonly onPage = (point: Vector3): Vector2 => {
    const projected = point.clone().project(this.stage.camera);
    const size = this.stage.columnSize;
    return new Vector2((projected.x * size.x) / 2, (projected.y * size.y) / 2);
  };

  private pointer(event: PointerEvent): Vector2 {
    return this.stage.pointIn(event).multiply(this.stage.columnSize).divideScalar(2);
  }

  /** The joint under a pointer that something can move; -1: none. */
  private under(event: PointerEvent): number {
    return this.nearest(event, event.pointerType === 'mouse' ? reach.mouse : reach.other).joint;
  }

  /** Pixels from a pointer to the nearest of the joints that something can move. */
  distance(event: PointerEvent): number {
    return this.nearest(event, Infinity).distance;
  }

  /** No joint is under the pointer: something else is. */
  pointAway(): void {
    this.view.point(-1);
  }

  private nearest(event: PointerEvent, within: number): { joint: number; distance: number } {
    if (!this.enabled) return { joint: -1, distance: Infinity };
    const pointer = this.pointer(event);
    let nearest = within;
    let found = -1;
    for (const joint of this.view.joints) {
      const distance = this.onPage(this.view.place(joint)).distanceTo(pointer);
      if (distance >= nearest || chainOf(this.character, joint).length === 0) continue;
      [nearest, found] = [distance, joint];
    }
    return { joint: found, distance: found < 0 ? Infinity : nearest };
  }

  private readonly take = (event: PointerEvent) => {
    // A finger's first touch shows the joints: it cannot have meant one of them.
    if (event.pointerType === 'touch' && !this.view.near) return this.view.point(-1);
    const joint = event.button === 0 ? this.under(event) : -1;
    if (joint < 0) return;
    const keep = this.on.ontake();
    this.on.onchoose(joint);
    const chain = new Chain(this.character, joint, chainOf(this.character, joint), this.onPage);
    this.held = { chain, keep, pointer: event.pointerId, offset: this.onPage(this.view.place(joint)).sub(this.pointer(event)) };
    this.view.point(joint);
    this.stage.canvas.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation(); // the camera stays
  };

  private readonly pull = (event: PointerEvent) => {
    if (!this.held) return this.view.point(event.buttons === 0 ? this.under(event) : -1);
    if (event.pointerId !== this.held.pointer) return;
    event.stopImmediatePropagation();
    this.held.keep?.();
    this.held.keep = null;
    this.held.chain.reach(this.pointer(event).add(this.held.offset));
    this.on.onturn();
  };

  private readonly release = (event: PointerEvent) => {
    if (event.pointerId !== this.held?.pointer) return;
    this.held = null;
    event.stopImmediatePropagation();
  };

  private readonly leave = () => {
    if (!this.held) this.view.point(-1, false);
  };

  private readonly reset = (event: MouseEvent) => {
    const joint = this.under(event as PointerEvent);
    if (joint >= 0) this.on.onreset(chainOf(this.character, joint)[0]);
  };
}
