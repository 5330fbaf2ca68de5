// The names of a base scan, or why it has none.
#include "supple/author/scan/naming.h"

#include <algorithm>
#include <limits>
#include <set>

#include "supple/author/scan/naming_bodies.h"
#include "supple/author/scan/naming_given.h"
#include "supple/author/scan/naming_halves.h"
#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"

namespace supple::scan {
namespace {

// Mirrored fits that are so much better, and by so much, are not chance.
constexpr double mirror_ratio = 0.6, mirror_cost_margin = 8;
constexpr double doubtful_ratio = 1.25;
constexpr double merged_within = 0.003;  // metres: a piece that close to a missing bone's middle holds it too
constexpr double too_long = 1.3;         // times what its name says

bool is_mirrored(double cost, double other_cost) {
  return other_cost < mirror_ratio * cost && cost - other_cost > mirror_cost_margin;
}
Error other_side(const BoneTemplate& skeleton) {
  return {"base scan", "shows the mirror image of the " + skeleton.name + ": the other side",
          "choose the template of the other side; if the side is right, the volume's orientation is mirrored"};
}

std::vector<PieceShape> shapes_of(std::span<const BonePart> parts) {
  std::vector<PieceShape> pieces(parts.size());
  parallel_for(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) pieces[p] = shape_of(parts[p]);
  });
  return pieces;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

bool is_above(const BoneTemplate& skeleton, std::uint32_t above, std::uint32_t b) {
  while (b != TemplateBone::none && b != above) b = skeleton.bones[b].parent;
  return b == above;
}

/// Pieces that are likely to hold a bone that has none: they reach through where it must be, or lie in its chain and
/// are too long for their own names.
std::set<std::size_t> holders_of(std::uint32_t missing, std::span<const BonePart> parts,
                                 std::span<const PieceShape> pieces, const BoneTemplate& skeleton,
                                 const Candidate& candidate) {
  std::set<std::size_t> holders;
  const double scale = candidate.match.to_scan.scale;
  const PlacedBone& placed = candidate.match.bones[missing];
  const Vec3f middle = Vec3f(lerp(placed.head, placed.tail, 0.5));
  const double near = merged_within + skeleton.bones[missing].radius * scale;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Mesh& surface = parts[p].surface;
    if (Bvh(surface.positions, surface.triangles).closest(middle).distance < near) holders.insert(p);
  }
  for (const NamedBone& named : candidate.bones) {
    const TemplateBone& bone = skeleton.bones[named.bone];
    if (bone.compound || named.pieces.empty()) continue;
    const bool kin = is_above(skeleton, named.bone, missing) || is_above(skeleton, missing, named.bone);
    if (kin && pieces[named.pieces[0]].length > too_long * bone.length() * scale) holders.insert(named.pieces[0]);
  }
  return holders;
}

/// Nothing, or which bones have no piece and where they may be.
std::optional<Error> missing_bones(std::span<const BonePart> parts, std::span<const PieceShape> pieces,
                                   const BoneTemplate& skeleton, const Candidate& candidate) {
  std::vector<std::string> missing;
  std::set<std::size_t> holders;
  for (std::uint32_t b = 0; b < skeleton.bones.size(); ++b) {
    if (!candidate.bones[b].pieces.empty()) continue;
    missing.push_back(skeleton.bones[b].joint);
    holders.merge(holders_of(b, parts, pieces, skeleton, candidate));
  }
  if (missing.empty()) return std::nullopt;
  std::string problem = std::to_string(missing.size()) + " of " + std::to_string(skeleton.bones.size()) +
                        " bones of the " + skeleton.name + " have no piece of their own: " + listed(missing);
  for (const std::size_t p : holders) {
    std::string name = "not named";
    for (const NamedBone& named : candidate.bones) {
      const bool holds = std::find(named.pieces.begin(), named.pieces.end(), p) != named.pieces.end();
      if (holds) name = skeleton.bones[named.bone].joint;
    }
    problem += "; piece " + std::to_string(p) + " (" + name + ") likely holds more than one";
  }
  return Error{"base scan", problem,
               holders.empty()
                   ? "the scan must show the whole of it; pieces too small to count are listed with the parts"
                   : "touching bones come apart with a higher marker threshold in the project"};
}

}  // namespace

Result<void> check_side(std::span<const BonePart> parts, const BoneTemplate& skeleton) {
  const std::vector<PieceShape> pieces = shapes_of(parts);
  const std::optional<Candidate> best = best_candidate(pieces, skeleton);
  const std::optional<Candidate> other = best_candidate(pieces, mirrored(skeleton));
  if (!best || !other || !is_mirrored(best->match.cost, other->match.cost)) return {};
  return other_side(skeleton);
}

Result<Naming> find_names(std::span<const BonePart> parts, const BoneTemplate& skeleton, Warnings* warnings) {
  const std::vector<PieceShape> pieces = shapes_of(parts);
  std::optional<Candidate> best = best_candidate(pieces, skeleton);
  const std::optional<Candidate> other = best_candidate(pieces, mirrored(skeleton));
  if (!best && !other) {
    return Error{"base scan",
                 "none of its " + std::to_string(parts.size()) + " pieces of bone look like the " + skeleton.name,
                 "check the bone threshold; long bones that touch come apart with a higher marker threshold"};
  }
  const double cost = best ? best->match.cost : std::numeric_limits<double>::infinity();
  const double other_cost = other ? other->match.cost : std::numeric_limits<double>::infinity();
  if (is_mirrored(cost, other_cost)) return other_side(skeleton);
  join_halves(parts, pieces, skeleton, *best);
  if (std::optional<Error> error = missing_bones(parts, pieces, skeleton, *best)) return *error;
  if (other_cost < doubtful_ratio * best->match.cost && warnings != nullptr) {
    warnings->push_back("base scan: the mirror image of the " + skeleton.name +
                        " fits almost as well: check that it is the right side");
  }
  // What fits to a hair and what does not at all must not make the ratio a matter of rounding.
  constexpr double least_cost = 1e-3, most_ratio = 1e3;
  const double ratio = std::min(other_cost / std::max(best->match.cost, least_cost), most_ratio);
  return Naming{std::move(best->bones), {}, std::move(best->unused), best->match.to_scan.affine(), ratio};
}

void tell_oddities(const Naming& naming, std::size_t parts, const BoneTemplate& skeleton, GivenPieces given,
                   Warnings* warnings) {
  if (warnings == nullptr) return;
  if (!naming.unused.empty()) {
    warnings->push_back("base scan: " + std::to_string(naming.unused.size()) + " of " + std::to_string(parts) +
                        " pieces of bone belong to no bone of the " + skeleton.name);
  }
  for (const NamedBone& named : naming.bones) {
    const TemplateBone& bone = skeleton.bones[named.bone];
    const bool by_hand = named.bone < given.size() && given[named.bone];
    if (bone.compound || by_hand || named.pieces.size() < 2) continue;
    warnings->push_back("base scan: " + bone.joint + " was put together from " + std::to_string(named.pieces.size()) +
                        " pieces: check it in the report; a finer scan keeps it whole");
  }
}

Result<Naming> name_bones(std::span<const BonePart> parts, const BoneTemplate& skeleton, Warnings* warnings) {
  Result<Naming> naming = find_names(parts, skeleton, warnings);
  if (!naming) return naming;
  tell_oddities(*naming, parts.size(), skeleton, {}, warnings);
  naming->bodies = name_bodies(parts, skeleton, *naming, {}, warnings);
  return naming;
}

}  // namespace supple::scan
