// Recordings of a Leap Motion controller, as leapjs writes them: points of every finger, in millimetres.
import { type Finger, type FingerPoints, type HandPoints, type PointsFrame, fingers } from './hand_points.js';
import { type Result, failure, success } from './result.js';
import type { Vector } from './rotation.js';

interface LeapHand {
  id: number;
  type: 'left' | 'right';
  direction: Vector;
  palmNormal: Vector;
}

/** The controller's thumb has a metacarpal of length zero: its "mcp" is the root of the real metacarpal, and so on. */
interface LeapPointable {
  handId: number;
  type: number; // 0 is the thumb, 4 the little finger
  tool: boolean;
  mcpPosition: Vector;
  pipPosition: Vector;
  dipPosition: Vector;
  tipPosition: Vector;
}

interface LeapFrame {
  timestamp: number; // microseconds
  hands: LeapHand[];
  pointables: LeapPointable[];
}

const isVector = (v: unknown) => Array.isArray(v) && v.length === 3 && v.every((c) => Number.isFinite(c));

function problemOf(frame: LeapFrame, last: number): string | undefined {
  if (!Number.isFinite(frame?.timestamp)) return 'has no timestamp';
  if (!(frame.timestamp > last)) return 'is not later than the frame before';
  if (!Array.isArray(frame.hands) || !Array.isArray(frame.pointables)) return 'has no hands and pointables';
  if (!frame.hands.every((h) => ['left', 'right'].includes(h?.type) && isVector(h.direction) && isVector(h.palmNormal)))
    return 'has a hand without side, direction or normal';
  const points = (p: LeapPointable) => [p.mcpPosition, p.pipPosition, p.dipPosition, p.tipPosition];
  if (
    !frame.pointables.every(
      (p) => p?.tool || (Number.isInteger(p?.type) && p.type in fingers && points(p).every(isVector)),
    )
  )
    return 'has a finger without its four points';
  return undefined;
}

const pointsOf = (p: LeapPointable): [Finger, FingerPoints] => [
  fingers[p.type],
  [p.mcpPosition, p.pipPosition, p.dipPosition, p.tipPosition],
];

/** Frames with their times in seconds from the first. */
export function readLeapRecording(json: unknown): Result<PointsFrame[]> {
  const { frames } = (json ?? {}) as { frames?: LeapFrame[] };
  if (!Array.isArray(frames) || frames.length === 0)
    return failure('recording', 'has no frames', 'take the decompressed JSON that leapjs writes');
  const result: PointsFrame[] = [];
  let last = -Infinity;
  for (const [f, frame] of frames.entries()) {
    const problem = problemOf(frame, last);
    if (problem)
      return failure(`frame ${f}`, problem, 'take the decompressed JSON that leapjs writes, protocol version 6');
    last = frame.timestamp;
    const hands = frame.hands.map(({ id, type, direction, palmNormal }): HandPoints => {
      const own = frame.pointables.filter((p) => p.handId === id && !p.tool);
      return { side: type, direction, normal: palmNormal, fingers: new Map(own.map(pointsOf)) };
    });
    result.push({ time: (last - frames[0].timestamp) / 1e6, hands });
  }
  return success(result);
}
