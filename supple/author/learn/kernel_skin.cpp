#include "supple/author/learn/kernel_skin.h"

#include <algorithm>
#include <cmath>

#include "supple/author/learn/rbf_fit.h"
#include "supple/rig/bind_pose.h"

namespace supple::learn {
namespace {

constexpr std::size_t spare_modes = 32;  // principal modes besides those that are used: what local ones are fitted to
constexpr std::size_t modes_that_tell = 64;  // how the kernel is to be chosen

std::vector<std::span<const Vec3f>> fields_of(const Residual& residual, bool normals) {
  std::vector<std::span<const Vec3f>> result;
  for (std::size_t e = 0; e < residual.chosen.size(); ++e)
    result.push_back(normals ? residual.fields.normals_of(e) : residual.fields.positions_of(e));
  return result;
}

/// Whether all that the part follows hangs on the joint: turning it turns the part as a whole.
bool carries_all(const Skeleton& skeleton, std::span<const JointIndex> followed, JointIndex joint) {
  return std::all_of(followed.begin(), followed.end(), [&](JointIndex j) {
    while (j != no_joint && j != joint) j = skeleton.parent(j);
    return j == joint;
  });
}

/// Joints that the part follows with some weight.
std::vector<JointIndex> followed_joints(const Character& character, const Part& part) {
  const auto& joints = character.skins[*part.skin].joints;
  std::vector<bool> used(character.skeleton.size());
  for (std::size_t v = 0; v < part.mesh.positions.size(); ++v)
    for (const Influence& i : part.weights.of(v))
      if (i.weight > 0) used[joints[i.joint]] = true;
  std::vector<JointIndex> result;
  for (JointIndex j = 0; j < used.size(); ++j)
    if (used[j]) result.push_back(j);
  return result;
}

/// Joints that examples move, the root's motion left out; the most moved ones where there are too many for a driver.
std::vector<JointIndex> driving_joints(const Residual& residual, const Character& character, const Part& part,
                                       Warnings* warnings) {
  const std::vector<JointIndex> followed = followed_joints(character, part);
  std::vector<double> amount(character.skeleton.size(), 0.0);
  for (std::size_t e = 0; e < residual.chosen.size(); ++e)
    for (const JointIndex j : residual.settings.moved[e])
      amount[j] += angle_between(Quatd(), Quatd(residual.settings.rotations[e][j]));
  std::vector<JointIndex> result;
  for (JointIndex j = 0; j < amount.size(); ++j)
    if (amount[j] > 0 && !carries_all(character.skeleton, followed, j)) result.push_back(j);
  if (result.size() > MorphDriver::most_joints) {
    if (warnings != nullptr)
      warnings->push_back("examples move " + std::to_string(result.size()) + " joints; the " +
                          std::to_string(MorphDriver::most_joints) + " that move most are learnt from");
    std::stable_sort(result.begin(), result.end(), [&](JointIndex a, JointIndex b) { return amount[a] > amount[b]; });
    result.resize(MorphDriver::most_joints);
    std::sort(result.begin(), result.end());
  }
  return result;
}

bool has_tag(const Example& example, const char* tag) {
  return std::find(example.tags.begin(), example.tags.end(), tag) != example.tags.end();
}

PoseSamples samples_of(const Residual& residual, std::vector<JointIndex> joints) {
  PoseSamples result;
  for (std::size_t e = 0; e < residual.chosen.size(); ++e) {
    for (const JointIndex j : joints)
      result.settings.push_back(residual.settings.moves(e, j) ? residual.settings.rotations[e][j] : Quatf{});
    result.weights.push_back(double{residual.example(e).weight});
    result.touching.push_back(has_tag(residual.example(e), contact_tag));
  }
  result.joints = std::move(joints);
  return result;
}

/// Poses that say how far weights may go. Clips tell what joints do together; beside them, poses that mix what no clip
/// does teach restraint, and would allow far more than any clip asks for.
std::vector<std::vector<Quatf>> settings_that_limit(const Residual& residual, const PoseSamples& samples) {
  bool clips = false;
  for (std::size_t e = 0; e < samples.size(); ++e) clips = clips || has_tag(residual.example(e), clip_tag);
  std::vector<std::vector<Quatf>> settings;
  for (std::size_t e = 0; e < samples.size(); ++e)
    if (!(clips && has_tag(residual.example(e), mixed_tag)))
      settings.emplace_back(samples.of(e).begin(), samples.of(e).end());
  return settings;
}

/// The joints as they are where corrections are 0.
Skeleton reference_of(const ExampleSet& set, const Character& character) {
  Skeleton reference = set.skeleton;
  if (!set.zero_at_bind) return reference;
  const std::vector<Transformf> bound = bind_pose(character);
  for (JointIndex j = 0; j < reference.size(); ++j) {
    Transformf rest = reference.rest(j);
    rest.rotation = bound[j].rotation;
    reference.set_rest(j, rest);
  }
  return reference;
}

DenseMatrix first_columns(const DenseMatrix& a, std::size_t count) {
  DenseMatrix result(a.rows, std::min(count, a.columns));
  for (std::size_t r = 0; r < a.rows; ++r) std::copy_n(a.row(r).begin(), result.columns, result.row(r).begin());
  return result;
}

}  // namespace

Result<KernelTrainer> KernelTrainer::make(const ExampleSet& set, const Character& character, std::size_t part,
                                          const KernelSkinOptions& options, Warnings* warnings,
                                          const Progress& progress) {
  const auto stopped = [] { return Error{"training", "was stopped", ""}; };
  if (!character.parts[part].skin)
    return Error{"part '" + character.parts[part].name + "'", "is not bound to joints", "bind it first: supple bind"};
  KernelTrainer result;
  result.options_ = options;
  report(progress, "displacements", 0);
  auto examples = training_examples(set, character, part);
  if (!examples) return examples.error();
  result.residual_ = std::move(*examples);
  const Skeleton reference = reference_of(set, character);
  result.residual_.settings = settings_from(reference, set, result.residual_.chosen);
  const Residual& residual = result.residual_;
  if (warnings != nullptr) tell_about_examples(residual, *warnings);
  result.still_ = still_joints(residual, character, part);
  result.energy_ = total_energy(residual);
  const auto joints = driving_joints(residual, character, character.parts[part], warnings);
  if (joints.empty() || !(result.energy_ > 0))
    return Error{"example set", "moves no joint of the part away from rest", "add examples in which joints are turned"};
  for (std::size_t e = 0; e < residual.chosen.size(); ++e) result.weights_.push_back(residual.example(e).weight);
  if (!report(progress, "modes", 0.2)) return stopped();
  result.principal_ = principal_modes(fields_of(residual, false), result.weights_, options.most_modes + spare_modes);
  if (!report(progress, "poses", 0.5)) return stopped();
  result.samples_ = samples_of(residual, joints);
  result.kernel_ = PoseKernel::fit(reference, result.samples_,
                                   first_columns(result.principal_.coordinates, modes_that_tell), options.kernel);
  result.name_ = joints.size() == 1 ? character.skeleton.name(joints[0]) : "pose";
  report(progress, "poses", 1);
  return result;
}

double KernelTrainer::left_out(std::size_t modes) const {
  const DenseMatrix& missed = kernel_.missed();
  double sum = energy_;
  for (std::size_t m = 0; m < std::min(modes, principal_.modes.size()); ++m) {
    sum -= principal_.singular_values[m] * principal_.singular_values[m];
    for (std::size_t e = 0; m < missed.columns && e < missed.rows; ++e)
      sum += double{weights_[e]} * missed(e, m) * missed(e, m);
  }
  return std::sqrt(std::max(sum, 0.0) / energy_);
}

double KernelTrainer::left_out_of_several() const {
  const DenseMatrix& missed = kernel_.missed();
  const auto turned = turned_joints(samples_);
  double sum = 0, all = 0;
  for (std::size_t e = 0; e < missed.rows; ++e) {
    if (turned[e].size() < 2) continue;
    sum += double{weights_[e]} * dot(missed.row(e), missed.row(e));
    for (std::size_t m = 0; m < missed.columns; ++m)
      all += double{weights_[e]} * principal_.coordinates(e, m) * principal_.coordinates(e, m);
  }
  return all > 0 ? std::sqrt(sum / all) : left_out(modes());
}

double KernelTrainer::unshown(std::size_t modes) const {
  double sum = energy_;
  for (std::size_t m = 0; m < std::min(modes, principal_.modes.size()); ++m)
    sum -= principal_.singular_values[m] * principal_.singular_values[m];
  return std::sqrt(std::max(sum, 0.0) / energy_);
}

std::size_t KernelTrainer::enough() const {
  const double least = left_out(modes());
  std::size_t count = 1;
  while (count < modes() && (left_out(count) > (1 + options_.leave) * least || unshown(count) > options_.unshown))
    ++count;
  return count;
}

EigenSkin KernelTrainer::skin(std::size_t modes) const {
  const LocalModes local = local_modes(principal_, weights_, {modes, options_.per_vertex});
  EigenSkin result;
  result.energy = energy_;
  result.still = still_;
  Correction c;
  c.driver = kernel_.driver(local.coordinates);
  c.driver.name = name_;
  set_limits(c.driver, settings_that_limit(residual_, samples_));
  c.examples = residual_.chosen;
  for (std::uint32_t v = 0; v < local.acting.size(); ++v)
    if (!local.acting[v].empty()) {
      c.support.vertices.push_back(v);
      c.support.mask.push_back(1.0f);
    }
  const auto on_support = [&](const std::vector<std::vector<Vec3f>>& fields) {
    std::vector<std::vector<Vec3f>> kept(fields.size());
    for (std::size_t m = 0; m < fields.size(); ++m)
      for (const std::uint32_t v : c.support.vertices) kept[m].push_back(fields[m][v]);
    return kept;
  };
  c.positions = on_support(local.modes);
  if (options_.normals) c.normals = on_support(companion_modes(local, fields_of(residual_, true), weights_));
  c.singular_values = local.sizes;
  c.kept = c.positions.size();
  c.left_out = left_out(modes);
  result.order.assign(c.kept, 0);
  result.corrections.push_back(std::move(c));
  return result;
}

}  // namespace supple::learn
