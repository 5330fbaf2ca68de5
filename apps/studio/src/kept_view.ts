// What a person has set up about a file, to be had again when another version of it takes its place.
import { Quaternion as Turn } from 'three';
import type { Quaternion } from '../engine/engine';
import { isOfFlow } from './settings';
import type { Studio } from './studio';

const turnOf = (q: Quaternion) => new Turn().fromArray(q);
const same = (a: Quaternion, b: Quaternion) => a.every((c, i) => c === b[i]);

/** Pose, camera and settings as they are now; call what comes back once the other version is on stage. Joints, parts and clips are
 * found by their names; a pose is kept as turns away from rest, so that a rig that rests otherwise keeps it, too. What the file
 * itself says (flesh, flow, muscles) is the file's. */
export function keepView(studio: Studio): () => void {
  const { stage, settings, playback, posedByHand, example } = studio;
  const { model } = studio.now!;
  const { character, rests } = model;
  const camera = { position: stage.camera.position.clone(), target: stage.controls.target.clone() };
  const hidden = new Set([...settings.hidden].map((p) => model.parts[p]?.tables.name));
  const joint = character.joints[settings.joint]?.name;
  const clip = playback.current?.name;
  const { time, playing } = playback;
  const turned = new Map(
    character.joints.flatMap(({ name }, j): [string, { from: Quaternion; to: Quaternion }][] => {
      const to = character.rotation(j);
      return same(to, rests[j]) ? [] : [[name, { from: rests[j], to }]];
    }),
  );

  return () => {
    const { model: next } = studio.now!;
    const { character: own, rests: ownRests } = next;
    const { settings: fresh } = studio;
    const flows = next.kinodynamics.flowing.includes(true);
    const known = own.joints.findIndex(({ name }) => name === joint);
    studio.settings = {
      ...settings,
      hidden: new Set(next.parts.flatMap(({ tables }, p) => (hidden.has(tables.name) ? [p] : []))),
      joint: known >= 0 ? known : fresh.joint,
      blend: settings.blend === 'kinodynamic' && !flows ? fresh.blend : settings.blend,
      colouring: settings.colouring === 'error' || (isOfFlow(settings.colouring) && !flows) ? 'none' : settings.colouring,
      element: settings.element < own.flesh.elements.length ? settings.element : -1,
      muscle: settings.muscle < next.kinodynamics.muscles.length ? settings.muscle : -1,
    };
    const number = own.clips.findIndex(({ name }) => name === clip);
    if (number >= 0) {
      const { start, end } = own.clips[number];
      playback.standAt(number, Math.min(Math.max(time, start), end));
    }
    if (posedByHand) {
      own.rest();
      own.joints.forEach(({ name }, j) => {
        const kept = turned.get(name);
        if (!kept) return;
        const moved = same(kept.from, ownRests[j]) ? kept.to : (turnOf(ownRests[j]).multiply(turnOf(kept.from).invert()).multiply(turnOf(kept.to)).toArray() as Quaternion);
        own.setRotation(j, moved);
      });
      studio.moved();
    } else if (example < 0) {
      playback.toggle(playing);
    }
    stage.controls.target.copy(camera.target);
    stage.camera.position.copy(camera.position);
    stage.controls.update();
    studio.changed();
  };
}
