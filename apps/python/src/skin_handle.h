// Skin in Python, for the files that work with one.
#pragma once

#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include "arrays.h"
#include "errors.h"
#include "module.h"
#include "supple/deform/skin_batch.h"

namespace supple::python {

/// It has a character of its own, so that whatever becomes of the one it was made from, its tables fit; and one call at
/// a time works on it, since the interpreter's lock is released meanwhile.
class SkinHandle {
 public:
  SkinHandle(const RigHandle& of, const std::string& blend, const std::vector<std::string>& off,
             const std::vector<std::string>& given);

  const Character& character() const { return *character_; }
  const std::shared_ptr<Rig>& rig() const { return rig_; }
  const Layers& layers() const { return layers_; }
  const Skin& skin() const { return skin_; }

  void evaluate(const PoseHandle& pose, unsigned threads);
  void animate(const PoseHandle& pose, double seconds, unsigned threads);
  nb::object evaluate_batch(const ArrayLike& rotations, const ArrayLike& translations, const ArrayLike& scales,
                            const ArrayLike& morph_weights, const NameOrNumber& part, bool with_normals,
                            unsigned threads);
  /// A moment of a take: flesh and muscles as they are given, none where there are none.
  void show(const Pose& pose, std::span<const FleshMotion> flesh, std::span<const Vec3f> vorticity, unsigned threads);

 private:
  void check(const PoseHandle& pose) const;

  template <class Work>
  void work(const Work& what) {
    Result<void> done;
    {
      const nb::gil_scoped_release released;
      const std::lock_guard one_at_a_time(mutex_);
      done = what();
    }
    take(done);
  }

  std::shared_ptr<Rig> rig_;
  std::unique_ptr<const Character> character_;
  Blend blend_;
  Layers layers_;
  Skin skin_;
  std::optional<SkinBatch> batch_;
  unsigned batch_threads_ = 0;
  std::mutex mutex_;
};

/// (V, 3): the surface of a part (name, number or none) as the last call left it, a view.
OutArray<float> positions_of(nb::handle skin, const NameOrNumber& part);

}  // namespace supple::python
