// Arrays of a batch: taken over by DLPack as they are, in the memory of the CPU or of a GPU.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <mutex>
#include <optional>
#include <string>

#include "supple/gpu/batch/batch.h"

namespace supple::python {

/// Where the arrays of a batch must lie: on the CPU, or on the GPU of that number.
struct ArrayPlace {
  std::optional<int> gpu;
  std::string text() const { return gpu ? "GPU " + std::to_string(*gpu) : std::string("the CPU"); }
};

/// Numbers that are read (`const float`) or written. None is no array.
template <class Number>
class BatchArray {
 public:
  /// `what` names it in errors; `first` is the size of the first axis, which is found here where it is not known yet.
  BatchArray(nanobind::handle given, const char* what, std::optional<std::size_t>& first,
             std::initializer_list<std::size_t> others, const ArrayPlace& place) {
    namespace nb = nanobind;
    if (given.is_none()) return;
    const auto fail = [&](const std::string& problem) {
      throw nb::value_error((std::string(what) + ": " + problem).c_str());
    };
    if (!nb::try_cast(given, array_, false)) fail("must be an array of float32 without gaps, by DLPack");
    bool fits = array_.ndim() == others.size() + 1 && (!first || *first == array_.shape(0));
    std::string shape = "(" + (first ? std::to_string(*first) : std::string("any"));
    std::size_t axis = 1;
    for (const std::size_t size : others) {
      fits = fits && array_.shape(axis++) == size;
      shape += ", " + std::to_string(size);
    }
    if (!fits) fail("must have shape " + shape + ")");
    const bool on_gpu = array_.device_type() == nb::device::cuda::value;
    if (on_gpu != place.gpu.has_value() || (on_gpu && array_.device_id() != *place.gpu))
      fail("lies on " + std::string(on_gpu ? "GPU " + std::to_string(array_.device_id()) : "the CPU") +
           ", and the batch on " + place.text());
    first = array_.shape(0);
    data_ = array_.data();
  }
  Number* data() const { return data_; }

 private:
  nanobind::ndarray<Number, nanobind::c_contig> array_;
  Number* data_ = nullptr;
};

/// What a batch is called with from Python, of a character of so many joints, weights and vertices.
struct BatchCall {
  std::size_t joints = 0, weights = 0, vertices = 0;
  ArrayPlace place;

  /// Returns the number of the call: see BatchPoses::call.
  Result<std::uint64_t> evaluate(gpu::Batch& batch, nanobind::handle rotations, nanobind::handle translations,
                                 nanobind::handle scales, nanobind::handle morph_weights, nanobind::handle positions,
                                 nanobind::handle normals, std::uintptr_t stream, std::mutex& one_at_a_time) const {
    std::optional<std::size_t> count;
    const Poses poses(*this, count, rotations, translations, scales, morph_weights);
    const BatchArray<float> p(positions, "positions", count, {vertices, 3}, place);
    const BatchArray<float> n(normals, "normals", count, {vertices, 3}, place);
    const nanobind::gil_scoped_release released;  // first: whoever waits for the other lock must not hold this one
    const std::lock_guard locked(one_at_a_time);
    if (auto ok = batch.evaluate(poses.all(count), p.data(), n.data(), reinterpret_cast<void*>(stream)); !ok)
      return ok.error();
    return batch.last_call();
  }

  Result<void> differentiate(gpu::Batch& batch, const std::array<nanobind::handle, 2>& by_surface,
                             const std::array<nanobind::handle, 4>& pose,
                             const std::array<nanobind::handle, 4>& by_pose, std::uintptr_t stream, std::uint64_t call,
                             std::mutex& one_at_a_time) const {
    std::optional<std::size_t> count;
    const Poses poses(*this, count, pose[0], pose[1], pose[2], pose[3]);
    const BatchArray<const float> p(by_surface[0], "slopes of positions", count, {vertices, 3}, place);
    const BatchArray<const float> n(by_surface[1], "slopes of normals", count, {vertices, 3}, place);
    const BatchArray<float> r(by_pose[0], "slopes of rotations", count, {joints, 4}, place);
    const BatchArray<float> t(by_pose[1], "slopes of translations", count, {joints, 3}, place);
    const BatchArray<float> s(by_pose[2], "slopes of scales", count, {joints, 3}, place);
    const BatchArray<float> w(by_pose[3], "slopes of morph_weights", count, {weights}, place);
    const nanobind::gil_scoped_release released;  // first: whoever waits for the other lock must not hold this one
    const std::lock_guard locked(one_at_a_time);
    gpu::BatchPoses all = poses.all(count);
    all.call = call;
    return batch.differentiate(all, p.data(), n.data(), {r.data(), t.data(), s.data(), w.data()},
                               reinterpret_cast<void*>(stream));
  }

 private:
  struct Poses {
    BatchArray<const float> rotations, translations, scales, morph_weights;
    Poses(const BatchCall& call, std::optional<std::size_t>& count, nanobind::handle r, nanobind::handle t,
          nanobind::handle s, nanobind::handle w)
        : rotations(r, "rotations", count, {call.joints, 4}, call.place),
          translations(t, "translations", count, {call.joints, 3}, call.place),
          scales(s, "scales", count, {call.joints, 3}, call.place),
          morph_weights(w, "morph_weights", count, {call.weights}, call.place) {}
    gpu::BatchPoses all(const std::optional<std::size_t>& count) const {
      return {count.value_or(0), rotations.data(), translations.data(), scales.data(), morph_weights.data()};
    }
  };
};

}  // namespace supple::python
