// The chosen joint: rings turn it, and colours are about it.
import { chainOf } from './chain';
import { turnable } from './rings';
import type { Studio } from './studio';

/** A joint that cannot be turned, as the tip of a finger, chooses the one that moves it. */
export function chooseJoint(studio: Studio, joint: number): void {
  const { character } = studio.now!.model;
  const can = turnable(character);
  const chosen = can.includes(joint) ? joint : chainOf(character, joint).find((above) => can.includes(above));
  if (chosen === undefined || chosen === studio.settings.joint) return;
  studio.settings.joint = chosen;
  studio.changed();
  studio.onchoose();
}

/** The next of the joints that can be turned, or the one before (-1). */
export function chooseNext(studio: Studio, step: 1 | -1): void {
  if (!studio.now) return;
  const can = turnable(studio.now.model.character);
  if (can.length > 0) chooseJoint(studio, can[(can.indexOf(studio.settings.joint) + step + can.length) % can.length]);
}
