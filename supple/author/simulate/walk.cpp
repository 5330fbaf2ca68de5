#include "supple/author/simulate/walk.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace supple::simulate {
namespace {

/// The largest turn of a joint between two poses, radians.
double turn(const Pose& from, const Pose& to) {
  double largest = 0;
  for (std::size_t j = 0; j < from.local.size(); ++j)
    largest = std::max(largest, angle_between(Quatd(from.local[j].rotation), Quatd(to.local[j].rotation)));
  return largest;
}

/// Equal steps of at most `max_step` radians; at least one.
double steps_between(const Pose& from, const Pose& to, double max_step) {
  return std::max(1.0, std::ceil(turn(from, to) / max_step - 1e-6));
}

Pose between(const Pose& from, const Pose& to, double t) {
  Pose pose = to;
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    const auto s = static_cast<float>(t);
    pose.local[j].rotation = slerp(from.local[j].rotation, to.local[j].rotation, s);
    pose.local[j].translation = from.local[j].translation * (1 - s) + to.local[j].translation * s;
    pose.local[j].scale = from.local[j].scale * (1 - s) + to.local[j].scale * s;
  }
  return pose;
}

}  // namespace

std::vector<Pose> poses_between(const Pose& from, const Pose& to, double max_step) {
  const double steps = steps_between(from, to, max_step);
  std::vector<Pose> poses;
  for (double step = 1; step < steps; ++step) poses.push_back(between(from, to, step / steps));
  poses.push_back(to);
  return poses;
}

int PoseReport::iterations() const {
  int sum = 0;
  for (const StepReport& s : steps) sum += s.newton.iterations;
  return sum;
}

Result<Walker> Walker::make(const Body& body, const Tissue& tissue, const WalkOptions& options) {
  std::shared_ptr<const ContactModel> contact;
  if (options.contact) contact = std::make_shared<const ContactModel>(body, tissue, *options.contact);
  auto equilibrium = Equilibrium::make(tissue.model, options.newton, contact.get());
  if (!equilibrium) return equilibrium.error();
  return Walker(body, tissue, options, std::move(*equilibrium), std::move(contact));
}

Walker::Walker(const Body& body, const Tissue& tissue, const WalkOptions& options, Equilibrium equilibrium,
               std::shared_ptr<const ContactModel> contact)
    : body_(&body),
      tissue_(&tissue),
      options_(options),
      contact_(std::move(contact)),
      equilibrium_(std::move(equilibrium)),
      motions_(body.bones.size()),
      next_motions_(body.bones.size()),
      change_(body.bones.size()) {
  restart();
}

void Walker::restart() { resume(rest_pose(body_->skeleton), tissue_->mesh.nodes); }

void Walker::resume(const Pose& pose, std::span<const Vec3d> nodes) {
  pose_ = pose;
  bone_motions(*body_, pose_, motions_);
  nodes_.assign(nodes.begin(), nodes.end());
}

Result<PoseReport> Walker::go(const Pose& target, const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  PoseReport report;
  const double whole = turn(pose_, target);
  const Pose from = pose_;
  const double longest = 1 / steps_between(pose_, target, options_.max_step);
  const double shortest = longest / (1 << options_.max_bisections);
  double done = 0, length = longest;
  while (done < 1) {
    if (!supple::report(progress, "walking", done)) return Error{"simulation", "was stopped", ""};
    const double next = done + length > 1 - 1e-9 ? 1 : done + length;
    const std::vector<Vec3d> before = nodes_;
    const Pose pose_before = pose_;
    const Pose there = next == 1 ? target : between(from, target, next);
    guess(there);
    const bool astray = contact_ && deepest_overlap(equilibrium_.watched()) > contact_->options().watch;
    StepReport step_report;
    if (!astray || length <= shortest) step_report = step(there);
    step_report.angle = whole * (next - done);
    if (!step_report.newton.converged && length > shortest) {
      resume(pose_before, before);
      length /= 2;
      continue;
    }
    report.converged = report.converged && step_report.newton.converged;
    report.steps.push_back(step_report);
    done = next;
    length = std::min(longest, 2 * length);
  }
  report.health = tissue_->model.health(nodes_);
  if (contact_) {
    const std::vector<Contact> contacts = contact_->follow(equilibrium_.watched(), nodes_);
    for (const Contact& c : contacts) report.contacts += contact_->pushes(c) ? 1 : 0;
    report.overlap = deepest_overlap(contacts);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

void Walker::move_with_bones(const Pose& pose, std::span<const Vec3d> from, std::span<Vec3d> to) {
  bone_motions(*body_, pose, next_motions_);
  for (std::size_t b = 0; b < motions_.size(); ++b) change_[b] = next_motions_[b] * inverse(motions_[b]);
  const TissueModel& model = tissue_->model;
  for (std::size_t v = 0; v < to.size(); ++v) {
    if (const std::uint32_t bone = model.bone_of()[v]; bone != no_bone) {
      to[v] = next_motions_[bone].point(model.mesh().nodes[v]);
      continue;
    }
    Vec3d guess{};
    for (const Influence& i : tissue_->guess.of(v)) guess += change_[i.joint].point(from[v]) * double{i.weight};
    to[v] = guess;
  }
}

void Walker::guess(const Pose& pose) {
  if (contact_) follow_skins(pose);
  guess_.resize(nodes_.size());
  move_with_bones(pose, nodes_, guess_);
  nodes_ = guess_;
}

void Walker::follow_skins(const Pose& pose) {
  std::vector<Vec3d> there(nodes_.size());
  move_with_bones(pose, nodes_, there);
  Vec3d low{}, high{};  // of how far nodes move: no two move farther against each other than its diagonal
  for (std::size_t v = 0; v < nodes_.size(); ++v)
    for (std::size_t r = 0; r < 3; ++r) {
      const double moved = there[v][r] - nodes_[v][r];
      low[r] = v == 0 ? moved : std::min(low[r], moved);
      high[r] = v == 0 ? moved : std::max(high[r], moved);
    }
  // In parts so short that none passes what is watched.
  const double parts = std::max(1.0, std::ceil(length(high - low) / contact_->options().watch));
  std::vector<Contact> contacts = contact_->watch(nodes_);
  for (double part = 1; part <= parts; ++part) {
    move_with_bones(part == parts ? pose : between(pose_, pose, part / parts), nodes_, there);
    contacts = contact_->track(contacts, there);
  }
  contact_->hold(contacts, there);
  equilibrium_.set_watched(std::move(contacts));
}

StepReport Walker::step(const Pose& pose) {
  StepReport report;
  report.newton = equilibrium_.solve(nodes_);
  double sum = 0;
  const TissueModel& model = tissue_->model;
  for (const std::uint32_t v : model.free_nodes()) sum += squared_length(nodes_[v] - guess_[v]);
  report.moved = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, model.free_count())));
  std::swap(motions_, next_motions_);
  pose_ = pose;
  return report;
}

}  // namespace supple::simulate
