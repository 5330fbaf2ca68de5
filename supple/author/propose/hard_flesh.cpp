#include "supple/author/propose/hard_flesh.h"

#include <algorithm>

namespace supple {
namespace {

/// Less than that of a vertex's weight on the lenders is rounding, and cannot be lent.
constexpr float least_lent = 0.02f;

bool can_lend(const Character& c, const HardSkin::Shell& shell, std::span<const JointIndex> lenders) {
  const Part& part = c.parts[shell.part];
  const std::vector<JointIndex>& joints = c.skins[*part.skin].joints;
  return std::all_of(shell.vertices.begin(), shell.vertices.end(), [&](std::uint32_t v) {
    const std::span<const Influence> influences = part.weights.of(v);
    return std::any_of(influences.begin(), influences.end(), [&](const Influence& i) {
      return i.weight >= least_lent && std::find(lenders.begin(), lenders.end(), joints[i.joint]) != lenders.end();
    });
  });
}

}  // namespace

void leave_out_hard(const Character& c, const FleshBody& body, const HardSkin& hard, std::span<float> membership) {
  for (std::size_t p = 0; p < c.parts.size(); ++p)
    for (std::size_t v = 0; v < hard.softness[p].size(); ++v) membership[body.first[p] + v] *= hard.softness[p][v];
  for (const HardSkin::Shell& shell : hard.shells)
    for (const std::uint32_t v : shell.vertices) membership[body.first[shell.part] + v] = 0;
}

void carry_shells(const Character& c, const FleshBody& body, const HardSkin& hard, std::span<const JointIndex> lenders,
                  bool turns, std::span<float> weights) {
  for (const HardSkin::Shell& shell : hard.shells) {
    const std::uint32_t first = body.first[shell.part];
    double sum = 0, all = 0;
    for (std::size_t i = 0; i < shell.below.size(); ++i) {
      sum += double{shell.closeness[i]} * double{weights[first + shell.below[i]]};
      all += double{shell.closeness[i]};
    }
    const bool carried = !turns && all > 0 && can_lend(c, shell, lenders);
    for (const std::uint32_t v : shell.vertices) weights[first + v] = carried ? static_cast<float>(sum / all) : 0.0f;
  }
}

}  // namespace supple
