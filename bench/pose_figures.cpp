// The figures that poses of several joints are judged by: held-out errors against the number of training poses of
// several joints, with few and many morph targets, over example sets of several seeds: their mean, and the worst of
// them. script/figures poses makes the sets.
//
//   supple_pose_figures MODEL EXAMPLES...
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>

#include "supple/author/learn/fit_error.h"
#include "supple/author/learn/kernel_skin.h"
#include "supple/author/learn/next_poses.h"
#include "supple/files/example_set_file.h"
#include "supple/files/load.h"

using namespace supple;

namespace {

constexpr std::array<std::size_t, 5> counts{0, 75, 150, 300, 600};

struct Variant {
  const char* name;
  std::size_t most_modes, per_vertex;
  bool all;  // modes, not only those that are worth it
};
constexpr std::size_t any = std::size_t(-1);
constexpr std::array<Variant, 3> variants{{{"by default: at most 10 a vertex", 100, 10, false},
                                           {"46 targets", 46, any, true},
                                           {"100 targets", 100, any, true}}};

struct Figure {
  double sum = 0, worst = 0;
  std::size_t sets = 0;
  void add(double value) {
    sum += value;
    worst = std::max(worst, value);
    ++sets;
  }
};

using learn::Group;
struct Figures {
  std::map<std::string, Figure> held_out;  // by group or tag
  Figure seconds, targets;
};

bool has_tag(const Example& e, const char* tag) { return std::find(e.tags.begin(), e.tags.end(), tag) != e.tags.end(); }

Result<void> measure(const ExampleSet& set, const Character& character, const Variant& variant, Figures& figures) {
  const auto part = find_part(character, set.part);
  if (!part) return part.error();
  learn::KernelSkinOptions options;
  options.most_modes = variant.most_modes;
  options.per_vertex = variant.per_vertex;
  const auto start = std::chrono::steady_clock::now();
  const auto trainer = learn::KernelTrainer::make(set, character, *part, options);
  if (!trainer) return trainer.error();
  const learn::EigenSkin skin = trainer->skin(variant.all ? trainer->modes() : trainer->enough());
  figures.seconds.add(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  figures.targets.add(static_cast<double>(skin.order.size()));
  Character fitted = character;
  const learn::Attached attached = learn::attach(skin, set, fitted, std::span(&*part, 1));
  learn::ErrorMeter meter(fitted, *part, attached, set);
  const auto add = [&](const char* name, std::span<const std::size_t> examples) {
    if (examples.empty()) return;
    figures.held_out[name].add(learn::summarize(meter.measure(examples), set.vertices(), 0).relative);
  };
  add("one joint", learn::examples_of(set, Group::held_out_single));
  std::vector<std::size_t> several, grips;
  for (const std::size_t e : learn::examples_of(set, Group::held_out_several))
    (has_tag(set.examples[e], "grip") ? grips : several).push_back(e);
  add("several joints", several);
  add("grips", grips);
  return {};
}

void print(const char* variant, const std::array<Figures, counts.size()>& figures) {
  std::printf("\n%s\n  %-26s", variant, "poses of several joints");
  for (const std::size_t n : counts) std::printf("  %13zu", n);
  for (const char* name : {"several joints", "grips", "one joint"}) {
    if (!figures[0].held_out.contains(name)) continue;
    std::printf("\n  %-26s", name);
    for (const Figures& f : figures) {
      const Figure& value = f.held_out.at(name);
      std::printf("  %5.3f (%5.3f)", value.sum / static_cast<double>(value.sets), value.worst);
    }
  }
  std::printf("\n  %-26s", "morph targets");
  for (const Figures& f : figures) std::printf("  %13.0f", f.targets.worst);
  std::printf("\n  %-26s", "seconds of training");
  for (const Figures& f : figures) std::printf("  %13.1f", f.seconds.worst);
  std::printf("\n");
}

constexpr std::size_t chosen_count = 150, batch = 25;

/// Of the poses of several joints, those that are most worth it, in batches; all others count nothing.
Result<void> choose(ExampleSet& set, const Character& character, std::span<const std::size_t> coupled) {
  const auto part = find_part(character, set.part);
  if (!part) return part.error();
  for (const std::size_t e : coupled) set.examples[e].weight = 0;
  for (std::size_t chosen = 0; chosen < chosen_count; chosen += batch) {
    const auto trainer = learn::KernelTrainer::make(set, character, *part);
    if (!trainer) return trainer.error();
    learn::PoseSamples candidates{trainer->samples().joints, {}, {}};
    std::vector<std::size_t> places;
    for (const std::size_t e : coupled)
      if (set.examples[e].weight == 0 && set.examples[e].flags.empty()) {
        candidates.add(character.skeleton, set.pose(e), 1);
        places.push_back(e);
      }
    for (const std::size_t c : learn::next_poses(trainer->kernel(), trainer->samples(), candidates, batch))
      set.examples[places[c]].weight = 1;
  }
  return {};
}

Result<void> run(const std::string& file, std::span<char*> folders) {
  const auto model = load(file);
  if (!model) return model.error();
  std::array<std::array<Figures, counts.size()>, variants.size()> figures;
  std::array<Figures, variants.size()> adaptive;
  for (const char* folder : folders) {
    auto set = load_examples(folder);
    if (!set) return set.error();
    std::vector<std::size_t> coupled;
    for (std::size_t e = 0; e < set->size(); ++e)
      if (set->examples[e].role == Role::train &&
          (has_tag(set->examples[e], "coupled") || has_tag(set->examples[e], "grip")))
        coupled.push_back(e);
    std::printf("%s: %zu examples, %zu of several joints to learn from\n", folder, set->size(), coupled.size());
    for (std::size_t n = 0; n < counts.size(); ++n) {
      for (std::size_t c = 0; c < coupled.size(); ++c) set->examples[coupled[c]].weight = c < counts[n] ? 1.0f : 0.0f;
      for (std::size_t v = 0; v < variants.size(); ++v)
        if (auto ok = measure(*set, model->character(), variants[v], figures[v][n]); !ok) return ok;
    }
    if (coupled.size() <= chosen_count) continue;
    if (auto ok = choose(*set, model->character(), coupled); !ok) return ok;
    for (std::size_t v = 0; v < variants.size(); ++v)
      if (auto ok = measure(*set, model->character(), variants[v], adaptive[v]); !ok) return ok;
  }
  std::printf("\nheld-out error, share of linear blend's: mean of the sets (worst of them)\n");
  for (std::size_t v = 0; v < variants.size(); ++v) {
    print(variants[v].name, figures[v]);
    if (adaptive[v].held_out.empty()) continue;
    std::printf("  %zu chosen in batches of %zu:", chosen_count, batch);
    for (const auto& [name, f] : adaptive[v].held_out)
      std::printf("  %s %.3f (%.3f)", name.c_str(), f.sum / static_cast<double>(f.sets), f.worst);
    std::printf("\n");
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "supple_pose_figures MODEL EXAMPLES...\n");
    return 2;
  }
  if (auto ok = run(argv[1], std::span(argv + 2, static_cast<std::size_t>(argc - 2))); !ok) {
    std::fprintf(stderr, "%s\n", ok.error().message().c_str());
    return 1;
  }
  return 0;
}
