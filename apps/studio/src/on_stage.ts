// A model with all that shows it and takes hold of it.
import type { Busy } from './busy';
import { Figure } from './figure';
import { FleshView } from './flesh_view';
import { Gizmo } from './gizmo';
import { type Dragging, JointDrag } from './joint_drag';
import { JointView } from './joint_view';
import { KinodynamicsView } from './kinodynamics_view';
import type { Model } from './model';
import { type Settings, defaultSettings } from './settings';
import { Skinner } from './skinner';
import type { Stage } from './stage';

/** Layers of the camera; 1 and 2 are the eyes of a headset. */
export const views = { supple: 4, linear: 5, reference: 6 } as const;

export interface OnStage {
  model: Model;
  supple: Figure;
  linear: Figure;
  fleshView: FleshView;
  kinodynamicsView: KinodynamicsView;
  skinner: Skinner;
  jointView: JointView;
  drag: JointDrag;
  gizmo: Gizmo;
}

/** What happens to a model that is on stage. */
export interface Events extends Dragging {
  /** What was asked for cannot be shown. */
  onrefused: (error: unknown) => void;
  oncancel: () => void;
}

/** Makes all of it, shaders included. What it draws waits to be added to the scene. */
export async function prepared(model: Model, stage: Stage, busy: Busy, on: Events): Promise<OnStage> {
  const compile = stage.compile.bind(stage);
  const jointView = new JointView(stage, model.character);
  const [supple, linear] = [new Figure(model, views.supple, true), new Figure(model, views.linear)];
  const [fleshView, kinodynamicsView] = [new FleshView(model, views.supple), new KinodynamicsView(views.supple)];
  const skinner = new Skinner({ model, supple, linear, fleshView, kinodynamicsView, compile }, busy, on);
  const drag = new JointDrag(stage, model.character, jointView, on);
  const gizmo = new Gizmo(stage, model.character, drag, on);
  const nothing = model.parts.map(() => false);
  await Promise.all([supple, linear].map((figure) => figure.prepare(nothing, nothing, compile)));
  return { model, supple, linear, fleshView, kinodynamicsView, skinner, jointView, drag, gizmo };
}

export function forget({ supple, linear, fleshView, kinodynamicsView, skinner, drag, gizmo, jointView, model }: OnStage): void {
  for (const thing of [supple, linear, fleshView, kinodynamicsView, skinner, drag, gizmo, jointView, model]) thing.dispose();
}

export function settingsFor({ parts, character, kinodynamics }: Model, dark: boolean): Settings {
  const result = defaultSettings(parts.map((part) => part.tables.name));
  const joint = character.drivers[0]?.joints[0] ?? Math.max(0, character.joints.findIndex(({ skinned }) => skinned));
  const blend = kinodynamics.muscles.length > 0 ? 'kinodynamic' : result.blend; // a file that carries muscles is about them
  return { ...result, joint, blend, dark };
}
