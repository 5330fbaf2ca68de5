#include "supple/author/learn/eigenskin.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "supple/author/learn/correction.h"
#include "supple/base/parallel.h"

namespace supple::learn {
namespace {

constexpr double worth_keeping = 0.9;       // a pair that misses more of left-out examples has learnt nothing
constexpr std::size_t fewest_for_pair = 4;  // examples that move both joints
constexpr std::size_t border_modes = 5;
constexpr float rounding = 2e-6f;  // of the size: displacements below are the rounding of float positions

class Trainer {
 public:
  Trainer(const Character& character, std::size_t part, const EigenSkinOptions& options, Warnings* warnings)
      : character_(character), part_(character.parts[part]), options_(options), warnings_(warnings) {
    result_.options = options;
  }

  Result<EigenSkin> train(const ExampleSet& set, std::size_t part, const Progress& progress) {
    report(progress, "displacements", 0);
    auto examples = training_examples(set, character_, part);
    if (!examples) return examples.error();
    residual_ = std::move(*examples);
    result_.energy = total_energy(residual_);
    if (warnings_ != nullptr) tell_about_examples(residual_, *warnings_);
    result_.still = still_joints(residual_, character_, part);
    const Weld seams = weld(part_.mesh.positions);
    to_point_ = seams.to_point;
    neighbours_ = vertex_neighbours(seams.points(), welded_triangles(part_.mesh.triangles, seams));
    if (!report(progress, "joints", 0.3)) return stopped();
    if (auto ok = learn_single_joints(); !ok) return ok.error();
    learn_other_joints();
    if (result_.corrections.empty())
      return Error{"example set", "moves no joint of the part away from rest",
                   "add examples in which joints are turned"};
    measure_border();
    std::vector<std::uint32_t> used(residual_.fields.vertices, 0), used_normals = used;
    grant(0, options_.budget, used, used_normals);
    if (!report(progress, "pairs of joints", 0.6)) return stopped();
    if (options_.coupling) learn_pairs(used, used_normals);
    report(progress, "pairs of joints", 1);
    for (Correction& c : result_.corrections) limit_to_training(c, residual_);
    return std::move(result_);
  }

 private:
  static Error stopped() { return {"training", "was stopped", ""}; }
  void warn(std::string text) {
    if (warnings_ != nullptr) warnings_->push_back(std::move(text));
  }

  /// Examples whose moved joints are just `joints` (or, with `others`, at least those).
  std::vector<std::size_t> examples_moving(std::span<const JointIndex> joints, bool others) const {
    std::vector<std::size_t> result;
    for (std::size_t e = 0; e < residual_.chosen.size(); ++e) {
      const auto& moved = residual_.settings.moved[e];
      const bool all =
          std::all_of(joints.begin(), joints.end(), [&](JointIndex j) { return residual_.settings.moves(e, j); });
      if (all && (others || moved.size() == joints.size())) result.push_back(e);
    }
    return result;
  }

  Support support_within(std::span<const std::size_t> examples, std::span<const float> zone) const {
    std::vector<float> sizes = residual_.sizes(examples);
    for (std::size_t v = 0; v < zone.size(); ++v) sizes[v] *= zone[v];
    const float largest = *std::max_element(sizes.begin(), sizes.end());
    if (largest < rounding * size_of(character_, part_)) return {};
    return support_of(sizes, double{largest}, neighbours_, to_point_, options_.support);
  }

  Result<void> learn_single_joints() {
    for (JointIndex j = 0; j < character_.skeleton.size(); ++j) {
      const std::vector<std::size_t> examples = examples_moving(std::span(&j, 1), false);
      if (examples.empty()) continue;
      single_.insert(j);
      Correction c = make_correction(character_.skeleton, {j}, options_);
      c.support = support_within(examples, {});
      if (c.support.vertices.empty()) continue;  // the skin already follows
      if (auto ok = learn_exactly(c, residual_, examples, options_); !ok)
        return Error{"joint '" + character_.skeleton.name(j) + "', " + ok.error().item, ok.error().problem,
                     ok.error().remedy};
      result_.corrections.push_back(std::move(c));
    }
    return {};
  }

  /// Joints that move only together with others: fitted to what is left, one after another, twice over.
  void learn_other_joints() {
    std::vector<std::size_t> several;
    std::set<JointIndex> others;
    for (std::size_t e = 0; e < residual_.chosen.size(); ++e) {
      if (residual_.settings.moved[e].size() < 2) continue;
      several.push_back(e);
      for (const JointIndex j : residual_.settings.moved[e])
        if (!single_.contains(j)) others.insert(j);
    }
    if (others.empty()) return;
    for (Correction& c : result_.corrections) keep_all(c, several, 1);
    std::map<JointIndex, Correction> found;
    for (int round = 0; round < 2; ++round) {
      for (const JointIndex j : others) {
        const std::vector<std::size_t> examples = examples_moving(std::span(&j, 1), true);
        if (const auto before = found.find(j); before != found.end()) keep_all(before->second, several, -1);
        found.erase(j);
        Correction c = make_correction(character_.skeleton, {j}, options_);
        c.support = support_within(examples, zone_of(j));
        if (c.support.vertices.empty()) continue;
        learn_smoothly(c, residual_, examples, {}, options_);
        if (*c.left_out >= worth_keeping) continue;
        keep_all(c, several, 1);
        found.emplace(j, std::move(c));
      }
    }
    for (auto& [j, c] : found) keep_all(c, several, -1);
    for (Correction& c : result_.corrections) keep_all(c, several, -1);
    for (const JointIndex j : others) {
      if (!found.contains(j))
        warn("joint '" + character_.skeleton.name(j) +
             "' moves only together with others, and the examples do not "
             "tell what it does: add examples that move it alone");
    }
    for (auto& [j, c] : found) result_.corrections.push_back(std::move(c));
  }

  /// Subtracts a correction with all its modes, before the budget is spent.
  void keep_all(Correction& c, std::span<const std::size_t> examples, double sign) {
    c.kept = c.positions.size();
    c.kept_normals = c.normal_singular_values.size();
    subtract(c, examples, residual_, sign);
    c.kept = c.kept_normals = 0;
  }

  /// 1 for vertices that follow the joint or the one above it.
  std::vector<float> zone_of(JointIndex joint) const {
    const auto& joints = character_.skins[*part_.skin].joints;
    std::vector<float> zone(residual_.fields.vertices, 0.0f);
    for (std::size_t v = 0; v < zone.size(); ++v)
      for (const Influence& i : part_.weights.of(v))
        if (joints[i.joint] == joint || joints[i.joint] == character_.skeleton.parent(joint)) zone[v] = 1;
    return zone;
  }

  /// Spends the budget on the corrections from number `first` on.
  void grant(std::size_t first, const Budget& budget, std::vector<std::uint32_t>& used,
             std::vector<std::uint32_t>& used_normals) {
    std::vector<Claim> claims, normal_claims;
    for (std::size_t c = first; c < result_.corrections.size(); ++c) {
      const Correction& correction = result_.corrections[c];
      claims.push_back({correction.support.vertices, correction.singular_values});
      normal_claims.push_back({correction.support.vertices, correction.normal_singular_values});
    }
    std::vector<std::size_t> order, normal_order;
    const auto granted = allocate(claims, budget, options_.allocation, used, &order);
    const auto granted_normals = allocate(normal_claims, budget, options_.allocation, used_normals, &normal_order);
    for (std::size_t c = first; c < result_.corrections.size(); ++c) {
      result_.corrections[c].kept = granted[c - first];
      result_.corrections[c].kept_normals = granted_normals[c - first];
    }
    for (const std::size_t c : order) result_.order.push_back(first + c);
    for (const std::size_t c : normal_order) result_.normal_order.push_back(first + c);
  }

  /// Where both corrections act: the product of their masks (#V).
  std::vector<float> overlap(const Correction& a, const Correction& b) const {
    std::vector<float> zone(residual_.fields.vertices, 0.0f), result(zone.size(), 0.0f);
    for (std::size_t i = 0; i < a.support.vertices.size(); ++i) zone[a.support.vertices[i]] = a.support.mask[i];
    for (std::size_t i = 0; i < b.support.vertices.size(); ++i)
      result[b.support.vertices[i]] = zone[b.support.vertices[i]] * b.support.mask[i];
    return result;
  }

  struct Candidate {
    std::size_t first, second;  // corrections
    std::vector<float> zone;
    double energy = 0;
  };

  std::vector<Candidate> candidates() const {
    std::vector<Candidate> result;
    for (std::size_t a = 0; a < result_.corrections.size(); ++a)
      for (std::size_t b = a + 1; b < result_.corrections.size(); ++b) {
        const JointIndex joints[]{result_.corrections[a].driver.joints[0], result_.corrections[b].driver.joints[0]};
        const auto examples = examples_moving(joints, true);
        if (examples.size() < fewest_for_pair) continue;
        Candidate candidate{a, b, overlap(result_.corrections[a], result_.corrections[b]), 0};
        for (const std::size_t e : examples)
          for (std::size_t v = 0; v < candidate.zone.size(); ++v)
            if (candidate.zone[v] > 0)
              candidate.energy += squared_length(Vec3d(residual_.fields.positions_of(e)[v])) * candidate.zone[v];
        if (candidate.energy > 0) result.push_back(std::move(candidate));
      }
    std::stable_sort(result.begin(), result.end(),
                     [](const Candidate& a, const Candidate& b) { return a.energy > b.energy; });
    return result;
  }

  /// Second stage: what the joints' own corrections leave over in examples that move several, pair by pair, the pair
  /// with most left over first.
  void learn_pairs(std::vector<std::uint32_t>& used, std::vector<std::uint32_t>& used_normals) {
    std::vector<std::size_t> several;
    for (std::size_t e = 0; e < residual_.chosen.size(); ++e)
      if (residual_.settings.moved[e].size() > 1) several.push_back(e);
    if (several.size() < fewest_for_pair) return;
    const std::size_t joints = result_.corrections.size();
    for (std::size_t c = 0; c < joints; ++c) subtract(result_.corrections[c], several, residual_);
    for (const Candidate& candidate : candidates()) {
      const JointIndex a = result_.corrections[candidate.first].driver.joints[0];
      const JointIndex b = result_.corrections[candidate.second].driver.joints[0];
      const JointIndex both[]{a, b};
      const auto examples = examples_moving(both, true);
      Correction c = make_correction(character_.skeleton, {a, b}, options_);
      c.support = support_within(examples, candidate.zone);
      for (std::size_t i = 0; i < c.support.vertices.size(); ++i)
        c.support.mask[i] *= candidate.zone[c.support.vertices[i]];
      if (c.support.vertices.empty()) continue;
      learn_smoothly(c, residual_, examples, single_settings(a, b), options_);
      if (*c.left_out >= worth_keeping) continue;
      c.kept = std::min(options_.coupling_modes, c.positions.size());
      c.kept_normals = std::min(options_.coupling_modes, c.normal_singular_values.size());
      subtract(c, examples, residual_);
      result_.corrections.push_back(std::move(c));
    }
    Budget budget = options_.budget;
    budget.per_claim = std::min(budget.per_claim, options_.coupling_modes);
    budget.total -= std::min(budget.total, result_.order.size());
    grant(joints, budget, used, used_normals);
    sort_by_gain(result_.order, &Correction::singular_values);
    sort_by_gain(result_.normal_order, &Correction::normal_singular_values);
  }

  /// Pairs were granted after the joints: one order for all, so that the first modes are those that gain most.
  void sort_by_gain(std::vector<std::size_t>& order, std::vector<double> Correction::*values) const {
    std::vector<std::size_t> taken(result_.corrections.size());
    std::vector<std::pair<double, std::size_t>> gains;
    for (const std::size_t c : order) gains.emplace_back((result_.corrections[c].*values)[taken[c]++], c);
    std::stable_sort(gains.begin(), gains.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = gains[i].second;
  }

  /// Settings of a pair in which only one of the two has left rest: nothing is to be added there.
  std::vector<std::vector<Quatf>> single_settings(JointIndex a, JointIndex b) const {
    std::vector<std::vector<Quatf>> result;
    for (const JointIndex j : {a, b})
      for (const std::size_t e : examples_moving(std::span(&j, 1), false))
        result.push_back(residual_.settings.of(e, std::array{a, b}));
    return result;
  }

  void measure_border() {
    for (std::size_t c = 0; c < result_.corrections.size(); ++c) {
      const Correction& correction = result_.corrections[c];
      if (correction.left_out) continue;  // its examples hold what other joints did
      const std::size_t vertices = residual_.fields.vertices,
                        modes = std::min(border_modes, correction.positions.size());
      std::vector<std::uint32_t> place(neighbours_.first.size() - 1, 0);  // points: 1 + place in the support
      for (std::size_t i = 0; i < correction.support.vertices.size(); ++i)
        place[to_point_[correction.support.vertices[i]]] = static_cast<std::uint32_t>(i + 1);
      std::vector<std::uint32_t> vertex_of(place.size());
      for (std::uint32_t v = 0; v < vertices; ++v) vertex_of[to_point_[v]] = v;
      for (std::size_t e = 0; e < residual_.chosen.size(); ++e) {
        if (std::find(correction.examples.begin(), correction.examples.end(), residual_.chosen[e]) ==
            correction.examples.end())
          continue;
        const auto at = coordinates_at(correction, residual_.settings.of(e, correction.driver.joints));
        const auto wanted = residual_.fields.positions_of(e);
        for (std::size_t p = 0; p < place.size(); ++p) {
          if (place[p] == 0) continue;
          Vec3d error = -Vec3d(wanted[vertex_of[p]]);
          for (std::size_t m = 0; m < modes; ++m) error += Vec3d(correction.positions[m][place[p] - 1]) * at[m];
          for (const std::uint32_t q : neighbours_.of(p)) {
            if (place[q] != 0) continue;
            const double step = length(error + Vec3d(wanted[vertex_of[q]]));
            if (step > result_.border.size) result_.border = {step, c, residual_.chosen[e], vertex_of[p]};
          }
        }
      }
    }
  }

  const Character& character_;
  const Part& part_;
  EigenSkinOptions options_;
  Warnings* warnings_;
  Residual residual_;
  std::vector<std::uint32_t> to_point_;
  Adjacency neighbours_;
  std::set<JointIndex> single_;
  EigenSkin result_;
};

}  // namespace

Result<EigenSkin> train_eigenskin(const ExampleSet& set, const Character& character, std::size_t part,
                                  const EigenSkinOptions& options, Warnings* warnings, const Progress& progress) {
  if (!character.parts[part].skin)
    return Error{"part '" + character.parts[part].name + "'", "is not bound to joints", "bind it first: supple bind"};
  return Trainer(character, part, options, warnings).train(set, part, progress);
}

}  // namespace supple::learn
