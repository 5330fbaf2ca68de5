// How sure it is which piece of bone is which.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "supple/author/scan/naming_bodies.h"
#include "supple/author/scan/naming_given.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/review_parts.h"

namespace supple::workflow {
namespace {

// What is tolerated, each at a confidence of 1/2.
constexpr double tolerated_ratio = 1.25;  // of the mirrored template's misfit over this one's
constexpr double tolerated_unused = 250;  // cubic millimetres of a piece that no bone has: a large sesamoid
constexpr double tolerated_cut = 0.3;     // of a bone's surface, cut from its neighbours
constexpr double least_ratio_margin = 1e-3;
constexpr double hardly_a_name = 0.1;  // shapes say another one

std::string list_of_pieces(const std::vector<std::uint32_t>& pieces) {
  std::string text;
  for (const std::uint32_t p : pieces) text += (text.empty() ? "[" : ", ") + std::to_string(p);
  return text + "]";
}

/// What shapes and places alone call each piece; empty where nobody else has named any, or where they say nothing.
std::map<std::uint32_t, std::uint32_t> names_by_shape(const Chain& chain) {
  std::map<std::uint32_t, std::uint32_t> names;
  const auto named_by_label = [](const scan::BonePart& part) { return part.candidates.size() == 1; };
  bool given = std::any_of(chain.parts.parts.begin(), chain.parts.parts.end(), named_by_label);
  for (const TemplateBone& bone : chain.skeleton.bones) given = given || is_by_hand(chain, {"bones", bone.joint});
  if (!given) return names;
  const auto found = scan::find_names(chain.parts.parts, chain.skeleton, nullptr);
  if (!found) return names;
  for (const scan::NamedBone& named : found->bones)
    for (const std::uint32_t p : named.pieces) names[p] = named.bone;
  return names;
}

double share_cut(const scan::ScanBone& bone) {
  if (bone.touches.empty()) return 0;
  return static_cast<double>(std::count(bone.touches.begin(), bone.touches.end(), true)) /
         static_cast<double>(bone.touches.size());
}

}  // namespace

void review_side(const Chain& chain, ReviewItems& items) {
  const double ratio = chain.naming.other_side;
  ReviewItem item;
  item.decided = Decided::side;
  item.scan = chain.scans[0].entry->name;
  if (ratio > 0) {
    // The same misfit either way is no evidence at all, tolerated_ratio is as little as can be tolerated.
    item.confidence =
        Evidence()
            .add(tolerated_ratio - 1, std::max(ratio - 1, least_ratio_margin),
                 fmt::format("the mirror image of the {} fits {:.1f} times worse", chain.skeleton.name, ratio))
            .weakest();
  } else {
    item.confidence = {0.8, "every bone was named by a person or a label, so the mirror image was not compared"};
  }
  item.remedy = "look whether it is a left or a right hand, and set \"side\" in the project";
  items.push_back(std::move(item));
}

void review_pieces(const Chain& chain, ReviewItems& items) {
  ReviewItem item;
  item.decided = Decided::pieces;
  item.scan = chain.scans[0].entry->name;
  item.field = {"pieces"};
  item.remedy =
      "\"marker\": upwards where bones came out as one, 0 where one was cut; bones.NAME.pieces gives a piece to a bone";
  Evidence evidence;
  evidence.at_most(0.99, fmt::format("{} pieces, each of them a bone's", chain.parts.parts.size()));
  for (const std::uint32_t p : chain.naming.unused) {
    const scan::BonePart& part = chain.parts.parts[p];
    const Confidence before = evidence.weakest();
    evidence.add(part.volume * cubic_mm, tolerated_unused,
                 fmt::format("piece {} of {:.0f} mm3 belongs to no bone", p, part.volume * cubic_mm));
    if (evidence.weakest().value < before.value) item.place = part.centre;
  }
  if (!chain.parts.dropped.empty()) {
    const scan::Parts::Dropped& largest = chain.parts.dropped.front();
    evidence.add(largest.volume * cubic_mm, 1.5 * chain.project.smallest_mm3,
                 fmt::format("{} pieces were dropped as too small, the largest of {:.0f} mm3",
                             chain.parts.dropped.size(), largest.volume * cubic_mm));
  }
  if (!chain.parts.outside.empty())
    evidence.at_most(0.7, fmt::format("{} pieces outside the skin were left out", chain.parts.outside.size()));
  item.confidence = evidence.weakest();
  items.push_back(std::move(item));
}

void review_names(const Chain& chain, ReviewItems& items) {
  const std::map<std::uint32_t, std::uint32_t> by_shape = names_by_shape(chain);
  for (std::size_t b = 0; b < chain.bones.size(); ++b) {
    const scan::NamedBone& named = chain.naming.bones[b];
    const TemplateBone& bone = chain.skeleton.bones[named.bone];
    ReviewItem item;
    item.decided = Decided::name;
    item.scan = chain.scans[0].entry->name;
    item.item = chain.bones[b].name;
    item.field = {"bones", item.item};
    item.bone = static_cast<std::uint32_t>(b);
    item.remedy = "list the pieces that it consists of; its own are " + list_of_pieces(named.pieces) + " now";
    Evidence evidence;
    evidence.at_most(1 - named.doubt, named.doubt > 0
                                          ? fmt::format("the next best piece fits {:.1f} times worse", 1 / named.doubt)
                                          : std::string("was given by a person or by its label"));
    for (const std::uint32_t p : named.pieces) {
      const std::vector<std::uint32_t>& candidates = chain.parts.parts[p].candidates;
      if (!candidates.empty() && std::count(candidates.begin(), candidates.end(), named.bone) == 0)
        evidence.at_most(0.2, fmt::format("the label of piece {} does not hold this bone", p));
      const auto seen = by_shape.find(p);
      if (seen == by_shape.end() || seen->second == named.bone) continue;
      evidence.at_most(0.05, fmt::format("piece {} was given to it, but looks and lies like {}", p,
                                         chain.skeleton.bones[seen->second].joint));
    }
    if (evidence.weakest().value < hardly_a_name) {
      std::vector<std::uint32_t> own;
      for (const auto& [piece, seen] : by_shape)
        if (seen == named.bone) own.push_back(piece);
      if (!own.empty())
        item.remedy = "by shape and place it is \"pieces\": " + list_of_pieces(own) + "; take centres_mm away";
    }
    if (!bone.compound && named.pieces.size() > 1 && !is_by_hand(chain, item.field))
      evidence.at_most(0.45, fmt::format("was put together from {} pieces", named.pieces.size()));
    evidence.add(share_cut(chain.bones[b]), tolerated_cut,
                 fmt::format("{:.0f} % of its surface was cut from neighbours", 100 * share_cut(chain.bones[b])));
    item.confidence = evidence.weakest();
    items.push_back(std::move(item));
  }
  for (const scan::NamedBody& body : chain.naming.bodies) {
    if (body.bodies.size() != 1) continue;
    ReviewItem item;
    item.decided = Decided::name;
    item.scan = chain.scans[0].entry->name;
    item.item = scan::body_name(body, chain.skeleton);
    item.field = {"bones", item.item};
    item.place = chain.parts.parts[body.pieces.front()].centre;
    item.confidence = {1 - body.doubt, fmt::format("doubt {:.2f} by shape and place among its neighbours", body.doubt)};
    item.remedy = "list the pieces that it consists of; its own are " + list_of_pieces(body.pieces) + " now";
    items.push_back(std::move(item));
  }
}

}  // namespace supple::workflow
