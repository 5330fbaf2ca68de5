// The poses of a lattice as tasks of a farm. Poses that share a vector are one batch; its result is one file, and the
// folder of these files is the only state: what is there is done, whoever did it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "supple/author/lattice/lattice_teacher.h"
#include "supple/base/hash.h"
#include "supple/farm/task_list.h"

namespace supple::workflow {

/// The outcome of one pose.
struct LatticePose {
  lattice::PoseConvergence convergence;
  double farthest = 0;  // units of the file between linear blend and the teacher, at the vertex where it is most
};

struct SolvedBatch {
  std::vector<LatticePose> outcomes;
  std::vector<Vec3f> positions;  // #vertices a pose, one pose after another
};

class LatticeBatches {
 public:
  /// `problem` has everything but the poses that decides the result. The teacher must outlive this.
  LatticeBatches(const lattice::LatticeTeacher& teacher, std::vector<Pose> poses, const Fingerprint& problem,
                 std::filesystem::path folder);

  std::size_t size() const { return keys_.size(); }
  /// The number of a batch's first pose; of size() that of all poses.
  std::size_t first(std::size_t batch) const;
  const std::vector<Pose>& poses() const { return poses_; }

  /// Whether the folder has the whole result, by its header and its size.
  bool done(std::size_t batch) const;
  Result<SolvedBatch> read(std::size_t batch) const;
  /// Solves a batch and writes its file in one step.
  Result<void> solve(std::size_t batch) const;
  /// One task per batch. `command` is what does one elsewhere, once "--task N" is added.
  farm::TaskList tasks(std::vector<std::string> command) const;
  /// Removes all batches in the folder, also those of other poses.
  void remove_files() const;

 private:
  struct Header;
  Header header_of(std::size_t batch) const;
  std::filesystem::path path(std::size_t batch) const;

  const lattice::LatticeTeacher& teacher_;
  std::vector<Pose> poses_;
  std::filesystem::path folder_;
  std::vector<std::uint64_t> keys_;  // #batches: of the problem and the batch's poses
};

/// Adds the transforms of all joints.
void add_pose(Fingerprint& key, const Pose& pose);

/// Poses for tasks elsewhere, which may run on machines whose arithmetic would choose others: an array (#poses,
/// #joints, 10) of translations, rotations and scales.
Result<void> write_poses(const std::filesystem::path& path, std::span<const Pose> poses);
Result<std::vector<Pose>> read_poses(const std::filesystem::path& path, std::size_t joints);

}  // namespace supple::workflow
