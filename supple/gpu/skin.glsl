// Skinning in the vertex shader (GLSL ES 3.00): corrective offsets, linear blend or dual quaternions. The tables are
// those of SkinTables; see its header for their layout. A vertex reads its own entries only. Flesh needs nothing more:
// its joints are in the palette.
//
//   supple_deform(position, normal) takes them from rest to the world; gl_VertexID says which vertex it is.

uniform highp usampler2D supple_ranges;
uniform highp sampler2D supple_influences;
uniform highp sampler2D supple_offsets;
uniform highp sampler2D supple_weights;  // a texel a target: its weight
uniform highp sampler2D supple_palette;  // four texels a joint: columns of its matrix, or real and dual quaternion
uniform highp sampler2D supple_stretch;  // four texels a joint, for dual quaternions: what they cannot carry
uniform bool supple_dual, supple_stretched;
uniform bool supple_scaled;  // matrices are more than rotations: normals need the inverse transpose

const int supple_width = 2048;
ivec2 supple_texel(int i) { return ivec2(i % supple_width, i / supple_width); }
vec4 supple_column(highp sampler2D palette, int joint, int column) {
  return texelFetch(palette, supple_texel(4 * joint + column), 0);
}

// 1 / sqrt(x) with a Newton step, since some drivers give only half the digits.
float supple_inverse_root(float x) {
  float y = inversesqrt(x);
  return y * (1.5 - 0.5 * x * y * y);
}

vec3 supple_unit(vec3 v) {
  float squared = dot(v, v);
  return squared > 0.0 ? v * supple_inverse_root(squared) : vec3(0.0);  // a normal without direction stays zero
}

// rest + sum of weight * offset over the targets that move this vertex
void supple_correct(uvec4 range, inout vec3 position, inout vec3 normal) {
  for (int i = 0; i < int(range.w); ++i) {
    int entry = 2 * (int(range.z) + i);
    vec4 first = texelFetch(supple_offsets, supple_texel(entry), 0);
    vec4 second = texelFetch(supple_offsets, supple_texel(entry + 1), 0);
    float weight = texelFetch(supple_weights, supple_texel(int(first.x)), 0).x;
    position += weight * first.yzw;
    normal += weight * second.xyz;
  }
}

// sum of weight * matrix; normals by the matrix itself or by its cofactors
void supple_blend_linear(highp sampler2D palette, bool scaled, uvec4 range, inout vec3 position, inout vec3 normal) {
  vec3 x = vec3(0.0), y = vec3(0.0), z = vec3(0.0), t = vec3(0.0);
  for (int i = 0; i < int(range.y); ++i) {
    vec2 influence = texelFetch(supple_influences, supple_texel(int(range.x) + i), 0).xy;
    int joint = int(influence.x);
    x += influence.y * supple_column(palette, joint, 0).xyz;
    y += influence.y * supple_column(palette, joint, 1).xyz;
    z += influence.y * supple_column(palette, joint, 2).xyz;
    t += influence.y * supple_column(palette, joint, 3).xyz;
  }
  position = x * position.x + y * position.y + z * position.z + t;
  vec3 turned = x * normal.x + y * normal.y + z * normal.z;
  if (scaled) {
    vec3 yz = cross(y, z);
    turned = yz * normal.x + cross(z, x) * normal.y + cross(x, y) * normal.z;
    if (dot(x, yz) < 0.0) turned = -turned;
  }
  normal = supple_unit(turned);
}

vec3 supple_rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }

// Kavan et al. 2008: every quaternion in the hemisphere of the heaviest joint's
void supple_blend_dual(uvec4 range, inout vec3 position, inout vec3 normal) {
  vec4 real = vec4(0.0), dual = vec4(0.0), pivot = vec4(0.0);
  for (int i = 0; i < int(range.y); ++i) {
    vec2 influence = texelFetch(supple_influences, supple_texel(int(range.x) + i), 0).xy;
    vec4 joint = supple_column(supple_palette, int(influence.x), 0);
    if (i == 0) pivot = joint;
    float weight = dot(joint, pivot) < 0.0 ? -influence.y : influence.y;
    real += weight * joint;
    dual += weight * supple_column(supple_palette, int(influence.x), 1);
  }
  float inverse = supple_inverse_root(dot(real, real));
  real *= inverse;
  dual *= inverse;
  vec3 translation = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
  position = supple_rotate(real, position) + translation;
  normal = supple_unit(supple_rotate(real, normal));
}

void supple_deform(inout vec3 position, inout vec3 normal) {
  uvec4 range = texelFetch(supple_ranges, supple_texel(gl_VertexID), 0);
  supple_correct(range, position, normal);
  if (supple_dual) {
    if (supple_stretched) supple_blend_linear(supple_stretch, true, range, position, normal);
    supple_blend_dual(range, position, normal);
  } else {
    supple_blend_linear(supple_palette, supple_scaled, range, position, normal);
  }
}
