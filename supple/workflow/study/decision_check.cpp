#include "supple/workflow/study/decision_check.h"

#include <algorithm>

#include "supple/workflow/study/decisions.h"
#include "supple/workflow/study/members.h"

namespace supple::workflow {
namespace {

using Names = std::vector<std::string>;

bool is_number(const Json& json) { return json.is_number(); }
bool is_flag(const Json& json) { return json.is_boolean(); }
bool is_text(const Json& json) { return json.is_string(); }
bool is_list(const Json& json) { return json.is_array(); }
bool is_count(const Json& json) { return json.is_number_unsigned(); }
bool is_point(const Json& json) { return json.is_array() && json.size() == 3 && std::ranges::all_of(json, is_number); }
bool is_points_by_number(const Json& json) { return json.is_object() && std::ranges::all_of(json, is_point); }
bool is_hand_mark(const Json& json) { return json == hand_mark; }
bool is_list_of_pieces(const Json& json) {
  return json.is_array() && !json.empty() && std::ranges::all_of(json, is_count);
}

constexpr const char *point_words = "three numbers", *number_words = "a number";

/// Measured of every item.
void ask_confidence(Members& m) {
  m.check("confidence", is_number, number_words);
  m.check("why", is_text, "text");
}

/// One item: an object whose members `ask` asks for.
template <class Ask>
Result<void> check_item(const Json& json, const std::string& path, const Ask& ask) {
  Members members(json, path);
  members.check("decided", is_hand_mark, "\"by hand\"");
  ask_confidence(members);
  ask(members);
  return members.done();
}

void ask_thresholds(Members& m) {
  m.check("bone", is_number, number_words);
  m.check("skin", is_number, number_words);
}

void ask_pieces(Members& m) {
  m.check("marker", is_number, number_words);
  m.check("dropped", is_count, "a count");
  m.check("found", is_list, "a list");
}

void ask_bone(Members& m) {
  m.check("pieces", is_list_of_pieces, "a list of numbers of pieces, one at least");
  m.check("centres_mm", is_points_by_number, "an object of points by number of piece");
  m.check("doubt", is_number, number_words);
  const Json* pieces = m.find("pieces");
  if (pieces == nullptr || !is_list_of_pieces(*pieces)) return;
  for (auto piece = pieces->begin(); piece != pieces->end(); ++piece) {
    if (std::find(pieces->begin(), piece, *piece) != piece)
      m.fail("lists piece " + piece->dump() + " twice", "list each piece once");
  }
}

void ask_motion(Members& m) {
  m.check("turn_degrees", is_point, point_words);
  m.check("shift_mm", is_point, point_words);
  m.check("residual_mm", is_number, number_words);
  m.check("overlap", is_number, number_words);
}

void ask_joint(Members& m) {
  m.check("centre_mm", is_point, point_words);
  m.check("slides", is_flag, "true or false");
  m.check("residual_mm", is_number, number_words);
  m.check("uncertainty_mm", is_point, point_words);
  m.check("directions_seen", is_count, "a count");
  m.check("kind", is_text, "text");
  m.check("kind_confidence", is_number, number_words);
  m.check("kind_why", is_text, "text");
}

Result<void> check_features(const Json& json, const std::string& path) {
  const auto ask = [](Members& m) {
    m.check("points", is_list, "a list");
    m.check("base_skin", is_text, "text");
  };
  if (auto ok = check_item(json, path, ask); !ok) return ok;
  if (!json.contains("points")) return {};
  std::size_t number = 0;
  for (const Json& point : json["points"]) {
    Members m(point, path + ".points[" + std::to_string(number++) + "]");
    m.check("name", is_text, "text");
    m.check("vertex", is_count, "the number of a vertex of the base skin");
    m.check("base_mm", is_point, point_words);
    m.check("target_mm", is_point, point_words);
    ask_confidence(m);
    if (auto ok = m.done(); !ok) return ok;
  }
  return {};
}

/// Every member of a group, by the names it may have. Null is as good as nothing.
template <class Check>
Result<void> check_group(const Json* group, const std::string& path, const char* kind, const Names& names,
                         const Check& check) {
  if (group == nullptr) return {};
  if (!group->is_object())
    return Error{path, "is not an object", std::string("it holds an item for each ") + kind + ", by name"};
  for (const auto& item : group->members()) {
    if (std::find(names.begin(), names.end(), item.key) == names.end()) {
      const std::string suggestion = did_you_mean(item.key, names);
      std::string all;
      for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
      return Error{path, std::string("is about a ") + kind + " '" + item.key + "' that it cannot be about",
                   suggestion.empty() ? "take it away, or choose from: " + all : suggestion};
    }
    if (item.value.is_null()) continue;
    if (Result<void> ok = check(item.value, path + "." + item.key); !ok) return ok;
  }
  return {};
}

/// Scans come and go; what was decided about those that went is no mistake.
void put_aside(Json& decisions, const Json& remembered, const char* group, const Names& names, Json& aside) {
  if (!decisions.contains(group) || !decisions[group].is_object() || !remembered.contains(group)) return;
  Names gone;
  for (const auto& item : decisions[group].members()) {
    if (std::find(names.begin(), names.end(), item.key) == names.end() && remembered[group].contains(item.key))
      gone.push_back(item.key);
  }
  for (const std::string& name : gone) {
    if (!same_decision(decisions[group][name], remembered[group][name])) aside[group][name] = decisions[group][name];
    decisions[group].erase(name);
  }
}

/// Names of `singles` with "+" between them: of bones that hung together when the item was written.
Names hanging_together(const Json* scans, const Names& singles) {
  Names found;
  if (scans == nullptr || !scans->is_object()) return found;
  for (const auto& scan : scans->members()) {
    if (!scan.value.is_object()) continue;
    for (const auto& item : scan.value.members()) {
      bool all = item.key.find('+') != std::string::npos;
      for (std::size_t at = 0; at <= item.key.size() && all;) {
        const std::size_t end = std::min(item.key.find('+', at), item.key.size());
        all = std::find(singles.begin(), singles.end(), item.key.substr(at, end - at)) != singles.end();
        at = end + 1;
      }
      if (all) found.push_back(item.key);
    }
  }
  return found;
}

/// `singles`: single bones of compound ones, which have pieces and motions, but no joints.
Result<void> check_groups(const Json& decisions, const std::string& file, const Names& volumes, const Names& moved,
                          const Names& bones, const Names& singles) {
  const std::string path = file + ", decisions";
  const auto each = [](auto ask) {
    return [ask](const Json& json, const std::string& at) { return check_item(json, at, ask); };
  };
  Members groups(decisions, path);
  const Json *thresholds = groups.find("thresholds"), *pieces = groups.find("pieces"),
             *bone_group = groups.find("bones"), *alignment = groups.find("alignment"), *joints = groups.find("joints"),
             *features = groups.find("features");
  if (auto ok = groups.done(); !ok) return ok;
  if (auto ok = check_group(thresholds, path + ".thresholds", "scan", volumes, each(ask_thresholds)); !ok) return ok;
  if (pieces != nullptr)
    if (auto ok = check_item(*pieces, path + ".pieces", ask_pieces); !ok) return ok;
  Names all = bones;
  all.insert(all.end(), singles.begin(), singles.end());
  if (auto ok = check_group(bone_group, path + ".bones", "bone", all, each(ask_bone)); !ok) return ok;
  const Names together = hanging_together(alignment, singles);
  all.insert(all.end(), together.begin(), together.end());
  const auto of_scan = [&](const Json& scan, const std::string& at) {
    return check_group(&scan, at, "bone", all, each(ask_motion));
  };
  if (auto ok = check_group(alignment, path + ".alignment", "scan", moved, of_scan); !ok) return ok;
  if (auto ok = check_group(joints, path + ".joints", "bone", bones, each(ask_joint)); !ok) return ok;
  return check_group(features, path + ".features", "scan", moved, check_features);
}

}  // namespace

Result<void> check_decisions(Project& project, const Json& remembered, const BoneTemplate& skeleton,
                             Warnings& warnings) {
  if (!project.document.contains("decisions") || project.document["decisions"].is_null()) return {};
  Names volumes, moved, bones, singles;
  for (const ScanEntry& scan : project.scans) {
    if (!scan.volume.empty()) volumes.push_back(scan.name);
    if (&scan != &project.scans.front()) moved.push_back(scan.name);
  }
  for (const TemplateBone& bone : skeleton.bones) bones.push_back(bone.joint);
  for (const TemplateBody& body : skeleton.bodies) singles.push_back(body.name);
  Json& decisions = project.document["decisions"];
  // Nothing in these is decided: they are measured at every build.
  for (const char* measured : {"sizes", "quality", "side", "landmarks"})
    if (decisions.is_object() && decisions.contains(measured)) decisions.erase(measured);
  Json aside = Json::object();
  put_aside(decisions, remembered, "thresholds", volumes, aside);
  put_aside(decisions, remembered, "alignment", moved, aside);
  put_aside(decisions, remembered, "features", moved, aside);
  auto checked = check_groups(decisions, project.file.string(), volumes, moved, bones, singles);
  for (const auto& group : aside.members()) {
    for (const auto& item : group.value.members()) {
      decisions[group.key][item.key] = item.value;
      warnings.push_back("decisions." + group.key + "." + item.key +
                         ": set by hand, but not used: no such scan is listed for it");
    }
  }
  return checked;
}

}  // namespace supple::workflow
