// Moving the character by a hand: a stream on this machine, a recording, or a tracked hand of WebXR.
import * as live from '../../../packages/live/src/index';
import type { Character, Quaternion } from '../engine/engine';
import { button, element, section } from './dom';
import { note, problem } from './messages';

/** The rig as live input knows it. Asks the character to rest. */
function rigOf(character: Character): live.Rig {
  character.rest();
  return live.rigOf(
    character.joints.map((joint, j) => ({
      name: joint.name,
      parent: joint.parent >= 0 ? character.joints[joint.parent].name : undefined,
      rest: character.rotation(j),
      dofs: joint.dofs,
    })),
  );
}

export class LivePanel {
  readonly section: HTMLElement;
  private readonly rig: live.Rig;
  private readonly places: Map<string, number>;
  private stop = () => {};
  private readonly state = element('p', { className: 'hint', textContent: 'Off.' });

  constructor(
    private readonly character: Character,
    private readonly onframe: () => void,
  ) {
    this.rig = rigOf(character);
    this.places = new Map(character.joints.map((joint, j) => [joint.name, j]));
    const address = element('input', { type: 'text', value: 'ws://127.0.0.1:8765', attributes: { 'aria-label': 'Address of the stream' } });
    const file = element('input', { type: 'file', accept: '.json', hidden: true });
    file.onchange = () => {
      const chosen = file.files?.[0];
      if (chosen) void chosen.text().then((text) => this.play(text)).catch((error) => problem(error, chosen.name));
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

  end(text: string): void {
    this.stop();
    this.stop = () => {};
    this.state.textContent = text;
  }

  private apply(input: live.LiveInput, frame: live.LiveFrame): void {
    for (const [name, rotation] of input.next(frame).joints) {
      const joint = this.places.get(name);
      if (joint !== undefined) this.character.setRotation(joint, [...rotation] as Quaternion);
    }
    this.onframe();
  }

  connect(address: string): void {
    this.end('Connecting…');
    const checked = live.checkAddress(address);
    if (!checked.ok) {
      this.state.textContent = 'Off.';
      return problem(new Error(live.describe(checked.error)), 'Stream');
    }
    const input = new live.LiveInput(this.rig);
    let frames = 0;
    let complained = false;
    const stream = live.openStream(checked.value, this.rig, {
      onFrame: (frame) => {
        this.apply(input, frame);
        if (++frames % 10 === 1) this.state.textContent = `Following: ${frames} frames.`;
      },
      onProblem: (found) => {
        if (!complained) problem(new Error(live.describe(found)), 'Stream');
        complained = true;
      },
      onState: (state) => (this.state.textContent = state === 'open' ? 'Connected.' : 'The stream has ended, or nobody answered.'),
    });
    if (!stream.ok) return problem(new Error(live.describe(stream.error)), 'Stream');
    this.stop = () => stream.value.close();
  }

  /** A recording of finger points, at its own speed, over and over. */
  play(text: string): void {
    const read = live.readLeapRecording(JSON.parse(text));
    if (!read.ok) return problem(new Error(live.describe(read.error)), 'Recording');
    const frames = live.framesFromPoints(read.value, this.rig);
    if (frames.length === 0) return note('Recording', 'has no hand of this side in it');
    this.end(`Recording: ${frames.length} frames.`);
    const began = performance.now() / 1000;
    const first = frames[0].time;
    const length = frames[frames.length - 1].time - first || 1;
    let input = new live.LiveInput(this.rig);
    let round = 0;
    let next = 0;
    const timer = setInterval(() => {
      const now = performance.now() / 1000 - began;
      if (Math.floor(now / length) > round) {
        round = Math.floor(now / length);
        next = 0;
        input = new live.LiveInput(this.rig);
      }
      while (next < frames.length && frames[next].time - first <= now - round * length) this.apply(input, frames[next++]);
    }, 8);
    this.stop = () => clearInterval(timer);
  }

  private async track(): Promise<void> {
    const session = await navigator.xr!.requestSession('immersive-vr', { requiredFeatures: ['hand-tracking'] });
    const space = await session.requestReferenceSpace('local');
    const input = new live.LiveInput(this.rig);
    const wanted = live.sideOf(this.rig);
    const step = (time: number, frame: XRFrame) => {
      session.requestAnimationFrame(step);
      for (const source of session.inputSources) {
        if (!source.hand || (source.handedness !== 'left' && source.handedness !== 'right')) continue;
        if (source.handedness !== wanted && session.inputSources.length > 1) continue;
        const found = live.frameFromXRHand(
          frame as unknown as live.JointSource<unknown, unknown>,
          source.hand as unknown as live.TrackedHand<unknown>,
          source.handedness,
          space,
          time / 1000,
          this.rig,
        );
        if (found) this.apply(input, found);
      }
    };
    session.requestAnimationFrame(step);
    this.end('Following a tracked hand.');
    this.stop = () => void session.end();
  }
}
