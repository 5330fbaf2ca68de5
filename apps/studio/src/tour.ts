// The tour: characters with a pose each where linear blend and Supple differ plainly. Which pose that is, and by how much,
// is measured here, on what the page shows.
import type { Engine } from '../engine/engine';
import { bestView, whereDifferent } from './best_view';
import { distance, volume } from './measure';
import { bonesAlone } from './settings';
import { fetched, servedExamples } from './sources';
import type { Studio } from './studio';

/** As tour.json lists them; the studio's build writes it, and only what it made is in it. */
export interface Stop {
  title: string;
  text: string;
  model: string; // path from the page
  examples?: string; // folder of the poses to choose from, with the true skin in each
  truth?: string; // what that is, in words
  clip?: string; // or a clip that plays, judged by the volume that the skin keeps
  joint?: string; // or a joint that bends, judged likewise
}
export interface Measured {
  pose: string;
  linear: number;
  supple: number;
  caption: string;
}

export async function stops(): Promise<Stop[]> {
  return (JSON.parse(new TextDecoder().decode(await fetched('tour.json'))) as { stops: Stop[] }).stops;
}

const millimetres = (metres: number) => `${(1000 * metres).toFixed(metres < 0.00095 ? 2 : 1)} mm`;
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const litres = (cubicMetres: number) => `${(1000 * cubicMetres).toFixed(2)} l`;
const turn = () => new Promise((done) => setTimeout(done)); // the page goes on between two poses

interface Pose {
  name: string;
  take: () => void; // to be measured
  show: () => void; // for good
}
interface Shapes {
  linear: Float32Array;
  supple: Float32Array;
}

export class Tour {
  constructor(
    private readonly engine: Engine,
    private readonly studio: Studio,
  ) {}

  /** Opens a stop and shows it; null where another file was opened meanwhile. */
  async visit(stop: Stop): Promise<Measured | null> {
    const { studio } = this;
    if (!(await studio.open(await fetched(stop.model), stop.title))) return null;
    const { model } = studio.now!;
    studio.playback.toggle(false);
    const examples = stop.examples ? await servedExamples(this.engine, stop.examples) : null;
    if (studio.now?.model !== model) {
      examples?.dispose();
      return null;
    }
    if (examples) studio.setExamples(examples);
    const measured = examples ? await this.byExamples(stop) : await this.byVolume(stop);
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
    const { model } = studio.now!;
    const { character } = model;
    const part = model.parts.findIndex(({ tables }) => tables.name === examples!.part);
    let best = { example: -1, gain: -Infinity, linear: 0, supple: 0 };
    let shapes: Shapes | null = null;
    for (let example = 0; example < examples!.count; ++example) {
      const right = examples!.positions(example).slice();
      examples!.pose(example, character);
      character.update(bonesAlone);
      const linear = character.evaluate(part, 'linear').positions.slice();
      character.update(studio.settings);
      const supple = character.evaluate(part, 'linear').positions.slice();
      const [far, near] = [distance(linear, right).mean, distance(supple, right).mean];
      if (far - near > best.gain) {
        best = { example, gain: far - near, linear: far, supple: near };
        shapes = { linear, supple };
      }
      await turn();
      if (studio.examples !== examples) return null;
    }
    if (!shapes) return null;
    studio.choose(best.example);
    this.look(shapes, model.parts[part].tables.indices);
    const times = best.linear / best.supple;
    const caption = `Linear blend is ${millimetres(best.linear)} off ${truth}, Supple ${millimetres(best.supple)}: ${times.toFixed(times < 10 ? 1 : 0)} times nearer.`;
    return { pose: examples!.names[best.example], linear: best.linear, supple: best.supple, caption };
  }

  /** The pose where linear blend changes the volume by most: of a clip, which then plays, or of one joint that bends. */
  private async byVolume(stop: Stop): Promise<Measured | null> {
    const { studio } = this;
    const { model } = studio.now!;
    const { character } = model;
    const { kinodynamics } = character;
    const part = Math.max(0, kinodynamics.flowing.indexOf(true));
    const triangles = model.parts[part].tables.indices;
    const held = volume(model.parts[part].tables.positions, triangles);
    const poses = stop.joint ? this.bends(stop.joint) : this.moments(stop.clip);
    Object.assign(studio.settings, { blend: 'kinodynamic', muscles: !stop.joint });
    let best = { linear: -1, supple: 0, pose: poses[0] };
    let shapes: Shapes | null = null;
    const path: Float32Array[] = [];
    for (const pose of poses) {
      pose.take();
      character.update(bonesAlone);
      const linear = character.evaluate(part, 'linear').positions.slice();
      character.update(studio.settings);
      kinodynamics.settle();
      const supple = kinodynamics.evaluate(part).positions.slice();
      path.push(supple);
      const [lost, left] = [linear, supple].map((shape) => Math.abs(volume(shape, triangles) - held));
      if (lost > best.linear) {
        best = { linear: lost, supple: left, pose };
        shapes = { linear, supple };
      }
      await turn();
      if (studio.now?.model !== model) return null;
    }
    if (!shapes) return null;
    best.pose.show();
    this.look(shapes, triangles, stop.joint ? undefined : path);
    const caption = `Linear blend changes the volume by ${litres(best.linear)} (${percent(best.linear / held)} of the body), Supple by ${litres(best.supple)}.`;
    return { pose: best.pose.name, linear: best.linear, supple: best.supple, caption };
  }

  /** Eight moments of a clip. */
  private moments(name: string | undefined): Pose[] {
    const { playback, now } = this.studio;
    const { character } = now!.model;
    const clip = Math.max(0, character.clips.findIndex((own) => own.name === name));
    const { start, end } = character.clips[clip];
    return Array.from({ length: 8 }, (_, i) => start + ((end - start) * i) / 8).map((time) => ({
      name: `${name} at ${time.toFixed(2)} s`,
      take: () => {
        character.rest();
        character.sample(clip, time);
      },
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
      return { name: `${name} at ${Math.round((share * max * 180) / Math.PI)} degrees`, take, show: () => (take(), this.studio.moved()) };
    });
  }

  /** Turns the camera to where most of the difference is seen, or to a whole path, and puts the line through its middle. */
  private look({ linear, supple }: Shapes, triangles: Uint32Array, path?: Float32Array[]): void {
    const { stage } = this.studio;
    const about = whereDifferent(linear, supple);
    const { direction, middle } = bestView(linear, supple, triangles, about);
    stage.frame(path ?? [about], direction, path ?? [supple]);
    stage.wipe.sway(Math.min(Math.max(stage.across(middle), 0.3), 0.7));
  }
}
