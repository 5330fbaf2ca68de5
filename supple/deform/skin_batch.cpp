#include "supple/deform/skin_batch.h"

#include <algorithm>
#include <string>

#include "supple/base/parallel.h"

namespace supple {

Result<SkinBatch> SkinBatch::make(const Character& character, Blend blend, const Layers& layers, unsigned threads) {
  std::vector<Worker> workers;
  const unsigned count = threads == 0 ? thread_count() : threads;
  workers.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    auto skin = Skin::make(character, blend, layers);
    if (!skin) return skin.error();
    workers.push_back({std::move(*skin), character.rest(), {}});
  }
  return SkinBatch(character, std::move(workers));
}

Result<void> SkinBatch::check(const PoseArrays& poses, std::size_t part, std::size_t positions,
                              std::size_t normals) const {
  const auto wrong = [](const char* array, std::size_t has, std::size_t wanted) {
    return Error{array, "has " + std::to_string(has) + " values, not " + std::to_string(wanted)};
  };
  const std::size_t joints = poses.count * character_->skeleton.size();
  const std::size_t weights = poses.count * character_->morph_weights.size();
  if (!poses.rotations.empty() && poses.rotations.size() != joints)
    return wrong("rotations", poses.rotations.size(), joints);
  if (!poses.translations.empty() && poses.translations.size() != joints)
    return wrong("translations", poses.translations.size(), joints);
  if (!poses.scales.empty() && poses.scales.size() != joints) return wrong("scales", poses.scales.size(), joints);
  if (!poses.morph_weights.empty() && poses.morph_weights.size() != weights)
    return wrong("morph weights", poses.morph_weights.size(), weights);
  if (part >= character_->parts.size()) return Error{"part " + std::to_string(part), "does not exist"};
  const std::size_t vertices = poses.count * character_->parts[part].mesh.positions.size();
  if (positions != vertices) return wrong("positions", positions, vertices);
  if (normals != 0 && normals != vertices) return wrong("normals", normals, vertices);
  return {};
}

Result<void> SkinBatch::evaluate(const PoseArrays& poses, std::size_t part, std::span<Vec3f> positions,
                                 std::span<Vec3f> normals) {
  if (auto ok = check(poses, part, positions.size(), normals.size()); !ok) return ok;
  if (poses.count == 0) return {};
  const std::size_t joints = character_->skeleton.size(), weights = character_->morph_weights.size();
  const std::size_t vertices = character_->parts[part].mesh.positions.size();
  const std::size_t share = (poses.count + workers_.size() - 1) / workers_.size();  // of a worker
  for (Worker& worker : workers_) {
    worker.pose = character_->rest();  // arrays of the last call may have been more
    worker.failure = {};
  }
  parallel_for(
      poses.count, share,
      [&](std::size_t begin, std::size_t end) {
        Worker& worker = workers_[begin / share];
        for (std::size_t p = begin; p < end; ++p) {
          for (std::size_t j = 0; j < joints; ++j) {
            Transformf& local = worker.pose.local[j];
            if (!poses.rotations.empty()) local.rotation = poses.rotations[p * joints + j];
            if (!poses.translations.empty()) local.translation = poses.translations[p * joints + j];
            if (!poses.scales.empty()) local.scale = poses.scales[p * joints + j];
          }
          if (!poses.morph_weights.empty())
            std::copy_n(poses.morph_weights.begin() + static_cast<std::ptrdiff_t>(p * weights), weights,
                        worker.pose.morph_weights.begin());
          if (auto posed = worker.skin.evaluate(worker.pose, 1); !posed) {
            worker.failure = Error{"pose " + std::to_string(p) + ", " + posed.error().item, posed.error().problem,
                                   posed.error().remedy};
            return;
          }
          const std::span<const Vec3f> posed = worker.skin.positions(part), turned = worker.skin.normals(part);
          std::copy(posed.begin(), posed.end(), positions.begin() + static_cast<std::ptrdiff_t>(p * vertices));
          if (!normals.empty())
            std::copy(turned.begin(), turned.end(), normals.begin() + static_cast<std::ptrdiff_t>(p * vertices));
        }
      },
      static_cast<unsigned>(workers_.size()));
  for (const Worker& worker : workers_)
    if (!worker.failure) return worker.failure;
  return {};
}

}  // namespace supple
