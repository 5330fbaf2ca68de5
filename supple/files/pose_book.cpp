#include "supple/files/pose_book.h"

#include <algorithm>

#include "supple/base/angle.h"
#include "supple/base/text.h"
#include "supple/files/example_set_index.h"
#include "supple/files/lines.h"

namespace supple {
namespace {

using gltf::fail;
using gltf::Item;

void require_finite(double value, const std::string& item) {
  if (!std::isfinite(value)) fail(item, "is not a finite number");
}

Quatf to_rotation(std::span<const float> values, const std::string& item) {
  const Quatf q{values[0], values[1], values[2], values[3]};
  if (!(dot(q, q) > 1e-12f)) fail(item, "is a rotation of length zero", "use [0, 0, 0, 1] for none");
  return normalized(q);
}

std::string list_of(std::span<const Dof> dofs) {
  std::string list = "it has ";
  for (const Dof& dof : dofs) list.append(dof.name).append(", ");
  return list.append("x, y, z, rotation, translation, scale");
}

/// An angle about a degree of freedom of the joint, by its place, or about its own axis, by 'x', 'y', 'z'.
struct Turns {
  std::vector<float> dofs;  // radians
  Quatf own;                // applied after them

  bool add(std::span<const Dof> known, std::string_view about, float radians) {
    dofs.resize(known.size());
    for (std::size_t d = 0; d < known.size(); ++d) {
      if (known[d].name != about) continue;
      dofs[d] = radians;
      return true;
    }
    if (about != "x" && about != "y" && about != "z") return false;
    Vec3f axis{};
    axis[static_cast<std::size_t>(about[0] - 'x')] = 1;
    own = own * from_axis_angle(axis, radians);
    return true;
  }
  void apply(Pose& pose, const Skeleton& skeleton, JointIndex j) const {
    set_angles(pose, skeleton, j, dofs);
    pose.local[j].rotation = normalized(pose.local[j].rotation * own);
  }
};

void set_joint(const Item& joints, const std::string& key, const Skeleton& skeleton, Pose& pose) {
  const auto found = skeleton.require(key);
  const std::string path = joints.path(key);
  if (!found) fail(path, found.error().problem, found.error().remedy);
  const Json& value = joints.json().at(key);
  if (value.is_array()) {
    pose.local[*found].rotation = to_rotation(*joints.floats(key, 4), path);
    return;
  }
  if (!value.is_object()) fail(path, "must be angles by name or a quaternion [x, y, z, w]");
  const Item item(value, path);
  Turns turns;
  bool turned = false;
  for (const auto& [about, angle] : value.members()) {
    if (about == "rotation" || about == "translation" || about == "scale") continue;
    if (!angle.is_number()) fail(item.path(about), "must be an angle in degrees", list_of(skeleton.dofs(*found)));
    require_finite(angle.get<double>(), item.path(about));
    if (!turns.add(skeleton.dofs(*found), about, to_radians(angle.get<double>())))
      fail(item.path(about), "is no degree of freedom of this joint", list_of(skeleton.dofs(*found)));
    turned = true;
  }
  const auto rotation = item.floats("rotation", 4), translation = item.floats("translation", 3),
             scale = item.floats("scale", 3);
  if (turned && rotation) fail(path, "has both angles and a rotation", "leave one out");
  if (turned) turns.apply(pose, skeleton, *found);
  if (rotation) pose.local[*found].rotation = to_rotation(*rotation, item.path("rotation"));
  if (translation) pose.local[*found].translation = {(*translation)[0], (*translation)[1], (*translation)[2]};
  if (scale) pose.local[*found].scale = {(*scale)[0], (*scale)[1], (*scale)[2]};
}

NamedPose to_named_pose(const Json& entry, const std::string& name, const Skeleton& skeleton) {
  const Item item(entry, "pose '" + name + "'");
  if (!entry.is_object() || !item.has("joints"))
    fail(item.path(), "has no \"joints\"", R"(write {"joints": {"wrist": {"flexion": 40}}}, in degrees)");
  Json record = entry;
  record["name"] = name;
  NamedPose named{to_example(Item(record, item.path())), rest_pose(skeleton)};
  const Item joints = item.required_object("joints");
  for (const auto& [joint, ignored] : joints.json().members()) set_joint(joints, joint, skeleton, named.pose);
  return named;
}

}  // namespace

const NamedPose* PoseBook::find(std::string_view name) const {
  const auto found = std::find_if(poses.begin(), poses.end(), [&](const auto& p) { return p.example.name == name; });
  return found == poses.end() ? nullptr : &*found;
}

std::vector<std::string> PoseBook::names() const {
  std::vector<std::string> result;
  for (const NamedPose& p : poses) result.push_back(p.example.name);
  return result;
}

Result<PoseBook> to_pose_book(const Json& poses, const Skeleton& skeleton, const std::string& source) {
  return gltf::guarded(source, [&]() -> Result<PoseBook> {
    if (!poses.is_object()) fail("poses", "must be an object: a pose for each name");
    PoseBook book{source, {}};
    for (const auto& [name, entry] : poses.members()) book.poses.push_back(to_named_pose(entry, name, skeleton));
    return book;
  });
}

Result<PoseBook> read_pose_book(const std::filesystem::path& path, const Skeleton& skeleton) {
  const auto json = read_json(path);
  if (!json) return json.error();
  if (!json->is_object() || !json->contains("poses"))
    return Error{path.string(), "has no \"poses\"", R"(write {"poses": {"name": {"joints": {...}}}})"};
  return to_pose_book(json->at("poses"), skeleton, path.string());
}

std::optional<Result<Pose>> pose_from_name(std::string_view name, const Skeleton& skeleton) {
  if (name.find('=') == std::string_view::npos) return std::nullopt;
  Pose pose = rest_pose(skeleton);
  std::vector<Turns> turns(skeleton.size());
  std::vector<bool> turned(skeleton.size());
  const std::string item = supple::quoted(name);
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(",; "), rest.size());
    const std::string_view turn = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (turn.empty()) continue;
    const std::size_t equals = turn.rfind('='), dot = turn.substr(0, equals).rfind('.');
    const auto degrees = equals < turn.size() ? to_number<double>(turn.substr(equals + 1)) : std::nullopt;
    if (!degrees || !std::isfinite(*degrees) || dot == std::string_view::npos)
      return Result<Pose>(Error{item, "is not JOINT.DOF=DEGREES, ...", ""});
    const auto joint = skeleton.require(turn.substr(0, dot));
    if (!joint) return Result<Pose>(joint.error());
    if (!turns[*joint].add(skeleton.dofs(*joint), turn.substr(dot + 1, equals - dot - 1), to_radians(*degrees)))
      return Result<Pose>(
          Error{item, "names no degree of freedom of '" + skeleton.name(*joint) + "'", list_of(skeleton.dofs(*joint))});
    turned[*joint] = true;
  }
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    if (turned[j]) turns[j].apply(pose, skeleton, j);
  }
  return Result<Pose>(std::move(pose));
}

}  // namespace supple
