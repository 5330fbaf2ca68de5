// What EigenSkin costs in a frame, in one run: linear blend of positions and normals, in blocks and vertex by vertex,
// the same with five modes of each at every vertex, a batch of 64 poses, and a dense blend of as many whole shapes for
// comparison. Coordinates of joints are made as frame loops make them, by a DriverLayer.
//
//   supple_eigenskin_bench [baseline|avx2|avx512] [--benchmark_filter=...]
#include <cstdio>
#include <functional>
#include <map>

#include "best_times.h"
#include "chosen_kernels.h"
#include "supple/base/rng.h"
#include "supple/deform/driver_layer.h"
#include "supple/deform/morph/job.h"
#include "supple/deform/skinning/job.h"

namespace {

using namespace supple;

constexpr std::size_t joint_count = 20, modes_per_vertex = 5, batch_poses = 64;
const kernel::Kernels* kernels = &kernel::best();
constexpr std::size_t dense_targets = 60;  // examples that a blend of whole shapes would add at every vertex

/// Vertices sorted along a body; each follows four joints and the modes of its own joint: five, every one of which
/// moves its position and turns its normal.
struct Body {
  SkinTable table, lists;
  MorphTable modes, dense;
  std::vector<Vec3f> positions, normals;
  std::vector<std::vector<Vec3f>> out;  // positions and normals of each pose
  std::vector<std::vector<JointMatrix>> palettes;
  std::vector<std::vector<float>> weights, dense_weights;
  std::vector<MorphDriver> drivers;
  DriverLayer driver_layer;
  std::vector<Transformf> local;

  explicit Body(std::size_t vertices) {
    Rng rng(7);
    const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
    SkinWeights skin;
    std::vector<MorphTarget> targets(joint_count * modes_per_vertex), shapes(vertices > 20000 ? 0 : dense_targets);
    for (std::uint32_t v = 0; v < vertices; ++v) {
      const auto joint = static_cast<std::uint32_t>(v * (joint_count - 3) / vertices);
      Influence four[4];
      for (std::uint32_t i = 0; i < 4; ++i) four[i] = {joint + i, 0.1f + std::abs(random())};
      skin.push_vertex(four);
      positions.push_back({random(), random(), random()});
      normals.push_back(normalized(Vec3f{random(), random(), 1.5f}));
      for (std::uint32_t m = 0; m < modes_per_vertex; ++m) {
        MorphTarget& t = targets[joint * modes_per_vertex + m];
        t.vertices.push_back(v);
        t.positions.push_back({random(), random(), random()});
        t.normals.push_back({random() / 4, random() / 4, random() / 4});
      }
      for (MorphTarget& s : shapes) {
        s.positions.push_back({random(), random(), random()});
        s.normals.push_back({random() / 4, random() / 4, random() / 4});
      }
    }
    clean(skin, joint_count);
    table = build_skin_table(skin, joint_count).value();
    lists = build_skin_table(skin, joint_count, SkinLayout::lists).value();
    modes = build_morph_table(targets, vertices, 1e-4);  // as a hand's: one entry each
    dense = build_morph_table(shapes, vertices, 1e-4);
    for (std::size_t p = 0; p < batch_poses; ++p) {
      auto& palette = palettes.emplace_back();
      for (std::size_t j = 0; j < joint_count; ++j)
        palette.push_back(pack({to_matrix(normalized(Quatf{random() / 3, random() / 3, 0, 1})), {random(), 0, 0}}));
      auto& w = weights.emplace_back();
      for (std::size_t t = 0; t < targets.size(); ++t) w.push_back(random());
      dense_weights.emplace_back(shapes.size(), 0.01f);
      out.emplace_back(vertices);
      out.emplace_back(vertices);
    }
    local.resize(joint_count);
    for (std::uint32_t j = 0; j < joint_count; ++j) {  // six examples of each joint, as the hand has
      local[j].rotation = normalized(Quatf{random(), 0, 0, 1});
      MorphDriver& d = drivers.emplace_back();
      d.joints = {j};
      d.reference = {Quatf{}};
      for (int c = 0; c < 7; ++c) d.centres.push_back(normalized(Quatf{0.2f * static_cast<float>(c), 0, 0, 1}));
      d.first_weight = j * modes_per_vertex;
      d.rest_weights.assign(modes_per_vertex, 0.0f);
      d.coefficients.assign(7 * modes_per_vertex, 0.1);
    }
    driver_layer = DriverLayer(drivers);
  }

  void drive(std::size_t pose) { driver_layer.drive(local, weights[pose]); }

  LinearJob job(std::size_t pose, Morphing morphs, unsigned threads = 1) { return job(table, pose, morphs, threads); }
  LinearJob job(const SkinTable& weights_of_vertices, std::size_t pose, Morphing morphs, unsigned threads) {
    const VertexStreams streams{std::span(std::as_const(positions)),
                                std::span(std::as_const(normals)),
                                {},
                                std::span(out[2 * pose]),
                                std::span(out[2 * pose + 1]),
                                {}};
    return {&weights_of_vertices, palettes[pose], streams, false, threads, kernels, morphs};
  }
};

Body& body(std::size_t vertices) {
  static std::map<std::size_t, Body> made;
  return made.try_emplace(vertices, vertices).first->second;
}

std::vector<std::string>& registered() {
  static std::vector<std::string> names;
  return names;
}

class RatioReporter : public BestTimes {
 public:
  void Finalize() override {
    std::printf("%-44s %12s %16s %20s\n", "", "ns/vertex", "/ linear blend", "/ vertex by vertex");
    for (const std::string& name : registered()) {
      if (!ns_.contains(name)) continue;
      const std::string size = name.substr(name.find('/'), name.find('/', name.find('/') + 1) - name.find('/'));
      const bool batch = name.find("batch") != std::string::npos;
      const std::string of = size + (batch ? "/batch of 64" : "");
      std::printf("%-44s %12.3f", name.c_str(), ns_.at(name));
      print_ratio(name, "linear blend" + of, 16);
      print_ratio(name, "linear blend vertex by vertex" + of, 20);
      std::printf("\n");
    }
  }

 private:
  void print_ratio(const std::string& name, const std::string& base, int width) const {
    if (ns_.contains(base)) std::printf(" %*.2f", width, ns_.at(name) / ns_.at(base));
  }
};

void add(const std::string& name, std::size_t items, std::function<void()> frame) {
  registered().push_back(name);
  benchmark::RegisterBenchmark(name.c_str(),
                               [items, frame](benchmark::State& state) {
                                 for (auto _ : state) {
                                   frame();
                                   benchmark::ClobberMemory();
                                 }
                                 state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * items));
                               })
      ->UseRealTime()
      ->MinTime(0.03)
      ->Repetitions(12);
}

}  // namespace

int main(int argc, char** argv) {
  kernels = chosen_kernels(argc, argv);
  for (const auto& [size, vertices] : {std::pair<const char*, std::size_t>{"10k", 10000}, {"50k", 50000}}) {
    Body& b = body(vertices);
    const std::string at = std::string("/") + size;
    add("linear blend" + at, vertices, [&b] { b.job(0, {}).run(); });
    add("linear blend vertex by vertex" + at, vertices, [&b] { b.job(b.lists, 0, {}, 1).run(); });
    add("coordinates of 20 joints" + at, vertices, [&b] { b.drive(0); });
    add("modes alone" + at, vertices,
        [&b] { MorphJob{&b.modes, b.weights[0], b.positions, b.normals, b.out[0], b.out[1], 1, kernels}.run(); });
    add("EigenSkin 5+5" + at, vertices, [&b] {
      b.drive(0);
      b.job(0, {&b.modes, b.weights[0]}).run();
    });
    add("EigenSkin 5+5" + at + "/two threads", vertices, [&b] {
      b.drive(0);
      b.job(0, {&b.modes, b.weights[0]}, 2).run();
    });
    if (vertices < 20000)
      add("60 whole shapes" + at, vertices, [&b] { b.job(0, {&b.dense, b.dense_weights[0]}).run(); });
    add("linear blend vertex by vertex" + at + "/batch of 64", vertices * batch_poses, [&b] {
      static std::vector<LinearJob> jobs;
      jobs.clear();
      for (std::size_t p = 0; p < batch_poses; ++p) jobs.push_back(b.job(b.lists, p, {}, 1));
      run_batch(jobs);
    });
    for (const bool corrected : {false, true}) {
      add((corrected ? "EigenSkin 5+5" : "linear blend") + at + "/batch of 64", vertices * batch_poses,
          [&b, corrected] {
            static std::vector<LinearJob> jobs;
            jobs.clear();
            for (std::size_t p = 0; p < batch_poses; ++p) {
              if (corrected) b.drive(p);
              jobs.push_back(b.job(p, corrected ? Morphing{&b.modes, b.weights[p]} : Morphing{}));
            }
            run_batch(jobs);
          });
    }
  }
  std::printf("kernels: %s\n", kernels->name);
  RatioReporter reporter;
  return reporter.run(argc, argv) ? 0 : 1;
}
