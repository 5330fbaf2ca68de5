// What the vertex shader costs, in one run: it grows with the offsets that a vertex has, not with the modes in the
// file.
#include <GLES3/gl3.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "supple/base/rng.h"
#include "supple/gpu/gl/feedback.h"
#include "supple/render/context.h"

namespace {

using namespace supple;

constexpr std::uint32_t vertices = 50000, joint_count = 20;

/// Four influences a vertex, and `offsets` of the `modes`: those of its own stretch of the body.
Character body(std::uint32_t modes, std::uint32_t offsets) {
  Rng rng(7);
  const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
  Character c;
  c.skins.push_back({"skin", std::vector<JointIndex>(joint_count), std::vector<Affinef>(joint_count)});
  Part& part = c.parts.emplace_back();
  part.skin = 0;
  part.morphs.resize(modes);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const std::uint32_t joint = v * (joint_count - 3) / vertices;
    Influence four[4];
    for (std::uint32_t i = 0; i < 4; ++i) four[i] = {joint + i, 0.25f};
    part.weights.push_vertex(four);
    part.mesh.positions.push_back({random(), random(), random()});
    part.mesh.normals.push_back(normalized(Vec3f{random(), random(), 2}));
    const auto first = static_cast<std::uint32_t>(std::uint64_t{v} * (modes - offsets + 1) / vertices);
    for (std::uint32_t m = first; m < first + offsets; ++m) {
      part.morphs[m].vertices.push_back(v);
      part.morphs[m].positions.push_back({random(), random(), random()});
      part.morphs[m].normals.push_back({random(), random(), random()});
    }
  }
  return c;
}

/// Nanoseconds a vertex: the fastest of many frames, since the rest is the machine's noise.
double cost(std::uint32_t modes, std::uint32_t offsets) {
  const Character c = body(modes, offsets);
  const gpu::SkinTables tables = gpu::build_skin_tables(c, c.parts[0]);
  gpu::GlSkin skin = gpu::GlSkin::make(tables).value();
  const gpu::Feedback feedback = gpu::Feedback::make(tables).value();
  const std::vector<JointMatrix> palette(joint_count, pack({}));
  const std::vector<float> weights(modes, 0.5f);
  gpu::SkinFrame frame;
  frame.palette = palette;
  frame.weights = weights;
  skin.set_frame(frame);
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    feedback.run(skin);
    glFinish();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best / vertices * 1e9;
}

}  // namespace

int main() {
  const auto context = render::Context::create();
  if (!context)
    return std::fprintf(stderr, "%s: %s\n", context.error().item.c_str(), context.error().problem.c_str()), 1;
  const render::Context::Current current(*context);
  std::printf("%s, %u vertices, four influences\n%20s %20s %12s %20s\n", context->device().c_str(), vertices,
              "modes in the file", "offsets a vertex", "ns/vertex", "/ without offsets");
  const double plain = cost(20, 0);
  for (const auto& [modes, offsets] : {std::pair{20u, 0u}, {20u, 5u}, {200u, 5u}, {20u, 10u}, {200u, 10u}}) {
    const double ns = cost(modes, offsets);
    std::printf("%20u %20u %12.1f %20.2f\n", modes, offsets, ns, ns / plain);
  }
}
