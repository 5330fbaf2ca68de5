#include <algorithm>
#include <optional>
#include <string>

#include "supple/base/parallel.h"
#include "supple/deform/skin_batch.h"
#include "supple/gpu/batch/batch.h"
#include "supple/gpu/batch/reference.h"

namespace supple::gpu {
namespace {

/// Positions come from SkinBatch, slopes from the source that GPUs share.
class CpuBatch final : public Batch {
 public:
  CpuBatch(SkinBatch skin, BatchTables tables, std::size_t part, unsigned threads)
      : skin_(std::move(skin)), tables_(std::move(tables)), part_(part), threads_(threads) {}

  Result<void> evaluate(const BatchPoses& poses, float* positions, float* normals, void*) override {
    const std::size_t joints = poses.count * tables_.joint_count, vertices = poses.count * tables_.vertex_count;
    const auto vectors = [](const float* first, std::size_t count) {
      return std::span(reinterpret_cast<const Vec3f*>(first), first == nullptr ? 0 : count);
    };
    const PoseArrays arrays{
        poses.count,
        {reinterpret_cast<const Quatf*>(poses.rotations), poses.rotations == nullptr ? 0 : joints},
        vectors(poses.translations, joints),
        vectors(poses.scales, joints),
        {poses.morph_weights, poses.morph_weights == nullptr ? 0 : poses.count * tables_.weight_count}};
    if (positions == nullptr) {  // which SkinBatch always writes
      unwanted_.resize(vertices);
      positions = &unwanted_.data()->x;
    }
    return skin_.evaluate(arrays, part_, {reinterpret_cast<Vec3f*>(positions), vertices},
                          {reinterpret_cast<Vec3f*>(normals), normals == nullptr ? 0 : vertices});
  }

  Result<void> differentiate(const BatchPoses& poses, const float* position_slopes, const float* normal_slopes,
                             const BatchSlopes& slopes, void*) override {
    const BatchView view = view_of(tables_);
    const std::size_t joints = tables_.joint_count, weights = tables_.weight_count,
                      numbers = std::size_t{3} * tables_.vertex_count;
    const auto at = [](auto* first, std::size_t offset) { return first == nullptr ? nullptr : first + offset; };
    parallel_for(
        poses.count, 1,
        [&](std::size_t begin, std::size_t end) {
          PoseRoom<float> room(view);
          for (std::size_t p = begin; p < end; ++p) {
            const JointArrays<const float> pose{at(poses.rotations, p * joints * 4),
                                                at(poses.translations, p * joints * 3),
                                                at(poses.scales, p * joints * 3)};
            const JointArrays<float> out{at(slopes.rotations, p * joints * 4), at(slopes.translations, p * joints * 3),
                                         at(slopes.scales, p * joints * 3)};
            differentiate_pose(view, pose, at(poses.morph_weights, p * weights), at(position_slopes, p * numbers),
                               at(normal_slopes, p * numbers), out, at(slopes.morph_weights, p * weights), room);
          }
        },
        threads_);
    return {};
  }

 private:
  SkinBatch skin_;
  BatchTables tables_;
  std::size_t part_;
  unsigned threads_;
  std::vector<Vec3f> unwanted_;
};

}  // namespace

Result<std::unique_ptr<Batch>> make_cpu_batch(const Character& character, std::size_t part, const Layers& layers,
                                              unsigned threads) {
  auto skin = SkinBatch::make(character, Blend::linear, layers, threads);
  if (!skin) return skin.error();
  auto tables = build_batch_tables(character, part, layers);
  if (!tables) return tables.error();
  return std::unique_ptr<Batch>(std::make_unique<CpuBatch>(std::move(*skin), std::move(*tables), part, threads));
}

}  // namespace supple::gpu
