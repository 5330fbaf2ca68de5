// Poses that come back: undone, done again, or put to rest.
import type { Moment } from './history';
import type { Studio } from './studio';

export function momentOf({ now, playback, posedByHand, example }: Studio): Moment {
  const { character } = now!.model;
  return { rotations: character.joints.map((_, j) => character.rotation(j)), posedByHand, example, clip: playback.clip, time: playback.time };
}

/** Takes a pose again that there was. */
export function take(studio: Studio, moment: Moment | undefined): void {
  if (!moment) return;
  const { rotations, posedByHand, example, clip, time } = moment;
  studio.playback.standAt(clip, time);
  if (example !== studio.example) studio.choose(example);
  rotations.forEach((rotation, j) => studio.now!.model.character.setRotation(j, rotation));
  studio.posedByHand = posedByHand;
  ++studio.poseNumber;
  studio.onturn();
}

export function undo(studio: Studio): void {
  if (studio.now) take(studio, studio.history.undo(momentOf(studio)));
}

export function redo(studio: Studio): void {
  if (studio.now) take(studio, studio.history.redo(momentOf(studio)));
}

/** All joints back to rest, paused. */
export function resetAll(studio: Studio): void {
  if (!studio.now) return;
  studio.begin();
  studio.now.model.character.rest();
  studio.moved();
}

export function resetJoint(studio: Studio, joint: number): void {
  const { character, rests } = studio.now!.model;
  studio.begin();
  character.setRotation(joint, rests[joint]);
  studio.moved();
}
