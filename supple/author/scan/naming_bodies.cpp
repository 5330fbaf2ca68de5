#include "supple/author/scan/naming_bodies.h"

#include <algorithm>

#include "supple/author/scan/compound_names.h"
#include "supple/author/scan/naming_shapes.h"

namespace supple::scan {
namespace {

/// Ends of the bones that the template's marks are of, their bases towards the compound bones.
PointPairs marks_of(std::span<const BonePart> parts, const BoneTemplate& skeleton, const Naming& naming) {
  PointPairs marks;
  for (const BoneTemplate::Mark& mark : skeleton.marks) {
    const PieceShape shape = shape_of(put_together(parts, naming.bones[mark.bone].pieces));
    Vec3d centre{};
    double volume = 0;
    for (const std::uint32_t p : naming.bones[skeleton.bones[mark.bone].parent].pieces) {
      centre += parts[p].centre * parts[p].volume;
      volume += parts[p].volume;
    }
    centre = centre / volume;
    const bool forward = length(shape.ends[0] - centre) < length(shape.ends[1] - centre);
    marks.from.push_back(mark.base);
    marks.to.push_back(shape.ends[forward ? 0 : 1]);
    marks.from.push_back(mark.end);
    marks.to.push_back(shape.ends[forward ? 1 : 0]);
  }
  return marks;
}

std::string listed_bodies(std::span<const std::uint32_t> bodies, const BoneTemplate& skeleton) {
  std::string text;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    text += (i == 0 ? "" : i + 1 < bodies.size() ? ", " : " and ") + skeleton.bodies[bodies[i]].name;
  return text;
}

/// What did not come apart, and what is not there.
void tell_merged(std::span<const NamedBody> named, std::uint32_t bone, const BoneTemplate& skeleton,
                 Warnings* warnings) {
  if (warnings == nullptr) return;
  std::vector<std::uint32_t> all, missing;
  for (std::uint32_t i = 0; i < skeleton.bodies.size(); ++i)
    if (skeleton.bodies[i].bone == bone) all.push_back(i);
  if (all.empty()) return;
  const std::string base = "base scan: ";
  const std::string remedy = "; a finer scan, or a label for each, tells them apart";
  if (named.empty()) {
    warnings->push_back(base + listed_bodies(all, skeleton) + " do not come apart: they are taken to move as one body" +
                        remedy);
    return;
  }
  for (const std::uint32_t i : all) {
    const bool there = std::any_of(named.begin(), named.end(), [&](const NamedBody& b) {
      return std::find(b.bodies.begin(), b.bodies.end(), i) != b.bodies.end();
    });
    if (!there) missing.push_back(i);
  }
  for (const NamedBody& body : named) {
    if (body.bodies.size() > 1)
      warnings->push_back(base + listed_bodies(body.bodies, skeleton) +
                          " hang together: they are taken to move as one body" + remedy);
  }
  if (!missing.empty())
    warnings->push_back(base + listed_bodies(missing, skeleton) + " was not found among the pieces of bone");
}

}  // namespace

std::vector<NamedBody> name_bodies(std::span<const BonePart> parts, const BoneTemplate& skeleton, const Naming& naming,
                                   GivenPieces given, Warnings* warnings) {
  std::vector<NamedBody> result;
  if (skeleton.bodies.empty() || skeleton.marks.empty()) return result;
  PointPairs marks = marks_of(parts, skeleton, naming);
  // From the tips to the root: the bones of the carpus tell where those of the forearm are.
  for (std::uint32_t b = static_cast<std::uint32_t>(skeleton.bones.size()); b-- > 0;) {
    if (!skeleton.bones[b].compound) continue;
    std::vector<NamedBody> named;
    if (naming.bones[b].pieces.size() > 1) {
      CompoundNames names(parts, skeleton, naming.bones[b].pieces, b, marks, given);
      named = names.run();
      // Without the bone that leads, or with it alone, the compound bone is what it was.
      if (named.size() < 2 || !leads(named.front(), skeleton)) named.clear();
      if (!named.empty()) marks = names.marks();
    }
    tell_merged(named, b, skeleton, warnings);
    result.insert(result.end(), named.begin(), named.end());
  }
  return result;
}

std::vector<std::optional<std::vector<std::uint32_t>>> bodies_by_label(std::span<const BonePart> parts,
                                                                       const BoneTemplate& skeleton) {
  std::vector<std::optional<std::vector<std::uint32_t>>> result(skeleton.bodies.size());
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (parts[p].body >= result.size()) continue;
    auto& pieces = result[parts[p].body];
    if (!pieces) pieces.emplace();
    pieces->push_back(p);
  }
  return result;
}

std::string body_name(const NamedBody& body, const BoneTemplate& skeleton) {
  std::string name;
  for (const std::uint32_t i : body.bodies) name += (name.empty() ? "" : "+") + skeleton.bodies[i].name;
  return name;
}

bool leads(const NamedBody& body, const BoneTemplate& skeleton) {
  return std::any_of(body.bodies.begin(), body.bodies.end(),
                     [&](std::uint32_t i) { return skeleton.bodies[i].motion == TemplateBody::Motion::leads; });
}

}  // namespace supple::scan
