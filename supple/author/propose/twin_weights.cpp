#include "supple/author/propose/twin_weights.h"

#include <algorithm>
#include <numeric>

namespace supple {
namespace {

constexpr std::size_t no_lender = ~std::size_t{0};

float at(const ElementWeights& weights, std::size_t part, std::size_t vertex) {
  return weights.alpha[part].empty() ? 0.0f : weights.alpha[part][vertex];
}

/// Place among the vertex's influences, which are sorted, of the heaviest bone that lends to the element.
std::size_t lender_of(const ElementWeights& weights, const SkinBinding& skin, std::span<const Influence> influences) {
  for (std::size_t k = 0; k < influences.size(); ++k) {
    const JointIndex joint = skin.joints[influences[k].joint];
    if (std::find(weights.lenders.begin(), weights.lenders.end(), joint) != weights.lenders.end()) return k;
  }
  return no_lender;
}

/// How far beyond the displacement twins must go so that every lender has enough weight for all who ask it.
void choose_reaches(Character& character, std::span<const ElementWeights> weights) {
  std::vector<FleshElement>& elements = character.flesh.elements;
  std::vector<std::size_t> lender(elements.size());
  std::vector<float> asked;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (!part.skin) continue;
    for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
      const auto own = part.weights.of(v);
      asked.assign(own.size(), 0);
      float turning = 0;  // what elements that turn take of every bone alike
      for (std::size_t e = 0; e < elements.size(); ++e) {
        if (elements[e].torsion) turning += at(weights[e], p, v);
        const float alpha = elements[e].torsion ? 0.0f : at(weights[e], p, v);
        lender[e] = alpha > 0 ? lender_of(weights[e], character.skins[*part.skin], own) : no_lender;
        if (lender[e] != no_lender) asked[lender[e]] += alpha;
      }
      for (std::size_t e = 0; e < elements.size(); ++e) {
        if (lender[e] == no_lender) continue;
        const float left = own[lender[e]].weight * std::max(1 - turning, 0.02f);
        elements[e].reach = std::max(elements[e].reach, asked[lender[e]] / left * (1 + 1e-5f));
      }
    }
  }
}

/// The twin of a bone for an element, made when first asked for.
JointIndex twin_of(Character& character, FleshElement& element, JointIndex bone) {
  for (const FleshTwin& twin : element.twins)
    if (twin.bone == bone) return twin.joint;
  const JointIndex joint = character.skeleton.append(character.skeleton.name(bone) + "." + element.name, bone);
  element.twins.push_back({bone, joint});
  return joint;
}

/// The joint's place in a skin; a twin comes in with the bind pose of its bone.
std::uint32_t place_of(SkinBinding& skin, JointIndex joint, std::uint32_t bone_place) {
  const auto found = std::find(skin.joints.begin(), skin.joints.end(), joint);
  if (found != skin.joints.end()) return static_cast<std::uint32_t>(found - skin.joints.begin());
  skin.joints.push_back(joint);
  skin.inverse_bind.push_back(skin.inverse_bind[bone_place]);
  return static_cast<std::uint32_t>(skin.joints.size() - 1);
}

/// One vertex while its bones lend.
struct Lending {
  Character& character;
  SkinBinding& skin;
  std::span<const Influence> own;      // before
  std::vector<Influence>& influences;  // the same places first, then the twins'

  /// Whether the bone had that much.
  bool lend(std::size_t k, float weight, FleshElement& element) {
    if (weight > influences[k].weight * (1 + 1e-4f) + 1e-6f) return false;
    const float taken = std::min(weight, influences[k].weight);
    if (!(taken > 0)) return true;
    influences[k].weight -= taken;
    const JointIndex twin = twin_of(character, element, skin.joints[own[k].joint]);
    influences.push_back({place_of(skin, twin, own[k].joint), taken});
    return true;
  }
  bool lend_to(FleshElement& element, const ElementWeights& weights, float alpha) {
    if (alpha == 0) return true;
    if (!element.torsion) {
      const std::size_t k = lender_of(weights, skin, own);
      return k != no_lender && lend(k, alpha / element.reach, element);
    }
    for (std::size_t k = 0; k < own.size(); ++k)
      if (!lend(k, alpha * own[k].weight, element)) return false;
    return true;
  }
};

}  // namespace

Result<void> add_twins(Character& character, std::span<const ElementWeights> weights) {
  choose_reaches(character, weights);
  std::vector<std::size_t> turning_last(weights.size());  // so that the one that cannot have enough is one that turns
  std::iota(turning_last.begin(), turning_last.end(), std::size_t{0});
  std::stable_partition(turning_last.begin(), turning_last.end(),
                        [&](std::size_t e) { return !character.flesh.elements[e].torsion; });
  std::vector<Influence> influences;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    Part& part = character.parts[p];
    if (!part.skin) continue;
    SkinBinding& skin = character.skins[*part.skin];
    SkinWeights lent;
    for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
      const auto own = part.weights.of(v);
      influences.assign(own.begin(), own.end());
      Lending vertex{character, skin, own, influences};
      for (const std::size_t e : turning_last) {
        FleshElement& element = character.flesh.elements[e];
        if (!vertex.lend_to(element, weights[e], at(weights[e], p, v)))
          return Error{"flesh element '" + element.name + "'",
                       "overlaps others at vertex " + std::to_string(v) + " of part '" + part.name +
                           "' by more than can turn with it",
                       "leave out its torsion, or let the elements overlap less"};
      }
      std::erase_if(influences, [](const Influence& i) { return !(i.weight > 0); });
      lent.push_vertex(influences);
    }
    part.weights = std::move(lent);
    clean(part.weights, skin.joints.size());
  }
  return {};
}

}  // namespace supple
