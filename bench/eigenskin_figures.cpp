// The figures EigenSkin is judged by, on a character and example sets of it: errors against the number of modes, beside
// the paper's (figure 7), on training and held-out poses; the step at the border of supports; normals. script/figures
// makes the sets.
//
//   supple_eigenskin_figures MODEL EXAMPLES... [--pose NAME]
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numbers>

#include "supple/author/learn/fit_error.h"
#include "supple/files/example_set_file.h"
#include "supple/files/load.h"

using namespace supple;

namespace {

constexpr std::size_t most = 5;
using Row = std::array<double, most + 1>;
constexpr Row paper{1, .161, .160, .100, .098, .065};  // one pose of the thumb's first joint, Kry et al. 2002

void print(const std::string& name, const Row& values) {
  std::printf("%-52s", name.c_str());
  for (const double v : values) std::printf(" %6.3f", v);
  std::printf("\n");
}

struct Rows {
  Row relative{}, worst{}, normals{};
};

/// One example set: everything that is measured on it.
class Figures {
 public:
  static Result<Figures> make(const Character& original, const std::filesystem::path& folder) {
    Figures f;
    auto set = load_examples(folder);
    if (!set) return set.error();
    f.set_ = std::move(*set);
    const auto part = find_part(original, f.set_.part);
    if (!part) return part.error();
    f.part_ = *part;
    f.original_ = &original;
    learn::EigenSkinOptions options;
    options.allocation = learn::Allocation::equal;  // the paper's k: the same number for every joint
    options.budget = {std::size_t(-1), std::size_t(-1), most};
    const auto start = std::chrono::steady_clock::now();
    auto skin = learn::train_eigenskin(f.set_, original, f.part_, options);
    if (!skin) return skin.error();
    f.seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    f.skin_ = std::move(*skin);
    f.fitted_ = original;
    f.attached_ = learn::attach(f.skin_, f.set_, f.fitted_, std::span(&f.part_, 1));
    return f;
  }

  const ExampleSet& set() const { return set_; }
  double seconds() const { return seconds_; }
  const learn::EigenSkin& skin() const { return skin_; }

  Rows rows(std::span<const std::size_t> examples) const {
    Rows result;
    for (std::size_t k = 0; k <= most; ++k) {
      const auto errors = learn::measure_poses(fitted_, part_, attached_, set_, examples,
                                               learn::first_modes(skin_, attached_, k, k > 0));
      const learn::ErrorSummary s =
          learn::summarize(errors, set_.vertices(), learn::moved_vertices(skin_, set_.vertices()));
      result.relative[k] = s.relative;
      result.worst[k] = s.worst_relative;
      result.normals[k] = s.normal * 180 / std::numbers::pi;
    }
    return result;
  }

  /// As many modes in all as k for every joint, but given to whichever joint gains most.
  Row by_gain(std::span<const std::size_t> examples) const {
    Row result{1};
    learn::EigenSkinOptions options;
    options.budget.per_vertex = std::size_t(-1);
    auto skin = learn::train_eigenskin(set_, *original_, part_, options);
    const std::size_t joints = skin_.corrections.size();
    for (std::size_t k = 1; skin && k <= most; ++k) {
      learn::EigenSkin fewer = *skin;
      learn::keep_first(fewer, k * joints);
      Character fitted = *original_;
      const learn::Attached attached = learn::attach(fewer, set_, fitted, std::span(&part_, 1));
      result[k] =
          learn::summarize(learn::measure_poses(fitted, part_, attached, set_, examples), set_.vertices(), 0).relative;
    }
    return result;
  }

 private:
  ExampleSet set_;
  std::size_t part_ = 0;
  const Character* original_ = nullptr;
  learn::EigenSkin skin_;
  Character fitted_;
  learn::Attached attached_;
  double seconds_ = 0;
};

void print(const Figures& f, const std::string& name, std::span<const std::size_t> examples) {
  if (examples.empty()) return;
  const Rows rows = f.rows(examples);
  print(name + " (" + std::to_string(examples.size()) + ")", rows.relative);
  if (examples.size() > 1) {
    print("  its worst pose", rows.worst);
    print("  as many modes, to the joints that gain most", f.by_gain(examples));
  }
  print("  normals, mean degrees", rows.normals);
}

int figures(const Character& original, const std::filesystem::path& folder, const std::string& pose_name) {
  const auto f = Figures::make(original, folder);
  if (!f) return std::fprintf(stderr, "%s: %s\n", folder.c_str(), f.error().message().c_str()), 2;
  std::printf("\n%s: %zu joints, trained in %.2f s\n", folder.c_str(), f->skin().corrections.size(), f->seconds());
  std::printf("%-52s %6s %6d %6d %6d %6d %6d\n", "error relative to linear blend", "k=0", 1, 2, 3, 4, 5);
  if (const auto pose = f->set().find(pose_name)) {
    print("the paper, one pose of the thumb's first joint", paper);
    print(*f, pose_name, std::span(&*pose, 1));
  }
  for (const learn::Group g : {learn::Group::train, learn::Group::held_out_single, learn::Group::held_out_several})
    print(*f, learn::group_names[static_cast<std::size_t>(g)], learn::examples_of(f->set(), g));
  const learn::BorderStep& border = f->skin().border;
  std::printf("step at the border of supports: %.3f mm, joint '%s', example '%s', vertex %u\n", border.size * 1000,
              f->skin().corrections[border.correction].driver.name.c_str(),
              f->set().examples[border.example].name.c_str(), border.vertex);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string pose = "thumb-metacarpal.flexion+40";
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--pose") == 0 && i + 1 < argc) {
      pose = argv[++i];
    } else {
      paths.emplace_back(argv[i]);
    }
  }
  if (paths.size() < 2) return std::fprintf(stderr, "usage: %s MODEL EXAMPLES... [--pose NAME]\n", argv[0]), 2;
  const auto loaded = load(paths[0]);
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().message().c_str()), 2;
  for (std::size_t i = 1; i < paths.size(); ++i)
    if (const int failed = figures(loaded->character(), paths[i], pose); failed != 0) return failed;
  return 0;
}
