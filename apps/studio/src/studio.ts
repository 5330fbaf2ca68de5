// The studio: one model on stage, its figures, and the frame that brings pose and settings onto the screen.
import type { Engine, ExampleSet } from '../engine/engine';
import { type Coloured, type Legend, distances, modeColours, supportColours, targetsOf, weightColours } from './colours';
import { Figure } from './figure';
import { JointDrag } from './joint_drag';
import { Model } from './model';
import type { Playback } from './playback';
import { Reference } from './reference';
import { type Settings, defaultSettings } from './settings';
import type { Stage, View } from './stage';

const views = { supple: 1, linear: 2, reference: 3 } as const; // layers of the camera
const none = { corrections: false, modes: 0 };

export interface Parts {
  model: Model;
  supple: Figure;
  linear: Figure;
  drag: JointDrag;
}

export class Studio {
  settings: Settings;
  now: Parts | null = null;
  examples: ExampleSet | null = null;
  example = -1; // -1: the clip's pose
  legend: Legend | null = null;
  frameTime = 0; // milliseconds of work, smoothed
  private reference: Reference | null = null;
  private posedByHand = false;
  private recolour = true;
  private largest = 0;

  constructor(
    private readonly engine: Engine,
    readonly stage: Stage,
    readonly playback: Playback,
  ) {
    this.settings = defaultSettings([]);
  }

  /** The model that was there stays until the new one is complete. */
  async open(bytes: Uint8Array, name: string): Promise<void> {
    const model = await Model.open(this.engine, bytes, name);
    this.close();
    const { dark } = this.settings;
    this.settings = { ...defaultSettings(model.parts.map((part) => part.tables.name)), dark };
    this.settings.joint = model.character.drivers[0]?.joints[0] ?? Math.max(0, model.character.joints.findIndex((joint) => joint.skinned));
    this.now = {
      model,
      supple: new Figure(model, views.supple),
      linear: new Figure(model, views.linear),
      drag: new JointDrag(this.stage, model.character, () => this.handled()),
    };
    this.stage.scene.add(this.now.supple.group, this.now.linear.group);
    this.playback.setClips(model.character.clips);
    this.posedByHand = false;
    this.pose();
    model.character.update(none);
    this.stage.frame(model.bounds());
    this.changed();
  }

  private close(): void {
    this.closeExamples();
    if (!this.now) return;
    this.now.supple.dispose();
    this.now.linear.dispose();
    this.now.drag.dispose();
    this.now.model.dispose();
    this.now = null;
  }

  /** The part that examples are of. */
  private get examplePart(): number {
    return Math.max(0, this.now?.model.parts.findIndex((part) => part.tables.name === this.examples?.part) ?? 0);
  }

  setExamples(examples: ExampleSet): void {
    this.closeExamples();
    this.examples = examples;
    this.reference = new Reference(this.now!.model, this.examplePart, views.reference);
    this.stage.scene.add(this.reference.group);
  }

  private closeExamples(): void {
    this.reference?.dispose();
    this.examples?.dispose();
    this.reference = this.examples = null;
    this.example = -1;
  }

  /** Takes the pose of an example, or of the clip again. */
  choose(example: number): void {
    this.example = example;
    if (example >= 0) this.playback.toggle(false);
    this.posedByHand = false;
    if (example >= 0) this.reference?.setPositions(this.examples!.positions(example));
    this.changed();
  }

  /** A joint was turned by a slider, a drag or a live hand: the clip waits. */
  handled(): void {
    if (!this.posedByHand) this.playback.toggle(false);
    this.posedByHand = true;
    this.example = -1;
  }

  /** The clip moves the character again. */
  released(): void {
    this.posedByHand = false;
    this.example = -1;
  }

  /** Back to rest, paused. */
  reset(): void {
    this.playback.toggle(false);
    this.now?.model.character.rest();
    this.handled();
  }

  /** After settings changed. */
  changed(): void {
    if (!this.now) return;
    const { split, handles, hidden } = this.settings;
    const columns: View[] = [{ layer: views.supple, label: 'Supple' }];
    if (split) columns.unshift({ layer: views.linear, label: 'linear blend' });
    if (split && this.reference && this.example >= 0) columns.push({ layer: views.reference, label: 'reference' });
    this.stage.setViews(columns);
    this.now.drag.enabled = handles;
    this.now.model.parts.forEach((_, p) => {
      for (const figure of [this.now!.supple, this.now!.linear]) figure.setVisible(p, !hidden.has(p));
    });
    this.recolour = true;
    this.largest = 0;
  }

  private pose(): void {
    const { character } = this.now!.model;
    if (this.posedByHand) return;
    if (this.example >= 0) return this.examples!.pose(this.example, character);
    character.rest();
    if (this.playback.current) character.sample(this.playback.clip, this.playback.time);
  }

  frame(seconds: number): void {
    if (!this.now) return this.stage.render();
    const start = performance.now();
    const { model, supple, linear, drag } = this.now;
    const { blend, corrections, modes, split } = this.settings;
    if (this.playback.playing) this.playback.advance(seconds * this.playback.speed);
    this.pose();
    if (split) {
      model.character.update(none);
      linear.setFrame('linear');
    }
    model.character.update({ corrections, modes });
    supple.setFrame(blend);
    drag.refresh();
    this.colour();
    this.stage.render();
    this.frameTime += 0.1 * (performance.now() - start - this.frameTime);
  }

  /** Colours that depend on the pose are made anew every frame, the others when something changed. */
  private colour(): void {
    const moving = this.settings.colouring === 'error' || this.settings.colouring === 'displacement';
    if (!moving && !this.recolour) return;
    this.recolour = false;
    this.legend = null;
    const { model, supple, linear } = this.now!;
    model.parts.forEach((_, p) => {
      const coloured = this.coloured(p);
      if (coloured) this.legend = coloured.legend;
      supple.setColours(p, coloured?.colours ?? null);
      if (!moving) linear.setColours(p, coloured?.colours ?? null);
      if (moving) linear.setColours(p, null);
    });
  }

  private coloured(p: number): Coloured | null {
    const { character, parts } = this.now!.model;
    const { tables } = parts[p];
    const { colouring, joint, blend, corrections, modes } = this.settings;
    const name = character.joints[joint]?.name ?? '';
    switch (colouring) {
      case 'none':
        return null;
      case 'weights':
        return weightColours(tables, tables.joints.indexOf(joint), name);
      case 'supports':
        return supportColours(tables, targetsOf(character, tables, joint), name);
      case 'modes':
        return modeColours(tables, targetsOf(character, tables, joint), name);
      case 'error': {
        if (this.example < 0 || p !== this.examplePart) return null;
        const shown = character.evaluate(p, blend).positions.slice();
        const coloured = distances(shown, this.examples!.positions(this.example), 'distance from the reference', 0);
        return coloured;
      }
      case 'displacement': {
        const shown = character.evaluate(p, blend).positions.slice();
        character.update(none);
        const plain = character.evaluate(p, 'linear').positions.slice();
        character.update({ corrections, modes });
        const coloured = distances(shown, plain, 'distance from linear blend', this.largest);
        this.largest = coloured.largest;
        return coloured;
      }
    }
  }
}
