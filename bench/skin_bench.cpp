// What a frame of a file costs, in one run: plain copying of its positions and normals, linear blend alone, in blocks
// and vertex by vertex, the drivers alone, and the skin as the file has it (drivers, morph targets and skinning of
// every part), over poses of its clips.
//
//   supple_skin_bench MODEL
#include <cstdio>
#include <cstring>
#include <functional>

#include "best_times.h"
#include "clip_poses.h"
#include "supple/deform/driver_layer.h"
#include "supple/deform/part_binding.h"
#include "supple/deform/skin.h"
#include "supple/deform/skinning/job.h"
#include "supple/files/load.h"

namespace {

using namespace supple;

/// Linear blend as it was before blocks: every vertex blends its own matrix.
class VertexByVertex {
 public:
  explicit VertexByVertex(const Character& character) : character_(character), world_(character.skeleton.size()) {
    for (const Part& part : character.parts) {
      const SkinBinding binding = binding_of(character, part);
      const std::size_t joints = palette_size(binding), vertices = part.mesh.positions.size();
      parts_.push_back({binding, build_skin_table(weights_of(part), joints, SkinLayout::lists).value(),
                        std::vector<JointMatrix>(joints, pack({})), rest_normals(part), std::vector<Vec3f>(vertices),
                        std::vector<Vec3f>(vertices)});
    }
  }
  void evaluate(const Pose& pose, unsigned threads) {
    to_world(character_.skeleton, pose.local, world_);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      Posed& s = parts_[p];
      make_palette(s.binding, world_, s.palette);
      const VertexStreams streams{std::span(character_.parts[p].mesh.positions),
                                  std::span(std::as_const(s.rest_normals)),
                                  {},
                                  std::span(s.positions),
                                  std::span(s.normals),
                                  {}};
      LinearJob{&s.table, s.palette, streams, has_scale(s.palette), threads}.run();
    }
  }

 private:
  struct Posed {
    SkinBinding binding;
    SkinTable table;
    std::vector<JointMatrix> palette;
    std::vector<Vec3f> rest_normals, positions, normals;
  };
  const Character& character_;
  std::vector<Affinef> world_;
  std::vector<Posed> parts_;
};

std::vector<std::string>& registered() {
  static std::vector<std::string> names;
  return names;
}

class FrameReporter : public BestTimes {
 public:
  explicit FrameReporter(std::size_t vertices) : vertices_(vertices) {}
  void Finalize() override {
    std::printf("%-38s %10s %10s %16s %18s\n", "", "us/pose", "ns/vertex", "/ linear blend", "/ vertex by vertex");
    for (const std::string& name : registered()) {
      if (!ns_.contains(name)) continue;
      const std::string on = name.find("two threads") == std::string::npos ? "" : ", two threads";
      std::printf("%-38s %10.1f %10.3f", name.c_str(), ns_.at(name) / 1e3,
                  ns_.at(name) / static_cast<double>(vertices_));
      print_ratio(name, "linear blend" + on, 16);
      print_ratio(name, "linear blend vertex by vertex" + on, 18);
      std::printf("\n");
    }
  }

 private:
  void print_ratio(const std::string& name, const std::string& base, int width) const {
    if (ns_.contains(base)) std::printf(" %*.2f", width, ns_.at(name) / ns_.at(base));
  }
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
  const std::vector<Pose> clip = clip_poses(character), plain_clip = without_morphs(clip);
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
  VertexByVertex lists(plain);
  DriverLayer drivers(character.drivers);
  std::vector<float> weights = character.morph_weights;
  add("drivers alone", clip.size(), [&] {
    for (const Pose& pose : clip) drivers.drive(pose.local, weights);
  });
  for (const unsigned threads : {1u, 2u}) {
    const std::string on = threads == 1 ? "" : ", two threads";
    add("linear blend vertex by vertex" + on, clip.size(), [&, threads] {
      for (const Pose& pose : plain_clip) lists.evaluate(pose, threads);
    });
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
