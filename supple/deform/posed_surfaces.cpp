#include "supple/deform/posed_surfaces.h"

#include <utility>

namespace supple {

Result<Character> posed_surfaces(const Character& character, const Pose& pose, Blend blend) {
  auto skin = Skin::make(character, blend);
  if (!skin) return skin.error();
  if (auto ok = skin->evaluate(pose); !ok) return ok.error();
  Character result;
  result.name = character.name;
  result.materials = character.materials;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& source = character.parts[p];
    Part part;
    part.name = source.name;
    part.mesh = {{skin->positions(p).begin(), skin->positions(p).end()},
                 {skin->normals(p).begin(), skin->normals(p).end()},
                 source.mesh.triangles};
    const bool mirrored = !source.skin && source.node != no_joint && determinant(skin->world()[source.node].linear) < 0;
    if (mirrored) {
      for (Triangle& t : part.mesh.triangles) std::swap(t[1], t[2]);
    }
    part.texcoords = source.texcoords;
    part.material = source.material;
    result.parts.push_back(std::move(part));
  }
  return result;
}

}  // namespace supple
