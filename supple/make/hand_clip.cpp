// The fist: one finger after the other, each with a smooth start and stop.
#include <array>
#include <cmath>
#include <numbers>

#include "supple/make/hand_rig.h"
#include "supple/make/record_clip.h"
#include "supple/make/sdf.h"

namespace supple::make {
namespace {

// Degrees from the rest pose in the closed fist. Fingers lie beside each other and press by two or three millimetres,
// as flesh does: were they bent as far as their limits go, bones would meet.
struct Closed {
  Digit digit;
  double metacarpal_abduction, metacarpal_flexion, proximal_abduction, proximal_flexion, middle_flexion, distal_flexion;
};
constexpr std::array<Closed, 5> fist = {{
    {Digit::index, 0, 0, -3, 71, 100, 66},
    {Digit::middle, 0, 0, -1, 73, 100, 66},
    {Digit::ring, 0, 4, 3, 70, 89, 65},
    {Digit::little, 0, 4, -11, 77, 88, 58},
    {Digit::thumb, 0, 21, 0, 45, 0, 38},
}};

struct Timing {
  double close, open;  // seconds at which the movement starts
};
constexpr double movement = 0.7, clip_end = 4.8, keys_per_second = 30;
constexpr std::array<Timing, 5> timings = {{{0.2, 3.15}, {0.45, 3.4}, {0.7, 3.65}, {0.95, 3.9}, {1.5, 2.75}}};

}  // namespace

Clip fist_clip(const Skeleton& skeleton) {
  Clip clip{"fist", {}};
  const int keys = static_cast<int>(std::lround(clip_end * keys_per_second)) + 1;
  Pose pose = rest_pose(skeleton);
  for (std::size_t d = 0; d < fist.size(); ++d) {
    const Closed& closed = fist[d];
    const std::string name = digit_name(closed.digit);
    const bool thumb = closed.digit == Digit::thumb;
    const auto animate = [&](const std::string& joint_name, double abduction, double flexion) {
      const std::optional<JointIndex> joint = skeleton.find(joint_name);
      if (!joint || skeleton.dofs(*joint).empty()) return;
      Track track;
      track.target = *joint;
      for (int key = 0; key < keys; ++key) {
        const double t = key / keys_per_second;
        const double share = eased((t - timings[d].close) / movement) - eased((t - timings[d].open) / movement);
        std::vector<float> angles;
        for (const Dof& dof : skeleton.dofs(*joint)) {
          const double degrees = dof.name == "flexion" ? flexion : abduction;
          angles.push_back(static_cast<float>(share * degrees * std::numbers::pi / 180));
        }
        set_angles(pose, skeleton, *joint, angles, true);
        const Quatf q = pose.local[*joint].rotation;
        track.times.push_back(static_cast<float>(t));
        track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
      }
      clip.tracks.push_back(std::move(track));
    };
    animate(name + "-metacarpal", closed.metacarpal_abduction, closed.metacarpal_flexion);
    animate(name + "-phalanx-proximal", closed.proximal_abduction, closed.proximal_flexion);
    if (!thumb) animate(name + "-phalanx-intermediate", 0, closed.middle_flexion);
    animate(name + "-phalanx-distal", 0, closed.distal_flexion);
  }
  return clip;
}

}  // namespace supple::make
