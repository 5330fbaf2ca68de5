// What muscles cost in a frame, beside linear blending of the same skin in the same run: a figure of 8000 vertices with
// 12 muscles that run; the time of one vortex at one point.
#include <cstdio>

#include "best_times.h"
#include "supple/author/propose/propose_muscles.h"
#include "supple/deform/skin.h"
#include "supple/deform/vortex/job.h"
#include "supple/make/figure.h"

namespace {

using namespace supple;

constexpr std::size_t wanted_muscles = 12;

struct Stage {
  Character figure = make::make_figure({8000}).value();
  VortexTable table;
  MuscleWeights weights;
  std::vector<Pose> poses;  // of the run, a frame each at 60 Hz
  std::vector<std::vector<Affinef>> worlds;
  std::vector<std::vector<Vec3f>> skins;  // linearly blended: what the muscles start from

  Stage() {
    figure.kinodynamics.emplace();
    std::vector<VortexMuscle>& muscles = figure.kinodynamics->muscles;
    muscles = propose_muscles(figure, wanted_muscles).value();
    // What is missing to twelve lies in forearms and shoulders, along +y of their joints.
    for (const char* joint : {"forearm-left", "forearm-right", "shoulder-left", "shoulder-right"}) {
      VortexMuscle m;
      m.name = joint;
      m.joint = figure.skeleton.require(joint).value();
      m.center = {0, 0.08f, 0};
      m.radii = {0.03f, 0.07f, 0.03f};
      m.gravity = {};
      m.skin_joints = {m.joint, figure.skeleton.parent(m.joint)};
      if (muscles.size() < wanted_muscles) muscles.push_back(m);
    }
    table = build_vortex_table(figure).value();
    weights = build_muscle_weights(figure, 0);
    Character plain = figure;
    plain.kinodynamics.reset();
    Skin skin = Skin::make(plain).value();
    const Clip& run = *figure.find_clip("run");
    for (int i = 0; i < 42; ++i) {
      poses.push_back(figure.at(run, static_cast<float>(i) / 60));
      worlds.push_back(to_world(figure.skeleton, poses.back()));
      if (skin.evaluate(poses.back(), 1).ok()) skins.emplace_back(skin.positions().begin(), skin.positions().end());
    }
  }
  const Kinodynamics& live() const { return *figure.kinodynamics; }
  /// In full swing.
  VortexState running() const {
    VortexState state = settled(table, live(), worlds[0]);
    for (int i = 0; i < 84; ++i) advance(table, live(), worlds[static_cast<std::size_t>(i) % 42], 1.0 / 60, state);
    return state;
  }
};
Stage& stage() {
  static Stage s;
  return s;
}

void linear_blend(benchmark::State& state) {
  Character plain = stage().figure;
  plain.kinodynamics.reset();
  Skin skin = Skin::make(plain).value();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(skin.evaluate(stage().poses[i++ % 42], 1).ok());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void dynamics(benchmark::State& state) {
  VortexState muscles = stage().running();
  std::size_t i = 0;
  for (auto _ : state) {
    advance(stage().table, stage().live(), stage().worlds[i++ % 42], 1.0 / 60, muscles);
    benchmark::DoNotOptimize(muscles.vortices.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void flow(benchmark::State& state, unsigned threads, const vortex::Kernel* kernel) {
  VortexState muscles = stage().running();
  std::vector<Vec3f> skin;
  std::size_t i = 0;
  for (auto _ : state) {
    skin = stage().skins[i % 42];
    advance(stage().table, stage().live(), stage().worlds[i++ % 42], 1.0 / 60, muscles);
    VortexJob{&stage().table, &muscles, &stage().weights, skin, threads, kernel}.run();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

/// One group of points in the middle of all vortices, without culling: an item is one vortex at one point.
void pair(benchmark::State& state) {
  const VortexState muscles = stage().running();
  std::vector<vortex::Run> runs;
  std::size_t vortices = 0;
  for (std::uint32_t s = 0; s < muscles.sets.size(); ++s) {
    runs.push_back({s, muscles.sets[s].first, muscles.sets[s].count, nullptr});
    vortices += muscles.sets[s].count;
  }
  std::vector<float> points(3 * vortex::lanes);
  for (auto _ : state) {
    std::fill(points.begin(), points.end(), 1.0f);
    vortex::best().flow({muscles.vortices.data(), muscles.sets.data(), runs.data(), runs.size(), points.data(), 1e9f});
    benchmark::DoNotOptimize(points.data());
  }
  constexpr std::size_t stages = 4;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stages * vortices * vortex::lanes));
}

class Figures : public BestTimes {
 public:
  void print() const {
    if (!ns_.contains("linear_blend") || !ns_.contains("pair")) return;
    const double linear = ns_.at("linear_blend");
    std::printf("%zu vertices, %zu muscles of %zu vortices in all\n", stage().figure.parts[0].mesh.positions.size(),
                stage().table.muscles.size(), stage().table.positions.size());
    std::printf("linear blend, one core                %9.1f us\n", linear / 1e3);
    std::printf("dynamics of the muscles, one core     %9.1f us\n", ns_.at("dynamics") / 1e3);
    for (const vortex::Kernel& kernel : vortex::available()) {
      const double ns = ns_.at(std::string("one_core_") + kernel.name);
      std::printf("dynamics and flow, one core, %-8s %9.1f us   %6.0f a second\n", kernel.name, ns / 1e3, 1e9 / ns);
    }
    const double all = ns_.at("all_cores");
    std::printf("dynamics and flow, all cores          %9.1f us   %6.0f a second, %.1f x linear blend\n", all / 1e3,
                1e9 / all, all / linear);
    std::printf("a vortex at a point                   %9.4f ns\n", ns_.at("pair"));
  }
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("linear_blend", linear_blend)->Repetitions(20)->MinTime(0.01);
  benchmark::RegisterBenchmark("dynamics", dynamics)->Repetitions(20)->MinTime(0.01);
  for (const vortex::Kernel& kernel : vortex::available())
    benchmark::RegisterBenchmark((std::string("one_core_") + kernel.name).c_str(), flow, 1u, &kernel)
        ->Repetitions(20)
        ->MinTime(0.02);
  benchmark::RegisterBenchmark("all_cores", flow, 0u, nullptr)->Repetitions(20)->MinTime(0.02)->UseRealTime();
  benchmark::RegisterBenchmark("pair", pair)->Repetitions(20)->MinTime(0.01);
  Figures figures;
  if (!figures.run(argc, argv)) return 1;
  figures.print();
}
