// Moving the character by a hand: a stream on this machine, a recording, or a tracked hand of WebXR.
import * as live from '../../../packages/live/src/index';
import type { Character, Quaternion } from '../engine/engine';
import { button, element, section } from './dom';
import { note, problem } from './messages';
import type { Stage } from './stage';

/** The rig as live input knows it. The pose is kept. */
function rigOf(character: Character): live.Rig {
  const pose = character.joints.map((_, j) => character.rotation(j));
  character.rest();
  const { locals } = character.poseState; // ten numbers a joint, its translation first
  const rig = live.rigOf(
    character.joints.map((joint, j) => ({
      name: joint.name,
      parent: joint.parent >= 0 ? character.joints[joint.parent].name : undefined,
      rest: character.rotation(j),
      position: [locals[10 * j], locals[10 * j + 1], locals[10 * j + 2]] as const,
      dofs: joint.dofs,
    })),
  );
  pose.forEach((rotation, j) => character.setRotation(j, rotation));
  return rig;
}

function taken<T>(result: live.Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(live.describe(result.error));
}

/** Frames of a recording: our own messages, or finger points of a hand of this side, or else of the other one. */
function framesOf(recording: unknown, rig: live.Rig): live.LiveFrame[] {
  if (Array.isArray(recording)) return recording.map((message) => taken(live.parseMessage(JSON.stringify(message), rig)));
  const points = taken(live.readLeapRecording(recording));
  const hand = taken(live.handOn(rig));
  const sides = [hand.side, 'left', 'right'] as const;
  const frames = sides.map((side) => live.framesFromPoints(points, hand.rig, side)).find((found) => found.length > 0) ?? [];
  return frames.map((frame) => hand.onto(frame));
}

/** What streams may move: the character's own joints by their names, and its hand by those of WebXR. */
function streamed(own: live.Rig): { rig: live.Rig; onto: (frame: live.LiveFrame) => live.LiveFrame } {
  const found = live.handOn(own);
  if (!found.ok || found.value.rig === own) return { rig: own, onto: (frame) => frame };
  const { rig, onto } = found.value;
  const part = ({ time, joints }: live.LiveFrame, mine: boolean) => ({ time, joints: new Map([...joints].filter(([name]) => own.has(name) === mine)) });
  return {
    rig: live.rigOf([...rig.values(), ...own.values()]),
    onto: (frame) => ({ time: frame.time, joints: new Map([...onto(part(frame, false)).joints, ...part(frame, true).joints]) }),
  };
}

export class LivePanel {
  readonly section: HTMLElement;
  private readonly rig: live.Rig;
  private readonly places: Map<string, number>;
  private stop = () => {};
  private closed = false;
  private readonly state = element('p', { className: 'hint', textContent: 'Off.' });

  /** `onframe`: the joints have moved. */
  constructor(
    private readonly character: Character,
    private readonly stage: Stage,
    private readonly onframe: () => void,
  ) {
    this.rig = rigOf(character);
    this.places = new Map(character.joints.map((joint, j) => [joint.name, j]));
    const address = element('input', { type: 'text', value: 'ws://127.0.0.1:8765', attributes: { 'aria-label': 'Address of the stream' } });
    const file = element('input', { type: 'file', accept: '.json', hidden: true });
    file.onchange = () => {
      const chosen = file.files?.[0];
      if (chosen) void chosen.text().then((text) => this.play(text, chosen.name));
    };
    const xr = button('Track my hand', 'Hands by WebXR', () => void this.track().catch((error) => problem(error, 'Hand tracking')));
    xr.hidden = true;
    void live.canTrackHands().then((can) => (xr.hidden = !can));
    this.section = section(
      'Live hand',
      false,
      element('div', { className: 'row' }, address, button('Connect', 'Follow a stream of joint rotations', () => this.connect(address.value))),
      element('div', { className: 'row' }, button('Recording…', 'Play a recorded hand motion', () => file.click()), xr, button('Stop', 'Stop following', () => this.end('Off.'))),
      file,
      this.state,
    );
  }

  /** For good: the character is about to go. */
  close(): void {
    this.closed = true;
    this.end('Off.');
  }

  private end(text: string): void {
    const stop = this.stop;
    this.stop = () => {};
    stop();
    this.state.textContent = text;
  }

  /** Starts to follow a source, instead of the one before. `running` tells whether it still is the one. */
  private begin(text: string, stop: () => void): { running: () => boolean } {
    this.end(text);
    if (this.closed) return { running: () => false };
    this.stop = stop;
    return { running: () => this.stop === stop };
  }

  private apply(input: live.LiveInput, frame: live.LiveFrame): void {
    for (const [name, rotation] of input.next(frame).joints) {
      const joint = this.places.get(name);
      if (joint !== undefined) this.character.setRotation(joint, [...rotation] as Quaternion);
    }
    this.onframe();
  }

  connect(address: string): void {
    let stream: live.LiveStream | null = null;
    const source = this.begin('Connecting…', () => stream?.close());
    const input = new live.LiveInput(this.rig);
    const { rig, onto } = streamed(this.rig);
    let frames = 0;
    let complained = false;
    const opened = live.openStream(address, rig, {
      onFrame: (frame) => {
        if (!source.running()) return;
        this.apply(input, onto(frame));
        if (++frames % 10 === 1) this.state.textContent = `Following: ${frames} frames.`;
      },
      onProblem: (found) => {
        if (!complained) problem(new Error(live.describe(found)), 'Stream');
        complained = true;
      },
      onState: (state) => {
        if (source.running()) this.state.textContent = state === 'open' ? 'Connected.' : 'The stream has ended, or nobody answered.';
      },
    });
    if (opened.ok) {
      stream = opened.value;
    } else {
      this.end('Off.');
      problem(new Error(live.describe(opened.error)), 'Stream');
    }
  }

  /** A recording at its own speed, over and over. */
  play(text: string, name: string): void {
    let frames: live.LiveFrame[];
    try {
      frames = framesOf(JSON.parse(text), this.rig);
    } catch (error) {
      return problem(error, name);
    }
    if (frames.length === 0) return note(name, 'has no hand in it');
    const first = frames[0].time;
    const length = frames[frames.length - 1].time - first || 1;
    const began = performance.now() / 1000;
    let input = new live.LiveInput(this.rig);
    let round = 0;
    let next = 0;
    let timer = 0;
    const source = this.begin(`Recording: ${frames.length} frames.`, () => clearInterval(timer));
    if (!source.running()) return;
    timer = window.setInterval(() => {
      const now = performance.now() / 1000 - began;
      if (Math.floor(now / length) > round) {
        round = Math.floor(now / length);
        next = 0;
        input = new live.LiveInput(this.rig);
      }
      while (next < frames.length && frames[next].time - first <= now - round * length) this.apply(input, frames[next++]);
    }, 8);
  }

  /** The headset shows the stage; its tracked hand of the rig's side, or the only one, moves the character. */
  private async track(): Promise<void> {
    const hand = taken(live.handOn(this.rig));
    const session = await navigator.xr!.requestSession('immersive-vr', { requiredFeatures: ['hand-tracking'] });
    const source = this.begin('Following a tracked hand.', () => {
      this.stage.onheadset = () => {};
      void session.end().catch(() => {}); // the person may have left first
    });
    if (!source.running()) return void session.end();
    session.addEventListener('end', () => source.running() && this.end('The headset was put down.'));
    const input = new live.LiveInput(this.rig);
    await this.stage.present(session);
    this.stage.onheadset = (time, frame, space) => {
      const hands = [...session.inputSources].filter(({ hand, handedness }) => hand && handedness !== 'none');
      const chosen = hands.find(({ handedness }) => handedness === hand.side) ?? hands[0];
      if (!chosen || !source.running()) return;
      const found = live.frameFromXRHand(
        frame as unknown as live.JointSource<unknown, unknown>,
        chosen.hand as unknown as live.TrackedHand<unknown>,
        chosen.handedness as live.Side,
        space,
        time / 1000,
        hand.rig,
      );
      if (found) this.apply(input, hand.onto(found));
    };
  }
}
