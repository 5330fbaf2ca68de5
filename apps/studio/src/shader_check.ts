// The vertex shader of this browser's own graphics driver against the engine on the CPU.
import { skinShader } from '../../../packages/three/src/skin_shader';
import type { Blend, Character, Layers, Palette, PartTables, PoseState, Surface } from '../engine/engine';
import type { Model } from './model';

const vertexShader = `#version 300 es
precision highp float;
${skinShader}
in vec3 position;
in vec3 normal;
out vec3 outPosition;
out vec3 outNormal;
void main() {
  outPosition = position;
  outNormal = normal;
  supple_deform(outPosition, outNormal);
  gl_Position = vec4(outPosition, 1.0);
}`;
const fragmentShader = '#version 300 es\nprecision mediump float;\nvoid main() {}';

function compile(gl: WebGL2RenderingContext, kind: number, source: string): WebGLShader {
  const shader = gl.createShader(kind)!;
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? 'shader');
  return shader;
}

function makeProgram(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram()!;
  gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, vertexShader));
  gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, fragmentShader));
  gl.bindAttribLocation(program, 0, 'position');
  gl.bindAttribLocation(program, 1, 'normal');
  gl.transformFeedbackVaryings(program, ['outPosition', 'outNormal'], gl.SEPARATE_ATTRIBS);
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? 'program');
  return program;
}

class Check {
  private readonly program: WebGLProgram;
  private unit = 0;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly part: PartTables,
  ) {
    this.program = makeProgram(gl);
    gl.useProgram(this.program);
    this.attribute(0, part.positions);
    this.attribute(1, part.normals);
    this.table('supple_ranges', part.ranges, 4);
    this.table('supple_influences', part.influences, 2);
    this.table('supple_offsets', part.offsets, 4);
  }

  private attribute(place: number, data: Float32Array): void {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
  }

  private table(name: string, data: Float32Array | Uint32Array, channels: 1 | 2 | 4, unit = this.unit++): number {
    const { gl } = this;
    const width = this.part.textureWidth;
    const rows = Math.max(1, Math.ceil(data.length / channels / width));
    const whole = data instanceof Uint32Array;
    const texels = whole ? new Uint32Array(rows * width * channels) : new Float32Array(rows * width * channels);
    texels.set(data);
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    const formats = { 1: [gl.R32F, gl.RED], 2: [gl.RG32F, gl.RG], 4: whole ? [gl.RGBA32UI, gl.RGBA_INTEGER] : [gl.RGBA32F, gl.RGBA] };
    const [internal, external] = formats[channels];
    gl.texImage2D(gl.TEXTURE_2D, 0, internal, width, rows, 0, external, whole ? gl.UNSIGNED_INT : gl.FLOAT, texels);
    gl.uniform1i(gl.getUniformLocation(this.program, name), unit);
    return unit;
  }

  run(palette: Palette, weights: Float32Array): Surface {
    const { gl, part } = this;
    const first = this.unit;
    this.table('supple_palette', palette.matrices, 4, first);
    this.table('supple_stretch', palette.stretch ?? new Float32Array(4), 4, first + 1);
    this.table('supple_weights', weights.subarray(part.firstMorphWeight, part.firstMorphWeight + part.targetCount), 1, first + 2);
    const flag = (name: string, value: boolean) => gl.uniform1i(gl.getUniformLocation(this.program, name), Number(value));
    flag('supple_dual', palette.blend === 'dual-quaternion');
    flag('supple_stretched', palette.stretch !== null);
    flag('supple_scaled', palette.scaled);
    const outputs = [0, 1].map((place) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, buffer);
      gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, 12 * part.vertexCount, gl.STREAM_READ);
      gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, place, buffer);
      return buffer;
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
    gl.enable(gl.RASTERIZER_DISCARD);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArrays(gl.POINTS, 0, part.vertexCount);
    gl.endTransformFeedback();
    gl.disable(gl.RASTERIZER_DISCARD);
    for (const place of [0, 1]) gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, place, null);
    const [positions, normals] = outputs.map((buffer) => {
      const values = new Float32Array(3 * part.vertexCount);
      gl.bindBuffer(gl.COPY_READ_BUFFER, buffer);
      gl.getBufferSubData(gl.COPY_READ_BUFFER, 0, values);
      gl.deleteBuffer(buffer);
      return values;
    });
    return { positions, normals };
  }
}

export interface ShaderCheck {
  vertices: number; // compared
  worst: number; // distance over the model's size
  worstNormal: number; // distance of unit vectors
  part: string;
  vertex: number; // where positions differ most
  blend: Blend;
}

/** A pose as both sides take it. */
interface Pose {
  state: PoseState;
  layers: Layers;
  weights: Float32Array;
  palettes: Record<Blend, Palette>;
}
const blends = ['linear', 'dual-quaternion'] as const;

/** Some poses of every clip, for a part. The character keeps the pose that it has; flesh hangs still. */
function posesOf(character: Character, part: number, posesAClip: number): Pose[] {
  const times = character.clips.flatMap(({ start, end }, clip) =>
    Array.from({ length: posesAClip }, (_, i) => ({ clip, time: start + ((end - start) * (i + 1)) / posesAClip })),
  );
  const kept = character.joints.map((_, j) => character.rotation(j));
  try {
    return [null, ...times].map((moment) => {
      character.rest();
      if (moment) character.sample(moment.clip, moment.time);
      let layers = { corrections: true, modes: Infinity, smoothing: false, flesh: true };
      character.update(layers);
      if (character.isComputed(part)) character.update((layers = { ...layers, corrections: false }));
      const palettes = Object.fromEntries(blends.map((blend) => {
        const { matrices, stretch, ...own } = character.palette(part, blend);
        return [blend, { ...own, matrices: matrices.slice(), stretch: stretch?.slice() ?? null }];
      })) as Record<Blend, Palette>;
      return { state: character.poseState, layers, weights: character.morphWeights().slice(), palettes };
    });
  } finally {
    character.rest();
    kept.forEach((rotation, j) => character.setRotation(j, rotation));
    character.flesh.settle();
  }
}

/**
 * Compares every vertex in some poses of every clip, in both ways of blending. Parts whose vertices weigh examples are
 * compared without them: the shader never draws those.
 */
export async function checkShader({ character, remote }: Pick<Model, 'character' | 'remote'>, posesAClip = 4): Promise<ShaderCheck> {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) throw new Error('no WebGL2 context');
  const result: ShaderCheck = { vertices: 0, worst: 0, worstNormal: 0, part: '', vertex: -1, blend: 'linear' };
  const size = Math.max(...character.parts.map((part) => diagonal(part.positions))) || 1; // all vertices at one place
  try {
    for (const [p, part] of character.parts.entries()) {
      const check = new Check(gl, part);
      for (const { state, layers, weights, palettes } of posesOf(character, p, posesAClip))
        for (const blend of blends) {
          const onCpu = await remote.ask('evaluate', [p, state, layers, blend]);
          compare(result, part, blend, size, check.run(palettes[blend], weights), onCpu);
        }
    }
  } finally {
    gl.getExtension('WEBGL_lose_context')?.loseContext();
  }
  return result;
}

function compare(result: ShaderCheck, part: PartTables, blend: Blend, size: number, onGpu: Surface, onCpu: Surface): void {
  for (let v = 0; v < part.vertexCount; ++v) {
    const gap = distance(onGpu.positions, onCpu.positions, v) / size;
    if (!(gap <= result.worst)) Object.assign(result, { worst: gap, part: part.name, vertex: v, blend });
    const turn = distance(onGpu.normals, onCpu.normals, v);
    if (!(turn <= result.worstNormal)) result.worstNormal = turn;
  }
  result.vertices += part.vertexCount;
}

const distance = (a: Float32Array, b: Float32Array, v: number) =>
  Math.hypot(a[3 * v] - b[3 * v], a[3 * v + 1] - b[3 * v + 1], a[3 * v + 2] - b[3 * v + 2]);

function diagonal(positions: Float32Array): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  positions.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x);
    high[i % 3] = Math.max(high[i % 3], x);
  });
  return Math.hypot(...high.map((h, c) => h - low[c]));
}
