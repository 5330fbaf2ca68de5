// What flesh costs in a frame, in one run: copying positions and normals, linear blend, linear blend with four elements
// that swing, on a figure of 5500 vertices; and a thousand such figures.
#include <cstdio>
#include <cstring>

#include "best_times.h"
#include "supple/author/propose/attach_flesh.h"
#include "supple/base/parallel.h"
#include "supple/deform/palette.h"
#include "supple/deform/skin.h"
#include "supple/deform/skinning/job.h"
#include "supple/make/figure.h"

namespace {

using namespace supple;

constexpr std::size_t crowd = 1000;

/// Breast, both upper arms, belly: as many as the paper's figure has.
FleshRecipe four_elements() {
  const char* stretches[4][3] = {{"breast", "chest", "neck"},
                                 {"arm-left", "upper-arm-left", "forearm-left"},
                                 {"arm-right", "upper-arm-right", "forearm-right"},
                                 {"belly", "hips", "chest"}};
  FleshRecipe recipe;
  for (const auto& [name, driver, end] : stretches) {
    ElementRecipe& e = recipe.elements.emplace_back();
    e.name = name;
    e.driver = driver;
    e.ends = {end};
  }
  return recipe;
}

struct Stage {
  Character plain = make::make_figure({}).value(), soft = plain;
  std::vector<Pose> poses;  // of the run, a frame each at 60 Hz

  Stage() {
    attach_flesh(soft, four_elements()).value();
    const Clip& run = *soft.find_clip("run");
    for (int i = 0; i < 42; ++i) poses.push_back(soft.at(run, static_cast<float>(i) / 60));
  }
  std::size_t vertices() const { return plain.parts[0].mesh.positions.size(); }
};
Stage& stage() {
  static Stage s;
  return s;
}

/// Many figures that share their tables: each has a palette, springs and a skin of its own.
class Crowd {
 public:
  explicit Crowd(const Stage& s)
      : stage_(s),
        split_(split_flesh(s.soft, s.soft.parts[0])),
        table_(build_skin_table(split_.bones, s.soft.skins[0].joints.size()).value()),
        flesh_(build_flesh_table(split_.flesh, s.vertices(), s.soft.flesh.elements.size())),
        one_(crowd) {
    for (std::size_t i = 0; i < crowd; ++i) {
      One& one = one_[i];
      one.world.resize(s.soft.skeleton.size());
      one.palette.resize(s.soft.skins[0].joints.size());
      one.positions.resize(s.vertices());
      one.normals.resize(s.vertices());
      to_world(s.soft.skeleton, s.poses[i % s.poses.size()].local, one.world);
      one.state = settled(s.soft.flesh, one.world);
    }
  }
  void frame(std::size_t number, bool flesh, bool skin) {
    parallel_for(crowd, 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        move(one_[i], stage_.poses[(i + number) % stage_.poses.size()], flesh, skin);
    });
  }

 private:
  struct One {
    std::vector<Affinef> world;
    std::vector<JointMatrix> palette;
    std::vector<Vec3f> positions, normals;
    FleshState state;
  };
  void move(One& one, const Pose& pose, bool flesh, bool skin) {
    to_world(stage_.soft.skeleton, pose.local, one.world);
    if (flesh) advance(stage_.soft.flesh, one.world, 1.0 / 60, one.state);
    if (!skin) return;
    const Mesh& mesh = stage_.soft.parts[0].mesh;
    make_palette(stage_.soft.skins[0], one.world, one.palette);
    LinearJob{
        &table_,
        one.palette,
        {std::span(mesh.positions), std::span(mesh.normals), {}, std::span(one.positions), std::span(one.normals), {}},
        false,
        1}
        .run();
    if (flesh) FleshJob{&flesh_, one.state.motions, one.positions, one.normals, 1}.run();
  }

  const Stage& stage_;
  SplitWeights split_;
  SkinTable table_;
  FleshTable flesh_;
  std::vector<One> one_;
};

void copy(benchmark::State& state) {
  const Mesh& mesh = stage().plain.parts[0].mesh;
  std::vector<Vec3f> out(2 * stage().vertices());
  for (auto _ : state) {
    std::memcpy(out.data(), mesh.positions.data(), mesh.positions.size() * sizeof(Vec3f));
    std::memcpy(out.data() + mesh.positions.size(), mesh.normals.data(), mesh.normals.size() * sizeof(Vec3f));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void linear_blend(benchmark::State& state) {
  Skin skin = Skin::make(stage().plain).value();
  std::vector<Pose> poses;
  for (Pose pose : stage().poses) {
    pose.local.resize(stage().plain.skeleton.size());
    poses.push_back(std::move(pose));
  }
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(skin.evaluate(poses[i++ % poses.size()], 1).ok());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void with_flesh(benchmark::State& state) {
  Skin skin = Skin::make(stage().soft).value();
  std::size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(skin.animate(stage().poses[i++ % stage().poses.size()], 1.0 / 60, 1).ok());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void springs(benchmark::State& state) {
  const Character& c = stage().soft;
  std::vector<std::vector<Affinef>> worlds;
  for (const Pose& pose : stage().poses) worlds.push_back(to_world(c.skeleton, pose));
  FleshState flesh = settled(c.flesh, worlds[0]);
  std::size_t i = 0;
  for (auto _ : state) {
    advance(c.flesh, worlds[i++ % worlds.size()], 1.0 / 60, flesh);
    benchmark::DoNotOptimize(flesh.motions[0]);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void crowd_frame(benchmark::State& state, bool flesh, bool skin) {
  static Crowd many(stage());
  std::size_t frame = 0;
  for (auto _ : state) many.frame(frame++, flesh, skin);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

class Ratios : public BestTimes {
 public:
  void print() const {
    if (ns_.size() < 7) return;
    const double copied = ns_.at("copy"), linear = ns_.at("linear_blend"), soft = ns_.at("with_flesh");
    const SplitWeights split = split_flesh(stage().soft, stage().soft.parts[0]);
    const FleshTable table = build_flesh_table(split.flesh, stage().vertices(), 4);
    std::printf("%zu vertices, %zu of them flesh of 4 elements in %zu blocks, one core\n", stage().vertices(),
                split.flesh.size(), table.entries.size());
    std::printf("copy of positions and normals  %8.2f us\n", copied / 1e3);
    std::printf("linear blend                   %8.2f us   %.2f x copy\n", linear / 1e3, linear / copied);
    std::printf("linear blend and flesh         %8.2f us   %.3f x linear blend\n", soft / 1e3, soft / linear);
    std::printf("of which springs               %8.3f us\n", ns_.at("springs") / 1e3);
    std::printf("%zu figures, all cores, a frame\n", crowd);
    std::printf("poses and springs              %8.3f ms\n", ns_.at("crowd_springs") / 1e6);
    std::printf("linear blend                   %8.3f ms\n", ns_.at("crowd_linear") / 1e6);
    std::printf("linear blend and flesh         %8.3f ms   %.3f x linear blend\n", ns_.at("crowd_flesh") / 1e6,
                ns_.at("crowd_flesh") / ns_.at("crowd_linear"));
  }
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("copy", copy)->Repetitions(150)->MinTime(0.01);
  benchmark::RegisterBenchmark("linear_blend", linear_blend)->Repetitions(150)->MinTime(0.01);
  benchmark::RegisterBenchmark("with_flesh", with_flesh)->Repetitions(150)->MinTime(0.01);
  benchmark::RegisterBenchmark("springs", springs)->Repetitions(150)->MinTime(0.01);
  benchmark::RegisterBenchmark("crowd_springs", crowd_frame, true, false)->Repetitions(12)->MinTime(0.1);
  benchmark::RegisterBenchmark("crowd_linear", crowd_frame, false, true)->Repetitions(12)->MinTime(0.1);
  benchmark::RegisterBenchmark("crowd_flesh", crowd_frame, true, true)->Repetitions(12)->MinTime(0.1);
  Ratios ratios;
  if (!ratios.run(argc, argv)) return 1;
  ratios.print();
}
