#include "supple/workflow/jobs/named_pose.h"

#include <fmt/core.h>
#include <charconv>
#include <numbers>

#include "supple/base/file.h"
#include "supple/base/text.h"
#include "supple/files/json_file.h"
#include "supple/workflow/jobs/units.h"

namespace supple::workflow {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') return matches(pattern.substr(1), name) || (!name.empty() && matches(pattern, name.substr(1)));
  return !name.empty() && pattern[0] == name[0] && matches(pattern.substr(1), name.substr(1));
}

/// Turns a joint about its DOF of that name, or about its own axis x, y or z.
Result<void> turn_joint(Pose& pose, const Skeleton& skeleton, JointIndex j, const std::string& about, float radians) {
  const bool own_axis = about == "x" || about == "y" || about == "z";
  const auto turned = rotate(pose, skeleton, j, about, radians);
  if (turned || !own_axis) return turned;
  Vec3f axis{};
  axis[static_cast<std::size_t>(about[0] - 'x')] = 1;
  pose.local[j].rotation = normalized(pose.local[j].rotation * from_axis_angle(axis, radians));
  return {};
}

Result<void> turn_joints(Pose& pose, const Skeleton& skeleton, const std::string& pattern, const std::string& about,
                         double degrees) {
  const auto radians = static_cast<float>(degrees * std::numbers::pi / 180);
  if (pattern.find('*') == std::string::npos) {
    const auto joint = skeleton.require(pattern);
    return joint ? turn_joint(pose, skeleton, *joint, about, radians) : Result<void>(joint.error());
  }
  std::size_t turned = 0;
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    if (!matches(pattern, skeleton.name(j))) continue;
    if (turn_joint(pose, skeleton, j, about, radians)) ++turned;  // a pattern may reach joints without that freedom
  }
  if (turned == 0)
    return Error{"'" + pattern + "." + about + "'", "fits no joint",
                 "inspect lists joints and their degrees of freedom"};
  return {};
}

Result<void> apply_file(Pose& pose, const Skeleton& skeleton, const std::string& path) {
  const auto json = read_json(path);
  if (!json) return json.error();
  const Error malformed{path, "is not a pose", R"(write {"joint": {"flexion": 40}}, in degrees)"};
  if (!json->is_object()) return malformed;
  for (const auto& [joint, turns] : json->members()) {
    if (!turns.is_object()) return malformed;
    for (const auto& [about, degrees] : turns.members()) {
      if (!degrees.is_number()) return malformed;
      if (auto ok = turn_joints(pose, skeleton, joint, about, degrees.get<double>()); !ok) {
        return Error{path + ", " + ok.error().item, ok.error().problem, ok.error().remedy};
      }
    }
  }
  return {};
}

}  // namespace

Result<const Clip*> find_clip(const Character& character, const std::string& name) {
  if (const Clip* clip = character.find_clip(name)) return clip;
  std::size_t number = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failed == std::errc() && end == name.data() + name.size() && number < character.clips.size())
    return &character.clips[number];
  std::vector<std::string> names;
  std::string list;
  for (const Clip& clip : character.clips) {
    names.push_back(clip.name);
    list += (list.empty() ? "" : ", ") + clip.name;
  }
  const std::string near = did_you_mean(name, names);
  return Error{"clip '" + name + "'", "is not in the file",
               list.empty()   ? "it has no clips"
               : near.empty() ? "it has " + list
                              : near};
}

Result<void> apply_turn(Pose& pose, const Skeleton& skeleton, const std::string& turn) {
  if (turn.ends_with(".json")) return apply_file(pose, skeleton, turn);
  const std::size_t equals = turn.rfind('=');
  const std::size_t dot = equals == std::string::npos ? std::string::npos : turn.rfind('.', equals);
  double degrees = 0;
  bool number = false;
  if (dot != std::string::npos) {
    const char* first = turn.data() + equals + 1;
    const char* last = turn.data() + turn.size();
    const auto parsed = std::from_chars(first, last, degrees);
    number = parsed.ec == std::errc() && parsed.ptr == last && std::isfinite(degrees);
  }
  if (!number) return Error{"--pose '" + turn + "'", "is not JOINT.DOF=ANGLE", "for example wrist.flexion=30"};
  return turn_joints(pose, skeleton, turn.substr(0, dot), turn.substr(dot + 1, equals - dot - 1), degrees);
}

std::vector<std::string> exceeded_limits(const Skeleton& skeleton, const Pose& pose) {
  std::vector<std::string> lines;
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    if (pose.local[j] == skeleton.rest(j)) continue;
    const std::vector<float> angles = get_angles(pose, skeleton, j);
    for (std::size_t d = 0; d < angles.size(); ++d) {
      const Dof& dof = skeleton.dofs(j)[d];
      constexpr float slack = 1e-3f;  // radians: rotations are stored as floats
      if (angles[d] > dof.min - slack && angles[d] < dof.max + slack) continue;
      lines.push_back(fmt::format("{}.{} = {:.0f} degrees is beyond its limits, {:.0f} to {:.0f}", skeleton.name(j),
                                  dof.name, angles[d] * degrees, dof.min * degrees, dof.max * degrees));
    }
  }
  return lines;
}

Result<Pose> pose_of(const Character& character, const PoseOptions& options) {
  Pose pose = character.rest();
  if (options.time && !std::isfinite(*options.time)) return Error{"--time", "is not a number of seconds", ""};
  if (!options.clip.empty()) {
    const auto clip = find_clip(character, options.clip);
    if (!clip) return clip.error();
    sample(**clip, options.time.value_or((*clip)->start()), pose);
  } else if (options.time) {
    if (character.clips.empty()) return Error{"--time", "is given but the file has no clips", ""};
    sample(character.clips[0], *options.time, pose);
  }
  for (const std::string& turn : options.turns) {
    if (auto ok = apply_turn(pose, character.skeleton, turn); !ok) return ok.error();
  }
  return pose;
}

}  // namespace supple::workflow
