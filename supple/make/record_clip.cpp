// Poses at the keys, then one track for each quantity that moves.
#include "supple/make/record_clip.h"

#include <cmath>

namespace supple::make {

Clip record_clip(const Recording& recording, const Skeleton& skeleton, const std::function<Pose(double)>& pose_at) {
  std::vector<float> times;
  std::vector<Pose> poses;
  // A hundredth of a key: what rounding may make of a whole number of them.
  const auto before_end = static_cast<int>(std::ceil(recording.seconds * recording.keys_per_second - 0.01));
  for (int key = 0; key <= before_end; ++key) {
    const double t = key < before_end ? key / recording.keys_per_second : recording.seconds;
    times.push_back(static_cast<float>(t));
    poses.push_back(key == before_end && recording.loops ? poses.front() : pose_at(t));
  }

  Clip clip{recording.name, {}};
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    Track turning{Channel::rotation, Interpolation::linear, j, 4, times, {}};
    Track shifting{Channel::translation, Interpolation::linear, j, 3, times, {}};
    bool turns = false, shifts = false;
    for (const Pose& pose : poses) {
      const Transformf& local = pose.local[j];
      turns = turns || !(local.rotation == skeleton.rest(j).rotation);
      shifts = shifts || !(local.translation == skeleton.rest(j).translation);
      turning.values.insert(turning.values.end(),
                            {local.rotation.x, local.rotation.y, local.rotation.z, local.rotation.w});
      shifting.values.insert(shifting.values.end(), {local.translation.x, local.translation.y, local.translation.z});
    }
    if (shifts) clip.tracks.push_back(std::move(shifting));
    if (turns) clip.tracks.push_back(std::move(turning));
  }
  return clip;
}

}  // namespace supple::make
