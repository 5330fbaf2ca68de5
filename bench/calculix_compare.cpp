// Seconds for each step of a bending finger: our solver and CalculiX on the same elements, bones and poses.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string_view>

#include "supple/author/simulate/calculix.h"
#include "supple/base/parallel.h"
#include "supple/make/hand.h"

namespace {

using namespace supple;

template <class T>
T value_of(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message().c_str());
  std::exit(1);
}

/// Seconds of all threads, which other work on the machine hardly changes.
double processor_seconds(int whose) {
  rusage usage{};
  getrusage(whose, &usage);
  const auto seconds = [](timeval t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Case {
  double element_size;  // metres
  bool quadratic;
};

/// A finger's middle joint bent by 30 degrees, in four steps.
class Comparison {
 public:
  Comparison(const simulate::Body& body, const Case& c) : body_(&body), case_(c), pose_(rest_pose(body.skeleton)) {
    const auto bent = rotate(pose_, body.skeleton, "index-finger-phalanx-intermediate", "flexion",
                             static_cast<float>(std::numbers::pi / 6));
    if (!bent) std::exit(1);
  }

  void run_calculix() {
    const simulate::Tissue tissue = tissue_of(simulate::Law::neo_hookean);
    const double before = processor_seconds(RUSAGE_CHILDREN);
    simulate::CalculixResult result = value_of(simulate::calculix_walk(*body_, tissue, std::span(&pose_, 1)));
    print(tissue, "CalculiX", result.steps, result.seconds, processor_seconds(RUSAGE_CHILDREN) - before,
          result.iterations);
    std::printf("\n");
    reference_ = std::move(result.shapes[0]);
  }

  void run_ours(simulate::Law law, const char* name) const {
    const simulate::Tissue tissue = tissue_of(law);
    simulate::Walker walker = value_of(simulate::Walker::make(*body_, tissue));
    const double before = processor_seconds(RUSAGE_SELF);
    const simulate::PoseReport report = value_of(walker.go(pose_));
    print(tissue, name, static_cast<int>(report.steps.size()), report.seconds, processor_seconds(RUSAGE_SELF) - before,
          report.iterations());
    double largest = 0;
    for (std::size_t v = 0; v < reference_.size(); ++v)
      largest = std::max(largest, length(reference_[v] - walker.nodes()[v]));
    if (!reference_.empty()) std::printf(", %.1e mm from CalculiX", largest * 1e3);
    std::printf("%s\n", report.converged ? "" : " (did not converge)");
    std::fflush(stdout);
  }

 private:
  simulate::Tissue tissue_of(simulate::Law law) const {
    simulate::TissueOptions options;
    options.element_size = case_.element_size;
    options.quadratic = case_.quadratic;
    options.materials = {{1, .47, law}};
    return value_of(make_tissue(*body_, options));
  }

  void print(const simulate::Tissue& tissue, const char* name, int steps, double seconds, double processor,
             int iterations) const {
    std::printf(
        "%s h = %.0f mm, %zu elements, %zu free nodes, %s: %d steps; each %.3f s (all threads %.3f s), "
        "%.1f iterations",
        case_.quadratic ? "T10" : "T4", case_.element_size * 1e3, tissue.model.mesh().element_count(),
        tissue.model.free_count(), name, steps, seconds / steps, processor / steps,
        static_cast<double>(iterations) / steps);
    std::fflush(stdout);
  }

  const simulate::Body* body_;
  Case case_;
  Pose pose_;
  std::vector<Vec3d> reference_;
};

}  // namespace

/// With the argument "ours", CalculiX is left out.
int main(int argc, char** argv) {
  const bool calculix = !(argc > 1 && std::string_view(argv[1]) == "ours") && simulate::has_calculix();
  std::printf("%u threads\n", thread_count());
  const Character hand = value_of(make::make_hand({}));
  const simulate::Body body = value_of(simulate::body_of(hand));
  for (const Case& c : {Case{.005, false}, Case{.007, true}}) {
    Comparison comparison(body, c);
    if (calculix) comparison.run_calculix();
    comparison.run_ours(simulate::Law::neo_hookean, "ours, Neo-Hookean");
    comparison.run_ours(simulate::Law::stable_neo_hookean, "ours, stable Neo-Hookean");
  }
}
