// The stream of joint rotations: one JSON message a frame, read strictly. docs/live.md describes it.
import { shown, suggestion } from './names.js';
import { type Result, failure, success } from './result.js';
import type { Rig } from './rig.js';
import { type Quaternion, conjugate, multiply, normalized } from './rotation.js';

/** Rotations of some joints relative to their parents, at a time in seconds. */
export interface LiveFrame {
  time: number;
  joints: ReadonlyMap<string, Quaternion>;
}

export const largestMessage = 64 * 1024; // bytes
const fields = ['version', 'time', 'joints', 'relative'];
// Rounding to three digits is well within; angles in degrees or a forgotten component are not.
const lengthTolerance = 0.01;

function readRotation(name: string, numbers: unknown): Result<Quaternion> {
  const item = `joint '${shown(name)}'`;
  if (!Array.isArray(numbers) || numbers.length !== 4)
    return failure(item, 'is no rotation', 'send a quaternion as [x, y, z, w]');
  if (!numbers.every((n) => typeof n === 'number' && Number.isFinite(n)))
    return failure(item, 'has components that are not finite numbers', 'send a quaternion as [x, y, z, w]');
  const norm = Math.hypot(...numbers);
  if (norm < 1e-6) return failure(item, 'has the quaternion zero, which is no rotation', 'leave the joint out instead');
  if (Math.abs(norm - 1) > lengthTolerance)
    return failure(item, `has a quaternion of length ${norm.toPrecision(3)}`, 'send quaternions of length 1');
  return success(normalized(numbers as unknown as Quaternion));
}

/** Checks one message and gives its rotations relative to the joints' parents, whatever they were sent relative to. */
export function parseMessage(text: string, rig: Rig): Result<LiveFrame> {
  if (text.length > largestMessage || new TextEncoder().encode(text).length > largestMessage)
    return failure('message', `is larger than ${largestMessage / 1024} KiB`, 'send one frame a message');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return failure('message', 'is not JSON', (error as Error).message);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return failure('message', 'is no JSON object', 'send {"version": 1, "time": seconds, "joints": {...}}');
  const { version, time, joints, relative = false } = json as Record<string, unknown>;
  if (version !== 1)
    return failure(
      'message',
      `has version ${shown(JSON.stringify(version) ?? 'none')}`,
      'this reader knows "version": 1',
    );
  const odd = Object.keys(json).find((field) => !fields.includes(field));
  if (odd !== undefined) return failure(`field '${shown(odd)}'`, 'is unknown', suggestion(odd, fields));
  if (typeof time !== 'number' || !Number.isFinite(time))
    return failure("field 'time'", 'is no finite number', 'send the time of the frame in seconds');
  if (typeof relative !== 'boolean')
    return failure("field 'relative'", 'is neither true nor false', 'leave it out for false');
  if (typeof joints !== 'object' || joints === null || Array.isArray(joints))
    return failure("field 'joints'", 'is no JSON object', 'send {"joint name": [x, y, z, w], ...}');
  const rotations = new Map<string, Quaternion>();
  for (const [name, numbers] of Object.entries(joints)) {
    const joint = rig.get(name);
    if (!joint) return failure(`joint '${shown(name)}'`, 'is not in the character', suggestion(name, rig.keys()));
    const rotation = readRotation(name, numbers);
    if (!rotation.ok) return rotation;
    rotations.set(name, relative ? normalized(multiply(joint.rest, rotation.value)) : rotation.value);
  }
  return success({ time, joints: rotations });
}

/** The frame as a message. With a rig the rotations are sent relative to its rest: they then suit another one, too. */
export function writeMessage(frame: LiveFrame, relativeTo?: Rig): string {
  const rotations = [...frame.joints].map(([name, q]): [string, Quaternion] => {
    const rest = relativeTo?.get(name)?.rest;
    return [name, rest ? multiply(conjugate(rest), q) : q];
  });
  return JSON.stringify({
    version: 1,
    time: frame.time,
    ...(relativeTo && { relative: true }),
    joints: Object.fromEntries(rotations),
  });
}
