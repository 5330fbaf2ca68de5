// How long EigenSkin trains, and how that grows with poses and with vertices: on characters of several sizes, with all
// and with some of their examples.
//
//   supple_training_bench [MODEL EXAMPLES]...
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "supple/author/learn/eigenskin.h"
#include "supple/files/example_set_file.h"
#include "supple/files/load.h"

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

/// All training examples, then every second, fourth and eighth of them.
int rows(const std::string& model, const std::string& folder) {
  const auto loaded = load(model);
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().message().c_str()), 2;
  auto set = load_examples(folder);
  if (!set) return std::fprintf(stderr, "%s\n", set.error().message().c_str()), 2;
  const auto part = find_part(loaded->character(), set->part);
  if (!part) return std::fprintf(stderr, "%s\n", part.error().message().c_str()), 2;
  for (const std::size_t step : {1u, 2u, 4u, 8u}) {
    ExampleSet fewer = *set;
    std::size_t seen = 0;
    for (std::size_t i = 0; i < fewer.size(); ++i) {
      if (!fewer.usable(i) || fewer.examples[i].role != Role::train) continue;
      if (seen++ % step != 0) fewer.examples[i].role = Role::test;
    }
    const double seconds = training(fewer, loaded->character(), *part);
    const auto poses = static_cast<double>(training_examples(fewer));
    std::printf("%10zu %10zu %10.0f %12.3f %22.1f\n", set->triangles.size(), set->vertices(), poses, seconds,
                seconds * 1e9 / (poses * static_cast<double>(set->vertices())));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc % 2 == 0) return std::fprintf(stderr, "usage: %s [MODEL EXAMPLES]...\n", argv[0]), 2;
  std::printf("%10s %10s %10s %12s %22s\n", "triangles", "vertices", "poses", "seconds", "ns/(vertex pose)");
  for (int i = 1; i + 1 < argc; i += 2)
    if (const int failed = rows(argv[i], argv[i + 1]); failed != 0) return failed;
  return 0;
}
