#include "supple/author/propose/propose_flesh.h"

#include <algorithm>
#include <cmath>

#include "supple/author/propose/hard_flesh.h"
#include "supple/deform/flesh/body.h"

namespace supple {
namespace {

constexpr double usual_litres = 5;      // that a preset's frequency is for
constexpr double branch_share = 0.015;  // of the skin: what grows out of a joint is a limb, not a thumb
constexpr double stubby = 1.5;          // depth by length from which a stretch is a lump, such as a shoulder

/// How much skin hangs on each joint and on all below it, as shares of the whole.
struct SkinShares {
  std::vector<double> own, below;
};

SkinShares skin_shares(const Character& character, const FleshBody& body) {
  const std::size_t joints = character.skeleton.size();
  SkinShares skin{std::vector<double>(joints), std::vector<double>(joints)};
  std::vector<double> area(body.positions.size());
  for (const Triangle& t : body.triangles) {
    const Vec3d a(body.positions[t[0]]), b(body.positions[t[1]]), c(body.positions[t[2]]);
    for (const std::uint32_t v : t) area[v] += length(cross(b - a, c - a)) / 6;
  }
  double total = 0;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (!part.skin) continue;
    for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
      total += area[body.first[p] + v];
      for (const Influence& i : part.weights.of(v))
        skin.own[character.skins[*part.skin].joints[i.joint]] += area[body.first[p] + v] * double{i.weight};
    }
  }
  for (double& share : skin.own) share /= std::max(total, 1e-30);
  skin.below = skin.own;
  for (std::size_t j = joints; j-- > 0;) {
    const JointIndex parent = character.skeleton.parent(static_cast<JointIndex>(j));
    if (parent != no_joint) skin.below[parent] += skin.below[j];
  }
  return skin;
}

/// A part of the rig that could be one element.
struct Stretch {
  std::string name;
  JointIndex driver = no_joint, end = no_joint;
};

class Rig {
 public:
  Rig(const Character& character, const FleshBody& body)
      : skeleton_(character.skeleton), world_(body.world), skin_(skin_shares(character, body)) {}

  std::vector<Stretch> stretches() const {
    std::vector<Stretch> found;
    for (JointIndex j = 0; j < skeleton_.size(); ++j) {
      if (skin_.below[j] < branch_share) continue;
      const std::vector<JointIndex> limbs = limbs_of(j);
      if (limbs.size() > 1) {
        add_trunk(j, limbs, found);
      } else if (limbs.size() == 1 && next_branch(limbs[0]) == no_joint && skin_.own[j] > 0) {
        found.push_back({skeleton_.name(j), j, limbs[0]});
      }
    }
    return found;
  }

 private:
  /// Children with skin enough to be a limb; of a joint with less, the child with most, if it has any.
  std::vector<JointIndex> limbs_of(JointIndex j) const {
    std::vector<JointIndex> limbs, children = skeleton_.children(j);
    std::erase_if(children, [&](JointIndex k) { return skin_.below[k] <= 0; });
    for (const JointIndex k : children)
      if (skin_.below[k] >= branch_share) limbs.push_back(k);
    if (limbs.empty() && !children.empty()) {
      limbs.push_back(*std::max_element(children.begin(), children.end(),
                                        [&](JointIndex a, JointIndex b) { return skin_.below[a] < skin_.below[b]; }));
    }
    return limbs;
  }
  /// Down the only way there is: the first joint from `j` on where limbs part; none where the limb just ends.
  JointIndex next_branch(JointIndex j) const {
    for (;;) {
      const std::vector<JointIndex> limbs = limbs_of(j);
      if (limbs.size() > 1) return j;
      if (limbs.empty() || skin_.below[limbs[0]] < branch_share) return no_joint;
      j = limbs[0];
    }
  }
  /// From one branching to the next. At the last one, towards the limb that goes on straight: from the chest to the
  /// neck.
  void add_trunk(JointIndex j, std::span<const JointIndex> limbs, std::vector<Stretch>& found) const {
    bool goes_on = false;
    for (const JointIndex limb : limbs) {
      const JointIndex branch = next_branch(limb);
      if (branch == no_joint) continue;
      goes_on = true;
      found.push_back({found.empty() ? "belly" : skeleton_.name(j), j, branch});
    }
    if (goes_on || skeleton_.parent(j) == no_joint) return;
    const Vec3f at = world_[j].translation, came = normalized(at - world_[skeleton_.parent(j)].translation);
    const auto straight = [&](JointIndex k) { return dot(normalized(world_[k].translation - at), came); };
    const JointIndex on = *std::max_element(limbs.begin(), limbs.end(),
                                            [&](JointIndex a, JointIndex b) { return straight(a) < straight(b); });
    found.push_back({skeleton_.name(j), j, on});
  }

  const Skeleton& skeleton_;
  std::span<const Affinef> world_;
  SkinShares skin_;
};

struct Candidate {
  ElementRecipe element;
  double volume;  // in the file's units
};

}  // namespace

Result<FleshRecipe> propose_flesh(const Character& character, const ProposalOptions& options) {
  const auto preset = spring_preset(options.preset);
  if (!preset) return preset.error();
  if (!character.flesh.empty()) return Error{character.name, "has flesh already", "take it out first"};
  const auto body = FleshBody::of(character);
  if (!body) return body.error();
  if (body->positions.empty()) return Error{character.name, "has no skin that follows joints", "bind it first"};
  const HardSkin hard = find_hard_skin(character, options.hardness);
  const double whole = std::abs(enclosed_volume(body->positions, body->triangles));
  std::vector<Candidate> candidates;
  for (const Stretch& s : Rig(character, *body).stretches()) {
    const JointIndex ends[1] = {s.end};
    const VirtualBone bone = virtual_bone(s.driver, ends, body->world);
    if (!(bone.length() > 0)) continue;
    auto membership = membership_of(character, *body, joints_between(character.skeleton, s.driver, ends));
    leave_out_hard(character, *body, hard, membership);
    const double depth = usual_distance(body->positions, body->triangles, membership, bone);
    const double volume = region_volume(body->positions, body->triangles, membership, bone);
    if (depth < options.slenderness * bone.length() || depth > stubby * bone.length()) continue;
    if (!(volume > options.share * whole)) continue;
    Candidate c;
    c.volume = volume;
    c.element.name = s.name;
    c.element.driver = character.skeleton.name(s.driver);
    c.element.ends = {character.skeleton.name(s.end)};
    const double litres = volume * std::pow(options.unit, 3) * 1000;
    const double slower = std::clamp(std::cbrt(usual_litres / litres), 0.6, 1.8);
    const auto rounded = [](double value) { return std::round(value * 100) / 100; };
    c.element.springs[0].frequency = rounded(preset->frequency * slower);
    c.element.springs[0].damping_ratio = preset->damping_ratio;
    candidates.push_back(std::move(c));
  }
  if (candidates.empty())
    return Error{character.name, "has no body part with enough flesh about its bones", "name elements yourself"};
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.volume > b.volume; });
  if (candidates.size() > options.most) candidates.resize(options.most);
  FleshRecipe recipe;
  recipe.unit = options.unit;
  for (Candidate& c : candidates) {
    const std::string name = c.element.name;
    const auto taken = [&] {
      return std::any_of(recipe.elements.begin(), recipe.elements.end(),
                         [&](const ElementRecipe& e) { return e.name == c.element.name; });
    };
    for (int n = 2; taken(); ++n) c.element.name = name + " " + std::to_string(n);
    recipe.elements.push_back(std::move(c.element));
  }
  return recipe;
}

}  // namespace supple
