#include "supple/author/scan/naming_given.h"

#include <algorithm>

#include "supple/author/scan/naming_bodies.h"
#include "supple/author/scan/rigid_fit.h"

namespace supple::scan {
namespace {

/// Where the template lies when each bone's middle is where its pieces are.
Affined placement(std::span<const BonePart> parts, const BoneTemplate& skeleton, const Naming& naming) {
  std::vector<Vec3d> from, to;
  for (const NamedBone& named : naming.bones) {
    const TemplateBone& bone = skeleton.bones[named.bone];
    if (bone.parent == TemplateBone::none) continue;  // the volume cuts a root anywhere
    Vec3d centre{};
    double volume = 0;
    for (const std::uint32_t p : named.pieces) {
      centre = centre + parts[p].centre * parts[p].volume;
      volume += parts[p].volume;
    }
    from.push_back((bone.head + bone.tail) * 0.5);
    to.push_back(centre / volume);
  }
  return fit_similarity(from, to).affine();
}

}  // namespace

std::vector<std::optional<std::vector<std::uint32_t>>> pieces_by_label(std::span<const BonePart> parts,
                                                                       const BoneTemplate& skeleton) {
  std::vector<std::optional<std::vector<std::uint32_t>>> result(skeleton.bones.size());
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (parts[p].candidates.size() != 1) continue;
    auto& pieces = result[parts[p].candidates.front()];
    if (!pieces) pieces.emplace();
    pieces->push_back(p);
  }
  return result;
}

Result<Naming> name_bones(std::span<const BonePart> parts, const BoneTemplate& skeleton, GivenPieces given,
                          Warnings* warnings, GivenPieces bodies) {
  const auto is_given = [](const auto& pieces) { return pieces.has_value(); };
  if (std::none_of(given.begin(), given.end(), is_given) && std::none_of(bodies.begin(), bodies.end(), is_given))
    return name_bones(parts, skeleton, warnings);
  constexpr std::uint32_t nobody = TemplateBone::none;
  std::vector<std::uint32_t> owner(parts.size(), nobody);
  for (std::uint32_t b = 0; b < given.size(); ++b) {
    if (!given[b]) continue;
    for (const std::uint32_t p : *given[b]) {
      if (owner[p] != nobody && owner[p] != b)
        return Error{"piece " + std::to_string(p),
                     "is given to '" + skeleton.bones[owner[p]].joint + "' and to '" + skeleton.bones[b].joint + "'",
                     "a piece belongs to one bone"};
      owner[p] = b;
    }
  }
  Naming naming;
  if (std::all_of(given.begin(), given.end(), is_given)) {
    for (std::uint32_t b = 0; b < given.size(); ++b) naming.bones.push_back({b, {}, 0});
  } else {
    auto found = find_names(parts, skeleton, warnings);
    if (!found) {
      return Error{found.error().item, found.error().problem,
                   found.error().remedy + "; or say for every bone which pieces it has"};
    }
    naming = std::move(*found);
  }
  for (NamedBone& named : naming.bones) {
    if (given[named.bone]) {
      named.pieces = *given[named.bone];
      named.doubt = 0;
    } else {
      std::erase_if(named.pieces, [&](std::uint32_t p) { return owner[p] != nobody; });
      for (const std::uint32_t p : named.pieces) owner[p] = named.bone;
    }
    if (named.pieces.empty())
      return Error{"bone '" + skeleton.bones[named.bone].joint + "'",
                   "has no piece left: another bone was given what it had", "give it pieces too"};
  }
  naming.unused.clear();
  for (std::uint32_t p = 0; p < parts.size(); ++p)
    if (owner[p] == nobody) naming.unused.push_back(p);
  naming.to_scan = placement(parts, skeleton, naming);
  tell_oddities(naming, parts.size(), skeleton, given, warnings);
  naming.bodies = name_bodies(parts, skeleton, naming, bodies, warnings);
  return naming;
}

}  // namespace supple::scan
