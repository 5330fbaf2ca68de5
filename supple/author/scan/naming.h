// Which piece of bone is which: a template skeleton laid over the pieces of a base scan.
#pragma once

#include <span>

#include "supple/author/scan/parts.h"
#include "supple/rig/bone_template.h"

namespace supple::scan {

/// A named bone of the base scan: one piece, or several that move as one.
struct NamedBone {
  std::uint32_t bone = 0;             // place in the template
  std::vector<std::uint32_t> pieces;  // places in Parts::parts
  double doubt = 0;                   // 0: sure; 1: another name would fit as well
};

/// A single bone of a compound one that the base scan shows apart; several, where these hang together.
struct NamedBody {
  std::vector<std::uint32_t> bodies;  // places in BoneTemplate::bodies
  std::vector<std::uint32_t> pieces;  // places in Parts::parts, some of those of the compound bone
  double doubt = 0;
};

struct Naming {
  std::vector<NamedBone> bones;       // in the order of the template, every one of it
  std::vector<NamedBody> bodies{};    // of compound bones that came apart, the one that leads first; of others: none
  std::vector<std::uint32_t> unused;  // pieces of no bone: sesamoids, the other limb, a table
  Affined to_scan;                    // template to base scan: rotation, uniform scale, shift
  double other_side = 0;  // how many times worse the mirrored template fits; 0: not compared, all bones were given
};

/// Matches by chain, size, length, direction and place; the scan may lie in any orientation, fingers may be bent by
/// some 30 degrees from the template's. Errors: fewer pieces than bones (which ones are likely merged, and the remedy),
/// a hand of the other side.
Result<Naming> name_bones(std::span<const BonePart> parts, const BoneTemplate& skeleton, Warnings* warnings = nullptr);
/// The error where pieces are clearly those of a hand of the other side, whatever they are called.
Result<void> check_side(std::span<const BonePart> parts, const BoneTemplate& skeleton);

/// A bone of the base scan, ready to be looked for in others.
struct ScanBone {
  std::string name;
  std::uint32_t parent = TemplateBone::none;  // place in the list
  Mesh surface;                               // of all its pieces, base scan's world space
  std::vector<bool> touches;                  // #V, see BonePart
  Vec3d facing{};           // half-way between it and its parent's nearest part; of a root, the template's head; of a
                            // compound bone that came apart, the near end of the single bone that leads it
  Mat3d axes;               // of its joint in the base scan: the template's, turned with the bone
  std::vector<Dof> dofs{};  // in `axes`; angles and their limits are counted from the base scan's pose
  bool slides = false;
  Vec3d tail{};               // far end
  std::vector<bool> apart{};  // #V, or empty: of single bones that move for themselves, and do not tell where it is
  TemplateBody::Motion motion = TemplateBody::Motion::leads;  // of a body: how it moves against its parent
};
std::vector<ScanBone> scan_bones(std::span<const BonePart> parts, const BoneTemplate& skeleton, const Naming& naming);
/// The same without the vertices that are apart.
ScanBone without_apart(const ScanBone& bone);
/// Single bones that the scan shows apart from those that lead their compound bones (`parent`, a place in `bones`),
/// which have no joint in the skeleton; named as in the template, several with "+" between them.
std::vector<ScanBone> scan_bodies(std::span<const BonePart> parts, const BoneTemplate& skeleton, const Naming& naming,
                                  std::span<const ScanBone> bones);
/// The template's ends (finger tips) in the base scan: as far beyond their bones as in the template.
std::vector<BoneTemplate::End> scan_ends(std::span<const ScanBone> bones, const BoneTemplate& skeleton,
                                         const Naming& naming);

}  // namespace supple::scan
