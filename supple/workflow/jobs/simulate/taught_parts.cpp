#include "supple/workflow/jobs/simulate/taught_parts.h"

#include <algorithm>

#include "supple/rig/find_part.h"
#include "supple/rig/merge_parts.h"

namespace supple::workflow {
namespace {

/// Skinned parts but the bones and muscles.
std::vector<std::size_t> skins(const Character& character, const std::string& bones) {
  std::vector<std::size_t> parts = skinned_parts(character);
  std::erase_if(parts, [&](std::size_t p) {
    return character.parts[p].name == bones || character.parts[p].name == muscles_part_name;
  });
  return parts;
}

std::vector<std::size_t> bending(const Character& character, std::vector<std::size_t> parts) {
  std::erase_if(parts, [&](std::size_t p) { return is_rigid(character.parts[p]); });
  return parts;
}

Result<std::vector<std::size_t>> named_parts(const Character& character, const std::string& name) {
  auto parts = find_parts(character, name);
  if (!parts) return parts;
  for (const std::size_t p : *parts)
    if (!character.parts[p].skin)
      return Error{"part '" + character.parts[p].name + "'", "is not bound to joints",
                   "supple bind gives it skin weights"};
  return parts;
}

Error without_skin(const Character& character) {
  if (character.parts.empty()) return {character.name, "has no mesh", "use a file with a skinned mesh"};
  return {"part '" + character.parts[0].name + "'", "is not bound to joints", "supple bind gives a mesh skin weights"};
}

}  // namespace

Result<std::vector<std::size_t>> skin_parts(const Character& character, const std::string& name,
                                            const std::string& bones) {
  if (!name.empty()) return named_parts(character, name);
  const std::vector<std::size_t> all = skins(character, bones);
  if (all.empty()) return without_skin(character);
  const std::vector<std::size_t> soft = bending(character, all);
  if (soft.empty()) return std::vector{all[0]};
  std::vector<std::size_t> parts;
  for (const std::vector<std::size_t>& surface : joined_surfaces(character, all))
    if (std::ranges::find_first_of(surface, soft) != surface.end())
      parts.insert(parts.end(), surface.begin(), surface.end());
  std::ranges::sort(parts);
  return parts;
}

Result<std::vector<std::size_t>> flesh_parts(const Character& character, const std::string& name,
                                             const std::string& bones) {
  auto parts = skin_parts(character, name, bones);
  if (!parts || !name.empty() || parts->size() == 1) return parts;
  std::vector<std::size_t> largest;
  std::size_t most = 0;
  for (std::vector<std::size_t>& surface : joined_surfaces(character, *parts)) {
    std::size_t vertices = 0;
    for (const std::size_t p : surface) vertices += character.parts[p].mesh.positions.size();
    if (vertices > most) most = vertices, largest = std::move(surface);
  }
  return largest;
}

std::string words_of_parts(const Character& character, std::span<const std::size_t> parts) {
  std::string words = parts.size() == 1 ? "part" : "parts";
  for (std::size_t i = 0; i < parts.size(); ++i)
    words += (i == 0 ? " '" : ", '") + character.parts[parts[i]].name + "'";
  return words;
}

std::vector<std::size_t> left_out(const Character& character, std::span<const std::size_t> parts,
                                  const std::string& bones) {
  std::vector<std::size_t> left = bending(character, skins(character, bones));
  std::erase_if(left, [&](std::size_t p) { return std::ranges::find(parts, p) != parts.end(); });
  return left;
}

}  // namespace supple::workflow
