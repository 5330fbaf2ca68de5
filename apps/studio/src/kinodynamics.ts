// How the skin of a character flows, as panels see it: what is set is shown at once, and the engine in its worker follows.
import type { Flow, Muscle, MuscleParameters, Volume } from '../engine/engine';
import type { Remote, Value, Words } from './remote';
import { Cancelled } from './remote';
import type { KinodynamicState } from './worker/messages';

type Edit = 'setFlow' | 'setVolume' | 'setMuscles' | 'setWindow' | 'proposeMuscles';
interface Waiting {
  key: string; // a later edit with the same key takes its place
  ask: (remote: Remote) => Promise<KinodynamicState>;
}

export class Kinodynamics {
  private waiting: Waiting[] = [];
  private made: Waiting[] = []; // that the worker has accepted
  private working: Promise<void> | null = null;
  /** The engine has done what was set, or refused it: everything is as the worker says. */
  onchange: (error: unknown) => void = () => {};

  constructor(
    private remote: Remote,
    private state: KinodynamicState,
  ) {}

  /** Whether each part flows. Those without a skin do not, nor bones. */
  get flowing(): readonly boolean[] {
    return this.state.flowing;
  }
  get muscles(): readonly Muscle[] {
    return this.state.muscles;
  }
  get window(): number {
    return this.state.window;
  }
  flow(): Flow {
    return this.state.flow;
  }
  volume(joint: number): Volume | null {
    return this.state.volumes[joint];
  }
  parameters(muscle: number): MuscleParameters {
    return this.state.parameters[muscle];
  }

  setFlow(changes: Partial<Flow>): void {
    Object.assign(this.state.flow, changes);
    this.edit(`flow ${Object.keys(changes)}`, 'setFlow', [changes]);
  }
  setVolume(joint: number, volume: Volume | null): void {
    this.state.volumes[joint] = volume;
    this.edit(`volume ${joint}`, 'setVolume', [joint, volume]);
  }
  setParameters(muscles: readonly number[], changes: Partial<MuscleParameters>): void {
    for (const muscle of muscles) Object.assign(this.state.parameters[muscle], changes);
    this.edit(`muscles ${muscles} ${Object.keys(changes)}`, 'setMuscles', [muscles, changes]);
  }
  setWindow(seconds: number): void {
    this.state.window = seconds;
    this.edit('window', 'setWindow', [seconds]);
  }
  proposeMuscles(): void {
    this.edit('propose', 'proposeMuscles', []);
  }

  /** Sliders ask more often than the engine answers: what was not begun yet gives way to what came later. */
  private edit<E extends Edit>(key: string, name: E, words: Words<E>): void {
    this.waiting = this.waiting.filter((other) => other.key !== key);
    this.waiting.push({ key, ask: (remote) => remote.ask(name, words) as Promise<Value<E>> });
    this.working ??= this.work();
  }

  private async work(): Promise<void> {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      let problem: unknown = null;
      try {
        const state = await next.ask(this.remote);
        this.made = [...this.made.filter((other) => other.key !== next!.key), next];
        if (this.waiting.length === 0) this.state = state;
      } catch (error) {
        if (error instanceof Cancelled) break;
        problem = error;
        this.state = await this.remote.ask('setFlow', [{}]).catch(() => this.state); // changes nothing, and tells
      }
      this.onchange(problem);
    }
    this.working = null;
  }

  /** Whether the engine still works on what was set. */
  get settling(): Promise<void> | null {
    return this.working;
  }

  /** A new worker with the same file does again what the one before had done; what it was about to do is forgotten. */
  async restart(remote: Remote, state: KinodynamicState): Promise<void> {
    this.remote = remote;
    this.waiting = [];
    this.state = state;
    for (const edit of this.made) this.state = await edit.ask(remote);
    this.onchange(null);
  }
}
