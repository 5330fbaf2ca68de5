// Poses where linear blend and Supple differ most, by measure: of examples, or by the volume that a skin keeps.
import type { Character, Layers, PoseState } from '../../engine/engine';
import { bonesAlone } from '../settings';
import { bestView, whereDifferent } from './best_view';
import { distance, volume } from './measure';
import type { Contest, VolumeContest } from './messages';
import { type OpenExamples, joined } from './open_examples';

interface Shapes {
  linear: Float32Array;
  supple: Float32Array;
}

function seen({ linear, supple }: Shapes, triangles: Uint32Array): Pick<Contest, 'direction' | 'middle' | 'about' | 'shape'> {
  const about = whereDifferent(linear, supple);
  const { direction, middle } = bestView(linear, supple, triangles, about);
  return { direction: direction.toArray(), middle: middle.toArray(), about: about === supple ? about.slice() : about, shape: supple };
}

/** The example where Supple is nearer to the truth than linear blend by most. `turn` lets others work between two poses. */
export async function contestOfExamples(character: Character, examples: OpenExamples, layers: Layers, turn: (share: number) => Promise<void>): Promise<Contest | null> {
  const { set } = examples;
  const whole = joined(examples, character);
  let best = { pose: -1, gain: -Infinity, linear: 0, supple: 0 };
  let shapes: Shapes | null = null;
  for (let example = 0; example < set.count; ++example) {
    const right = set.positions(example).slice();
    set.pose(example, character);
    character.update(bonesAlone);
    const linear = whole.positions();
    character.update(layers);
    const supple = whole.positions();
    const [far, near] = [distance(linear, right).mean, distance(supple, right).mean];
    if (far - near > best.gain) {
      best = { pose: example, gain: far - near, linear: far, supple: near };
      shapes = { linear, supple };
    }
    await turn((example + 1) / set.count);
  }
  return shapes && { pose: best.pose, linear: best.linear, supple: best.supple, ...seen(shapes, whole.indices) };
}

/** The pose where linear blend changes the volume by most. */
export async function contestOfVolume(character: Character, part: number, poses: readonly PoseState[], layers: Layers, turn: (share: number) => Promise<void>): Promise<VolumeContest | null> {
  const { kinodynamics } = character;
  const { indices, positions } = character.parts[part];
  const held = volume(positions, indices);
  let best = { pose: -1, linear: -1, supple: 0 };
  let shapes: Shapes | null = null;
  const path = new Float32Array(poses.length * positions.length);
  for (const [number, pose] of poses.entries()) {
    character.poseState = pose;
    character.update(bonesAlone);
    const linear = character.evaluate(part, 'linear').positions.slice();
    character.update(layers);
    kinodynamics.settle();
    const supple = kinodynamics.evaluate(part).positions.slice();
    path.set(supple, number * positions.length);
    const [lost, left] = [linear, supple].map((shape) => Math.abs(volume(shape, indices) - held));
    if (lost > best.linear) {
      best = { pose: number, linear: lost, supple: left };
      shapes = { linear, supple };
    }
    await turn((number + 1) / poses.length);
  }
  return shapes && { ...best, held, path, ...seen(shapes, indices) };
}
