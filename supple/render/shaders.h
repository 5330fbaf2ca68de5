// The light of the pictures: a soft key with shadows, a cool fill, a rim, and a sky above a warm ground.
#pragma once

namespace supple::render::shader {

/// Fills the frame; no vertex data.
inline constexpr const char* background_vertex = R"(
precision highp float;
uniform vec4 tile;  // scale and offset from the whole picture to the part that is drawn
out vec2 place;     // in the whole picture, [-1, 1]
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  place = (corner - tile.zw) / tile.xy;
  gl_Position = vec4(corner, 0.0, 1.0);
}
)";

inline constexpr const char* background_fragment = R"(
precision highp float;
uniform vec3 center_colour, edge_colour;
in vec2 place;
out vec4 colour;
void main() {
  float away = clamp(length(place - vec2(0.0, 0.15)) / 1.5, 0.0, 1.0);
  colour = vec4(mix(center_colour, edge_colour, away * away * (3.0 - 2.0 * away)), 1.0);
}
)";

inline constexpr const char* surface_vertex = R"(
precision highp float;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 colour;
layout(location = 3) in float occlusion;
layout(location = 4) in vec2 texcoord;
uniform mat4 to_clip;
uniform vec4 tile;
out vec3 point, direction, albedo, corner;
out float open;
out vec2 place;
invariant gl_Position;
void main() {
  point = position;
  direction = normal;
  albedo = colour;
  open = occlusion;
  place = texcoord;
  int k = gl_VertexID % 3;  // meaningful where triangles do not share vertices
  corner = vec3(k == 0, k == 1, k == 2);
  gl_Position = to_clip * vec4(position, 1.0);
  gl_Position.xy = gl_Position.xy * tile.xy + tile.zw * gl_Position.w;
}
)";

inline constexpr const char* depth_fragment = R"(
precision highp float;
#ifdef MASKED
uniform sampler2D base_colour;
uniform float alpha_cutoff;
in vec2 place;
void main() {
  if (texture(base_colour, place).a < alpha_cutoff) discard;
}
#else
void main() {}
#endif
)";

inline constexpr const char* surface_fragment = R"(
precision highp float;
uniform vec3 eye, key, fill, rim, sky;  // the eye's place and unit vectors towards the lights
uniform vec3 wrap;                      // how far each colour of the light reaches around the terminator
uniform float gloss, data, opacity, exposure;
uniform vec3 wire_colour;
uniform float wire_width;               // pixels of the target; 0: none
uniform highp sampler2D shadow_map;
uniform mat4 to_shadow;
uniform float shadow_strength, shadow_radius, shadow_offset;  // radius in texture units, offset in metres
#ifdef TEXTURED
uniform sampler2D base_colour;
uniform float alpha_cutoff, alpha_blend;  // blend: 1 where alpha multiplies the opacity, else 0
in vec2 place;
#endif
in vec3 point, direction, albedo, corner;
in float open;
out vec4 result;

// Part of the key light that arrives: the mean over a disc, so that edges are soft. What is far away darkens less, as
// under a large lamp. The disc turns from pixel to pixel (Jimenez, interleaved gradient noise), which trades steps for
// a grain that the averaging of pixels removes.
float key_visible(vec3 n) {
  const vec2 disc[12] = vec2[12](vec2(0.20, 0.0), vec2(-0.26, 0.24), vec2(0.04, -0.46), vec2(0.33, 0.43),
                                 vec2(-0.60, -0.11), vec2(0.57, -0.36), vec2(-0.19, 0.71), vec2(-0.36, -0.70),
                                 vec2(0.79, 0.28), vec2(-0.82, 0.35), vec2(0.37, -0.87), vec2(0.36, 0.91));
  vec3 at = (to_shadow * vec4(point + n * shadow_offset, 1.0)).xyz * 0.5 + 0.5;
  float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  mat2 rotation = shadow_radius * mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
  float hidden = 0.0;
  for (int i = 0; i < 12; ++i) {
    float behind = at.z - texture(shadow_map, at.xy + rotation * disc[i]).r;
    hidden += smoothstep(0.0, 0.004, behind) * (1.0 - smoothstep(0.05, 0.45, behind));
  }
  return 1.0 - hidden / 12.0;
}

// Occluded light is not lost: it bounces between the walls of a fold and takes their colour. (Jimenez et al.,
// "Practical Realtime Strategies for Accurate Indirect Occlusion", eq. 9.)
vec3 bounced(float visible, vec3 a) {
  vec3 x = vec3(visible);
  return max(x, ((x * (2.0404 * a - 0.3324) + (-4.7951 * a + 0.6417)) * x + (2.7552 * a + 0.6903)) * x);
}

vec3 lit(vec3 n, vec3 v, vec3 base) {
  float toward_key = dot(n, key);
  vec3 key_light = clamp((toward_key + wrap) / (1.0 + wrap), 0.0, 1.0);
  // Facets near the terminator would shade themselves; there the cosine has done the work already.
  float guard = smoothstep(0.02, 0.3, toward_key) * shadow_strength;
  float visible = guard > 0.0 ? mix(1.0, key_visible(n), guard) : 1.0;
  float fill_light = max((dot(n, fill) + 0.3) / 1.3, 0.0);
  float up = 0.5 + 0.5 * dot(n, sky);

  vec3 ambient = mix(vec3(0.225, 0.18, 0.16), vec3(0.345, 0.325, 0.315), up) * bounced(open, base);
  vec3 shade = pow(vec3(visible), vec3(1.0) - wrap);  // red light leaks into the shadow of skin
  vec3 light = vec3(1.12, 1.07, 1.0) * key_light * shade * mix(1.0, open, 0.35) +
               vec3(0.155, 0.15, 0.15) * fill_light * open + ambient;
  float grazing = 1.0 - clamp(dot(n, v), 0.0, 1.0);
  float edge = grazing * grazing * grazing * clamp(dot(n, rim) * 1.4, 0.0, 1.0) * open * open;
  vec3 half_way = normalize(key + v);
  float shine = pow(max(dot(n, half_way), 0.0), 28.0) * 0.9 + pow(max(dot(n, half_way), 0.0), 7.0) * 0.28;
  shine *= gloss * visible * clamp(toward_key * 4.0, 0.0, 1.0) * open;
  return base * (light + 0.55 * edge) + vec3(0.04 * edge + shine);
}

// The hue must stay that of the legend: light scales it, and adds just enough that dark colours show their shape.
vec3 lit_data(vec3 n, vec3 base) {
  float light = clamp((dot(n, key) + 0.4) / 1.4, 0.0, 1.0);
  return base * (0.68 + 0.36 * light) * mix(0.6, 1.0, open) + vec3(0.035) * light * light;
}

// Bends what is brighter than `from` towards 1.
vec3 bend(vec3 c, float from) {
  vec3 over = max(c - from, 0.0);
  return min(c, from) + (1.0 - from) * (1.0 - exp(-over / (1.0 - from)));
}
// White under all lights is 1.5: bent from here on it becomes 0.93, and its shading still shows.
vec3 shoulder(vec3 c) { return bend(c, 0.4); }
// Colours that mean a number keep their brightness as long as it can be shown.
vec3 clip_softly(vec3 c) { return bend(c, 0.75); }

// Cover of the lines along the edges. Where triangles are only a few pixels large the lines fade, otherwise a
// dense mesh would be a black blot.
float wire() {
  vec3 slope = sqrt(dFdx(corner) * dFdx(corner) + dFdy(corner) * dFdy(corner));
  vec3 away = corner / max(slope, 1e-6);
  float nearest = min(min(away.x, away.y), away.z);
  float height = 1.0 / max(max(max(slope.x, slope.y), slope.z), 1e-6);
  float cover = 1.0 - smoothstep(0.5 * wire_width - 0.75, 0.5 * wire_width + 0.75, nearest);
  return cover * mix(0.2, 0.85, smoothstep(3.0, 18.0, height / max(wire_width, 1.0)));
}

void main() {
  vec3 v = normalize(eye - point);
  vec3 facet = cross(dFdx(point), dFdy(point));
  vec3 n = dot(direction, direction) > 1e-8 ? direction : facet;
  n = dot(n, n) > 0.0 ? normalize(n) : v;
  if (!gl_FrontFacing) n = -n;

  vec3 base = albedo;
  float cover = 1.0;
#ifdef TEXTURED
  vec4 texel = texture(base_colour, place);
#ifdef MASKED
  if (texel.a < alpha_cutoff) discard;
#endif
  base *= texel.rgb;
  cover = mix(1.0, texel.a, alpha_blend);
#endif
  vec3 c = data > 0.5 ? clip_softly(exposure * lit_data(n, base)) : shoulder(exposure * lit(n, v, base));
  float grazing = 1.0 - clamp(abs(dot(n, v)), 0.0, 1.0);
  float alpha = cover * (opacity < 1.0 ? opacity + (1.0 - opacity) * 0.55 * grazing * grazing : 1.0);
  if (wire_width > 0.0) {
    float line = wire() * (gl_FrontFacing ? 1.0 : 0.4);
    c = mix(c, wire_colour, line);
    alpha = max(alpha, line);
  }
  result = vec4(c, alpha);
}
)";

}  // namespace supple::render::shader
