// Colours of a map by the graphics card: numbers at the vertices go in, the shader finds their colours.
import type * as THREE from 'three';
import { change, ember } from './colours';
import type { Values } from './worker/messages';

const vec3 = (rgb: readonly number[]) => `vec3(${rgb.map((c) => c.toFixed(4)).join(', ')})`;
const kinds: Record<Values['kind'], number> = { map: 0, change: 1, rgb: 2 };

/** As emberAt() and changeAt() have them. */
const shader = `
varying vec3 vSuppleValue;
uniform vec2 supple_range;
uniform int supple_kind;
vec3 suppleColour() {
  if (supple_kind == 2) return vSuppleValue;
  float t = (vSuppleValue.x - supple_range.x) / max(supple_range.y - supple_range.x, 1e-30);
  if (supple_kind == 1) {
    float x = clamp(2.0 * t - 1.0, -1.0, 1.0);
    return mix(vec3(${change.same.toFixed(4)}), x < 0.0 ? ${vec3(change.less)} : ${vec3(change.more)}, abs(x));
  }
  vec3 stops[${ember.length}] = vec3[](${ember.map(vec3).join(', ')});
  float x = clamp(t, 0.0, 1.0) * ${(ember.length - 1).toFixed(1)};
  int i = min(int(x), ${ember.length - 2});
  return mix(stops[i], stops[i + 1], x - float(i));
}`;

/** By the numbers that a vertex has; what a geometry lacks is 0. */
export const valueAttributes = { 1: 'suppleValue', 3: 'suppleRgb' } as const;

/** Which numbers the ends of the map stand for; shared by the materials of a mesh. */
export class ColourRange {
  private readonly uniforms = { supple_range: { value: [0, 1] }, supple_kind: { value: 0 } };

  set({ low, high, kind }: Values): void {
    this.uniforms.supple_range.value = [low, high];
    this.uniforms.supple_kind.value = kinds[kind];
  }

  /** Lets a material show its mesh's numbers as colours, after whatever else changes its shader. */
  apply<M extends THREE.Material>(material: M): M {
    const before = material.onBeforeCompile;
    const key = material.customProgramCacheKey();
    material.onBeforeCompile = (program, renderer) => {
      before.call(material, program, renderer);
      Object.assign(program.uniforms, this.uniforms);
      program.vertexShader = program.vertexShader
        .replace('void main() {', 'attribute float suppleValue;\nattribute vec3 suppleRgb;\nuniform int supple_kind;\nvarying vec3 vSuppleValue;\nvoid main() {\nvSuppleValue = supple_kind == 2 ? suppleRgb : vec3(suppleValue);');
      program.fragmentShader = program.fragmentShader
        .replace('void main() {', `${shader}\nvoid main() {`)
        .replace('#include <color_fragment>', '#include <color_fragment>\ndiffuseColor.rgb = suppleColour();');
    };
    material.customProgramCacheKey = () => `${key} colours`;
    return material;
  }
}
