// One flesh element beside a mushroom of thousands of springs, the comparison of the paper on dynamic skinning (section
// 6.1): how alike they swing, and what each costs. Prints one table; everything is measured in one run.
#include <chrono>
#include <cstdio>

#include "support/mushroom_shaking.h"

using namespace supple;
using namespace supple::test;

namespace {

double seconds_of(const std::function<void()>& work, int repetitions) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

double peak(const Trace& trace) {
  double farthest = 0;
  for (const Vec3d d : trace) farthest = std::max(farthest, length(d));
  return farthest;
}

void print_row(const char* name, const Trace& springs, const Trace& element) {
  const double a = dominant_frequency(springs), b = dominant_frequency(element);
  std::printf("%-14s %11.4f   %6.2f %6.2f %5.1f %%   %6.1f %6.1f\n", name, correlation(springs, element), a, b,
              100 * (b / a - 1), 1000 * peak(springs), 1000 * peak(element));
}

/// One second of animation, at the frame rate, poses at hand: the advancing alone.
void print_cost(const MushroomElement& element, simulate::MassSpring body) {
  const Shaking shaking = unseen_shakings()[0];
  const auto frames = static_cast<std::size_t>(frame_rate);
  std::vector<Affined> bone;
  std::vector<std::array<Affinef, 2>> world;
  for (std::size_t frame = 0; frame <= frames; ++frame) {
    bone.push_back(shaking.bone(static_cast<double>(frame) / frame_rate));
    world.push_back({Affinef(bone.back()), Affinef(bone.back() * Affined{{}, {0, mushroom_height, 0}})});
  }
  const double springs = seconds_of(
      [&] {
        for (std::size_t frame = 1; frame <= frames; ++frame) body.advance(bone[frame], 1 / frame_rate);
      },
      5);
  constexpr int at_once = 1000;  // a clock does not see a single second of one element
  FleshState state = settled(element.flesh, world[0]);
  const double one = seconds_of(
                         [&] {
                           for (int i = 0; i < at_once; ++i)
                             for (std::size_t frame = 1; frame <= frames; ++frame)
                               advance(element.flesh, world[frame], 1 / frame_rate, state);
                         },
                         5) /
                     at_once;
  std::printf("\n%-46s %9s %12s\n", "one second of animation at 60 frames a second", "springs", "time");
  std::printf("%-46s %9zu %9.1f ms\n", "masses and springs", body.springs(), springs * 1e3);
  std::printf("%-46s %9d %9.4f ms\n", "flesh element", 1, one * 1e3);
  std::printf("ratio %.0f\n", springs / one);
}

}  // namespace

int main() {
  const auto volume = MushroomVolume::make();
  if (!volume) return std::fprintf(stderr, "%s\n", volume.error().message().c_str()), 1;
  const auto springs = volume->springs();
  if (!springs) return std::fprintf(stderr, "%s\n", springs.error().message().c_str()), 1;
  std::printf("mushroom: %zu nodes, %zu in the bone, %zu elements, %zu springs, steps of %.0f microseconds\n",
              volume->mesh.nodes.size(), volume->held.size(), volume->mesh.element_count(), springs->springs(),
              springs->longest_step() * 1e6);

  const Shaking step = step_aside();
  simulate::MassSpring body = *springs;
  const Trace target = shake(*volume, body, step);
  MushroomElement element(*volume);
  const double left = calibrate(element, step, target);
  std::printf("calibrated on the step: %.2f Hz, damping ratio %.3f, gain %.2f; %.1f %% of the motion left over\n\n",
              double{element.spring().frequency}, double{element.spring().damping_ratio}, double{element.gain()},
              100 * left);
  std::printf("%-14s %11s   %22s   %13s\n", "rim of the cap", "correlation", "dominant frequency, Hz", "farthest, mm");
  print_row(step.name, target, shake(element, step));
  for (const Shaking& shaking : unseen_shakings()) {
    simulate::MassSpring shaken = *springs;
    print_row(shaking.name, shake(*volume, shaken, shaking), shake(element, shaking));
  }
  print_cost(element, *springs);
  return 0;
}
