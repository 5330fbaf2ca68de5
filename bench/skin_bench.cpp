// What a frame of a file costs, in one run: plain copying of its positions and normals, linear blend alone, the drivers
// alone, and the skin as the file has it (drivers, morph targets and skinning of every part), over poses of its clips.
//
//   supple_skin_bench MODEL
#include <cstdio>
#include <cstring>
#include <functional>

#include "best_times.h"
#include "supple/deform/driver_layer.h"
#include "supple/deform/skin.h"
#include "supple/deform/skinning/job.h"
#include "supple/files/load.h"

namespace {

using namespace supple;

constexpr std::size_t poses_of_clip = 16;

/// The character without what corrects its skin: joints, weights and meshes.
Character linear_blend(const Character& character) {
  Character plain;
  plain.skeleton = character.skeleton;
  plain.skins = character.skins;
  plain.parts = character.parts;
  plain.materials = character.materials;
  for (Part& part : plain.parts) {
    part.morphs.clear();
    part.first_morph_weight = 0;
  }
  return plain;
}

std::vector<Pose> poses(const Character& character) {
  std::vector<Pose> out;
  for (const Clip& clip : character.clips)
    for (std::size_t i = 0; i < poses_of_clip; ++i)
      out.push_back(
          character.at(clip, clip.start() + clip.duration() * static_cast<float>(i) / float{poses_of_clip - 1}));
  if (out.empty()) out.push_back(character.rest());
  return out;
}

std::vector<std::string>& registered() {
  static std::vector<std::string> names;
  return names;
}

class FrameReporter : public BestTimes {
 public:
  explicit FrameReporter(std::size_t vertices) : vertices_(vertices) {}
  void Finalize() override {
    std::printf("%-30s %12s %12s %16s\n", "", "us/pose", "ns/vertex", "/ linear blend");
    for (const std::string& name : registered()) {
      if (!ns_.contains(name)) continue;
      const std::string base =
          name.find("two threads") == std::string::npos ? "linear blend" : "linear blend, two threads";
      std::printf("%-30s %12.1f %12.3f", name.c_str(), ns_.at(name) / 1e3,
                  ns_.at(name) / static_cast<double>(vertices_));
      if (ns_.contains(base)) std::printf(" %16.2f", ns_.at(name) / ns_.at(base));
      std::printf("\n");
    }
  }

 private:
  std::size_t vertices_;
};

void add(const std::string& name, std::size_t frames, std::function<void()> run_frames) {
  registered().push_back(name);
  benchmark::RegisterBenchmark(name.c_str(),
                               [frames, run_frames](benchmark::State& state) {
                                 for (auto _ : state) {
                                   run_frames();
                                   benchmark::ClobberMemory();
                                 }
                                 state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * frames));
                               })
      ->UseRealTime()
      ->MinTime(0.05)
      ->Repetitions(12);
}

int run(const char* file, int argc, char** argv) {
  const auto model = load(file);
  if (!model) return std::fprintf(stderr, "%s\n", model.error().message().c_str()), 2;
  const Character& character = model->character();
  const Character plain = linear_blend(character);
  auto skin = Skin::make(character), blend = Skin::make(plain);
  if (!skin) return std::fprintf(stderr, "%s\n", skin.error().message().c_str()), 2;
  if (!blend) return std::fprintf(stderr, "%s\n", blend.error().message().c_str()), 2;
  const std::vector<Pose> clip = poses(character);
  std::vector<Pose> plain_clip = clip;
  for (Pose& pose : plain_clip) pose.morph_weights.clear();
  std::size_t vertices = 0, targets = 0, moved = 0;
  for (const Part& part : character.parts) {
    vertices += part.mesh.positions.size();
    targets += part.morphs.size();
    for (const MorphTarget& target : part.morphs) moved += target.positions.size();
  }
  std::printf("%s: %zu vertices, %zu morph targets, %.1f a vertex, %zu drivers, %zu poses\nkernels: %s\n", file,
              vertices, targets, static_cast<double>(moved) / static_cast<double>(vertices), character.drivers.size(),
              clip.size(), kernel::best().name);

  std::vector<std::vector<Vec3f>> from(2, std::vector<Vec3f>(vertices)), to = from;
  add("copy", clip.size(), [&] {
    for (std::size_t i = 0; i < clip.size(); ++i) {
      for (std::size_t s = 0; s < 2; ++s) std::memcpy(to[s].data(), from[s].data(), vertices * sizeof(Vec3f));
      benchmark::ClobberMemory();
    }
  });
  DriverLayer drivers(character.drivers);
  std::vector<float> weights = character.morph_weights;
  add("drivers alone", clip.size(), [&] {
    for (const Pose& pose : clip) drivers.drive(pose.local, weights);
  });
  for (const unsigned threads : {1u, 2u}) {
    const std::string on = threads == 1 ? "" : ", two threads";
    add("linear blend" + on, clip.size(), [&, threads] {
      for (const Pose& pose : plain_clip) (void)blend->evaluate(pose, threads);
    });
    add("the file's skin" + on, clip.size(), [&, threads] {
      for (const Pose& pose : clip) (void)skin->evaluate(pose, threads);
    });
  }
  FrameReporter reporter(vertices);
  return reporter.run(argc, argv) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "supple_skin_bench MODEL\n"), 2;
  const char* file = argv[1];
  argv[1] = argv[0];
  return run(file, argc - 1, argv + 1);
}
