// One bone after another found in a scan: every bone claims its part of the scan's surface before others are sought.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "supple/author/scan/align_search.h"
#include "supple/base/parallel.h"
#include "supple/base/twist.h"

namespace supple::scan {

/// Of several bones as one.
inline SurfaceSamples joined_samples(std::span<const SurfaceSamples> samples, std::span<const std::uint32_t> bones) {
  SurfaceSamples all;
  for (const std::uint32_t b : bones) {
    all.points.insert(all.points.end(), samples[b].points.begin(), samples[b].points.end());
    all.normals.insert(all.normals.end(), samples[b].normals.begin(), samples[b].normals.end());
    all.vertices += samples[b].vertices;
  }
  for (const Vec3d& p : all.points) all.centre += p / static_cast<double>(all.size());
  return all;
}

class BoneSearch {
 public:
  static constexpr double believed_overlap = 0.6;  // of a bone

  BoneSearch(std::span<const ScanBone> bones, std::span<const SurfaceSamples> samples, TargetSurface& target,
             const AlignOptions& options)
      : bones_(bones), samples_(samples), target_(target), options_(options), fits_(bones.size()) {
    icp_.trim = options.trim;
    icp_.least_cosine = options.least_cosine;
  }

  const IcpOptions& icp() const { return icp_; }
  const std::vector<BoneFit>& fits() const { return fits_; }
  const Affined& motion(std::uint32_t b) const { return fits_[b].motion; }

  /// Whether the scan shows the bone near there.
  bool shows(std::uint32_t b, const Affined& given) const {
    const Affined motion = align_planes(samples_[b], target_, roughly(b, given), icp_);
    return measure_fit(samples_[b], target_, motion, icp_).overlap >= believed_overlap && refines(b, given, motion);
  }

  /// From a motion that is nearly right.
  void settle(std::uint32_t b, const Affined& start) {
    finish(b, roughly(b, start), start, [](const Affined&) { return true; });
  }

  /// From a motion that somebody knows: it holds where the scan shows too little of the bone to refine it.
  void settle_given(std::uint32_t b, const Affined& given) {
    finish(b, roughly(b, given), given, [&](const Affined& m) { return refines(b, given, m); });
    if (fits_[b].found) return;
    measure(b, given);
    fits_[b].found = true;
    target_.claim(bones_[b].surface, given);
  }

  /// Where a neighbour that has been found lets it be. `joint`: the bone whose joint lies between them.
  void look(std::uint32_t b, std::uint32_t neighbour, std::uint32_t joint) {
    const ScanBone& between = bones_[joint];
    std::vector<Scored> guesses;
    for (const Affined& turn : joint_turns(between, options_.step)) {
      // A turn takes the bone away from its parent: seen from the child, the parent turns back.
      guesses.push_back({motion(neighbour) * (joint == b ? turn : inverse(turn)), 0});
    }
    const SurfaceSamples few = thinned(samples_[b], scored_points);
    const double free = between.slides ? free_gap_sliding : free_gap;
    const auto score = [&](const Affined& m) {
      const double gap = length(m.point(between.facing) - motion(neighbour).point(between.facing));
      return misfit(few, target_, m, cap) + std::max(gap - free, 0.0);
    };
    pursue(b, std::move(guesses), score, motion(neighbour), [&](const Affined& m) {
      return length(m.point(between.facing) - motion(neighbour).point(between.facing)) < torn * free;
    });
  }

  /// A carpal that moves between the bone that leads it and that one's parent: by any share of their motion, and a
  /// little besides.
  void look_between(std::uint32_t b) {
    const ScanBone& body = bones_[b];
    const Affined &near = motion(body.parent), &far = motion(bones_[body.parent].parent);
    const Affined apart = inverse(far) * near;
    const Vec3d turn = log_rotation(from_matrix(apart.linear)), middle = samples_[b].centre;
    std::vector<Scored> guesses;
    for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      const Mat3d part = to_matrix(exp_rotation(turn * share));
      const Vec3d there = lerp(middle, apart.point(middle), share);
      for (const Vec3d besides : grid_of_turns()) {
        const Mat3d turned = part * (body.axes * to_matrix(exp_rotation(besides)) * transpose(body.axes));
        guesses.push_back({far * Affined{turned, there - turned * middle}, 0});
      }
    }
    const SurfaceSamples few = thinned(samples_[b], scored_points);
    const auto gap = [&](const Affined& m) { return length(m.point(body.facing) - near.point(body.facing)); };
    const auto score = [&](const Affined& m) {
      return misfit(few, target_, m, cap) + std::max(gap(m) - free_gap_sliding, 0.0);
    };
    pursue(b, std::move(guesses), score, near, [&](const Affined& m) { return gap(m) < torn * free_gap_sliding; });
  }

  /// Bodies that fit far worse than bones do in this scan were not found where they were thought to be.
  /// `given`: motions set by hand, which hold.
  void doubt_bodies(std::span<const std::optional<Affined>> given) {
    std::vector<double> residuals;
    for (std::size_t b = 0; b < bones_.size(); ++b)
      if (fits_[b].found && bones_[b].motion == TemplateBody::Motion::leads) residuals.push_back(fits_[b].residual);
    if (residuals.empty()) return;
    const auto middle = residuals.begin() + static_cast<std::ptrdiff_t>(residuals.size() / 2);
    std::nth_element(residuals.begin(), middle, residuals.end());
    for (std::size_t b = 0; b < bones_.size(); ++b) {
      const bool holds = bones_[b].motion == TemplateBody::Motion::leads || (b < given.size() && given[b]);
      if (holds || fits_[b].residual <= poor_fit * *middle) continue;
      fits_[b].found = false;
      fits_[b].motion = fits_[bones_[b].parent].motion;
    }
  }

  /// Bodies that did not move against the one that leads them become one with it: all of them say better where they
  /// are than each does by itself.
  void join(std::uint32_t leader, std::span<const std::uint32_t> bodies) {
    if (!fits_[leader].found) return;
    std::vector<std::uint32_t> group{leader};
    for (const std::uint32_t b : bodies)
      if (fits_[b].found && (did_not_part(leader, b) || may_not_have_turned(leader, b))) group.push_back(b);
    if (group.size() == 1) return;
    const SurfaceSamples all = joined_samples(samples_, group);
    const Affined motion = align_planes(all, target_, fits_[leader].motion, icp_);
    const FitMeasure known = measure_fit(all, target_, motion, icp_);
    for (const std::uint32_t b : group) {
      fits_[b].motion = motion;
      fits_[b].covariance = known.covariance;
      fits_[b].rotation_sd = known.rotation_sd;
      fits_[b].shift_sd = known.shift_sd;
    }
  }

 private:
  static constexpr std::size_t scored_points = 150, rough_points = 250;
  static constexpr double cap = 0.006;  // metres: how far off a point counts
  static constexpr int rough_iterations = 15;
  // What was set by hand is refined by no more than that.
  static constexpr double refined_shift = 0.006, refined_turn = 0.45;  // metres of its middle; radians, 26 degrees
  // Facing ends may move apart by so much while a joint turns (it turns about the centre of a head, not about the point
  // half-way); more costs as much as it is.
  static constexpr double free_gap = 0.005, free_gap_sliding = 0.010;  // metres
  static constexpr double torn = 2.4;                                  // times that: not the same joint
  // Two places in which a bone fits alike: ratio of residuals, beside what samples do to a surface, metres.
  static constexpr double fits_alike = 1.15, voxel_effect = 0.02e-3;
  static constexpr double poor_fit = 5;  // times the usual residual: of single bones that were not found
  // Bodies have moved against each other where they turned or shifted by more, beside so many deviations of both.
  static constexpr double parted_turn = 0.003, parted_shift = 0.1e-3, noise_factor = 3;  // radians; metres

  /// Turns by a step to either side about all three axes.
  static std::vector<Vec3d> grid_of_turns() {
    constexpr double step = 0.26;  // radians: 15 degrees
    std::vector<Vec3d> turns;
    for (const double x : {-step, 0.0, step})
      for (const double y : {-step, 0.0, step})
        for (const double z : {-step, 0.0, step}) turns.push_back({x, y, z});
    return turns;
  }

  /// A bone that turns about its length may be round, and fit however it is turned: it has turned where both fit
  /// clearly worse as one.
  bool may_not_have_turned(std::uint32_t leader, std::uint32_t b) const {
    if (bones_[b].motion != TemplateBody::Motion::turns) return false;
    const std::array<std::uint32_t, 2> both{leader, b};
    const Affined as_one = align_planes(joined_samples(samples_, both), target_, fits_[leader].motion, icp_);
    return std::all_of(both.begin(), both.end(), [&](std::uint32_t bone) {
      const double alike = std::hypot(fits_alike * fits_[bone].residual, voxel_effect);
      return measure_fit(samples_[bone], target_, as_one, icp_).residual <= alike;
    });
  }

  bool did_not_part(std::uint32_t a, std::uint32_t b) const {
    const Affined change = inverse(fits_[a].motion) * fits_[b].motion;
    const double turn = length(log_rotation(from_matrix(change.linear)));
    const double shift = length(change.point(samples_[b].centre) - samples_[b].centre);
    const double turn_sd = std::hypot(fits_[a].rotation_sd, fits_[b].rotation_sd);
    const double arm = length(samples_[a].centre - samples_[b].centre) * fits_[a].rotation_sd;
    const double shift_sd = std::hypot(std::hypot(fits_[a].shift_sd, fits_[b].shift_sd), arm);
    return turn < parted_turn + noise_factor * turn_sd && shift < parted_shift + noise_factor * shift_sd;
  }

  struct Scored {
    Affined motion;
    double score = 0;
  };

  template <class Score, class Plausible>
  void pursue(std::uint32_t b, std::vector<Scored> guesses, const Score& score, const Affined& otherwise,
              Plausible&& plausible) {
    parallel_for(guesses.size(), 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t g = begin; g < end; ++g) guesses[g].score = score(guesses[g].motion);
    });
    keep_best(guesses, options_.tried);
    const SurfaceSamples some = thinned(samples_[b], rough_points);
    IcpOptions rough = icp_;
    rough.iterations = rough_iterations;
    parallel_for(guesses.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t g = begin; g < end; ++g) {
        guesses[g].motion = align_points(some, target_, guesses[g].motion, rough);
        guesses[g].score = score(guesses[g].motion);
      }
    });
    keep_best(guesses, 1);
    finish(b, guesses.front().motion, otherwise, plausible);
  }

  /// Not drawn away to another bone.
  bool refines(std::uint32_t b, const Affined& given, const Affined& motion) const {
    const Affined change = inverse(given) * motion;
    const Vec3d middle = Vec3d(bounds(bones_[b].surface.positions).center());
    return length(change.point(middle) - middle) < refined_shift &&
           length(log_rotation(from_matrix(change.linear))) < refined_turn;
  }

  Affined roughly(std::uint32_t b, const Affined& start) const {
    IcpOptions rough = icp_;
    rough.iterations = rough_iterations;
    return align_points(samples_[b], target_, start, rough);
  }

  static void keep_best(std::vector<Scored>& all, std::size_t count) {
    std::stable_sort(all.begin(), all.end(), [](const Scored& a, const Scored& b) { return a.score < b.score; });
    if (all.size() > count) all.resize(std::max<std::size_t>(count, 1));
  }

  void measure(std::uint32_t b, const Affined& motion) {
    const FitMeasure measured = measure_fit(samples_[b], target_, motion, icp_);
    fits_[b] = {motion,         measured.residual,  measured.overlap, measured.rotation_sd, measured.shift_sd,
                fits_[b].found, measured.covariance};
  }

  template <class Plausible>
  void finish(std::uint32_t b, const Affined& start, const Affined& otherwise, Plausible&& plausible) {
    BoneFit& fit = fits_[b];
    measure(b, align_planes(samples_[b], target_, start, icp_));
    fit.found = fit.overlap >= believed_overlap && plausible(fit.motion);
    if (fit.found) {
      target_.claim(bones_[b].surface, fit.motion);
    } else {
      fit.motion = otherwise;  // as its neighbour: the best that can be said
    }
  }

  std::span<const ScanBone> bones_;
  std::span<const SurfaceSamples> samples_;
  TargetSurface& target_;
  const AlignOptions& options_;
  IcpOptions icp_;
  std::vector<BoneFit> fits_;
};

}  // namespace supple::scan
