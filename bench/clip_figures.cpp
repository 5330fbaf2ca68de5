// What a learnt skin makes of poses that were simulated for testing, one by one: its error beside linear blend's, the
// vertex that is worse than linear blend by most, and how much skin cuts through skin.
//
//   supple_clip_figures INPUT FITTED EXAMPLES [TAG]
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "supple/author/learn/fit_error.h"
#include "supple/deform/skin.h"
#include "supple/files/example_set_file.h"
#include "supple/files/load.h"
#include "supple/measure/intersections.h"

using namespace supple;

namespace {

Result<std::vector<Vec3f>> posed(const Character& character, std::size_t part, const ExampleSet& set, std::size_t e) {
  auto skin = Skin::make(character);
  if (!skin) return skin.error();
  Pose pose = set.pose(e);
  pose.morph_weights = character.morph_weights;
  if (auto ok = skin->evaluate(pose); !ok) return ok.error();
  return std::vector<Vec3f>(skin->positions(part).begin(), skin->positions(part).end());
}

Result<void> run(const char* input_file, const char* fitted_file, const char* folder, const char* tag) {
  const auto input = load(input_file), fitted = load(fitted_file);
  if (!input) return input.error();
  if (!fitted) return fitted.error();
  const auto set = load_examples(folder);
  if (!set) return set.error();
  const auto part = find_part(fitted->character(), set->part), before = find_part(input->character(), set->part);
  if (!part) return part.error();
  if (!before) return before.error();
  std::vector<std::size_t> examples;
  for (const std::size_t e : learn::examples_of(*set, learn::Group::held_out_several))
    if (const auto& tags = set->examples[e].tags; std::find(tags.begin(), tags.end(), tag) != tags.end())
      examples.push_back(e);
  const auto errors = learn::measure_live(fitted->character(), *part, *set, examples, &input->character());
  if (!errors) return errors.error();
  const auto test = measure::SelfIntersectionTest::make(input->character().parts[*before].mesh);
  if (!test) return test.error();
  std::printf("%-20s %8s %8s %8s %10s  cut: %6s %6s %6s (triangles)  mm: %6s %6s %6s\n", "pose", "share", "mm rms",
              "blend", "worse, mm", "blend", "learnt", "flesh", "blend", "learnt", "flesh");
  for (const learn::PoseError& e : *errors) {
    const auto blend = posed(input->character(), *before, *set, e.example);
    const auto learnt = posed(fitted->character(), *part, *set, e.example);
    if (!blend) return blend.error();
    if (!learnt) return learnt.error();
    const auto cut_blend = test->run(*blend, 0), cut = test->run(*learnt, 0),
               cut_flesh = test->run(set->positions_of(e.example), 0);
    if (!cut_blend || !cut || !cut_flesh) return Error{"intersections", "cannot be found", ""};
    const double n = static_cast<double>(set->vertices());
    std::printf("%-20s %8.3f %8.3f %8.3f %10.2f       %6zu %6zu %6zu                 %6.1f %6.1f %6.1f\n",
                set->examples[e.example].name.c_str(), e.relative(), 1000 * std::sqrt(e.squared / n),
                1000 * std::sqrt(e.blend_squared / n), 1000 * e.worse, cut_blend->new_triangles, cut->new_triangles,
                cut_flesh->new_triangles, 1000 * cut_blend->length, 1000 * cut->length, 1000 * cut_flesh->length);
  }
  const learn::ErrorSummary all = learn::summarize(*errors, set->vertices(), 0);
  std::printf(
      "all: %.3f of linear blend's error, %.3f at worst (%s); %.2f mm worse than linear blend at most (%s, vertex "
      "%u)\n",
      all.relative, all.worst_relative, set->examples[all.worst_example].name.c_str(), 1000 * all.worse,
      set->examples[all.worse_example].name.c_str(), all.worse_vertex);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "supple_clip_figures INPUT FITTED EXAMPLES [TAG]\n");
    return 2;
  }
  if (auto ok = run(argv[1], argv[2], argv[3], argc > 4 ? argv[4] : "clip"); !ok) {
    std::fprintf(stderr, "%s\n", ok.error().message().c_str());
    return 1;
  }
  return 0;
}
