#include "supple/rig/find_part.h"

#include <algorithm>

#include "supple/base/text.h"

namespace supple {
namespace {

/// "face" of "face.2": parts of one mesh are numbered.
std::string_view mesh_name(std::string_view part) {
  const std::size_t dot = part.rfind('.');
  const bool numbered = dot != std::string_view::npos && dot + 1 < part.size() &&
                        part.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return numbered ? part.substr(0, dot) : part;
}

std::string_view node_name(const Character& character, const Part& part) {
  return part.node < character.skeleton.size() ? std::string_view(character.skeleton.name(part.node))
                                               : std::string_view();
}

/// Whether the text is the pattern, in which '*' stands for any letters.
bool is_like(std::string_view text, std::string_view pattern) {
  std::size_t at = 0, place = 0, star = std::string_view::npos, resume = 0;
  while (at < text.size()) {
    if (place < pattern.size() && pattern[place] == '*') {
      star = place++;
      resume = at;
    } else if (place < pattern.size() && pattern[place] == text[at]) {
      ++place, ++at;
    } else if (star != std::string_view::npos) {
      place = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', place) == std::string_view::npos;
}

constexpr std::size_t max_listed = 30;

std::string listed(const Character& character, const std::vector<std::size_t>& parts) {
  std::string list;
  for (std::size_t i = 0; i < parts.size() && i < max_listed; ++i) {
    const Part& part = character.parts[parts[i]];
    list += (i > 0 ? ", " : "") + part.name;
    const std::string_view node = node_name(character, part);
    if (!node.empty() && node != part.name && node != mesh_name(part.name)) list += " (node " + std::string(node) + ")";
  }
  if (parts.size() > max_listed) list += " and " + std::to_string(parts.size() - max_listed) + " more";
  return list;
}

Error not_there(const Character& character, std::string_view name) {
  std::vector<std::size_t> all(character.parts.size());
  std::vector<std::string> names;
  for (std::size_t p = 0; p < all.size(); ++p) {
    all[p] = p;
    names.push_back(character.parts[p].name);
    names.emplace_back(mesh_name(character.parts[p].name));
    names.emplace_back(node_name(character, character.parts[p]));
  }
  const std::string near = did_you_mean(name, names);
  return {"part '" + std::string(name) + "'", "is not in '" + character.name + "'",
          (near.empty() ? "" : near + " ") + std::string("it has ") + listed(character, all)};
}

Error no_surface(const Character& character) {
  return {"'" + character.name + "'", "has no surface", "use a file with a skinned mesh"};
}

}  // namespace

Result<std::vector<std::size_t>> find_parts(const Character& character, std::string_view name) {
  const std::vector<Part>& parts = character.parts;
  if (parts.empty()) return no_surface(character);
  std::vector<std::size_t> exact, wide;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].name == name) exact.push_back(p);
    if (is_like(parts[p].name, name) || is_like(mesh_name(parts[p].name), name) ||
        is_like(node_name(character, parts[p]), name))
      wide.push_back(p);
  }
  if (!exact.empty()) return exact;
  if (!wide.empty()) return wide;
  return not_there(character, name);
}

Result<std::size_t> find_part(const Character& character, std::string_view name) {
  if (character.parts.empty()) return no_surface(character);
  if (name.empty()) {
    const std::vector<std::size_t> skinned = skinned_parts(character);
    return skinned.empty() ? std::size_t{0} : skinned[0];
  }
  const auto found = find_parts(character, name);
  if (!found) return found.error();
  // Meshes of one name are common where an exporter names them after their material; the first one is taken, as files
  // name it. A name that several parts share by their mesh or node is no choice.
  if (found->size() == 1 || character.parts[(*found)[0]].name == name) return (*found)[0];
  return Error{"part '" + std::string(name) + "'", "could be any of " + std::to_string(found->size()) + " parts",
               "name one: " + listed(character, *found)};
}

std::vector<std::size_t> skinned_parts(const Character& character) {
  std::vector<std::size_t> result;
  for (std::size_t p = 0; p < character.parts.size(); ++p)
    if (character.parts[p].skin) result.push_back(p);
  return result;
}

}  // namespace supple
