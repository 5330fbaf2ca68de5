#include "supple/author/scan/bone_ends.h"

#include <algorithm>
#include <limits>

namespace supple::scan {
namespace {

constexpr std::size_t repeats = 6, points_a_repeat = 500;
constexpr double base_share = 0.15, head_share = 0.2;  // of a bone's length: what counts as its base and its head

}  // namespace

bool is_long(const ScanBone& bone) {
  return bone.name.find("-metacarpal") != std::string::npos || bone.name.find("-phalanx") != std::string::npos;
}

BoneEnds ends_of(const SurfaceSamples& samples, Vec3d y) {
  BoneEnds result;
  for (int round = 0; round < 3; ++round) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Vec3d& p : samples.points) low = std::min(low, dot(p, y)), high = std::max(high, dot(p, y));
    Vec3d base{}, head{};
    double at_base = 0, at_head = 0;
    for (const Vec3d& p : samples.points) {
      const double from_head = (dot(p, y) - low) / std::max(high - low, 1e-9);
      if (from_head > 1 - base_share) base += p, ++at_base;
      if (from_head < head_share) head += p, ++at_head;
    }
    if (at_base == 0 || at_head == 0) break;
    result = {base / at_base, head / at_head};
    y = normalized(result.base - result.head, y);
  }
  return result;
}

std::vector<SurfaceSamples> repeated_samples(const ScanBone& bone) {
  std::vector<SurfaceSamples> result;
  for (std::size_t i = 0; i < repeats; ++i) {
    SurfaceSamples samples = sample_surface(bone.surface, {}, points_a_repeat, 1 + i);
    if (samples.size() > 0) result.push_back(std::move(samples));
  }
  return result;
}

}  // namespace supple::scan
