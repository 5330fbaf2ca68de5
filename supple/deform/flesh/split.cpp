#include "supple/deform/flesh/split.h"

#include <algorithm>

#include "supple/deform/part_binding.h"

namespace supple {
namespace {

constexpr std::uint32_t none = 0xffffffffu;

/// For each place in the binding: the element whose twin it is and the place of the twin's bone.
struct Owner {
  std::uint32_t element = none, bone = none;
};

std::vector<Owner> owners(const Character& character, const SkinBinding& binding) {
  std::vector<Owner> of(binding.joints.size());
  const auto place = [&](JointIndex joint) {
    const auto found = std::find(binding.joints.begin(), binding.joints.end(), joint);
    return found == binding.joints.end() ? none : static_cast<std::uint32_t>(found - binding.joints.begin());
  };
  for (std::uint32_t e = 0; e < character.flesh.elements.size(); ++e) {
    for (const FleshTwin& twin : character.flesh.elements[e].twins) {
      const std::uint32_t at = place(twin.joint), bone = place(twin.bone);
      if (at != none && bone != none) of[at] = {e, bone};
    }
  }
  return of;
}

void add(std::vector<Influence>& influences, std::uint32_t joint, float weight) {
  const auto same =
      std::find_if(influences.begin(), influences.end(), [&](const Influence& i) { return i.joint == joint; });
  if (same != influences.end()) {
    same->weight += weight;
  } else {
    influences.push_back({joint, weight});
  }
}

}  // namespace

SplitWeights split_flesh(const Character& character, const Part& part) {
  if (!part.skin || character.flesh.empty()) return {weights_of(part), {}};
  const std::vector<Owner> owner = owners(character, character.skins[*part.skin]);
  const std::size_t elements = character.flesh.elements.size();
  SplitWeights split;
  std::vector<Influence> bones;
  std::vector<float> carried(elements);
  for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
    bones.clear();
    std::fill(carried.begin(), carried.end(), 0.0f);
    for (const Influence& i : part.weights.of(v)) {
      const Owner& o = owner[i.joint];
      add(bones, o.element == none ? i.joint : o.bone, i.weight);
      if (o.element != none) carried[o.element] += i.weight * character.flesh.elements[o.element].reach;
    }
    std::sort(bones.begin(), bones.end(), [](const Influence& a, const Influence& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
    });
    split.bones.push_vertex(bones);
    for (std::uint32_t e = 0; e < elements; ++e)
      if (carried[e] != 0) split.flesh.push_back({static_cast<std::uint32_t>(v), e, carried[e]});
  }
  return split;
}

}  // namespace supple
