#include "supple/rig/deformers.h"

#include <algorithm>
#include <array>

namespace supple {

std::span<const DeformerKind* const> deformers() {
  static constexpr std::array<const DeformerKind*, 6> all{&driver_kind,     &pose_space_kind, &wrinkle_kind,
                                                          &delta_mush_kind, &flesh_kind,      &kinodynamic_kind};
  return all;
}

std::string word_for(const DeformerKind& kind) {
  std::string word = kind.name;
  std::replace(word.begin(), word.end(), ' ', '-');
  return word;
}

Result<void> check_deformers(const Character& character) {
  std::vector<std::string> owner(character.morph_weights.size());
  for (const DeformerKind* kind : deformers()) {
    if (kind->count(character) == 0) continue;
    if (auto ok = kind->check(character); !ok) return ok;
    if (kind->moved == nullptr) continue;
    for (const MovedWeights& m : kind->moved(character)) {
      for (std::size_t w = m.first; w < m.first + m.count; ++w) {
        if (!owner[w].empty())
          return Error{m.item, "drives morph weight " + std::to_string(w) + ", which " + owner[w] + " does",
                       "give it a morph target of its own"};
        owner[w] = m.item;
      }
    }
  }
  return {};
}

std::vector<bool> moved_weights(const Character& character) {
  std::vector<bool> result(character.morph_weights.size());
  for (const DeformerKind* kind : deformers()) {
    if (kind->moved == nullptr) continue;
    for (const MovedWeights& m : kind->moved(character))
      for (std::size_t w = m.first; w < m.first + m.count && w < result.size(); ++w) result[w] = true;
  }
  return result;
}

void clear_deformers(Character& character) {
  for (const DeformerKind* kind : deformers()) kind->clear(character);
}

void renumber_weights(Character& character, std::span<const std::uint32_t> place) {
  for (const DeformerKind* kind : deformers())
    if (kind->renumber != nullptr) kind->renumber(character, place);
}

}  // namespace supple
