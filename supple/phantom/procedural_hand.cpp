#include <cmath>

#include "supple/make/hand.h"
#include "supple/make/hand_bones.h"
#include "supple/make/hand_rig.h"
#include "supple/make/sdf.h"
#include "supple/phantom/phantom.h"

namespace supple::phantom {
namespace {

using make::AnatomicalBone;
using make::BoneKind;
using make::Segment;

// Anatomical space, millimetres, from here on.
constexpr double overlap = 0.3;                        // of bones that touch, at the middle of the contact
constexpr double contact_radius = 6;                   // within which a bone is thickened towards its neighbour
constexpr double widest_contact = 3;                   // gaps wider than this stay open
constexpr double sampling = 0.5;                       // in the search for the narrowest place
constexpr double digit_margin = 9, other_margin = 27;  // of a box around a bone, beyond its axis

struct Span3 {
  Vec3d low{}, high{};
};
Span3 box_of(const AnatomicalBone& bone) {
  const double m = bone.kind == BoneKind::digit ? digit_margin : other_margin;
  return {min(bone.head, bone.tail()) - Vec3d{m, m, m}, max(bone.head, bone.tail()) + Vec3d{m, m, m}};
}

/// Where two bones come nearest, and half the gap there.
struct Contact {
  std::size_t a = 0, b = 0;
  Vec3d at{};
  double half_gap = 0;
};

Contact narrowest(const std::vector<AnatomicalBone>& bones, std::size_t a, std::size_t b) {
  const Span3 box_a = box_of(bones[a]), box_b = box_of(bones[b]);
  const Vec3d low = max(box_a.low, box_b.low), high = min(box_a.high, box_b.high);
  Contact best{a, b, low, std::numeric_limits<double>::infinity()};
  for (double z = low.z; z <= high.z; z += sampling) {
    for (double y = low.y; y <= high.y; y += sampling) {
      for (double x = low.x; x <= high.x; x += sampling) {
        const double first = bone_field(bones[a], {x, y, z});
        if (first >= best.half_gap) continue;
        const double larger = std::max(first, bone_field(bones[b], {x, y, z}));
        if (larger < best.half_gap) best.at = {x, y, z}, best.half_gap = larger;
      }
    }
  }
  return best;
}

// Bases of the fingers' metacarpals against each other and against the carpus: cartilage is thinnest there.
std::vector<Contact> contacts(const std::vector<AnatomicalBone>& bones) {
  std::vector<Contact> result;
  std::size_t before = bones.size(), carpus = bones.size();
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (bones[b].kind == BoneKind::carpus) carpus = b;
    if (bones[b].kind != BoneKind::digit || bones[b].segment != Segment::metacarpal) continue;
    if (bones[b].digit == make::Digit::thumb) continue;
    for (const std::size_t other : {before, carpus}) {
      if (other == bones.size()) continue;
      const Contact contact = narrowest(bones, other, b);
      if (contact.half_gap < widest_contact / 2) result.push_back(contact);
    }
    before = b;
  }
  return result;
}

/// A bone, thickened where it touches others.
struct ThickenedBone {
  AnatomicalBone bone;
  std::vector<Contact> contacts{};

  double operator()(Vec3d p) const {
    double d = bone_field(bone, p);
    for (const Contact& c : contacts) {
      d -= std::max(0.0, c.half_gap + overlap / 2) * make::bump(length(p - c.at), contact_radius);
    }
    return d;
  }
};

}  // namespace

Result<Subject> procedural_hand(bool right, std::size_t vertices, bool touching, const Progress& progress) {
  make::HandOptions options;
  options.vertices = vertices;
  options.side = right ? make::Side::right : make::Side::left;
  Result<Character> hand = make_hand(options, progress);
  if (!hand) return hand.error();
  Subject subject;
  subject.character = std::move(*hand);
  const make::HandAnatomy anatomy = make::hand_anatomy();
  const std::vector<Contact> all = touching ? contacts(anatomy.bones) : std::vector<Contact>{};
  for (std::size_t b = 0; b < anatomy.bones.size(); ++b) {
    ThickenedBone bone{anatomy.bones[b]};
    for (const Contact& c : all) {
      if (c.a == b || c.b == b) bone.contacts.push_back(c);
    }
    Solid solid;
    solid.name = bone.bone.joint;
    const Span3 box = box_of(bone.bone);
    const Vec3d p = to_model(box.low, options.side), q = to_model(box.high, options.side);
    solid.low = min(p, q), solid.high = max(p, q);
    // The inverse of make::to_model, and millimetres to metres.
    solid.distance = [bone = std::move(bone), right](Vec3d m) {
      return bone(Vec3d{right ? -m.x : m.x, -m.z, m.y} * 1000.0) / 1000.0;
    };
    subject.joint_of.push_back(*subject.character.skeleton.find(solid.name));
    subject.bones.push_back(std::move(solid));
  }
  return subject;
}

}  // namespace supple::phantom
