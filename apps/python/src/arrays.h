// Arrays between Python and the engine: views without copies on the way out, checked and named on the way in.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "supple/base/mat.h"
#include "supple/base/quat.h"
#include "supple/base/vec.h"

namespace supple::python {

namespace nb = nanobind;

/// What Python gets: NumPy arrays, which share memory with torch and others by DLPack.
template <class T>
using OutArray = nb::ndarray<nb::numpy, T>;

/// Arguments as Python's types name them; whatever is given is looked at by InArray, joint_of() and part_of(), whose
/// complaints say more than "incompatible function arguments".
inline bool is_anything(PyObject*) { return true; }
class ArrayLike : public nb::object {
  NB_OBJECT_DEFAULT(ArrayLike, nb::object, "numpy.typing.ArrayLike", is_anything)
};
class NameOrNumber : public nb::object {
  NB_OBJECT_DEFAULT(NameOrNumber, nb::object, "str | int", is_anything)
};

/// The extent of an axis that may be anything.
inline constexpr std::size_t any_size = static_cast<std::size_t>(-1);

/// Keeps a shared object alive as long as arrays look into it.
template <class T>
nb::capsule keep(std::shared_ptr<T> owner) {
  return nb::capsule(new std::shared_ptr<T>(std::move(owner)),
                     [](void* held) noexcept { delete static_cast<std::shared_ptr<T>*>(held); });
}

/// (#values, width) of scalars: a view of values that consist of `width` scalars without gaps.
template <class Scalar, class Value>
OutArray<const Scalar> view(std::span<const Value> values, nb::handle owner) {
  static_assert(sizeof(Value) % sizeof(Scalar) == 0);
  return OutArray<const Scalar>(reinterpret_cast<const Scalar*>(values.data()),
                                {values.size(), sizeof(Value) / sizeof(Scalar)}, owner);
}

/// The same of single scalars: (#values).
template <class Scalar>
OutArray<const Scalar> view(std::span<const Scalar> values, nb::handle owner) {
  return OutArray<const Scalar>(values.data(), {values.size()}, owner);
}

/// A new array that Python owns, of the given shape.
template <class Scalar>
OutArray<Scalar> owned(std::vector<Scalar> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<Scalar>(std::move(values));
  nb::capsule owner(kept, [](void* held) noexcept { delete static_cast<std::vector<Scalar>*>(held); });
  return OutArray<Scalar>(kept->data(), shape, owner);
}

/// (#transforms, 4, 4): points are columns. A new array.
OutArray<float> matrices(std::span<const Affinef> transforms);

/// Numbers that Python gave, contiguous, in the shape that was asked for.
template <class Scalar>
class InArray {
 public:
  /// Anything with numbers in it: NumPy, torch and other tensors by DLPack, lists of lists; other number types are
  /// converted. `what` names it in errors. TypeError: no numbers; ValueError: another shape (any_size fits all), or
  /// numbers that are not finite.
  InArray(nb::handle given, const char* what, std::initializer_list<std::size_t> shape);

  std::size_t size(std::size_t axis) const { return array_.shape(axis); }
  const Scalar* data() const { return array_.data(); }
  std::span<const Scalar> scalars() const { return {array_.data(), array_.size()}; }
  /// As values of several scalars, such as float -> Vec3f.
  template <class Value>
  std::span<const Value> as() const {
    static_assert(sizeof(Value) % sizeof(Scalar) == 0);
    return {reinterpret_cast<const Value*>(array_.data()), array_.size() * sizeof(Scalar) / sizeof(Value)};
  }

 private:
  nb::ndarray<const Scalar, nb::c_contig, nb::device::cpu> array_;
};

extern template class InArray<float>;
extern template class InArray<std::uint32_t>;

}  // namespace supple::python
