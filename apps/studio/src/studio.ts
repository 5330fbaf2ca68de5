// The studio: one model on stage, its figures, and the frame that brings pose and settings onto the screen.
import { Box3 } from 'three';
import { type Engine, EngineError, type ExampleSet } from '../engine/engine';
import type { Legend } from './colours';
import { Figure } from './figure';
import { FleshView } from './flesh_view';
import { History } from './history';
import { JointDrag } from './joint_drag';
import { JointView } from './joint_view';
import { KinodynamicsView } from './kinodynamics_view';
import { Model } from './model';
import { MuscleMotion } from './muscle_motion';
import { momentOf, resetJoint } from './moments';
import { Painter } from './painter';
import type { Playback } from './playback';
import { Reference } from './reference';
import { type Settings, bonesAlone, defaultSettings, isOfFlow } from './settings';
import { Stage, type View } from './stage';

const views = { supple: 4, linear: 5, reference: 6 } as const; // layers of the camera; 1 and 2 are the eyes of a headset

export interface OnStage {
  model: Model;
  supple: Figure;
  linear: Figure;
  fleshView: FleshView;
  kinodynamicsView: KinodynamicsView;
  muscles: MuscleMotion;
  painter: Painter;
  jointView: JointView;
  drag: JointDrag;
}

export class Studio {
  settings: Settings;
  now: OnStage | null = null;
  examples: ExampleSet | null = null;
  example = -1; // -1: the clip's pose
  frameTime = 0; // milliseconds of work, smoothed
  /** Something other than the sliders moved a joint. */
  onturn = () => {};
  private reference: Reference | null = null;
  private examplePart = 0;
  posedByHand = false; // the clip waits
  /** Another one whenever somebody asked for another pose. */
  poseNumber = 0;
  readonly history = new History();
  private revision = 0; // another one after every change of settings, parts or examples
  private drawn = ''; // state of the last picture
  pictures = 0; // that were drawn, for tests
  private openings = 0;

  constructor(
    private readonly engine: Engine,
    readonly stage: Stage,
    readonly playback: Playback,
  ) {
    this.settings = defaultSettings([]);
  }

  get legend(): Legend | null {
    return this.now?.painter.legend ?? null;
  }

  /** The model that was there stays until the new one is complete. False where another was asked for meanwhile. */
  async open(bytes: Uint8Array, name: string): Promise<boolean> {
    const opening = ++this.openings;
    const model = await Model.open(this.engine, bytes, name, this.stage.renderer.capabilities.maxTextureSize);
    if (opening !== this.openings) {
      model.dispose();
      return false;
    }
    let next: OnStage;
    try {
      model.character.rest();
      if (model.character.clips.length > 0) model.character.sample(0, model.character.clips[0].start);
      model.character.update(bonesAlone);
      const jointView = new JointView(this.stage, model.character);
      const [supple, linear] = [new Figure(model, views.supple), new Figure(model, views.linear)];
      next = {
        model,
        supple,
        linear,
        fleshView: new FleshView(model, views.supple),
        kinodynamicsView: new KinodynamicsView(model.character.kinodynamics, views.supple),
        muscles: new MuscleMotion(model.character.kinodynamics),
        painter: new Painter(model, supple, linear),
        jointView,
        drag: new JointDrag(this.stage, model.character, jointView, {
          ontake: () => this.begin(),
          onturn: () => this.moved(),
          onreset: (joint) => resetJoint(this, joint),
        }),
      };
    } catch (error) {
      model.dispose();
      throw error;
    }
    this.close();
    this.now = next;
    const { dark } = this.settings;
    this.settings = { ...defaultSettings(model.parts.map((part) => part.tables.name)), dark };
    this.settings.joint = model.character.drivers[0]?.joints[0] ?? Math.max(0, model.character.joints.findIndex((joint) => joint.skinned));
    this.stage.scene.add(next.supple.group, next.linear.group, next.fleshView.group, next.kinodynamicsView.group);
    this.playback.setClips(model.character.clips);
    this.posedByHand = false;
    this.changed();
    this.frameAll();
    return true;
  }

  /** Turns the camera to the whole character as bones alone have it. */
  frameAll(): void {
    if (!this.now) return;
    const { model } = this.now;
    model.character.update(bonesAlone);
    const points = model.points();
    const box = new Box3();
    for (const part of points) box.union(new Box3().setFromArray(part));
    this.stage.frame(points, Stage.usualDirection(box));
  }

  private close(): void {
    this.closeExamples();
    if (!this.now) return;
    this.now.supple.dispose();
    this.now.linear.dispose();
    this.now.fleshView.dispose();
    this.now.kinodynamicsView.dispose();
    this.now.drag.dispose();
    this.now.jointView.dispose();
    this.history.clear();
    this.now.model.dispose();
    this.now = null;
  }

  /** Refuses a set that was made for another character; the one that was there stays then. */
  setExamples(examples: ExampleSet): void {
    try {
      if (!this.now) throw new EngineError('example set', 'has no character to belong to', 'open the .glb first');
      const part = this.now.model.parts.findIndex(({ tables }) => tables.name === examples.part);
      if (part < 0) throw new EngineError('example set', `is of a part '${examples.part}'`, 'open the character that it was made from');
      const { vertexCount } = this.now.model.parts[part].tables;
      const own = examples.positions(0).length / 3;
      if (own !== vertexCount)
        throw new EngineError('example set', `has ${own} vertices where '${examples.part}' has ${vertexCount}`, 'open the character that it was made from');
      examples.pose(0, this.now.model.character);
      this.closeExamples();
      this.examplePart = part;
    } catch (error) {
      examples.dispose();
      throw error;
    }
    this.examples = examples;
    this.reference = new Reference(this.now.model, this.examplePart, views.reference);
    this.stage.scene.add(this.reference.group);
    this.changed();
  }

  private closeExamples(): void {
    this.reference?.dispose();
    this.examples?.dispose();
    this.reference = this.examples = null;
    this.example = -1;
  }

  /** Takes the pose of an example, or of the clip again. */
  choose(example: number): void {
    if (example >= 0) this.reference?.setPositions(this.examples!.positions(example));
    this.example = example;
    ++this.poseNumber;
    if (example >= 0) this.playback.toggle(false);
    this.posedByHand = false;
    this.changed();
  }

  private leaveExample(): void {
    if (this.example < 0) return;
    this.example = -1;
    this.changed();
  }

  /** The pose is about to be changed by hand: it can be had back, and the clip waits. */
  begin(): void {
    if (!this.now) return;
    this.history.keep(momentOf(this));
    this.handled();
  }

  /** A joint was turned by a slider: the clip waits. */
  handled(): void {
    ++this.poseNumber;
    if (!this.posedByHand) this.playback.toggle(false);
    this.posedByHand = true;
    this.leaveExample();
  }

  /** A joint was turned by a drag or a live hand: the sliders follow. */
  moved(): void {
    this.handled();
    this.onturn();
  }

  /** The clip moves the character again. */
  released(): void {
    ++this.poseNumber;
    this.posedByHand = false;
    this.leaveExample();
  }

  /** After settings changed. */
  changed(): void {
    if (!this.now) return;
    const { split, wipe, handles, hidden, wireframe } = this.settings;
    if (this.settings.blend !== 'kinodynamic' && isOfFlow(this.settings.colouring)) this.settings.colouring = 'none';
    const columns: View[] = [{ layer: views.supple, label: 'Supple' }];
    if (split || wipe) columns.unshift({ layer: views.linear, label: 'linear blend' });
    if (split && this.reference && this.example >= 0) columns.push({ layer: views.reference, label: 'reference' });
    this.stage.setViews(columns, wipe && !split);
    this.now.drag.enabled = handles;
    this.now.model.parts.forEach((_, p) => {
      for (const figure of [this.now!.supple, this.now!.linear]) figure.setVisible(p, !hidden.has(p));
    });
    for (const figure of [this.now.supple, this.now.linear]) figure.setWireframe(wireframe);
    this.retuned();
  }

  /** After something of the flow or its muscles changed. */
  retuned(): void {
    ++this.revision;
    if (!this.playback.playing) this.now?.muscles.retuned();
    this.now?.painter.changed();
  }

  /** Flesh follows a clip as the file would play it, and swings in real time behind everything else. */
  private pose(seconds: number): void {
    const { character } = this.now!.model;
    if (this.posedByHand) return character.flesh.swing(seconds);
    if (this.example >= 0) return this.examples!.pose(this.example, character);
    character.rest();
    if (!this.playback.current) return character.flesh.swing(seconds);
    character.sample(this.playback.clip, this.playback.time);
  }

  /** What a picture depends on, as text; empty where something moves by itself and every frame is another one. */
  private state(): string {
    const { settings, stage, playback, now } = this;
    if (!now || stage.renderer.xr.isPresenting) return '';
    const swings = settings.flesh && now.model.character.flesh.elements.length > 0;
    if (playback.playing || swings || settings.blend === 'kinodynamic') return '';
    const shown = { ...settings, hidden: [...settings.hidden], modes: String(settings.modes) };
    return JSON.stringify([shown, this.poseNumber, this.revision, this.example, playback.clip, playback.time, now.jointView.state, stage.state()]);
  }

  /** Draws a picture, unless it would be the one that is on screen. */
  frame(seconds: number): void {
    const state = this.state();
    if (state !== '' && state === this.drawn) return;
    this.drawn = state;
    const start = performance.now();
    if (this.now) this.deform(this.now, seconds);
    this.stage.render();
    ++this.pictures;
    if (this.now) this.frameTime += 0.1 * (performance.now() - start - this.frameTime);
  }

  /** Muscles follow the pose of the last update, as it came about. */
  private swing({ muscles }: OnStage, seconds: number): void {
    if (this.settings.blend !== 'kinodynamic') return muscles.leave();
    if (!this.posedByHand && this.example >= 0) return muscles.settle();
    if (this.posedByHand || !this.playback.current) return muscles.swing(seconds);
    muscles.follow(this.playback);
  }

  private deform(now: OnStage, seconds: number): void {
    const { model, supple, linear, fleshView, kinodynamicsView, painter, jointView } = now;
    const { blend, split, wipe } = this.settings;
    if (this.playback.playing) this.playback.advance(seconds * this.playback.speed);
    this.pose(seconds);
    if (split || wipe) {
      model.character.update(bonesAlone);
      linear.setFrame('linear');
    }
    model.character.update(this.settings);
    this.swing(now, seconds);
    if (blend === 'kinodynamic') supple.setFlowingFrame();
    else supple.setFrame(blend);
    supple.setTranslucent(blend === 'kinodynamic' && this.settings.muscles && model.character.kinodynamics.muscles.length > 0);
    fleshView.refresh(this.settings);
    kinodynamicsView.refresh(this.settings);
    jointView.refresh(this.settings.handles, this.settings.skeleton);
    painter.paint(this.settings, (part) => this.truth(part));
  }

  /** What the chosen example says of a part. */
  private truth(part: number): Float32Array | null {
    return this.examples && this.example >= 0 && part === this.examplePart ? this.examples.positions(this.example) : null;
  }

  /** What surely works on every model, after something did not. */
  fallBack(): void {
    Object.assign(this.settings, { blend: 'linear', colouring: 'none' });
    this.example = -1;
    this.changed();
  }
}
