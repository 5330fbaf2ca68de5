// What the page shows, as plain data: panels change it, the studio acts on it.
import type { Blend } from '../engine/engine';

export const colourings = ['none', 'error', 'displacement', 'weights', 'supports', 'modes', 'flesh'] as const;
export type Colouring = (typeof colourings)[number];

export interface Settings {
  blend: Blend;
  corrections: boolean;
  modes: number; // of each driver; Infinity: all
  flesh: boolean;
  element: number; // of the flesh, that its sliders and colours are about; -1: all
  springs: boolean; // drawn over the character
  vectors: boolean; // displacements of flesh, drawn over the character
  split: boolean;
  handles: boolean; // joints to drag
  colouring: Colouring;
  joint: number; // that colourings are about
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
};

/** Bones lie inside the skin: drawing them costs and shows nothing until the skin is hidden. */
export function defaultSettings(parts: readonly string[]): Settings {
  return {
    blend: 'linear',
    corrections: true,
    modes: Infinity,
    flesh: true,
    element: -1,
    springs: false,
    vectors: false,
    split: false,
    handles: true,
    colouring: 'none',
    joint: 0,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    hidden: new Set(parts.flatMap((name, p) => (name === 'bones' && parts.length > 1 ? [p] : []))),
  };
}
