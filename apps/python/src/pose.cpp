// Poses: arrays of local transforms that may be written to.
#include <nanobind/stl/string.h>

#include "arrays.h"
#include "errors.h"
#include "module.h"

namespace supple::python {

namespace {

/// A view of one member of all local transforms, with the stride of a transform.
template <class Member>
OutArray<float> local_view(nb::handle self, Member Transformf::*member) {
  PoseHandle& p = nb::cast<PoseHandle&>(self);
  static_assert(sizeof(Transformf) % sizeof(float) == 0);
  float* first = p.pose.local.empty() ? nullptr : reinterpret_cast<float*>(&(p.pose.local.front().*member));
  return OutArray<float>(first, {p.pose.local.size(), sizeof(Member) / sizeof(float)}, self,
                         {static_cast<std::int64_t>(sizeof(Transformf) / sizeof(float)), 1});
}

void set_rotations(PoseHandle& p, const ArrayLike& given) {
  const InArray<float> values(given, "rotations", {p.pose.local.size(), 4});
  const auto rotations = values.as<Quatf>();
  for (std::size_t j = 0; j < rotations.size(); ++j)
    if (!(dot(rotations[j], rotations[j]) > 0))
      throw nb::value_error(("rotations: that of joint '" +
                             p.rig->character().skeleton.name(static_cast<JointIndex>(j)) + "' has no length")
                                .c_str());
  for (std::size_t j = 0; j < rotations.size(); ++j) p.pose.local[j].rotation = normalized(rotations[j]);
}

void set_vectors(PoseHandle& p, const ArrayLike& given, const char* what, Vec3f Transformf::*member) {
  const InArray<float> values(given, what, {p.pose.local.size(), 3});
  const auto vectors = values.as<Vec3f>();
  for (std::size_t j = 0; j < vectors.size(); ++j) p.pose.local[j].*member = vectors[j];
}

void rotate_joint(PoseHandle& p, const NameOrNumber& joint, const nb::kwargs& angles) {
  const Skeleton& skeleton = p.rig->character().skeleton;
  const JointIndex j = joint_of(skeleton, joint);
  Pose turned = p.pose;
  for (const auto [name, value] : angles) {
    double radians = 0;
    if (!nb::try_cast(value, radians) || !std::isfinite(radians))
      throw nb::value_error((nb::cast<std::string>(name) + ": must be an angle in radians").c_str());
    take(rotate(turned, skeleton, j, nb::cast<std::string>(name), static_cast<float>(radians)));
  }
  std::copy(turned.local.begin(), turned.local.end(), p.pose.local.begin());  // in place: views look there
}

}  // namespace

void locals_of(const Skeleton& skeleton, std::span<const float> world, std::span<Transformf> local) {
  std::vector<Affined> placed(local.size());  // where joints are by the local transforms, rounding included
  for (std::size_t j = 0; j < local.size(); ++j) {
    const float* m = world.data() + j * 16;
    const Affined wanted{{{double{m[0]}, double{m[4]}, double{m[8]}},
                          {double{m[1]}, double{m[5]}, double{m[9]}},
                          {double{m[2]}, double{m[6]}, double{m[10]}}},
                         {double{m[3]}, double{m[7]}, double{m[11]}}};
    if (determinant(wanted.linear) == 0)
      throw nb::value_error(
          ("world: joint '" + skeleton.name(static_cast<JointIndex>(j)) + "' is scaled to nothing").c_str());
    const JointIndex parent = skeleton.parents()[j];
    local[j] = decompose(parent == no_joint ? wanted : inverse(placed[parent]) * wanted);
    const Affined made(local[j].affine());
    placed[j] = parent == no_joint ? made : placed[parent] * made;
  }
}

void bind_pose(nb::module_& m) {
  nb::class_<PoseHandle>(
      m, "Pose",
      "Where every joint of a character is, relative to its parent. Made by Character.rest() and Character.at().")
      .def("rotate", &rotate_joint, nb::arg("joint"), nb::arg("angles"),
           nb::sig("def rotate(self, joint: str | int, **angles: float) -> None"),
           "Turns a joint (name or number) away from rest about degrees of freedom that it has: "
           "rotate('elbow', flexion=0.5). Radians; those that are not named stay.")
      .def(
          "set_world",
          [](PoseHandle& p, const ArrayLike& given) {
            const InArray<float> world(given, "world", {p.pose.local.size(), 4, 4});
            locals_of(p.rig->character().skeleton, world.scalars(), p.pose.local);
          },
          nb::arg("world").none(), "Puts joints where (J, 4, 4) has them in the world; shear is dropped.")
      .def("copy", [](const PoseHandle& p) { return p; })
      .def("__copy__", [](const PoseHandle& p) { return p; })
      .def(
          "__deepcopy__", [](const PoseHandle& p, nb::handle) { return p; }, nb::arg("memo"))
      .def_prop_rw(
          "rotations", [](nb::handle_t<PoseHandle> self) { return local_view(self, &Transformf::rotation); },
          &set_rotations, "(J, 4) float32, local, x y z w: a view that may be written to.", nb::rv_policy::automatic,
          nb::for_setter(nb::arg("value").none()))
      .def_prop_rw(
          "translations", [](nb::handle_t<PoseHandle> self) { return local_view(self, &Transformf::translation); },
          [](PoseHandle& p, const ArrayLike& v) { set_vectors(p, v, "translations", &Transformf::translation); },
          "(J, 3) float32, local, metres: a view that may be written to.", nb::rv_policy::automatic,
          nb::for_setter(nb::arg("value").none()))
      .def_prop_rw(
          "scales", [](nb::handle_t<PoseHandle> self) { return local_view(self, &Transformf::scale); },
          [](PoseHandle& p, const ArrayLike& v) { set_vectors(p, v, "scales", &Transformf::scale); },
          "(J, 3) float32, local: a view that may be written to.", nb::rv_policy::automatic,
          nb::for_setter(nb::arg("value").none()))
      .def_prop_rw(
          "morph_weights",
          [](nb::handle_t<PoseHandle> self) {
            PoseHandle& p = nb::cast<PoseHandle&>(self);
            return OutArray<float>(p.pose.morph_weights.data(), {p.pose.morph_weights.size()}, self);
          },
          [](PoseHandle& p, const ArrayLike& given) {
            const InArray<float> values(given, "morph_weights", {p.pose.morph_weights.size()});
            std::copy(values.scalars().begin(), values.scalars().end(), p.pose.morph_weights.begin());
          },
          "(W,) float32, of all morph targets of the character: a view that may be written to.",
          nb::rv_policy::automatic, nb::for_setter(nb::arg("value").none()))
      .def(
          "world", [](const PoseHandle& p) { return matrices(to_world(p.rig->character().skeleton, p.pose)); },
          "(J, 4, 4) float32: where every joint is in the world, points are columns.")
      .def("__len__", [](const PoseHandle& p) { return p.pose.local.size(); })
      .def("__repr__",
           [](const PoseHandle& p) { return "<supple.Pose of " + std::to_string(p.pose.local.size()) + " joints>"; });
}

}  // namespace supple::python
