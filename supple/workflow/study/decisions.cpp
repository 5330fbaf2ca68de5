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

}  // namespace

Json without_nulls(const Json& object) {
  Json rest = Json::object();
  for (const auto& member : object.members())
    if (!member.value.is_null()) rest[member.key] = member.value;
  return rest;
}

bool same_json(const Json& a, const Json& b) { return Json(a) == Json(b); }

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
  if (!marked && before != nullptr && same_json(*before, *value)) return std::nullopt;
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

}  // namespace supple::workflow
