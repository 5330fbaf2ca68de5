#include "supple/deform/pose_space/distances.h"

#include <cmath>

#include "supple/base/elementary.h"

namespace supple {
namespace {

constexpr double no_angle = 1e-6;  // radians

double scaled_square(Quatd a, Quatd b, double radius) {
  const Quatd gap = a + b * (dot(a, b) < 0 ? 1.0 : -1.0);
  const double angle = angle_of_chord(dot(gap, gap));
  return angle < no_angle ? 0 : (angle / radius) * (angle / radius);
}

/// visit(joint, example, squared angle in units of the radius)
template <class Visit>
void for_each_angle(const PoseDistances& d, std::span<const Transformf> local, Visit visit) {
  for (std::size_t k = 0; k < d.joints.size(); ++k) {
    const Quatd setting = d.reference[k] * normalized(Quatd(local[d.joints[k]].rotation));
    for (std::size_t e = 0; e < d.examples; ++e)
      visit(k, e, scaled_square(setting, normalized(Quatd(d.settings[k * d.examples + e])), double{d.radius}));
  }
}

}  // namespace

PoseDistances distances_of(const PoseSpace& space) {
  PoseDistances result;
  result.radius = space.radius;
  result.joints = space.joints;
  result.examples = space.examples();
  for (const Quatf& q : space.reference) result.reference.push_back(conjugate(normalized(Quatd(q))));
  for (std::size_t k = 0; k < space.joints.size(); ++k)
    for (std::size_t e = 0; e < result.examples; ++e)
      result.settings.push_back(space.settings[e * space.joints.size() + k]);
  return result;
}

void squared_angles(const PoseDistances& d, std::span<const Transformf> local, std::span<float> out) {
  for_each_angle(d, local, [&](std::size_t k, std::size_t e, double square) {
    out[k * d.examples + e] = static_cast<float>(square);
  });
}

void add_squared_angles(const PoseDistances& d, std::span<const Transformf> local, std::span<double> sums) {
  for_each_angle(d, local, [&](std::size_t, std::size_t e, double square) { sums[e] += square; });
}

double squared_angle(const PoseDistances& d, std::size_t joint, std::size_t a, std::size_t b) {
  const Quatf* settings = &d.settings[joint * d.examples];
  return scaled_square(normalized(Quatd(settings[a])), normalized(Quatd(settings[b])), double{d.radius});
}

}  // namespace supple
