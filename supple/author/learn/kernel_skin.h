// A skin for poses of several joints: local modes of all examples together, each driven by all joints through the pose
// kernel. Examples may move one joint or many, in any mixture.
#pragma once

#include "supple/author/learn/eigenskin.h"
#include "supple/author/learn/local_modes.h"
#include "supple/author/learn/pose_kernel.h"
#include "supple/author/learn/residual.h"

namespace supple::learn {

struct KernelSkinOptions {
  std::size_t most_modes = 100;  // of which as many are taken as are needed
  std::size_t per_vertex = 10;
  bool normals = true;  // change with the modes of positions
  /// Modes are enough when all there are would leave no more than `leave` less error of examples left out, and when
  /// what they cannot show of the examples is no more than `unshown` of linear blend's error.
  double leave = 0.02, unshown = 0.05;
  PoseKernelOptions kernel;
};

class KernelTrainer {
 public:
  /// Looks at the examples: which joints move, principal modes, the kernel. Examples at rest, vertices where the blend
  /// of joints is singular and joints that never move are told as warnings.
  static Result<KernelTrainer> make(const ExampleSet& set, const Character& character, std::size_t part,
                                    const KernelSkinOptions& options = {}, Warnings* warnings = nullptr,
                                    const Progress& progress = {});

  /// Error of examples left out, relative to linear blend skinning, with the first principal modes only.
  double left_out(std::size_t modes) const;
  /// The same of examples that turn several joints, with all modes; of all examples where none does.
  double left_out_of_several() const;
  /// Share of linear blend's error that the first principal modes cannot show, however they are driven.
  double unshown(std::size_t modes) const;
  /// Principal modes there are, up to the most that may be used.
  std::size_t modes() const { return std::min(options_.most_modes, principal_.modes.size()); }
  /// As many modes as are worth it.
  std::size_t enough() const;
  const PoseKernel& kernel() const { return kernel_; }
  /// Where the training examples are, for the kernel.
  const PoseSamples& samples() const { return samples_; }

  /// The skin with so many modes, as one correction of all joints.
  EigenSkin skin(std::size_t modes) const;
  /// The training examples.
  const Residual& examples() const { return residual_; }

 private:
  KernelSkinOptions options_;
  Residual residual_;
  double energy_ = 0;
  std::vector<JointIndex> still_;
  std::vector<float> weights_;
  PrincipalModes principal_;
  PoseSamples samples_;
  PoseKernel kernel_;
  std::string name_;
};

}  // namespace supple::learn
