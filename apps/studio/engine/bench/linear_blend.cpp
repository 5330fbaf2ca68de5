// Linear blend skinning of positions and normals on one thread: prints the nanoseconds a vertex takes by each set of
// kernels that runs here, a line each with its name. One source, built by both compilers, so that the browser's speed
// can be judged by the machine's own.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "supple/base/rng.h"
#include "supple/deform/skinning/job.h"

int main() {
  using namespace supple;
  constexpr std::size_t vertices = 50000, joints = 64, influences = 4;
  Rng rng(7);
  const auto between = [&](double low, double high) { return static_cast<float>(rng.uniform(low, high)); };
  SkinWeights weights;
  for (std::size_t v = 0; v < vertices; ++v) {  // on joints near each other, as in real rigs
    Influence row[influences];
    const auto base = static_cast<std::uint32_t>(v * (joints - influences) / vertices);
    for (std::uint32_t i = 0; i < influences; ++i) row[i] = {base + i, between(0.1, 1)};
    weights.push_vertex(row);
  }
  clean(weights, joints);
  const auto table = build_skin_table(weights, joints);
  if (!table) return std::puts(table.error().message().c_str()), 1;
  std::vector<Vec3f> positions(vertices), normals(vertices), out_positions(vertices), out_normals(vertices);
  for (Vec3f& p : positions) p = {between(-1, 1), between(-1, 1), between(-1, 1)};
  for (Vec3f& n : normals) n = {between(-1, 1), between(-1, 1), between(-1, 1)};
  std::vector<JointMatrix> palette(joints);
  for (JointMatrix& m : palette) {
    const Quatf q = normalized(Quatf{between(-0.3, 0.3), between(-0.3, 0.3), 0, 1});
    m = pack({to_matrix(q), {between(0, 1), 0, 0}});
  }
  const VertexStreams streams{std::span<const Vec3f>(positions), std::span<const Vec3f>(normals), {},
                              std::span(out_positions),          std::span(out_normals),          {}};
  using Clock = std::chrono::steady_clock;
  for (const kernel::Kernels& kernels : kernel::available()) {
    const LinearJob job{&*table, palette, streams, false, 1, &kernels};
    double best = 1e9;  // of many short rounds: other work on the machine only ever adds
    for (int round = 0; round < 40; ++round) {
      const auto start = Clock::now();
      for (int frame = 0; frame < 20; ++frame) job.run();
      best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / 20);
    }
    std::printf("%s %.3f\n", kernels.name, best / static_cast<double>(vertices));
  }
}
