// Bones where the study's poses put them, and flesh that comes to rest over them.
#include <algorithm>
#include <cstdio>
#include <mutex>

#include "supple/author/simulate/tissue.h"
#include "supple/author/simulate/walk.h"
#include "supple/base/angle.h"
#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/deform/posed_surfaces.h"
#include "supple/phantom/carpal_joints.h"
#include "supple/phantom/phantom.h"
#include "supple/phantom/study.h"

namespace supple::phantom {
namespace {

constexpr double walking_step = 10 * degree;
constexpr std::size_t most_examples = 100;

void place_bones(const Subject& subject, PosedTruth& truth) {
  const Skeleton& skeleton = subject.character.skeleton;
  const std::vector<Affined> rest = world_of(skeleton, rest_pose(skeleton)), posed = world_of(skeleton, truth.pose);
  for (const JointIndex j : subject.joint_of) truth.bones.push_back(posed[j] * inverse(rest[j]));
}

Result<void> blend_skin(const Subject& subject, PosedTruth& truth) {
  Pose pose = truth.pose;
  pose.morph_weights = subject.character.morph_weights;
  auto baked = posed_surfaces(subject.character, pose);
  if (!baked) return baked.error();
  truth.skin = std::move(baked->parts[0].mesh.positions);
  return {};
}

/// Progress of several walks at once, told to one listener.
class Walks {
 public:
  Walks(const Progress& progress, std::size_t count) : progress_(progress), done_(count) {}
  bool tell(std::size_t walk, double fraction) {
    const std::lock_guard lock(mutex_);
    done_[walk] = fraction;
    double sum = 0;
    for (const double d : done_) sum += d;
    if (!report(progress_, "posing flesh", sum / static_cast<double>(done_.size()))) stopped_ = true;
    return !stopped_;
  }

 private:
  const Progress& progress_;
  std::mutex mutex_;
  std::vector<double> done_;
  bool stopped_ = false;
};

Result<void> walk(const simulate::Body& body, const simulate::Tissue& tissue, PosedTruth& truth,
                  const Progress& progress) {
  simulate::WalkOptions options;
  options.max_step = walking_step;
  auto walker = simulate::Walker::make(body, tissue, options);
  if (!walker) return walker.error();
  const auto reached = walker->go(truth.pose, progress);
  if (!reached) return reached.error();
  if (!reached->converged) {
    char text[64];
    std::snprintf(text, sizeof text, "%zu elements inverted", reached->health.inverted);
    return Error{"pose '" + truth.name + "'", "is one that the flesh does not come to rest in: " + std::string(text),
                 "choose another seed or another size of the elements"};
  }
  truth.skin.resize(body.skin.positions.size());
  skin_positions(tissue, walker->nodes(), {}, truth.skin);
  return {};
}

Result<void> walk_all(const Subject& subject, std::vector<PosedTruth>& truths, double element_size,
                      const Progress& progress) {
  const auto body = simulate::body_of(subject.character);
  if (!body) return body.error();
  simulate::TissueOptions options;
  options.element_size = element_size;
  const auto tissue = simulate::make_tissue(*body, options);
  if (!tissue) return tissue.error();
  std::vector<Result<void>> results(truths.size());
  Walks walks(progress, truths.size());
  parallel_for(truths.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      results[t] = walk(*body, *tissue, truths[t],
                        [&, t](std::string_view, double fraction) { return walks.tell(t, fraction); });
      walks.tell(t, 1);
    }
  });
  for (const Result<void>& result : results) {
    if (!result) return result.error();
  }
  return {};
}

Result<std::vector<StudyPose>> poses_of(const Skeleton& skeleton, const PoseOptions& options) {
  if (options.given.empty()) return study_poses(skeleton, options.examples, options.seed, options.migration);
  std::vector<StudyPose> poses{{"relaxed", false, rest_pose(skeleton)}};
  for (const StudyPose& given : options.given) {
    const bool taken =
        std::any_of(poses.begin(), poses.end(), [&](const StudyPose& p) { return p.name == given.name; });
    if (taken || given.name.empty())
      return Error{"pose '" + given.name + "'", "has no name of its own", "\"relaxed\" is the pose of the bones"};
    if (given.pose.local.size() != skeleton.size())
      return Error{"pose '" + given.name + "'", "is of another skeleton", ""};
    poses.push_back(given);
    carry_carpals(skeleton, poses.back().pose);
  }
  return poses;
}

}  // namespace

Result<std::vector<PosedTruth>> pose_subject(const Subject& subject, const PoseOptions& options,
                                             const Progress& progress) {
  if (subject.character.parts.empty()) return Error{"subject", "has no skin", ""};
  if (options.examples < 1 || options.examples > most_examples)
    return Error{"examples", std::to_string(options.examples) + " is out of range", "choose 1 to 100"};
  if (!(options.migration >= 0)) return Error{"migration", "is negative", "give metres, 0 or more"};
  std::vector<PosedTruth> truths;
  auto poses = poses_of(subject.character.skeleton, options);
  if (!poses) return poses.error();
  for (StudyPose& study : *poses) {
    PosedTruth truth{study.name, study.held_out, std::move(study.pose), {}, {}};
    place_bones(subject, truth);
    truths.push_back(std::move(truth));
  }
  if (options.flesh) {
    if (auto walked = walk_all(subject, truths, options.element_size, progress); !walked) return walked.error();
  } else {
    for (PosedTruth& truth : truths) {
      if (auto blended = blend_skin(subject, truth); !blended) return blended.error();
    }
  }
  return truths;
}

Affined placement_of(std::uint64_t seed, std::size_t pose) {
  // Model space has the fingers along -z and the back of the hand up; the patient's has the head along +z and the back
  // of the body along +y: half a turn about x.
  const Affined palm_down{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {}};
  if (seed == 0) return palm_down;
  constexpr double most_turn = 12 * degree, most_shift = 0.02;  // metres
  Rng rng(seed * 1000 + pose);
  const auto turn = [&](Vec3d axis) { return to_matrix(from_axis_angle(axis, rng.uniform(-most_turn, most_turn))); };
  Affined moved;
  moved.linear = turn({1, 0, 0}) * turn({0, 1, 0}) * turn({0, 0, 1});
  for (std::size_t a = 0; a < 3; ++a) moved.translation[a] = rng.uniform(-most_shift, most_shift);
  return moved * palm_down;
}

}  // namespace supple::phantom
