// Skinning by Supple's vertex shader on three.js materials: any number of influences, corrective offsets that cost only
// where a vertex has them, linear blend or dual quaternions. The tables come from the engine (see SkinTables).
import * as THREE from 'three';
import { skinShader } from './skin_shader.js';

/** One part as the shader reads it; arrays fill whole rows of `textureWidth` texels. */
export interface SkinTables {
  vertexCount: number;
  textureWidth: number;
  ranges: Uint32Array; // texels of four
  influences: Float32Array; // texels of two
  offsets: Float32Array; // texels of four
}

/** What changes from frame to frame. Palettes have 16 floats a joint: columns of a matrix, or a dual quaternion. */
export interface SkinFrame {
  palette: Float32Array;
  dual: boolean;
  stretch: Float32Array | null; // with dual quaternions, where joints stretch
  scaled: boolean; // matrices are more than rotations
  weights: Float32Array; // one a target
}

function texture(data: Float32Array | Uint32Array, width: number, channels: 1 | 2 | 4): THREE.DataTexture {
  const rows = Math.max(1, Math.ceil(data.length / channels / width));
  const whole = data instanceof Uint32Array;
  const texels = whole ? new Uint32Array(rows * width * channels) : new Float32Array(rows * width * channels);
  texels.set(data);
  const format = { 1: THREE.RedFormat, 2: THREE.RGFormat, 4: whole ? THREE.RGBAIntegerFormat : THREE.RGBAFormat }[
    channels
  ];
  const result = new THREE.DataTexture(texels, width, rows, format, whole ? THREE.UnsignedIntType : THREE.FloatType);
  if (whole) result.internalFormat = 'RGBA32UI';
  result.minFilter = result.magFilter = THREE.NearestFilter;
  result.needsUpdate = true;
  return result;
}

/** The large tables of a part, shared by all its instances. */
export class SharedSkin {
  readonly ranges: THREE.DataTexture;
  readonly influences: THREE.DataTexture;
  readonly offsets: THREE.DataTexture;

  constructor(readonly tables: SkinTables) {
    const { textureWidth: width } = tables;
    this.ranges = texture(tables.ranges, width, 4);
    this.influences = texture(tables.influences, width, 2);
    this.offsets = texture(tables.offsets, width, 4);
  }

  /** Rows of the tallest texture; WebGLRenderer.capabilities.maxTextureSize must not be smaller. */
  static rows({ ranges, influences, offsets, textureWidth }: SkinTables): number {
    const texels = [ranges.length / 4, influences.length / 2, offsets.length / 4];
    return Math.ceil(Math.max(...texels) / textureWidth);
  }

  dispose(): void {
    for (const t of [this.ranges, this.influences, this.offsets]) t.dispose();
  }
}

/** A small table that is written every frame. */
class FrameTexture implements THREE.IUniform<THREE.DataTexture> {
  value: THREE.DataTexture;
  constructor(
    private readonly width: number,
    private readonly channels: 1 | 4,
  ) {
    this.value = texture(new Float32Array(channels), width, channels);
  }
  set(numbers: Float32Array): void {
    const image = this.value.image as unknown as { data: Float32Array };
    if (image.data.length < numbers.length) {
      this.value.dispose();
      this.value = texture(numbers, this.width, this.channels);
    } else {
      image.data.set(numbers);
      this.value.needsUpdate = true;
    }
  }
}

const nothing = new Float32Array(4);

function refuseNodes(): never {
  throw new Error(
    'supple-three/gpu changes shaders of WebGLRenderer, which WebGPURenderer and node materials do not have: draw with WebGLRenderer, or use supple-three/engine, which works with both',
  );
}

/** One part of one character on screen. */
export class GpuSkin {
  private readonly palette: FrameTexture;
  private readonly stretch: FrameTexture;
  private readonly weights: FrameTexture;
  private readonly uniforms: Record<string, THREE.IUniform>;

  constructor(shared: SharedSkin) {
    const width = shared.tables.textureWidth;
    this.palette = new FrameTexture(width, 4);
    this.stretch = new FrameTexture(width, 4);
    this.weights = new FrameTexture(width, 1);
    this.uniforms = {
      supple_ranges: { value: shared.ranges },
      supple_influences: { value: shared.influences },
      supple_offsets: { value: shared.offsets },
      supple_weights: this.weights,
      supple_palette: this.palette,
      supple_stretch: this.stretch,
      supple_dual: { value: false },
      supple_stretched: { value: false },
      supple_scaled: { value: false },
    };
  }

  setFrame(frame: SkinFrame): void {
    this.palette.set(frame.palette);
    this.stretch.set(frame.stretch ?? nothing);
    this.weights.set(frame.weights);
    this.uniforms.supple_dual.value = frame.dual;
    this.uniforms.supple_stretched.value = frame.stretch !== null;
    this.uniforms.supple_scaled.value = frame.scaled;
  }

  /** Lets a material deform its mesh. The mesh must not be culled by its rest shape, nor moved itself: the shader gives
   * positions in the world. Throws for materials of nodes; of others WebGPURenderer says that it cannot draw with them. */
  apply<M extends THREE.Material>(material: M): M {
    if ((material as { isNodeMaterial?: boolean }).isNodeMaterial) refuseNodes();
    // WebGPURenderer never calls onBeforeCompile: without a word, skin would stay at rest. It makes a node material with all
    // properties of this one and lets it set itself up; what that throws it reports.
    (material as { setup?: () => never }).setup = refuseNodes;
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', `#include <common>\n${skinShader}`)
        .replace(
          'void main() {',
          'void main() {\nvec3 supplePosition = position;\nvec3 suppleNormal = normal;\nsupple_deform(supplePosition, suppleNormal);',
        )
        .replace('#include <beginnormal_vertex>', '#include <beginnormal_vertex>\nobjectNormal = suppleNormal;')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\ntransformed = supplePosition;');
    };
    material.customProgramCacheKey = () => 'supple';
    return material;
  }

  /** The tables of its frames; the shared ones live on. */
  dispose(): void {
    for (const t of [this.palette, this.stretch, this.weights]) t.value.dispose();
  }
}
