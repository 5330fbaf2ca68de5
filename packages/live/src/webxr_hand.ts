// A hand whose joints are named and oriented as WebXR's, to be moved by whatever sees hands: the joints of `supple make hand`.
import { type Dof, type Joint, type Rig, type Side, rigOf } from './rig.js';
import { type Quaternion, type Vector, normalized } from './rotation.js';

type Row = [name: string, parent: string, position: Vector, rest: Quaternion, dofs: [string, Vector, number, number][]];

// The right hand: metres; degrees of freedom in degrees. prettier-ignore keeps a joint on a line.
// prettier-ignore
const rows: Row[] = [
  ['forearm', '', [0, 0, 0.04], [0, 0, 0, 1], []],
  ['wrist', 'forearm', [0, 0, -0.04], [0, 0, 0, 1], [['abduction', [0, 1, 0], -30, 20], ['flexion', [-1, 0, 0], -60, 70]]],
  ['thumb-metacarpal', 'wrist', [-0.02, -0.009, -0.018], [0.0131205, 0.3998698, 0.4266642, 0.811104], [['abduction', [0, 1, 0], -24, 24], ['flexion', [-1, 0, 0], -20, 40]]],
  ['thumb-phalanx-proximal', 'thumb-metacarpal', [0, 0, -0.046], [-0.1037493, -0.1212017, 0.0127388, 0.9871089], [['flexion', [-1, 0, 0], -5, 60]]],
  ['thumb-phalanx-distal', 'thumb-phalanx-proximal', [0, 0, -0.0316], [-0.052336, 0, 0, 0.9986295], [['flexion', [-1, 0, 0], -10, 80]]],
  ['thumb-tip', 'thumb-phalanx-distal', [0, 0, -0.0267], [0, 0, 0, 1], []],
  ['index-finger-metacarpal', 'wrist', [-0.011, 0.001, -0.027], [0.0143607, 0.0977712, 0.0686736, 0.9927329], []],
  ['index-finger-phalanx-proximal', 'index-finger-metacarpal', [0, 0, -0.0662948], [-0.063192, -0.0266617, -0.022141, 0.9973996], [['abduction', [0, 1, 0], -15, 20], ['flexion', [-1, 0, 0], -30, 80]]],
  ['index-finger-phalanx-intermediate', 'index-finger-phalanx-proximal', [0, 0, -0.0398], [-0.0697565, 0, 0, 0.9975641], [['flexion', [-1, 0, 0], -5, 100]]],
  ['index-finger-phalanx-distal', 'index-finger-phalanx-intermediate', [0, 0, -0.0224], [-0.0436194, 0, 0, 0.9990482], [['flexion', [-1, 0, 0], -10, 70]]],
  ['index-finger-tip', 'index-finger-phalanx-distal', [0, 0, -0.0196], [0, 0, 0, 1], []],
  ['middle-finger-metacarpal', 'wrist', [-0.002, 0.002, -0.028], [0.0153769, 0.0076907, -0.0001183, 0.9998522], []],
  ['middle-finger-phalanx-proximal', 'middle-finger-metacarpal', [0, 0, -0.0650384], [-0.067684, -0.0076864, -0.0002844, 0.9976772], [['abduction', [0, 1, 0], -15, 20], ['flexion', [-1, 0, 0], -30, 80]]],
  ['middle-finger-phalanx-intermediate', 'middle-finger-phalanx-proximal', [0, 0, -0.0446], [-0.0697565, 0, 0, 0.9975641], [['flexion', [-1, 0, 0], -5, 100]]],
  ['middle-finger-phalanx-distal', 'middle-finger-phalanx-intermediate', [0, 0, -0.0263], [-0.0436194, 0, 0, 0.9990482], [['flexion', [-1, 0, 0], -10, 70]]],
  ['middle-finger-tip', 'middle-finger-phalanx-distal', [0, 0, -0.0214], [0, 0, 0, 1], []],
  ['ring-finger-metacarpal', 'wrist', [0.007, 0.001, -0.026], [0.0133855, -0.0736193, -0.0689495, 0.99481], [['flexion', [-1, 0, 0], -2, 8]]],
  ['ring-finger-phalanx-proximal', 'ring-finger-metacarpal', [0, 0, -0.0606795], [-0.0610409, 0.0025244, 0.0210643, 0.9979098], [['abduction', [0, -1, 0], -15, 20], ['flexion', [-1, 0, 0], -30, 80]]],
  ['ring-finger-phalanx-intermediate', 'ring-finger-phalanx-proximal', [0, 0, -0.0414], [-0.0697565, 0, 0, 0.9975641], [['flexion', [-1, 0, 0], -5, 100]]],
  ['ring-finger-phalanx-distal', 'ring-finger-phalanx-intermediate', [0, 0, -0.0257], [-0.0436194, 0, 0, 0.9990482], [['flexion', [-1, 0, 0], -10, 70]]],
  ['ring-finger-tip', 'ring-finger-phalanx-distal', [0, 0, -0.0213], [0, 0, 0, 1], []],
  ['pinky-finger-metacarpal', 'wrist', [0.014, -0.001, -0.023], [0.0170948, -0.1652051, -0.1557498, 0.9737335], [['flexion', [-1, 0, 0], -3, 14]]],
  ['pinky-finger-phalanx-proximal', 'pinky-finger-metacarpal', [0, 0, -0.0550363], [-0.0414388, -0.007687, 0.0466929, 0.9980198], [['abduction', [0, -1, 0], -15, 20], ['flexion', [-1, 0, 0], -30, 80]]],
  ['pinky-finger-phalanx-intermediate', 'pinky-finger-phalanx-proximal', [0, 0, -0.0327], [-0.0697565, 0, 0, 0.9975641], [['flexion', [-1, 0, 0], -5, 100]]],
  ['pinky-finger-phalanx-distal', 'pinky-finger-phalanx-intermediate', [0, 0, -0.0181], [-0.0436194, 0, 0, 0.9990482], [['flexion', [-1, 0, 0], -10, 70]]],
  ['pinky-finger-tip', 'pinky-finger-phalanx-distal', [0, 0, -0.0197], [0, 0, 0, 1], []],
];

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Mirrored across the plane x = 0 for a left hand: turns about x stay, those about the others change their sign. */
export function webxrHand(side: Side): Rig {
  const m = side === 'right' ? 1 : -1;
  const dof = ([name, [x, y, z], min, max]: Row[4][0]): Dof => ({
    name,
    axis: [x, m * y, m * z],
    min: radians(min),
    max: radians(max),
  });
  return rigOf(
    rows.map(([name, parent, [px, py, pz], [x, y, z, w], dofs]): Joint => ({
      name,
      ...(parent !== '' && { parent }),
      position: [m * px, py, pz],
      rest: normalized([x, m * y, m * z, w]),
      dofs: dofs.map(dof),
    })),
  );
}
