// Motion of one skeleton applied to another by world-space rotations, from rest poses that are aligned bone by bone.
#include "supple/files/retarget.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "supple/base/decompose.h"
#include "supple/files/humanoid_names.h"

namespace supple {
namespace {

/// World orientation and position of every joint of a pose, in double precision.
struct Frame {
  std::vector<Quatd> rotation;
  std::vector<Affined> world;
};

Frame frame_of(const Skeleton& skeleton, std::span<const Transformf> local) {
  Frame frame{std::vector<Quatd>(skeleton.size()), std::vector<Affined>(skeleton.size())};
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const JointIndex parent = skeleton.parent(j);
    const Transform<double> t{Vec3d(local[j].translation), normalized(Quatd(local[j].rotation)), Vec3d(local[j].scale)};
    frame.rotation[j] = parent == no_joint ? t.rotation : normalized(frame.rotation[parent] * t.rotation);
    frame.world[j] = parent == no_joint ? t.affine() : frame.world[parent] * t.affine();
  }
  return frame;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 12); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > 12 ? text + ", ..." : text;
}

void warn_unmatched(const Skeleton& source, const Skeleton& target, std::span<const JointIndex> driver,
                    Warnings* warnings) {
  if (warnings == nullptr) return;
  std::vector<std::string> idle, resting;
  for (JointIndex j = 0; j < source.size(); ++j) {
    const std::string& name = source.name(j);
    const bool end_site = name.size() > 4 && name.substr(name.size() - 4) == "_end";
    if (!end_site && std::find(driver.begin(), driver.end(), j) == driver.end()) idle.push_back(name);
  }
  for (JointIndex j = 0; j < target.size(); ++j) {
    if (driver[j] == no_joint) resting.push_back(target.name(j));
  }
  if (!idle.empty()) {
    warnings->push_back(std::to_string(idle.size()) + " of " + std::to_string(source.size()) +
                        " joints of the motion move nothing: " + listed(idle) +
                        " (--map FILE says which joint moves which)");
  }
  if (!resting.empty()) {
    warnings->push_back(std::to_string(resting.size()) + " of " + std::to_string(target.size()) +
                        " joints of the character keep their rest pose: " + listed(resting));
  }
}

/// A target joint's bone: from it to the next matched joint below.
struct MatchedBone {
  JointIndex end;        // target
  Vec3d source, target;  // unit vectors at rest, in the world
};

/// Bones of every matched joint whose ends are apart in both skeletons; #target.
std::vector<std::vector<MatchedBone>> matched_bones(const Skeleton& source, const Skeleton& target,
                                                    std::span<const JointIndex> driver, const Frame& source_rest,
                                                    const Frame& target_rest) {
  const auto is_below = [&](JointIndex j, JointIndex above) {
    while (j != no_joint && j != above) j = source.parent(j);
    return j == above;
  };
  std::vector<std::vector<MatchedBone>> bones(target.size());
  for (JointIndex end = 0; end < target.size(); ++end) {
    if (driver[end] == no_joint) continue;
    JointIndex from = target.parent(end);
    while (from != no_joint && driver[from] == no_joint) from = target.parent(from);
    if (from == no_joint || driver[from] == driver[end] || !is_below(driver[end], driver[from])) continue;
    const Vec3d s = source_rest.world[driver[end]].translation - source_rest.world[driver[from]].translation;
    const Vec3d t = target_rest.world[end].translation - target_rest.world[from].translation;
    if (length(s) > 1e-9 && length(t) > 1e-9) bones[from].push_back({end, normalized(s), normalized(t)});
  }
  return bones;
}

bool is_one_of(std::span<const JointIndex> joints, JointIndex j) {
  return std::find(joints.begin(), joints.end(), j) != joints.end();
}

/// Rotations, in the world, that take the target's rest pose to that of the source; #target. One bone is taken to its
/// source by the shortest turn, several as well as one rotation can; where there is none, the joint goes with the
/// joint above.
std::vector<Quatd> alignments(const Skeleton& target, std::span<const JointIndex> driver,
                              const std::vector<std::vector<MatchedBone>>& bones, std::span<const JointIndex> feet) {
  std::vector<Quatd> aligned(target.size());
  for (JointIndex j = 0; j < target.size(); ++j) {
    if (target.parent(j) != no_joint) aligned[j] = aligned[target.parent(j)];
    if (driver[j] == no_joint || bones[j].empty()) continue;
    if (is_one_of(feet, j)) {
      const Vec3d from = bones[j][0].target, to = bones[j][0].source;
      const double turn = std::atan2(to.x, to.z) - std::atan2(from.x, from.z);
      aligned[j] = from_axis_angle(Vec3d{0, 1, 0}, turn);
      continue;
    }
    if (bones[j].size() == 1) {
      const MatchedBone& bone = bones[j][0];
      aligned[j] = normalized(rotation_between(rotate(aligned[j], bone.target), bone.source) * aligned[j]);
      continue;
    }
    constexpr double doubtful = 1e-3;  // what bones leave open is as above
    Mat3d sum = to_matrix(aligned[j]) * doubtful;
    for (const MatchedBone& bone : bones[j]) sum = sum + outer(bone.source, bone.target);
    const RotationSvd svd = rotation_svd(sum);
    aligned[j] = from_matrix(svd.u * transpose(svd.v));
  }
  return aligned;
}

/// The target with given orientations of its matched joints, in the world; the others keep their rest pose relative to
/// their parents.
Frame posed(const Skeleton& target, std::span<const JointIndex> driver, std::span<const Quatd> rotation,
            std::vector<Quatd>& local) {
  Frame frame{std::vector<Quatd>(target.size()), std::vector<Affined>(target.size())};
  local.resize(target.size());
  for (JointIndex j = 0; j < target.size(); ++j) {
    const JointIndex parent = target.parent(j);
    const Quatd above = parent == no_joint ? Quatd{} : frame.rotation[parent];
    const Transformf& rest = target.rest(j);
    local[j] = driver[j] == no_joint ? normalized(Quatd(rest.rotation)) : normalized(conjugate(above) * rotation[j]);
    frame.rotation[j] = normalized(above * local[j]);
    const Affined own = Transform<double>{Vec3d(rest.translation), local[j], Vec3d(rest.scale)}.affine();
    frame.world[j] = parent == no_joint ? own : frame.world[parent] * own;
  }
  return frame;
}

/// How the path of the source's root becomes that of the target's: both walk on the ground y = 0. Where a skeleton has
/// nothing below its root to stand on, the target keeps the place it has at rest when the motion starts.
struct Path {
  JointIndex source = no_joint, target = no_joint;
  double scale = 1;
  Vec3d source_origin, target_origin;
  Vec3d at(Vec3d p) const { return target_origin + (p - source_origin) * scale; }
};

Path make_path(const Frame& source_rest, const Frame& target_rest, std::span<const JointIndex> driver,
               Vec3d source_start, double wanted_scale) {
  Path path;
  double source_low = 1e300, target_low = 1e300;
  for (JointIndex j = 0; j < driver.size(); ++j) {
    if (driver[j] == no_joint) continue;
    if (path.target == no_joint) path.target = j, path.source = driver[j];
    source_low = std::min(source_low, source_rest.world[driver[j]].translation.y);
    target_low = std::min(target_low, target_rest.world[j].translation.y);
  }
  const Vec3d from = source_rest.world[path.source].translation, to = target_rest.world[path.target].translation;
  const double source_height = from.y - source_low, target_height = to.y - target_low;
  const bool stands = source_height > 1e-6 && target_height > 1e-6;
  path.scale = wanted_scale > 0 ? wanted_scale : stands ? target_height / source_height : 1;
  if (stands) {
    path.source_origin = {from.x, 0, from.z};
    path.target_origin = {to.x, 0, to.z};
  } else {
    path.source_origin = source_start;
    path.target_origin = to;
  }
  return path;
}

std::vector<float> key_times(const Clip& clip) {
  std::set<float> times;
  for (const Track& track : clip.tracks) times.insert(track.times.begin(), track.times.end());
  return {times.begin(), times.end()};
}

}  // namespace

Result<Clip> retarget(const Skeleton& source, const Clip& clip, const Skeleton& target, const JointMatch& match,
                      const RetargetOptions& options, Warnings* warnings) {
  const std::vector<JointIndex>& driver = match.driver;
  std::vector<Transformf> standing(target.rest().begin(), target.rest().end());
  if (options.standing.size() == standing.size()) {
    for (JointIndex j = 0; j < target.size(); ++j)
      if (driver[j] != no_joint) standing[j].rotation = options.standing[j].rotation;
  }
  warn_unmatched(source, target, driver, warnings);

  const std::vector<float> times = key_times(clip);
  Pose source_pose = rest_pose(source);
  const Frame source_rest = frame_of(source, source_pose.local), target_rest = frame_of(target, standing);
  const std::vector<std::vector<MatchedBone>> bones = matched_bones(source, target, driver, source_rest, target_rest);
  const KnownHuman human = known_human(target);
  const std::vector<JointIndex> feet{human.joints[static_cast<std::size_t>(HumanJoint::left_foot)],
                                     human.joints[static_cast<std::size_t>(HumanJoint::right_foot)]};
  const std::vector<Quatd> aligned = alignments(target, driver, bones, feet);
  std::vector<Quatd> rotation(target.size()), local;
  for (JointIndex j = 0; j < target.size(); ++j) rotation[j] = aligned[j] * target_rest.rotation[j];
  const Frame aligned_rest = posed(target, driver, rotation, local);
  if (!times.empty()) sample(clip, times.front(), source_pose);
  JointIndex first_driver = *std::find_if(driver.begin(), driver.end(), [](JointIndex j) { return j != no_joint; });
  const Vec3d start = frame_of(source, source_pose.local).world[first_driver].translation;
  const Path path = make_path(source_rest, aligned_rest, driver, start, options.translation_scale);

  std::vector<Track> rotations(target.size());
  Track translation{Channel::translation, Interpolation::linear, path.target, 3, times, {}};
  for (const float time : times) {
    sample(clip, time, source_pose);
    const Frame moved = frame_of(source, source_pose.local);
    for (JointIndex j = 0; j < target.size(); ++j) {
      if (driver[j] == no_joint) continue;
      const Quatd turn = moved.rotation[driver[j]] * conjugate(source_rest.rotation[driver[j]]) * aligned[j];
      rotation[j] = normalized(turn * target_rest.rotation[j]);
      if (bones[j].size() != 1 || is_one_of(feet, j)) continue;
      // Joints of the source between the bone's ends may bend, too.
      const MatchedBone& bone = bones[j][0];
      const Vec3d to = moved.world[driver[bone.end]].translation - moved.world[driver[j]].translation;
      if (length(to) > 1e-9)
        rotation[j] = normalized(rotation_between(rotate(turn, bone.target), normalized(to)) * rotation[j]);
    }
    posed(target, driver, rotation, local);
    for (JointIndex j = 0; j < target.size(); ++j) {
      if (driver[j] == no_joint) continue;
      Quatf q(local[j]);
      std::vector<float>& values = rotations[j].values;
      if (!values.empty()) {
        const float* last = &values[values.size() - 4];
        if (dot(q, Quatf{last[0], last[1], last[2], last[3]}) < 0) q = -q;
      }
      values.insert(values.end(), {q.x, q.y, q.z, q.w});
    }
    // Nothing above the topmost matched joint moves, so its parent stands as at rest.
    const JointIndex parent = target.parent(path.target);
    const Affined above = parent == no_joint ? Affined{} : target_rest.world[parent];
    const Vec3f position(inverse(above).point(path.at(moved.world[path.source].translation)));
    translation.values.insert(translation.values.end(), {position.x, position.y, position.z});
  }

  Clip result;
  result.name = clip.name;
  if (times.empty()) return result;
  result.tracks.push_back(std::move(translation));
  for (JointIndex j = 0; j < target.size(); ++j) {
    if (driver[j] == no_joint) continue;
    result.tracks.push_back({Channel::rotation, Interpolation::linear, j, 4, times, std::move(rotations[j].values)});
  }
  return result;
}

Result<Clip> retarget(const Skeleton& source, const Clip& clip, const Skeleton& target, const RetargetOptions& options,
                      Warnings* warnings) {
  const auto match = match_joints(source, target, options);
  if (!match) return match.error();
  return retarget(source, clip, target, *match, options, warnings);
}

}  // namespace supple
