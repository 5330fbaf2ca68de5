// The studio: one model on stage, its figures, and the frame that brings pose and settings onto the screen.
import { Box3 } from 'three';
import { EngineError } from '../engine/engine';
import type { Beside } from './beside';
import type { Busy } from './busy';
import type { Legend } from './colours';
import { Examples } from './examples';
import { History } from './history';
import { chooseJoint } from './joint_choice';
import type { Opening } from './model';
import { momentOf, resetJoint } from './moments';
import { type OnStage, forget, prepared, settingsFor, views } from './on_stage';
import { Opener } from './opener';
import { Pace } from './pace';
import type { Playback } from './playback';
import { Cancelled } from './remote';
import { type Settings, defaultSettings, isOfFlow } from './settings';
import { Stage, type View } from './stage';
import type { ExampleSource } from './worker/messages';

export class Studio {
  settings: Settings;
  now: OnStage | null = null;
  examples: Examples | null = null;
  example = -1; // -1: the clip's pose
  readonly pace = new Pace();
  /** Something other than the sliders moved a joint. */
  onturn = () => {};
  /** Another joint was chosen. */
  onchoose = () => {};
  /** What was asked for cannot be shown; something that surely works is on stage. */
  onrefused = (_: unknown) => {};
  posedByHand = false; // the clip waits
  /** Another one whenever somebody asked for another pose. */
  poseNumber = 0;
  readonly history = new History();
  private revision = 0; // another one after every change of settings, parts or examples
  private drawn = ''; // moment and view of the last picture
  private view = '';
  pictures = 0; // that were drawn, for tests
  recording = false; // somebody else draws, and wants no handles
  private readonly opener: Opener;

  constructor(
    engine: Opening,
    readonly stage: Stage,
    readonly playback: Playback,
    readonly busy: Busy,
  ) {
    this.settings = defaultSettings([]);
    this.opener = new Opener(engine, busy);
  }

  get legend(): Legend | null {
    return this.now?.skinner.legend ?? null;
  }

  /** The model that was there stays until the new one is complete. False where another was asked for meanwhile, or nobody
   * wants it any more. */
  async open(bytes: Uint8Array, name: string, beside: Beside | null = null): Promise<boolean> {
    const opened = await this.opener.open(bytes, name, beside, (model) =>
      prepared(model, this.stage, this.busy, {
        ontake: () => this.taken(),
        onturn: () => this.moved(),
        onreset: (joint) => resetJoint(this, joint),
        onchoose: (joint) => this.settings.rings && chooseJoint(this, joint),
        onrefused: (error) => this.refused(error),
        oncancel: () => this.cancel(),
      }),
    );
    if (!opened) return false;
    const { next, points } = opened;
    const { model } = next;
    this.close();
    this.now = next;
    this.settings = settingsFor(model, this.settings.dark);
    this.stage.scene.add(next.supple.group, next.linear.group, next.fleshView.group, next.kinodynamicsView.group);
    this.playback.setClips(model.character.clips);
    this.posedByHand = false;
    this.changed();
    this.look(points);
    return true;
  }

  private look(points: readonly Float32Array[]): void {
    const box = new Box3();
    for (const part of points) box.union(new Box3().setFromArray(part));
    this.stage.frame(points, Stage.usualDirection(box));
  }

  /** Turns the camera to the whole character as bones alone have it. */
  async frameAll(): Promise<void> {
    const { now } = this;
    const points = await now?.model.pointsNow();
    if (points && now === this.now) this.look(points);
  }

  private close(): void {
    this.closeExamples();
    if (!this.now) return;
    forget(this.now);
    this.history.clear();
    this.now = null;
  }

  /** Refuses a set that was made for another character; the one that was there stays then. False where it was cancelled. */
  async openExamples(source: ExampleSource): Promise<boolean> {
    const { now } = this;
    if (!now) throw new EngineError('example set', 'has no character to belong to', 'open the .glb first');
    try {
      const examples = await this.busy.during(
        'Reading the example set',
        (tell) => Examples.open(now.model, source, views.reference, tell),
        () => void this.cancel(),
      );
      if (this.now !== now) return examples.dispose(), false;
      this.closeExamples();
      this.examples = examples;
    } catch (error) {
      if (error instanceof Cancelled) return false;
      throw error;
    }
    this.stage.scene.add(this.examples.group);
    this.changed();
    return true;
  }

  private closeExamples(): void {
    this.examples?.dispose();
    this.examples = null;
    this.example = -1;
  }

  /** Takes the pose of an example, or of the clip again, once the engine has given it. */
  async choose(example: number): Promise<void> {
    if (example >= 0 && !(await this.examples?.choose(example))) return;
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

  /** Something holds the pose, and the clip waits. Gives what keeps the pose as it was, to be had back once it has changed. */
  taken(): () => void {
    if (!this.now) return () => {};
    const before = momentOf(this);
    this.handled();
    return () => this.history.keep(before);
  }

  /** The pose is about to be changed by hand: it can be had back, and the clip waits. */
  begin(): void {
    this.taken()();
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
    if (split && this.example >= 0) columns.push({ layer: views.reference, label: 'reference' });
    this.stage.setViews(columns, wipe && !split);
    this.now.drag.enabled = handles;
    this.now.gizmo.show(this.settings.rings ? this.settings.joint : -1);
    this.now.model.parts.forEach((_, p) => {
      for (const figure of [this.now!.supple, this.now!.linear]) figure.setVisible(p, !hidden.has(p));
    });
    for (const figure of [this.now.supple, this.now.linear]) figure.setWireframe(wireframe);
    this.retuned();
  }

  /** After something of the flow or its muscles changed. */
  retuned(): void {
    ++this.revision;
    if (!this.playback.playing) this.now?.skinner.retuned();
  }

  /** Flesh follows a clip as the file would play it, and swings in real time behind everything else. */
  private pose(seconds: number): void {
    const { character } = this.now!.model;
    if (this.posedByHand) return character.flesh.swing(seconds);
    if (this.example >= 0) return this.examples!.pose(character);
    character.rest();
    if (!this.playback.current) return character.flesh.swing(seconds);
    character.sample(this.playback.clip, this.playback.time);
  }

  /** What the skin depends on, as text. */
  private moment(): string {
    const { settings, playback } = this;
    const shown = { ...settings, hidden: [...settings.hidden], modes: String(settings.modes) };
    return JSON.stringify([shown, this.poseNumber, this.revision, this.example, playback.clip, playback.time]);
  }

  /** Whether what swings does so in real time, and not as a clip has it. */
  private get free(): boolean {
    return this.posedByHand || (this.example < 0 && !this.playback.current);
  }

  /** Whether the skin moves by itself, so that every frame has another one. */
  private moves(moment: string): boolean {
    if (!this.now || this.playback.playing || this.stage.renderer.xr.isPresenting) return true;
    return this.free && this.now.skinner.swings(this.settings, moment);
  }

  /** Draws a picture, unless it would be the one that is on screen. */
  frame(seconds: number): void {
    const { now } = this;
    if (this.recording) return;
    if (this.playback.playing) this.playback.advance(seconds * this.playback.speed);
    const moment = this.moment();
    const moves = this.moves(moment);
    const view = JSON.stringify([this.stage.state(), now?.jointView.state, now?.gizmo.state, this.poseNumber, this.revision, now?.skinner.arrivals]);
    now?.skinner.pass(seconds);
    // A skin that the engine computes has no other picture before it comes.
    if (view === this.view && (now?.skinner.computing || (!moves && moment === this.drawn))) return;
    this.drawn = moment;
    this.view = view;
    const start = performance.now();
    if (now) this.deform(now, seconds, moment, moves);
    this.stage.render();
    ++this.pictures;
    this.pace.drawn(start, performance.now() - start);
  }

  /** Draws the pose as it is, for somebody who keeps it; false where its skin has to come from the engine before. */
  drawStill(): boolean {
    if (this.now) this.deform(this.now, 0, this.moment(), false);
    this.view = ''; // the screen shows something else afterwards
    if (this.now?.skinner.working) return false;
    this.stage.render();
    return true;
  }

  private deform({ skinner, jointView, gizmo }: OnStage, seconds: number, moment: string, moves: boolean): void {
    this.pose(seconds);
    const { settings, playback, example, revision, free } = this;
    skinner.frame({ settings, moment, moves, playback, example, revision, free });
    this.stage.aim();
    jointView.refresh(settings.handles && !this.recording, settings.skeleton);
    gizmo.refresh(settings.rings && !this.recording ? settings.joint : -1);
  }

  /** Ends what the engine does: what it was asked for last is not shown. */
  async cancel(): Promise<void> {
    const { now } = this;
    if (!now) return;
    this.fallBack();
    this.closeExamples();
    now.skinner.cancel();
    this.onrefused(new Cancelled());
    await this.busy.during('Starting again', () => now.model.restart());
    this.changed();
  }

  private refused(error: unknown): void {
    this.fallBack();
    this.onrefused(error);
  }

  /** What surely works on every model, after something did not. */
  fallBack(): void {
    Object.assign(this.settings, { blend: 'linear', colouring: 'none' });
    this.example = -1;
    this.changed();
  }
}
