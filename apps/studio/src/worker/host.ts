// The engine with one character and its example set, as the page asks for them. Every method is one question; those that
// take long let others in between, and tell how far they are.
import { type Blend, type Character, Engine, EngineError, type Flow, type Layers, type MuscleParameters, type PoseState, type Surface, type Volume } from '../../engine/engine';
import type { Beside } from '../beside';
import { blendOf, bonesAlone } from '../settings';
import { fetched } from '../sources';
import { contestOfExamples, contestOfVolume } from './contests';
import { withoutDraco } from './draco';
import { exampleFiles } from './example_files';
import { type OpenExamples, openedFor, truthOf } from './open_examples';
import type { Contest, Example, ExampleSource, ExamplesOpened, FrameAnswer, FrameRequest, KinodynamicState, Opened, VolumeContest } from './messages';
import { normalsOf } from './normals';
import { Painter } from './painter';
import { withParts } from './with_parts';

const mostVectors = 1200; // of a part: more are a blue blot
const leastWeight = 0.03; // what flesh carries less has nothing to show

const copy = ({ positions, normals }: Surface): Surface => ({ positions: positions.slice(), normals: normals.slice() });

/** Some of the vertices that flesh carries along, evenly over their numbers. */
function carried(weights: Float32Array): Uint32Array {
  const all = Uint32Array.from(weights.keys()).filter((vertex) => weights[vertex] >= leastWeight);
  const every = Math.max(1, Math.ceil(all.length / mostVectors));
  return all.filter((_, i) => i % every === 0);
}

/** Points of a shape, evenly over their numbers: enough to see how large it is. */
function some(positions: Float32Array): Float32Array {
  const every = Math.ceil(positions.length / 3 / 10_000) || 1;
  return positions.filter((_, i) => Math.floor(i / 3) % every === 0);
}

function same(a: Float32Array | undefined, b: Float32Array): boolean {
  if (a?.length !== b.length) return false;
  for (let i = 0; i < b.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}

export type Tell = (share: number) => void;

export class Host {
  private engine!: Engine;
  private character!: Character;
  private painter!: Painter;
  private vertices: Uint32Array[] = []; // of each part, whose displacement is drawn
  private examples: OpenExamples | null = null;
  private before: (Float32Array | undefined)[] = []; // positions of the last frame

  private compiling!: Promise<WebAssembly.Module>;
  private fetching!: Promise<Uint8Array>;
  private opening: Promise<unknown> = Promise.resolve(); // what is asked ahead waits for it
  private readingExamples: Promise<unknown> = Promise.resolve();

  /** Fetches and compiles the engine: whoever asks need not wait for it to open a file. */
  compile(_: Tell, address: string): Promise<WebAssembly.Module> {
    return (this.compiling = Engine.compile(new URL(address)));
  }
  /** Fetches a file and keeps a copy, which openFetched() opens. */
  async fetchFile(_: Tell, address: string): Promise<Uint8Array> {
    this.fetching = fetched(address);
    return (await this.fetching).slice();
  }
  openFetched(tell: Tell, name: string): Promise<Opened> {
    const opened = Promise.all([this.compiling, this.fetching]).then(([compiled, bytes]) => this.open(tell, compiled, bytes, name, null));
    this.opening = opened;
    return opened;
  }

  async open(_: Tell, compiled: WebAssembly.Module, bytes: Uint8Array, name: string, beside: Beside | null): Promise<Opened> {
    const whole = withParts(bytes, name, beside).then((all) => withoutDraco(all, name));
    const [engine, file] = await Promise.all([Engine.load(compiled), whole]);
    this.engine = engine;
    this.character = engine.open(file, name);
    this.painter = new Painter(this.character);
    const { description, parts } = this.character.data;
    const { flesh } = this.character;
    this.vertices = parts.map((_, p) => (flesh.elements.length > 0 ? carried(flesh.weights(p)) : new Uint32Array(0)));
    // The large tables go to the page for good; shapes stay here too.
    const given = parts.map((part) => ({ ...part, positions: part.positions.slice(), indices: part.indices.slice() }));
    const rig = this.character.rigFile();
    if (description.clips.length > 0) this.character.sample(0, description.clips[0].start);
    const points = this.pointsNow();
    this.character.rest();
    return { data: { description, parts: given }, rig, file, kinodynamics: this.state(), carried: this.vertices.map((list) => list.slice()), points };
  }

  private state(): KinodynamicState {
    const { kinodynamics, joints } = this.character;
    return {
      flowing: [...kinodynamics.flowing],
      muscles: [...kinodynamics.muscles],
      flow: kinodynamics.flow(),
      window: kinodynamics.window,
      volumes: joints.map((_, j) => kinodynamics.volume(j)),
      parameters: kinodynamics.muscles.map((_, m) => kinodynamics.parameters(m)),
    };
  }

  setFlow(_: Tell, changes: Partial<Flow>): KinodynamicState {
    this.character.kinodynamics.setFlow(changes);
    return this.state();
  }
  setVolume(_: Tell, joint: number, volume: Volume | null): KinodynamicState {
    this.character.kinodynamics.setVolume(joint, volume);
    return this.state();
  }
  setMuscles(_: Tell, muscles: readonly number[], changes: Partial<MuscleParameters>): KinodynamicState {
    for (const muscle of muscles) this.character.kinodynamics.setParameters(muscle, changes);
    return this.state();
  }
  setWindow(_: Tell, seconds: number): KinodynamicState {
    this.character.kinodynamics.window = seconds;
    return this.state();
  }
  proposeMuscles(_: Tell): KinodynamicState {
    this.character.kinodynamics.proposeMuscles();
    return this.state();
  }

  frame(_: Tell, request: FrameRequest): FrameAnswer {
    const start = performance.now();
    const { character, vertices } = this;
    const { kinodynamics } = character;
    const { blend, drawn } = request;
    character.poseState = request.pose;
    character.update(request.layers);
    const step = request.muscles;
    if (step?.how === 'settle') kinodynamics.settle();
    if (step?.how === 'animate') kinodynamics.animate(step.seconds);
    if (step?.how === 'seek') kinodynamics.seek(step.clip, step.seconds);
    const flows = (p: number) => blend === 'kinodynamic' && kinodynamics.flowing[p];
    const surfaces = character.parts.map((_, p) => (request.surfaces.includes(p) ? copy(flows(p) ? kinodynamics.evaluate(p) : character.evaluate(p, blendOf(blend))) : null));
    const still = surfaces.every((surface, p) => !surface || same(this.before[p], surface.positions));
    this.before = surfaces.map((surface) => surface?.positions.slice());
    const muscles = drawn.muscles && kinodynamics.muscles.length > 0 ? kinodynamics.muscleShapes() : null;
    const shapes = muscles && { positions: muscles.positions.slice(), triangles: muscles.triangles.slice(), points: muscles.points.slice() };
    const tissue = drawn.tissue ? kinodynamics.tissue().map((own) => ({ ...own, toWorld: own.toWorld.slice() })) : null;
    const vectors = vertices.map((list, p) => (drawn.vectors.includes(p) ? character.flesh.displacements(p, blendOf(blend), list).slice() : null));
    const painted = this.painter.paint(request, this.examples);
    return { surfaces, shapes, tissue, vectors, painted, still, unfinished: this.painter.unfinished, milliseconds: performance.now() - start };
  }

  /** A part on the CPU, for whoever compares. */
  evaluate(_: Tell, part: number, pose: PoseState, layers: Layers, blend: Blend): Surface {
    this.character.poseState = pose;
    this.character.update(layers);
    return copy(this.character.evaluate(part, blend));
  }
  /** A flowing part as the last frame left it. */
  flowing(_: Tell, part: number): Surface {
    return copy(this.character.kinodynamics.evaluate(part));
  }
  /** Vertices of all parts by linear blend alone, three numbers each; some of a part that has very many. */
  points(_: Tell, pose: PoseState): Float32Array[] {
    this.character.poseState = pose;
    return this.pointsNow();
  }
  private pointsNow(): Float32Array[] {
    this.character.update(bonesAlone);
    return this.character.parts.map((_, p) => some(this.character.evaluate(p, 'linear').positions));
  }
  exportGlb(_: Tell, pose: PoseState, layers: Layers): Uint8Array {
    this.character.poseState = pose;
    this.character.update(layers);
    return this.character.exportGlb();
  }

  /** Refuses a set that was made for another character; the one that was there stays then. */
  openExamples(tell: Tell, source: ExampleSource): Promise<ExamplesOpened> {
    const read = this.readExamples(tell, source);
    this.readingExamples = read;
    return read;
  }
  private async readExamples(tell: Tell, source: ExampleSource): Promise<ExamplesOpened> {
    const files = typeof source === 'string' ? await exampleFiles(source, tell) : source;
    await this.opening;
    const { character } = this;
    const set = this.engine.openExamples(files);
    try {
      const examples = openedFor(set, character);
      set.pose(0, character);
      this.examples?.set.dispose();
      this.examples = examples;
      return { parts: examples.parts.map(({ part }) => part), names: set.names };
    } catch (error) {
      set.dispose();
      throw error;
    }
  }
  closeExamples(_: Tell): void {
    this.examples?.set.dispose();
    this.examples = null;
  }
  private get opened(): OpenExamples {
    if (!this.examples) throw new EngineError('example set', 'is not open', 'open it again');
    return this.examples;
  }
  example(_: Tell, number: number): Example {
    const { opened, character } = this;
    opened.set.pose(number, character);
    character.update(bonesAlone);
    const surfaces = opened.parts.map(({ part }) => {
      const positions = truthOf(opened, number, part)!;
      return { positions, normals: normalsOf(positions, character.parts[part].indices) };
    });
    return { surfaces, locals: character.poseState.locals };
  }
  /** See errorCurve() of the engine; every example is skinned once for every number of modes. */
  async errors(tell: Tell, modes: readonly number[]): Promise<number[]> {
    const { set } = this.opened;
    const result: number[] = [];
    for (const number of modes) {
      result.push(set.errors(this.character, [number])[0]);
      await this.turn(tell, result.length / modes.length);
      if (this.examples?.set !== set) throw new EngineError('example set', 'was closed meanwhile', '');
    }
    return result;
  }

  async contestOfExamples(tell: Tell, layers: Layers): Promise<Contest | null> {
    await this.readingExamples;
    return contestOfExamples(this.character, this.opened, layers, (share) => this.turn(tell, share));
  }
  contestOfVolume(tell: Tell, part: number, poses: readonly PoseState[], layers: Layers): Promise<VolumeContest | null> {
    return contestOfVolume(this.character, part, poses, layers, (share) => this.turn(tell, share));
  }

  private turn(tell: Tell, share: number): Promise<void> {
    tell(share);
    return new Promise((done) => setTimeout(done));
  }
}
