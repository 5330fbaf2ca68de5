#include "supple/files/pose_plan_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <unordered_map>

#include "supple/base/angle.h"
#include "supple/base/file.h"
#include "supple/base/text.h"
#include "supple/files/json_file.h"

namespace supple {
namespace {

/// The shortest decimal number that `read` turns into exactly `wanted`; `near` is where to look for it.
template <class Read>
std::string shortest(double near, float wanted, Read read) {
  std::array<char, 400> text{};
  for (int decimals = 0; decimals < 18; ++decimals) {
    const auto end = std::to_chars(text.data(), text.data() + text.size(), near, std::chars_format::fixed, decimals);
    if (end.ec == std::errc() && read(std::strtod(std::string(text.data(), end.ptr).c_str(), nullptr)) == wanted) {
      const std::string number(text.data(), end.ptr);
      return number == "-0" ? "0" : number;
    }
  }
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), near).ptr};
}

std::string degrees_text(float radians) { return shortest(radians * (180 / std::numbers::pi), radians, to_radians); }
std::string weight_text(float weight) {
  return shortest(weight, weight, [](double value) { return static_cast<float>(value); });
}
std::string quoted_json(const std::string& text) { return Json(text).dump(); }

std::string pose_line(const PlannedPose& pose) {
  std::string line = "{\"name\": " + quoted_json(pose.name) + ", \"angles\": {";
  std::vector<std::vector<const JointAngles*>> joints;  // the angles of each, in the order in which joints come first
  std::unordered_map<std::string_view, std::size_t> places;
  for (const JointAngles& a : pose.angles) {
    const auto [place, is_new] = places.emplace(a.joint, joints.size());
    if (is_new) joints.emplace_back();
    joints[place->second].push_back(&a);
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    line += (j == 0 ? "" : ", ") + quoted_json(joints[j].front()->joint) + ": {";
    const char* comma = "";
    for (const JointAngles* a : joints[j]) {
      line += comma + quoted_json(a->dof) + ": " + degrees_text(a->radians);
      comma = ", ";
    }
    line += "}";
  }
  line += "}";
  if (pose.role == Role::test) line += ", \"role\": \"test\"";
  if (pose.weight != 1) line += ", \"weight\": " + weight_text(pose.weight);
  if (!pose.tags.empty()) {
    line += ", \"tags\": [";
    for (std::size_t t = 0; t < pose.tags.size(); ++t) line += (t == 0 ? "" : ", ") + quoted_json(pose.tags[t]);
    line += "]";
  }
  return line + "}";
}

/// The lines on which the objects in "sweeps" and in their "poses" begin, in the order of the file.
struct Lines {
  std::vector<std::size_t> sweeps, poses;
};

class PlanParser {
 public:
  explicit PlanParser(std::string file) : file_(std::move(file)) {}

  Result<PosePlan> parse(std::string_view text) {
    const auto root = parse_json(text);
    if (!root) return root.error();
    if (auto ok = only_keys(*root, file_, {"pose_plan", "sweeps"}); !ok) return ok.error();
    const auto version = root->find("pose_plan");
    if (version == nullptr || *version != 1) {
      return Error{file_, "is not a pose plan of version 1", "the file begins with \"pose_plan\": 1"};
    }
    const auto sweeps = root->find("sweeps");
    if (sweeps == nullptr || !sweeps->is_array()) return Error{file_, "has no list \"sweeps\"", ""};
    PosePlan plan;
    for (std::size_t s = 0; s < sweeps->size(); ++s) {
      auto sweep = to_sweep((*sweeps)[s], s);
      if (!sweep) return sweep.error();
      plan.sweeps.push_back(std::move(*sweep));
    }
    return plan;
  }

 private:
  Result<Json> parse_json(std::string_view text) {
    const auto note_lines = [&](int depth, std::size_t line) {
      if (depth == 2) lines_.sweeps.push_back(line);
      if (depth == 4) lines_.poses.push_back(line);
    };
    try {
      Json root = Json::parse_with_comments(text, note_lines);
      if (!root.is_object()) return Error{file_, "is not a pose plan", "it is a JSON object with a list \"sweeps\""};
      return root;
    } catch (const JsonError& error) {
      return Error{at(line_of(text, error.byte)), "is not JSON from here on",
                   "look for a missing comma, quote or bracket"};
    }
  }

  std::string at(std::size_t line) const { return file_ + ":" + std::to_string(line); }

  Result<void> only_keys(const Json& object, const std::string& item, const std::vector<std::string>& known) const {
    for (const auto& [key, value] : object.members()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      std::string remedy = did_you_mean(key, known);
      if (remedy.empty()) {
        for (const std::string& name : known) remedy += (remedy.empty() ? "there are " : ", ") + name;
      }
      return Error{item, "has an entry '" + key + "' that is not known", remedy};
    }
    return {};
  }

  Result<Sweep> to_sweep(const Json& json, std::size_t number) {
    const std::string place = "sweep " + std::to_string(number);
    if (!json.is_object()) return Error{file_ + ", " + place, "is not an object", "{\"name\": ..., \"poses\": [...]}"};
    const std::size_t line = sweeps_seen_ < lines_.sweeps.size() ? lines_.sweeps[sweeps_seen_] : 0;
    ++sweeps_seen_;
    const auto name = json.find("name");
    if (name == nullptr || !name->is_string()) return Error{at(line) + ", " + place, "has no \"name\"", ""};
    Sweep sweep{name->get<std::string>(), {}};
    const std::string item = "sweep '" + sweep.name + "'";
    if (auto ok = only_keys(json, at(line) + ", " + item, {"name", "poses"}); !ok) return ok.error();
    const auto poses = json.find("poses");
    if (poses == nullptr || !poses->is_array()) return Error{at(line) + ", " + item, "has no list \"poses\"", ""};
    for (std::size_t p = 0; p < poses->size(); ++p) {
      auto pose = to_pose((*poses)[p], item, p);
      if (!pose) return pose.error();
      sweep.poses.push_back(std::move(*pose));
    }
    return sweep;
  }

  Result<PlannedPose> to_pose(const Json& json, const std::string& sweep, std::size_t number) {
    const std::string place = sweep + ", pose " + std::to_string(number);
    if (!json.is_object()) return Error{file_ + ", " + place, "is not an object", "{\"name\": ..., \"angles\": {...}}"};
    const std::size_t line = poses_seen_ < lines_.poses.size() ? lines_.poses[poses_seen_] : 0;
    ++poses_seen_;
    const auto name = json.find("name");
    if (name == nullptr || !name->is_string()) return Error{at(line) + ", " + place, "has no \"name\"", ""};
    PlannedPose pose;
    pose.name = name->get<std::string>();
    const std::string item = at(line) + ", " + sweep + ", pose '" + pose.name + "'";
    if (auto ok = only_keys(json, item, {"name", "angles", "role", "weight", "tags"}); !ok) return ok.error();
    if (auto ok = read_angles(json, item, pose); !ok) return ok.error();
    if (const auto role = json.find("role"); role != nullptr) {
      if (*role != "train" && *role != "test") return Error{item, "has an unknown role", "train or test"};
      pose.role = *role == "test" ? Role::test : Role::train;
    }
    if (const auto weight = json.find("weight"); weight != nullptr) {
      if (!weight->is_number()) return Error{item, "has a weight that is not a number", ""};
      pose.weight = weight->get<float>();
    }
    if (const auto tags = json.find("tags"); tags != nullptr) {
      const Error malformed{item, "has tags that are not words", "\"tags\": [\"a\", \"b\"]"};
      if (!tags->is_array()) return malformed;
      for (const Json& tag : *tags) {
        if (!tag.is_string()) return malformed;
        pose.tags.push_back(tag.get<std::string>());
      }
    }
    return pose;
  }

  static Result<void> read_angles(const Json& json, const std::string& item, PlannedPose& pose) {
    const std::string form = "\"angles\": {\"joint\": {\"flexion\": 40}}, in degrees";
    const auto angles = json.find("angles");
    if (angles == nullptr || !angles->is_object()) return Error{item, "has no \"angles\"", form};
    for (const auto& [joint, turns] : angles->members()) {
      const std::string joint_item = item + ", joint '" + joint + "'";
      if (!turns.is_object()) return Error{joint_item, "does not say which degree of freedom turns", form};
      for (const auto& [dof, degrees] : turns.members()) {
        if (!degrees.is_number()) return Error{joint_item, "has no number for '" + dof + "'", form};
        const float radians = to_radians(degrees.get<double>());
        if (!std::isfinite(radians)) return Error{joint_item, "has an angle out of range for '" + dof + "'", form};
        pose.angles.push_back({joint, dof, radians});
      }
    }
    return {};
  }

  std::string file_;
  Lines lines_;
  std::size_t sweeps_seen_ = 0, poses_seen_ = 0;
};

}  // namespace

std::string to_json(const PosePlan& plan) {
  std::string text = "{\n  \"pose_plan\": 1,\n  \"sweeps\": [";
  for (std::size_t s = 0; s < plan.sweeps.size(); ++s) {
    const Sweep& sweep = plan.sweeps[s];
    text += (s == 0 ? "\n    {\"name\": " : ",\n    {\"name\": ") + quoted_json(sweep.name) + ", \"poses\": [";
    for (std::size_t p = 0; p < sweep.poses.size(); ++p) {
      text += (p == 0 ? "\n      " : ",\n      ") + pose_line(sweep.poses[p]);
    }
    text += "\n    ]}";
  }
  return text + "\n  ]\n}\n";
}

Result<void> write_pose_plan(const std::filesystem::path& path, const PosePlan& plan) {
  return write_file(path, to_json(plan));
}

Result<PosePlan> read_pose_plan(const std::filesystem::path& path) {
  const auto text = read_text(path);
  return text ? parse_pose_plan(*text, path.string()) : Result<PosePlan>(text.error());
}

Result<PosePlan> parse_pose_plan(std::string_view text, const std::string& name) {
  return PlanParser(name).parse(text);
}

}  // namespace supple
