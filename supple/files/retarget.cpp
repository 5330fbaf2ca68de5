// Motion of one skeleton applied to another by world-space rotations away from rest.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "supple/base/text.h"
#include "supple/files/bvh.h"

namespace supple {
namespace {

/// "mixamorig:Left_Arm" and "leftArm" are the same joint.
std::string plain_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon != std::string_view::npos) name = name.substr(colon + 1);
  std::string plain;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0) plain.push_back(static_cast<char>(std::tolower(u)));
  }
  return plain;
}

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

/// #target: the source joint that drives it, or no_joint.
Result<std::vector<JointIndex>> match(const Skeleton& source, const Skeleton& target, const RetargetOptions& options) {
  std::vector<JointIndex> driver(target.size(), no_joint);
  for (const auto& [from, to] : options.joints) {
    const auto source_joint = source.require(from);
    if (!source_joint)
      return Error{"motion, " + source_joint.error().item, source_joint.error().problem, source_joint.error().remedy};
    const auto target_joint = target.require(to);
    if (!target_joint) return target_joint.error();
    driver[*target_joint] = *source_joint;
  }
  if (!options.joints.empty()) return driver;
  std::map<std::string, JointIndex> by_name;
  for (JointIndex j = 0; j < source.size(); ++j) by_name.emplace(plain_name(source.given_name(j)), j);
  by_name.erase("");
  std::set<JointIndex> taken;
  for (JointIndex j = 0; j < target.size(); ++j) {  // equal names go first: "__Clavicle_L" must not take "Clavicle_L"
    if (target.given_name(j).empty()) continue;     // "#5" of one file is not "#5" of another
    const auto same = source.find(target.name(j));
    if (same && taken.insert(*same).second) driver[j] = *same;
  }
  for (JointIndex j = 0; j < target.size(); ++j) {
    if (driver[j] != no_joint) continue;
    const auto found = by_name.find(plain_name(target.given_name(j)));
    if (found != by_name.end() && taken.insert(found->second).second) driver[j] = found->second;
  }
  return driver;
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
                        " joints of the motion move nothing: " + listed(idle));
  }
  if (!resting.empty()) {
    warnings->push_back(std::to_string(resting.size()) + " of " + std::to_string(target.size()) +
                        " joints of the character keep their rest pose: " + listed(resting));
  }
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

Result<Clip> retarget(const Skeleton& source, const Clip& clip, const Skeleton& target, const RetargetOptions& options,
                      Warnings* warnings) {
  const auto matched = match(source, target, options);
  if (!matched) return matched.error();
  const std::vector<JointIndex>& driver = *matched;
  if (std::all_of(driver.begin(), driver.end(), [](JointIndex j) { return j == no_joint; })) {
    const std::string example = source.size() > 0 ? did_you_mean(source.name(0), target.names()) : "";
    return Error{"clip '" + clip.name + "'",
                 "none of the motion's " + std::to_string(source.size()) +
                     " joints has the name of one of the character's " + std::to_string(target.size()),
                 "give a map from joint names of the motion to those of the character" +
                     (example.empty() ? "" : "; " + example)};
  }
  warn_unmatched(source, target, driver, warnings);

  const std::vector<float> times = key_times(clip);
  Pose source_pose = rest_pose(source);
  const Frame source_rest = frame_of(source, source_pose.local), target_rest = frame_of(target, target.rest());
  if (!times.empty()) sample(clip, times.front(), source_pose);
  JointIndex first_driver = *std::find_if(driver.begin(), driver.end(), [](JointIndex j) { return j != no_joint; });
  const Vec3d start = frame_of(source, source_pose.local).world[first_driver].translation;
  const Path path = make_path(source_rest, target_rest, driver, start, options.translation_scale);

  std::vector<Track> rotations(target.size());
  Track translation{Channel::translation, Interpolation::linear, path.target, 3, times, {}};
  for (const float time : times) {
    sample(clip, time, source_pose);
    const Frame moved = frame_of(source, source_pose.local);
    std::vector<Quatd> world(target.size());
    for (JointIndex j = 0; j < target.size(); ++j) {
      const JointIndex parent = target.parent(j);
      const Quatd above = parent == no_joint ? Quatd{} : world[parent];
      if (driver[j] == no_joint) {
        world[j] = normalized(above * Quatd(target.rest(j).rotation));
        continue;
      }
      const Quatd delta = moved.rotation[driver[j]] * conjugate(source_rest.rotation[driver[j]]);
      world[j] = normalized(delta * target_rest.rotation[j]);
      Quatf q(normalized(conjugate(above) * world[j]));
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

}  // namespace supple
