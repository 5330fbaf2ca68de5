// Drivers as the frame loop wants them: those of the pose kernel laid out flat, so that only joints which a centre
// turns are looked at, and so those of one joint each, which are evaluated together.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/joint_drivers.h"
#include "supple/rig/morph_driver.h"
#include "supple/rig/pose.h"

namespace supple {

/// One driver of the kernel `pose`. An entry is a joint that a centre turns; entries of a joint lie together.
struct PoseDriverTable {
  explicit PoseDriverTable(const MorphDriver& driver);

  const MorphDriver* driver = nullptr;
  std::size_t centres = 0;
  std::vector<std::uint32_t> first_entry;  // #joints + 1
  std::vector<double> x, y, z, w;          // #entries: the centre's rotation
  std::vector<double> from_rest;           // #entries: g(1, c)
  std::vector<std::uint32_t> centre;       // #entries

  /// What evaluating needs besides the table.
  struct Room {
    explicit Room(const PoseDriverTable& table);
    std::vector<double> kappa;   // #joints * #centres, 0 where a centre does not turn the joint
    std::vector<double> values;  // of the entries of one joint
  };
  /// Adds what a setting (#joints, relative to the reference) has in common with every centre: the kernel of each joint
  /// to `joint_rows`, `pair_weight` times the products of pairs to `pair_rows`, which may be the same (#centres).
  void add_kernel(std::span<const Quatf> setting, double pair_weight, std::span<double> joint_rows,
                  std::span<double> pair_rows, Room& room) const;
};

/// Owns what a frame needs, made once; drive() does not allocate and gives the same bits as drive.h. The drivers must
/// outlive it and stay as they are.
class DriverLayer {
 public:
  explicit DriverLayer(std::span<const MorphDriver> drivers = {});

  /// Writes the weights of every driven morph target; the others stay.
  void drive(std::span<const Transformf> local, std::span<float> morph_weights);
  void drive(Pose& pose) { drive(pose.local, pose.morph_weights); }

 private:
  std::span<const MorphDriver> drivers_;
  std::vector<PoseDriverTable> tables_;       // of those of the pose kernel; drivers that ask the same have one
  std::vector<PoseDriverTable::Room> rooms_;  // of each table
  std::vector<std::size_t> table_of_;         // of the drivers of the pose kernel, in order
  std::vector<double> rows_, sums_;           // #centres, #targets of the largest
  JointDriverTable joint_drivers_;            // those that it takes, in order
};

}  // namespace supple
