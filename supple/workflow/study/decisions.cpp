#include "supple/workflow/study/decisions.h"

namespace supple::workflow {
namespace {

Json* look_up(Json& root, const Decisions::Path& path) {
  Json* at = &root;
  for (const std::string& key : path) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return at;
}

Json& make_place(Json& root, const Decisions::Path& path) {
  Json* at = &root;
  for (const std::string& key : path) {
    if (!at->is_object()) *at = Json::object();
    at = &(*at)[key];
  }
  return *at;
}

/// How sure an item is says nothing about who decided it: that comes and goes with other scans. In lists of points,
/// too.
Json without_confidence(const Json& json) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& element : json) list.push_back(without_confidence(element));
    return list;
  }
  if (!json.is_object()) return json;
  Json rest = Json::object();
  for (const auto& member : json.members()) {
    const bool stated = member.key == "confidence" || member.key == "why" || member.key.starts_with("kind");
    if (!stated) rest[member.key] = without_confidence(member.value);
  }
  return rest;
}

}  // namespace

Json without_nulls(const Json& object) {
  Json rest = Json::object();
  for (const auto& member : object.members())
    if (!member.value.is_null()) rest[member.key] = member.value;
  return rest;
}

bool same_decision(const Json& a, const Json& b) { return without_confidence(a) == without_confidence(b); }

Decisions::Decisions(Project& project, Json remembered) : project_(&project), remembered_(std::move(remembered)) {
  if (!remembered_.is_object()) remembered_ = Json::object();
  if (!project_->document.contains("decisions")) project_->document["decisions"] = Json::object();
}

std::optional<Json> Decisions::by_hand(const Path& path) {
  Json* value = look_up(project_->document["decisions"], path);
  if (value == nullptr || !value->is_object()) return std::nullopt;
  const Json* before = look_up(remembered_, path);
  const bool marked = value->contains("decided") && (*value)["decided"] == hand_mark;
  // Without a memory of it (before the first build, or with the folder of results gone) somebody may have set it: what
  // is in the project file is never thrown away.
  if (!marked && before != nullptr && same_decision(*before, *value)) return std::nullopt;
  (*value)["decided"] = hand_mark;
  return without_nulls(*value);
}

void Decisions::decide(const Path& path, Json value, std::initializer_list<const char*> measured) {
  if (by_hand(path)) {
    Json& given = make_place(project_->document["decisions"], path);
    for (const char* member : measured)
      if (value.contains(member)) given[member] = value[member];
    return;
  }
  make_place(project_->document["decisions"], path) = value;
  make_place(remembered_, path) = std::move(value);
}

void Decisions::state(const Path& path, const Json& measured) {
  Json& given = make_place(project_->document["decisions"], path);
  if (!given.is_object()) given = Json::object();
  for (const auto& member : measured.members()) given[member.key] = member.value;
}

}  // namespace supple::workflow
