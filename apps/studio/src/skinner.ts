// From the pose of a character to its figures on stage: the vertex shader's part at once, the engine's when it comes. Both
// show the same pose: where the engine computes a skin, what stands beside it waits for it.
import type { Mesh } from 'three';
import type { SkinFrame } from '../../../packages/three/src/gpu_skin';
import type { Busy } from './busy';
import type { Legend } from './colours';
import type { Figure } from './figure';
import type { FleshView } from './flesh_view';
import type { KinodynamicsView } from './kinodynamics_view';
import type { Model } from './model';
import { MuscleMotion } from './muscle_motion';
import type { Playback } from './playback';
import { Cancelled } from './remote';
import { type Settings, blendOf, bonesAlone, layersOf } from './settings';
import type { FrameAnswer, FrameRequest, MuscleStep } from './worker/messages';

const longWait = 700; // milliseconds for a frame, until somebody is told

interface Shown {
  model: Model;
  supple: Figure;
  linear: Figure;
  fleshView: FleshView;
  kinodynamicsView: KinodynamicsView;
  /** Makes the shaders of a mesh without stopping the page. */
  compile: (mesh: Mesh) => Promise<unknown>;
}
/** How the pose that the character has now came about. */
export interface Scene {
  settings: Settings;
  moment: string; // another one, another skin
  moves: boolean; // by itself: every frame has another skin
  playback: Playback;
  example: number;
  revision: number; // of the settings
  free: boolean; // what swings does so in real time
}
interface Frames {
  linear: SkinFrame[] | null;
  supple: SkinFrame[];
}

const equal = (a: Float32Array, b: Float32Array) => a.length === b.length && a.every((x, i) => x === b[i]);

export class Skinner {
  legend: Legend | null = null;
  /** How many frames the engine has given. */
  arrivals = 0;
  /** Milliseconds of the engine for the last. */
  milliseconds = 0;
  private readonly muscles = new MuscleMotion();
  private flying = false;
  private waits = false; // the figures, for the frame that is flying
  private asked = ''; // moment of the last question
  private since = 0; // seconds that have passed since
  private rested = ''; // moment whose muscles have come to rest
  private flesh = new Float32Array(); // of the last frame
  private fleshRests = false;
  private scene: Pick<Settings, 'colouring'> & { muscles: boolean; tissue: boolean; vectors: number[] } = { colouring: 'none', muscles: false, tissue: false, vectors: [] };
  private closed = false;
  private round = 0; // another one after the worker was started again

  constructor(
    private readonly shown: Shown,
    private readonly busy: Busy,
    private readonly on: { onrefused: (error: unknown) => void; oncancel: () => void },
  ) {}

  /** Whether figures wait for the engine. */
  get computing(): boolean {
    return this.flying && this.waits;
  }
  /** Whether the engine is at work on a frame. */
  get working(): boolean {
    return this.flying;
  }

  pass(seconds: number): void {
    this.since += seconds;
  }

  /** A clip that stands still shows its muscles anew. */
  retuned(): void {
    this.muscles.retuned();
  }

  /** Whether something swings by itself in a pose that was made by hand. */
  swings({ flesh, blend }: Settings, moment: string): boolean {
    const { character, kinodynamics } = this.shown.model;
    if (flesh && character.flesh.elements.length > 0 && !this.fleshRests) return true;
    return blend === 'kinodynamic' && kinodynamics.muscles.length > 0 && this.rested !== moment;
  }

  /** Shows the pose that the character has, or has it shown as soon as the engine has computed it. */
  frame(scene: Scene): void {
    const { model, supple, linear, fleshView, kinodynamicsView } = this.shown;
    const { character, kinodynamics } = model;
    const { settings, moment, moves } = scene;
    const { blend, split, wipe, hidden, colouring } = settings;
    let besides: SkinFrame[] | null = null;
    if (split || wipe) {
      character.update(bonesAlone);
      besides = linear.frameOf('linear');
    }
    character.update(layersOf(settings));
    const frames: Frames = { linear: besides, supple: supple.frameOf(blendOf(blend)) };
    const pose = character.poseState;
    this.fleshRests = equal(this.flesh, pose.flesh);
    this.flesh = pose.flesh as Float32Array<ArrayBuffer>;
    const surfaces = model.parts.flatMap((_, p) => (!hidden.has(p) && ((blend === 'kinodynamic' && kinodynamics.flowing[p]) || character.isComputed(p)) ? [p] : []));
    fleshView.refresh(settings);
    kinodynamicsView.refresh(settings);
    if (colouring === 'none') this.bare();
    const drawn = { ...kinodynamicsView.wanted(settings), vectors: fleshView.wanted(settings) };
    this.scene = { ...drawn, colouring };
    if (surfaces.length === 0) this.take(frames);
    if (blend !== 'kinodynamic') this.muscles.leave();
    this.waits = surfaces.length > 0;
    if (!this.waits) this.milliseconds = 0;
    if (!this.waits && colouring === 'none' && drawn.vectors.length === 0) {
      this.asked = '';
      return;
    }
    if (this.flying || (!moves && moment === this.asked)) return;
    const colours = { colouring, joint: settings.joint, element: settings.element, revision: scene.revision };
    const request = { pose, layers: layersOf(settings), blend, surfaces, muscles: this.step(scene), drawn, colours, example: scene.example };
    this.asked = moment;
    this.since = 0;
    void this.ask(request, this.waits ? frames : null, settings.muscle, moment);
  }

  /** Muscles follow the pose, as it came about. */
  private step({ settings, free, playback, example }: Scene): MuscleStep | null {
    if (settings.blend !== 'kinodynamic') return null;
    if (free) return this.muscles.swing(this.since);
    return example >= 0 ? this.muscles.settle() : this.muscles.follow(playback);
  }

  private async ask(request: FrameRequest, frames: Frames | null, muscle: number, moment: string): Promise<void> {
    this.flying = true;
    const { round } = this;
    const { end } = this.busy.begin(request.blend === 'kinodynamic' ? 'Letting the skin flow' : 'Computing the skin', this.on.oncancel, longWait);
    try {
      const answer = await this.shown.model.remote.ask('frame', [request]);
      if (!this.closed) await this.prepare(answer);
      if (!this.closed && round === this.round) this.arrived(answer, frames, muscle, moment, request.colours.colouring);
    } catch (error) {
      if (!this.closed && !(error instanceof Cancelled)) this.on.onrefused(error);
    } finally {
      end();
      if (round === this.round) this.flying = false;
    }
  }

  private async prepare({ surfaces, painted }: FrameAnswer): Promise<void> {
    const { supple, linear, compile } = this.shown;
    const coloured = (which: 'supple' | 'linear') => this.shown.model.parts.map((_, p) => !!(painted ? painted.parts[p][which] : this.legend));
    await Promise.all([
      supple.prepare(surfaces.map((surface) => surface !== null), coloured('supple'), compile),
      painted && linear.prepare([], coloured('linear'), compile),
    ]);
  }

  private arrived(answer: FrameAnswer, frames: Frames | null, muscle: number, moment: string, colouring: Settings['colouring']): void {
    const { model, supple, linear, fleshView, kinodynamicsView } = this.shown;
    ++this.arrivals;
    this.milliseconds = frames ? answer.milliseconds : 0;
    this.rested = answer.still ? moment : '';
    if (answer.unfinished) this.asked = '';
    // Settings may have changed on the way.
    const { scene } = this;
    if (frames && this.waits) this.take(frames, answer);
    const shapes = scene.muscles ? answer.shapes : null;
    supple.setTranslucent(shapes !== null && model.kinodynamics.muscles.length > 0);
    fleshView.show(answer.vectors.map((own, p) => (scene.vectors.includes(p) ? own : null)));
    kinodynamicsView.show(shapes, scene.tissue ? answer.tissue : null, muscle);
    if (!answer.painted || scene.colouring !== colouring) return;
    this.legend = answer.painted.legend;
    answer.painted.parts.forEach((part, p) => {
      supple.setColours(p, part.supple);
      linear.setColours(p, part.linear);
    });
  }

  private take(frames: Frames, answer?: FrameAnswer): void {
    this.shown.supple.show(frames.supple, answer?.surfaces);
    if (frames.linear) this.shown.linear.show(frames.linear);
  }

  /** Materials of the file. */
  private bare(): void {
    this.legend = null;
    this.shown.model.parts.forEach((_, p) => {
      for (const figure of [this.shown.supple, this.shown.linear]) figure.setColours(p, null);
    });
  }

  /** Forgets what was asked of a worker that is gone. */
  cancel(): void {
    ++this.round;
    this.flying = false;
    this.asked = '';
  }

  dispose(): void {
    this.closed = true;
  }
}
