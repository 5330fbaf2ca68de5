// Volumes of the size a scanner gives: iso-surfaces beside a plain copy of the same bytes, blurring and reducing.
//   supple_scan_bench [slices]      512 x 512 x 750 unless told otherwise
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "supple/author/scan/parts.h"
#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/geometry/remesh.h"

namespace {

using namespace supple;

// Twelve bones of changing thickness in a limb of changing thickness, with noise of 30 HU.
Volume limb(std::size_t slices) {
  Volume v;
  v.name = "limb";
  v.modality = "CT";
  v.size = {512, 512, slices};
  v.to_world = {Mat3d::diagonal({0.000468, 0.000468, 0.0003}), {}};
  v.samples.resize(v.count());
  parallel_for(slices, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      Rng rng(k);
      const double z = 0.64 * static_cast<double>(k);
      for (std::size_t j = 0; j < 512; ++j) {
        for (std::size_t i = 0; i < 512; ++i) {
          const double x = static_cast<double>(i) - 256, y = static_cast<double>(j) - 256;
          const double flesh = 150 + 30 * std::sin(0.05 * z) - std::hypot(x, y);
          const double bone =
              14 + 4 * std::sin(0.1 * z) -
              std::hypot(std::fmod(std::abs(x) + 10, 60.0) - 30, std::fmod(std::abs(y) + 10, 60.0) - 30);
          const double value = flesh < 0 ? -1000 : bone > 0 && flesh > 30 && std::sin(0.05 * z) > -0.9 ? 800 : 40;
          const double bell = rng.uniform() + rng.uniform() + rng.uniform() - 1.5;  // sigma 0.5
          v.samples[v.place(i, j, k)] = static_cast<std::int16_t>(std::lround(value + 60 * bell));
        }
      }
    }
  });
  return v;
}

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The fastest of three: the rest is the machine's noise.
template <class Work>
double best(Work&& work) {
  double least = seconds(work);
  for (int i = 0; i < 2; ++i) least = std::min(least, seconds(work));
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::size_t slices = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 750;
  if (slices == 0) {
    std::fprintf(stderr, "usage: supple_scan_bench [slices]\n");
    return 2;
  }
  const Volume volume = limb(slices);
  const double voxels = static_cast<double>(volume.count());
  std::printf("%zu x %zu x %zu, %.0f million voxels\n", volume.size[0], volume.size[1], volume.size[2], voxels / 1e6);
  Mesh skin;
  for (const unsigned threads : {1u, 0u}) {
    set_thread_count(threads);
    const unsigned used = thread_count();
    std::printf("%u threads\n", used);
    const auto line = [&](const char* what, double s) {
      std::printf("  %-28s %7.3f s  %8.1f million voxels/s, %8.1f per core\n", what, s, voxels / s / 1e6,
                  voxels / s / 1e6 / used);
    };
    {
      std::vector<std::int16_t> copy(volume.samples.size());
      line("copy of the samples", best([&] {
             parallel_for(copy.size(), 1 << 20, [&](std::size_t begin, std::size_t end) {
               std::copy(volume.samples.data() + begin, volume.samples.data() + end, copy.data() + begin);
             });
           }));
    }
    Volume blur;
    line("blur, sigma 0.8", best([&] { blur = scan::blurred(volume, 0.8); }));
    line("skin", best([&] { skin = scan::isosurface(blur, {-480, true}); }));
    std::printf("  %-28s %zu triangles\n", "", skin.triangles.size());
    Mesh bone;
    line("bone", best([&] { bone = scan::isosurface(blur, {420, true}); }));
    std::printf("  %-28s %zu triangles\n", "", bone.triangles.size());
    line("thresholds", best([&] { (void)scan::propose_thresholds(volume); }));
  }
  std::printf("smooth, ten passes: %.2f s\n", seconds([&] { scan::smooth(skin); }));
  const double separating = seconds([&] {
    const auto parts = scan::separate_bones(volume, {420});
    std::printf("%zu bones, ", parts ? parts->parts.size() : 0);
  });
  std::printf("taken apart in %.2f s\n", separating);
  // As many triangles as the skin of a hand has at this resolution.
  constexpr std::size_t hand_slices = 120;
  skin = scan::isosurface(scan::blurred(limb(hand_slices), 0.8), {-480, true});
  Result<Mesh> reduced = Mesh{};
  const double reducing = seconds([&] { reduced = scan::reduce(skin, 100000); });
  if (!reduced) {
    std::fprintf(stderr, "%s\n", reduced.error().message().c_str());
    return 1;
  }
  const MeshQuality q = quality(*reduced);
  std::printf("reduce %zu to %zu triangles: %.2f s, least angle %.1f degrees, mean least angle %.1f\n",
              skin.triangles.size(), reduced->triangles.size(), reducing, q.min_angle_degrees,
              q.mean_min_angle_degrees);
}
