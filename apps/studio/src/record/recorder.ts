// Records what is on stage, picture by picture: a clip, or the pose as it is while the camera goes round it. No clock takes part:
// every picture waits until its skin has been computed, however long that takes.
import { Vector3 } from 'three';
import { momentOf, take } from '../moments';
import { Cancelled } from '../remote';
import type { Studio } from '../studio';
import { type Sink, gifSink, videoSink } from './sink';

export const subjects = ['clip', 'turntable'] as const;
export const formats = ['video', 'gif'] as const;

export interface Recording {
  subject: (typeof subjects)[number];
  format: (typeof formats)[number];
  rate: number; // pictures a second
  scale: number; // of the stage
}

const turnSeconds = 4; // of a turntable

/** A picture of a recording: how to stand for it. */
type Stand = () => void;

function clipStands(studio: Studio, rate: number): Stand[] {
  const { playback } = studio;
  const { clip, current, speed } = playback;
  if (!current) throw new Error('This file has no clip: record a turntable.');
  const count = Math.max(1, Math.round(((current.end - current.start) * rate) / speed));
  return Array.from({ length: count }, (_, i) => () => {
    playback.standAt(clip, current.start + (i * speed) / rate);
    studio.released();
  });
}

/** Once around the point that the camera looks at. */
function turntableStands(studio: Studio, rate: number): Stand[] {
  const { camera, controls } = studio.stage;
  const from = camera.position.clone().sub(controls.target);
  const count = Math.round(turnSeconds * rate);
  return Array.from({ length: count }, (_, i) => () => {
    camera.position.copy(from).applyAxisAngle(new Vector3(0, 1, 0), (2 * Math.PI * i) / count).add(controls.target);
  });
}

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));

/** Draws what is on stage as it stands, once the engine has given all of it. Whoever wants the picture takes it at once. */
async function drawn(studio: Studio): Promise<void> {
  while (!studio.drawStill()) while (studio.now?.skinner.working) await pause(4);
}

/** What is on stage stays as it is while something is made of it: nothing moves, and no handles are seen. */
async function withStill<T>(studio: Studio, work: () => Promise<T>): Promise<T> {
  if (studio.recording) throw new Error('Something is being recorded already.');
  const { playback, stage } = studio;
  const [moment, playing, position] = [momentOf(studio), playback.playing, stage.camera.position.clone()];
  const { now, poseNumber } = studio;
  const draggable = now?.drag.enabled ?? false;
  if (now) now.drag.enabled = false;
  studio.recording = true;
  stage.controls.enabled = false;
  try {
    return await work();
  } finally {
    studio.recording = false;
    stage.controls.enabled = true;
    if (now && studio.now === now) {
      now.drag.enabled = draggable;
      if (studio.poseNumber !== poseNumber) take(studio, moment);
      if (playing && !playback.playing) playback.toggle(true);
      stage.camera.position.copy(position);
    }
  }
}

/** `tell` hears what share is done. Ends with Cancelled where somebody cancelled, or another file came on stage. */
export function record(studio: Studio, { subject, format, rate, scale }: Recording, tell: (share: number) => void, cancelled: () => boolean): Promise<{ file: Blob; extension: string }> {
  return withStill(studio, async () => {
    const { stage, now } = studio;
    const stands = subject === 'clip' ? clipStands(studio, rate) : turntableStands(studio, rate);
    const whole = format === 'gif' ? 1 : 2; // codecs want even numbers
    const [width, height] = [stage.canvas.width, stage.canvas.height].map((pixels) => whole * Math.max(1, Math.round((scale * pixels) / whole)));
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d', { willReadFrequently: format === 'gif' })!;
    const sink: Sink = format === 'gif' ? gifSink(width, height, rate) : await videoSink(width, height, rate);
    try {
      for (const [i, stand] of stands.entries()) {
        stand();
        await drawn(studio);
        context.drawImage(stage.canvas, 0, 0, width, height); // before anything else: the buffer is not kept longer
        await sink.add(canvas);
        tell((i + 1) / stands.length);
        await pause(0); // the page goes on
        if (cancelled() || studio.now !== now) throw new Cancelled();
      }
      return await sink.finish();
    } catch (error) {
      sink.close();
      throw error;
    }
  });
}

/** The character as a picture (PNG) whose background lets through what lies behind it. */
export function transparentPicture(studio: Studio): Promise<Blob> {
  return withStill(studio, async () => {
    await drawn(studio);
    return studio.stage.picture(true);
  });
}
