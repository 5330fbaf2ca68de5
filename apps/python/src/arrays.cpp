#include "arrays.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace supple::python {
namespace {

std::string to_text(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + (shape[i] == any_size ? std::string("any") : std::to_string(shape[i]));
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// A NumPy array of whatever was given: lists become one, tensors of other programs are taken over by DLPack.
nb::object to_numpy(nb::handle given, const char* what, const char* type) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  try {
    nb::object array = numpy.attr("asarray")(given);
    const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
    // numbers of any type: b is bool, c complex, O and U are anything and text
    if (kind == "f" || kind == "i" || kind == "u") {
      if (std::string_view(type) != "float32" && kind == "f")
        throw nb::type_error((std::string(what) + ": must be whole numbers").c_str());
      return numpy.attr("ascontiguousarray")(array);
    }
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError) && !error.matches(PyExc_RuntimeError))
      throw;
  }
  throw nb::type_error(
      (std::string(what) + ": must be an array of numbers, not " +
       nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(given.ptr()))).attr("__name__")))
          .c_str());
}

}  // namespace

OutArray<float> matrices(std::span<const Affinef> transforms) {
  std::vector<float> all;
  all.reserve(transforms.size() * 16);
  for (const Affinef& a : transforms) {
    const Mat3f& l = a.linear;
    const Vec3f& t = a.translation;
    all.insert(all.end(),
               {l.c0.x, l.c1.x, l.c2.x, t.x, l.c0.y, l.c1.y, l.c2.y, t.y, l.c0.z, l.c1.z, l.c2.z, t.z, 0, 0, 0, 1});
  }
  return owned(std::move(all), {transforms.size(), 4, 4});
}

template <class Scalar>
InArray<Scalar>::InArray(nb::handle given, const char* what, std::initializer_list<std::size_t> shape) {
  constexpr const char* type = std::is_same_v<Scalar, float> ? "float32" : "uint32";
  nb::object array = to_numpy(given, what, type);
  const std::span<const std::size_t> wanted(shape.begin(), shape.size());
  const auto has = nb::cast<std::vector<std::size_t>>(nb::list(array.attr("shape")));
  bool fits = has.size() == wanted.size();
  for (std::size_t i = 0; fits && i < has.size(); ++i) fits = wanted[i] == any_size || wanted[i] == has[i];
  if (!fits)
    throw nb::value_error(fmt::format("{}: must have shape {}, has {}", what, to_text(wanted), to_text(has)).c_str());
  if constexpr (!std::is_same_v<Scalar, float>) {
    if (nb::cast<std::size_t>(array.attr("size")) > 0 &&
        (nb::cast<double>(array.attr("min")()) < 0 ||
         nb::cast<double>(array.attr("max")()) > double{std::numeric_limits<Scalar>::max()}))
      throw nb::value_error(fmt::format("{}: must hold numbers from 0 to 2^32 - 1", what).c_str());
  }
  array = array.attr("astype")(type, nb::arg("copy") = false);
  array_ = nb::cast<decltype(array_)>(array);
  if constexpr (std::is_same_v<Scalar, float>) {
    for (std::size_t i = 0; i < array_.size(); ++i)
      if (!std::isfinite(array_.data()[i]))
        throw nb::value_error(
            fmt::format("{}: number {} (counted in the order of the array) is not finite", what, i).c_str());
  }
}

template class InArray<float>;
template class InArray<std::uint32_t>;

}  // namespace supple::python
