// What the page shows, as plain data: panels change it, the studio acts on it.
import type { Blend, Character, Layers, PoseSpace } from '../engine/engine';

export const colourings = ['none', 'error', 'displacement', 'weights', 'supports', 'modes', 'flesh', 'field', 'gradient', 'determinant', 'volume'] as const;
export type Colouring = (typeof colourings)[number];

/** How the skin follows the bones: blended by the vertex shader, or flowing, which the engine computes. */
export const skinnings = ['linear', 'dual-quaternion', 'kinodynamic'] as const;
export type Skinning = (typeof skinnings)[number];
export const skinningNames: Record<Skinning, string> = { linear: 'linear', 'dual-quaternion': 'dual quaternions', kinodynamic: 'kinodynamic' };

export interface Settings {
  blend: Skinning;
  corrections: boolean; // EigenSkin and pose space
  modes: number; // of each driver; Infinity: all
  smoothing: boolean; // of the posed surface
  flesh: boolean;
  element: number; // of the flesh, that its sliders and colours are about; -1: all
  springs: boolean; // drawn over the character
  vectors: boolean; // displacements of flesh, drawn over the character
  muscle: number; // that its sliders are about; -1: all
  tissue: boolean; // what gives limbs their weights, drawn over the character
  muscles: boolean; // drawn under a skin that lets them through
  split: boolean; // views beside each other
  wipe: boolean; // linear blend and Supple in one picture that a line divides; not where it is split
  handles: boolean; // joints to drag
  rings: boolean; // around the chosen joint, to turn it
  skeleton: boolean; // bones as lines over the character
  wireframe: boolean; // edges of triangles instead of surfaces
  colouring: Colouring;
  joint: number; // the chosen one, that rings and colourings are about
  dark: boolean;
  hidden: Set<number>; // parts
}

export const colouringNames: Record<Colouring, string> = {
  none: 'material',
  error: 'error against the reference',
  displacement: 'what Supple adds',
  weights: 'skin weights of the joint',
  supports: "support of the joint's modes",
  modes: "the joint's first three modes as red, green, blue",
  flesh: 'flesh weights of the element',
  field: "weight of the joint's limb in space",
  gradient: 'how fast that changes: |∇W|',
  determinant: 'ratio of volumes: det J',
  volume: 'change of volume: det J − 1',
};

/** What corrects the skin of a character for its pose; empty where nothing does. */
export function correctionsName({ drivers, poseSpace }: Character): string {
  if (drivers.length === 0) return poseSpace ? 'Pose space' : '';
  return poseSpace ? 'EigenSkin and pose space' : 'EigenSkin';
}

const weighings: Record<PoseSpace['influence'], string> = { equal: '', weights: ', weighted by skin weights', subtree: ', weighted by joints' };
export const poseSpaceName = ({ examples, influence }: PoseSpace): string => `pose space, ${examples} examples${weighings[influence]}`;

/** Colourings of the skin as it flows. */
export const isOfFlow = (colouring: Colouring) => ['field', 'gradient', 'determinant', 'volume'].includes(colouring);

/** Layers of plain linear blend. */
export const bonesAlone = { corrections: false, modes: 0, smoothing: false, flesh: false };

/** What settings show of the layers. */
export const layersOf = ({ corrections, modes, smoothing, flesh }: Settings): Layers => ({ corrections, modes, smoothing, flesh });

/** What the vertex shader blends by: parts without a skin are drawn by it in any case. */
export const blendOf = (skinning: Skinning): Blend => (skinning === 'kinodynamic' ? 'linear' : skinning);

/** Bones lie inside the skin: drawing them costs and shows nothing until the skin is hidden. */
export function defaultSettings(parts: readonly string[]): Settings {
  return {
    blend: 'linear',
    corrections: true,
    modes: Infinity,
    smoothing: true,
    flesh: true,
    element: -1,
    springs: false,
    vectors: false,
    muscle: -1,
    tissue: false,
    muscles: false,
    split: false,
    wipe: false,
    handles: true,
    rings: false,
    skeleton: false,
    wireframe: false,
    colouring: 'none',
    joint: 0,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    hidden: new Set(parts.flatMap((name, p) => (name === 'bones' && parts.length > 1 ? [p] : []))),
  };
}
