// The tour: characters with a pose each where linear blend and Supple differ plainly. Which pose that is, and by how much,
// is measured by the engine, on what the page shows.
import { Vector3 } from 'three';
import type { PoseState } from '../engine/engine';
import { layersOf } from './settings';
import { fetched } from './sources';
import type { Stop } from './stops';
import type { Studio } from './studio';
import type { Contest } from './worker/messages';

export interface Measured {
  pose: string;
  linear: number;
  supple: number;
  caption: string;
}

const space = '\u00a0'; // a figure and its unit stay in one line
const millimetres = (metres: number) => `${(1000 * metres).toFixed(metres < 0.00095 ? 2 : 1)}${space}mm`;
const percent = (share: number) => `${(100 * share).toFixed(1)}${space}%`;
const litres = (cubicMetres: number) => `${(1000 * cubicMetres).toFixed(2)}${space}l`;

interface Pose {
  name: string;
  state: PoseState;
  show: () => void; // for good
}
export class Tour {
  constructor(private readonly studio: Studio) {}

  /** Opens a stop and shows it; null where another file was opened meanwhile. */
  async visit(stop: Stop): Promise<Measured | null> {
    const { studio } = this;
    if (!(await studio.open(await fetched(stop.model), stop.title))) return null;
    const { model } = studio.now!;
    studio.playback.toggle(false);
    if (stop.examples && !(await studio.openExamples(stop.examples))) return null;
    if (studio.now?.model !== model) return null;
    const measured = stop.examples ? await this.byExamples(stop) : await this.byVolume(stop);
    if (measured && studio.now?.model === model) {
      Object.assign(studio.settings, { wipe: true, split: false });
      studio.changed();
    }
    return measured;
  }

  /** The example where Supple is nearer to the truth than linear blend by most. */
  private async byExamples({ truth = 'the reference' }: Stop): Promise<Measured | null> {
    const { studio } = this;
    const { examples } = studio;
    const best = await this.busy((tell) => examples!.contest(layersOf(studio.settings), tell));
    if (!best || studio.examples !== examples) return null;
    await studio.choose(best.pose);
    this.look(best);
    const times = best.linear / best.supple;
    const caption = `Linear blend is ${millimetres(best.linear)} off ${truth}, Supple ${millimetres(best.supple)}: ${times.toFixed(times < 10 ? 1 : 0)} times nearer.`;
    return { pose: examples!.names[best.pose], linear: best.linear, supple: best.supple, caption };
  }

  /** The pose where linear blend changes the volume by most: of a clip, which then plays, or of one joint that bends. */
  private async byVolume(stop: Stop): Promise<Measured | null> {
    const { studio } = this;
    const { model } = studio.now!;
    const part = Math.max(0, model.kinodynamics.flowing.indexOf(true));
    const poses = stop.joint ? this.bends(stop.joint) : this.moments(stop.clip);
    const states = poses.map(({ state }) => state);
    const best = await this.busy((tell) => model.remote.ask('contestOfVolume', [part, states, layersOf(studio.settings)], tell));
    if (!best || studio.now?.model !== model) return null;
    Object.assign(studio.settings, { blend: 'kinodynamic', muscles: !stop.joint });
    poses[best.pose].show();
    this.look(best, stop.joint ? undefined : best.path);
    const caption = `Linear blend changes the volume by ${litres(best.linear)} (${percent(best.linear / best.held)} of the body), Supple by ${litres(best.supple)}.`;
    return { pose: poses[best.pose].name, linear: best.linear, supple: best.supple, caption };
  }

  private busy<T>(work: (tell: (share: number) => void) => Promise<T>): Promise<T> {
    return this.studio.busy.during('Measuring every pose of this stop', work, () => void this.studio.cancel());
  }

  /** The state of a pose that `set` makes; the character keeps the one that it has. */
  private stateOf(set: () => void): PoseState {
    const { character } = this.studio.now!.model;
    const layers = layersOf(this.studio.settings);
    character.update(layers);
    const kept = character.poseState;
    set();
    character.update(layers);
    const state = character.poseState;
    character.poseState = kept;
    return state;
  }

  /** Eight moments of a clip. */
  private moments(name: string | undefined): Pose[] {
    const { playback, now } = this.studio;
    const { character } = now!.model;
    const clip = Math.max(0, character.clips.findIndex((own) => own.name === name));
    const { start, end } = character.clips[clip];
    return Array.from({ length: 8 }, (_, i) => start + ((end - start) * i) / 8).map((time) => ({
      name: `${name} at ${time.toFixed(2)} s`,
      state: this.stateOf(() => {
        character.rest();
        character.sample(clip, time);
      }),
      show: () => {
        playback.choose(clip);
        playback.time = time;
        playback.toggle(!matchMedia('(prefers-reduced-motion: reduce)').matches);
      },
    }));
  }

  /** A joint bent by up to nine tenths of its first degree of freedom; nobody sits at the end of a limit. */
  private bends(name: string): Pose[] {
    const { character } = this.studio.now!.model;
    const joint = character.joints.findIndex((own) => own.name === name);
    const { max } = character.joints[joint].dofs[0];
    return [0.5, 0.6, 0.7, 0.8, 0.9].map((share) => {
      const take = () => {
        character.rest();
        character.setAngles(joint, [share * max], true);
      };
      return { name: `${name} at ${Math.round((share * max * 180) / Math.PI)} degrees`, state: this.stateOf(take), show: () => (take(), this.studio.moved()) };
    });
  }

  /** Turns the camera to where most of the difference is seen, or to a whole path, and puts the line through its middle. */
  private look({ about, direction, middle, shape }: Contest, path?: Float32Array): void {
    const { stage } = this.studio;
    stage.frame([path ?? about], new Vector3(...direction), [path ?? shape]);
    stage.wipe.sway(Math.min(Math.max(stage.across(new Vector3(...middle)), 0.3), 0.7));
  }
}
