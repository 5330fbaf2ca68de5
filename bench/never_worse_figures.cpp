// Automatic kinodynamics and flesh beside linear blend, a row for each character: volume, crossing triangles, worst
// place. supple_never_worse_figures FILE...
#include <cstdio>
#include <filesystem>

#include "supple/workflow/jobs/add_flesh.h"
#include "supple/workflow/jobs/add_kinodynamics.h"

namespace {

using namespace supple;
using namespace supple::workflow;

/// Change of the whole, of the worst region, crossing triangles.
std::string cell(const SkinComparison& c, SkinComparison::Side side, const Skeleton& skeleton) {
  char text[200];
  const ComparedPose* worst = c.worst_volume(side);
  const auto [region, change] = c.worst_region(side);
  std::string whole = "open";
  if (worst != nullptr) {
    std::snprintf(text, sizeof text, "%+.2f", (worst->*side).volume_change.value_or(0) * 100);
    whole = text;
  }
  std::snprintf(text, sizeof text, "%s / %+.1f %s / %zu", whole.c_str(), change * 100,
                region < c.regions.size() ? skeleton.name(c.regions[region].joint).c_str() : "none", c.crossing(side));
  return text;
}

std::string verdict(const SkinComparison& c, const std::vector<std::string>& mended) {
  if (!c.worse().empty()) return "worse, told";
  return mended.empty() ? "" : "mended";
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path out = std::filesystem::temp_directory_path() / "supple_never_worse.glb";
  std::puts(
      "| character | poses | linear blend | automatic kinodynamics | | automatic flesh | "
      "|\n|---|---|---|---|---|---|---|");
  for (int i = 1; i < count; ++i) {
    Work work;
    const auto flow = add_kinodynamics({.input = arguments[i], .output = out.string(), .automatic = true}, work);
    if (!flow || !flow->compared) {
      std::printf("| %s | | %s | | | | |\n", arguments[i], flow ? "no poses" : flow.error().message().c_str());
      continue;
    }
    const Skeleton& skeleton = flow->model.character().skeleton;
    const SkinComparison& f = *flow->compared;
    std::printf("| %s | %zu of %s | %s | %s | %s |", std::filesystem::path(arguments[i]).filename().c_str(),
                f.poses.size(), words_of(f.source), cell(f, &ComparedPose::before, skeleton).c_str(),
                cell(f, &ComparedPose::after, skeleton).c_str(), verdict(f, flow->mended).c_str());
    const auto flesh = add_flesh({.input = arguments[i], .output = out.string(), .automatic = true}, work);
    if (!flesh || !flesh->compared)
      std::printf(" %s | |\n", flesh ? "no poses" : flesh.error().problem.c_str());
    else
      std::printf(" %s | %s |\n", cell(*flesh->compared, &ComparedPose::after, skeleton).c_str(),
                  verdict(*flesh->compared, flesh->mended).c_str());
    std::fflush(stdout);
    for (const auto& m : flow->mended) std::fprintf(stderr, "  %s\n", m.c_str());
  }
  std::error_code ignored;
  std::filesystem::remove(out, ignored);
  return 0;
}
