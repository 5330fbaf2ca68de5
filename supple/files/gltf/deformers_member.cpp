#include "supple/files/gltf/deformers_member.h"

#include <algorithm>

namespace supple::gltf {
namespace {

Json& object_in(Json& owner, const char* key) {
  Json& value = owner[key];
  if (!value.is_object()) value = Json::object();
  return value;
}

void declare_used(Json& root) {
  Json& used = root["extensionsUsed"];
  if (!used.is_array()) used = Json::array();
  if (std::find(used.begin(), used.end(), deformers_extension) != used.end()) return;
  const auto after =
      std::find_if(used.begin(), used.end(), [](const Json& name) { return name > deformers_extension; });
  used.insert(after, deformers_extension);
}

}  // namespace

void put_deformers_member(Json& root, const char* key, Json value) {
  Json& extension = object_in(object_in(root, "extensions"), deformers_extension);
  extension["version"] = deformers_version;
  extension[key] = std::move(value);
  declare_used(root);
}

void drop_deformers_member(Json& root, const char* key) {
  if (!root.contains("extensions") || !root["extensions"].contains(deformers_extension)) return;
  Json& extension = root["extensions"][deformers_extension];
  if (extension.is_object()) extension.erase(key);
  if (extension.size() > (extension.contains("version") ? 1u : 0u)) return;
  root["extensions"].erase(deformers_extension);
  if (root["extensions"].empty()) root.erase("extensions");
  for (const auto list : {"extensionsUsed", "extensionsRequired"}) {
    if (!root.contains(list)) continue;
    Json kept = Json::array();
    for (const Json& name : root[list]) {
      if (name != deformers_extension) kept.push_back(name);
    }
    if (kept.empty()) {
      root.erase(list);
    } else {
      root[list] = std::move(kept);
    }
  }
}

}  // namespace supple::gltf
