// How long EigenSkin trains, and how that grows with poses and with vertices: on a character and a set of examples,
// parts of the set, and the set repeated over more vertices.
//
//   supple_training_bench MODEL EXAMPLES
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "supple/exchange/example_set_file.h"
#include "supple/exchange/load.h"
#include "supple/learn/eigenskin.h"

using namespace supple;

namespace {

/// The fastest of three, seconds.
double training(const ExampleSet& set, const Character& character, std::size_t part) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto skin = learn::train_eigenskin(set, character, part);
    if (!skin) return std::fprintf(stderr, "%s\n", skin.error().message().c_str()), -1;
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

std::size_t training_examples(const ExampleSet& set) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < set.size(); ++i) count += set.usable(i) && set.examples[i].role == Role::train;
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s MODEL EXAMPLES\n", argv[0]), 2;
  const auto loaded = load(argv[1]);
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().message().c_str()), 2;
  auto set = load_examples(argv[2]);
  if (!set) return std::fprintf(stderr, "%s\n", set.error().message().c_str()), 2;
  const auto part = find_part(loaded->character(), set->part);
  if (!part) return std::fprintf(stderr, "%s\n", part.error().message().c_str()), 2;
  std::printf("%10s %10s %10s %12s %22s\n", "triangles", "vertices", "poses", "seconds", "ns/(vertex pose)");
  for (const double share : {1.0, 0.5, 0.25, 0.125}) {
    ExampleSet fewer = *set;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < fewer.size(); ++i) {  // every second, fourth, ... of the training examples
      if (!fewer.usable(i) || fewer.examples[i].role != Role::train) continue;
      if (kept++ % static_cast<std::size_t>(1 / share) != 0) fewer.examples[i].role = Role::test;
    }
    const double seconds = training(fewer, loaded->character(), *part);
    const auto poses = static_cast<double>(training_examples(fewer));
    std::printf("%10zu %10zu %10.0f %12.3f %22.1f\n", set->triangles.size(), set->vertices(), poses, seconds,
                seconds * 1e9 / (poses * static_cast<double>(set->vertices())));
  }
  return 0;
}
