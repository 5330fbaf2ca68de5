// Many poses of a file at once, beside copying as many vectors: supple_batch_bench FILE.glb [POSES]. Prints JSON for
// bench/python_bench.py, milliseconds of the best of several runs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "supple/deform/skin_batch.h"
#include "supple/files/load_character.h"

using namespace supple;

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: supple_batch_bench FILE.glb [POSES]\n");
    return 2;
  }
  const auto character = load_character(argv[1]);
  if (!character) {
    std::fprintf(stderr, "%s\n", character.error().message().c_str());
    return 2;
  }
  const std::size_t count = argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : 256;
  std::vector<Quatf> rotations;
  for (std::size_t p = 0; p < count; ++p) {
    Pose pose = character->rest();
    if (!character->clips.empty()) {  // spread over the first clip
      const Clip& clip = character->clips[0];
      sample(clip, clip.start() + clip.duration() * static_cast<float>(p) / static_cast<float>(count), pose);
    }
    for (const Transformf& local : pose.local) rotations.push_back(local.rotation);
  }
  auto batch = SkinBatch::make(*character);
  if (!batch) return 2;
  const std::size_t vertices = character->parts[0].mesh.positions.size();
  std::vector<Vec3f> positions(count * vertices), copy(count * vertices);
  const auto milliseconds = [](auto&& work) {
    double best = 1e9;
    for (int i = 0; i < 15; ++i) {
      const auto start = std::chrono::steady_clock::now();
      work();
      best =
          std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  };
  const double skinned = milliseconds([&] { (void)batch->evaluate({count, rotations, {}, {}, {}}, 0, positions); });
  const double allocated = milliseconds([&] {  // as a caller who wants new arrays each time
    std::unique_ptr<float[]> fresh(new float[count * vertices * 3]);
    (void)batch->evaluate({count, rotations, {}, {}, {}}, 0, {reinterpret_cast<Vec3f*>(fresh.get()), count * vertices});
  });
  const double copied =
      milliseconds([&] { std::memcpy(copy.data(), positions.data(), positions.size() * sizeof(Vec3f)); });
  std::printf("{\"poses\": %zu, \"vertices\": %zu, \"ms\": %.4f, \"ms_fresh\": %.4f, \"copy_ms\": %.4f}\n", count,
              vertices, skinned, allocated, copied);
}
