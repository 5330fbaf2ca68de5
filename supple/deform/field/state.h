// What a pose makes of a field, for one character: the caller's, made once and set for every frame.
#pragma once

#include "supple/deform/field/kernel.h"
#include "supple/deform/field/path.h"

namespace supple {

class FieldState {
 public:
  explicit FieldState(const FieldTable& table);

  /// `world`: the joints of the pose. Does not allocate. `table` is the one it was made for; its volume curves, step
  /// and integrator may have changed. `steps`: 0 for as many as the table asks for.
  void set(const FieldTable& table, std::span<const Affinef> world, std::size_t steps = 0);

  const FieldPath& path() const { return path_; }
  /// Good until the next set().
  const field_kernel::Path& kernel_path() const { return kernel_path_; }

 private:
  void set_moment(const FieldTable& table, std::size_t moment);

  FieldPath path_;
  // Moment after moment: shapes, motions and joints of each.
  std::vector<field_kernel::Shape> shapes_;
  std::vector<field_kernel::Motion> motions_;
  std::vector<field_kernel::Touch> touches_;
  std::vector<field_kernel::Frame> joints_;
  std::vector<field_kernel::Moment> moments_;
  std::vector<float> sizes_;
  // What does not move.
  std::vector<double> radii_;              // #shapes: of the balls they fill
  std::vector<Vec3d> centers_;             // #shapes: of these
  std::vector<std::vector<float>> stars_;  // direction and number, as kernels read them
  std::vector<field_kernel::Grid> grids_;
  field_kernel::Path kernel_path_{};
};

}  // namespace supple
