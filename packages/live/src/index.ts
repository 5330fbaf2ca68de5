// Live hand input, independent of renderer and engine: frames of joint rotations from a WebSocket stream, WebXR or
// points on the fingers; brought onto rigs with other names and axes; smoothed and kept within the joints' limits.
//
//   const rig = readRig(gltfJson);
//   const input = new LiveInput(rig);
//   openStream('ws://127.0.0.1:8765', rig, { onFrame: (frame) => pose(input.next(frame).joints), onProblem: show });
export { type Recognised, readBones, recognise } from './bones_of_names.js';
export { type FilterOptions, FrameFilter, RotationFilter, defaultFilter } from './filter.js';
export { dofAngles, turnOf } from './dof_angles.js';
export {
  type Finger,
  type FingerPoints,
  type HandPoints,
  type PointsFrame,
  fingers,
  framesFromPoints,
  jointsFromPoints,
  jointsOf,
} from './hand_points.js';
export { type HandOn, handOn } from './hand_on.js';
export { type HumanBone, humanBones } from './human_bones.js';
export { readLeapRecording } from './leap.js';
export { limited, limitedFrame } from './limits.js';
export { LiveInput } from './live_input.js';
export { type Landmark, handFromLandmarks } from './mediapipe.js';
export { type SetName, namesIn } from './name_sets.js';
export { type LiveFrame, largestMessage, parseMessage, writeMessage } from './protocol.js';
export { type Problem, type Result, describe } from './result.js';
export { Retarget, type RetargetOptions, retarget } from './retarget.js';
export { type Dof, type Joint, type Rig, type Side, readRig, rigOf, sideOf } from './rig.js';
export type { Quaternion, Vector } from './rotation.js';
export { LiveStream, type Socket, type StreamHandlers, checkAddress, openStream } from './stream.js';
export { type JointSource, type TrackedHand, canTrackHands, frameFromXRHand } from './webxr.js';
export { webxrHand } from './webxr_hand.js';
