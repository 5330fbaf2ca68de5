#include "supple/deform/kinodynamic/hidden_morphs.h"

#include "supple/deform/field/limbs.h"
#include "supple/rig/deformers.h"

namespace supple {

void warn_of_hidden_morphs(const Character& character, Warnings& warnings) {
  const std::vector<bool> driven = moved_weights(character), flows = flowing_parts(character);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    std::size_t hidden = 0;
    for (std::size_t m = 0; m < part.morphs.size(); ++m) hidden += driven[part.first_morph_weight + m] ? 0 : 1;
    if (!flows[p] || hidden == 0) continue;
    warnings.push_back("part '" + part.name + "': its " + std::to_string(hidden) +
                       " morph targets do not show while it flows; linear blend shows them");
  }
}

}  // namespace supple
