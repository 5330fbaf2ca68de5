// Plans of poses and sets of examples.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "errors.h"
#include "module.h"
#include "supple/files/example_set_file.h"
#include "supple/files/pose_plan_file.h"

namespace supple::python {
namespace {

/// A plan's poses in their order.
struct PlanHandle {
  PosePlan plan;
  std::vector<const PlannedPose*> poses;
  std::vector<std::string> sweeps;  // of each pose

  explicit PlanHandle(PosePlan of) : plan(std::move(of)) {
    for (const Sweep& sweep : plan.sweeps) {
      for (const PlannedPose& pose : sweep.poses) {
        poses.push_back(&pose);
        sweeps.push_back(sweep.name);
      }
    }
  }
  PlanHandle(const PlanHandle& other) : PlanHandle(other.plan) {}
  PlanHandle(PlanHandle&&) noexcept = default;  // poses move with their vectors
};

PoseHandle planned_pose(const PlanHandle& p, std::size_t place, const RigHandle& of) {
  if (place >= p.poses.size()) throw nb::index_error("a plan has no pose of that number");
  take(validate(p.plan, of.character().skeleton));
  PoseHandle pose{of.rig, pose_of(*p.poses[place], of.character().skeleton)};
  pose.pose.morph_weights = of.character().morph_weights;
  return pose;
}

template <class Get>
auto each(const PlanHandle& p, const Get& get) {
  std::vector<std::decay_t<decltype(get(*p.poses[0]))>> all;
  for (const PlannedPose* pose : p.poses) all.push_back(get(*pose));
  return all;
}

template <class Get>
auto each(const ExampleSet& set, const Get& get) {
  std::vector<std::decay_t<decltype(get(set.examples[0]))>> all;
  for (const Example& example : set.examples) all.push_back(get(example));
  return all;
}

std::string name_of(Role role) { return role == Role::train ? "train" : "test"; }

Role role_of(const std::string& name) {
  if (name == "train" || name == "test") return name == "train" ? Role::train : Role::test;
  throw nb::value_error(("role: '" + name + "' is neither train nor test").c_str());
}

/// (#examples, #per example, width): a view of one of the set's arrays, which may lie in a mapped file.
template <class Value>
OutArray<const float> by_example(const SharedArray<Value>& array, std::size_t examples) {
  auto kept = std::make_shared<SharedArray<Value>>(array);
  const auto* first = reinterpret_cast<const float*>(kept->span().data());
  const std::size_t each = examples == 0 ? 0 : array.size() / examples;
  return OutArray<const float>(first, {examples, each, sizeof(Value) / sizeof(float)}, keep(std::move(kept)));
}

/// (#values, width).
template <class Scalar, class Value>
OutArray<const Scalar> flat(const SharedArray<Value>& array) {
  auto kept = std::make_shared<SharedArray<Value>>(array);
  const std::span<const Value> values = kept->span();
  return view<Scalar>(values, keep(std::move(kept)));
}

/// Writes a set one example at a time.
class WriterHandle {
 public:
  WriterHandle(const std::string& folder, const RigHandle& of, const NameOrNumber& part, const std::string& origin)
      : rig_(of.rig),
        writer_(
            take(ExampleWriter::create(folder, subject_of(of.character(), part_of(of.character(), part), origin)))) {}

  void add(const PoseHandle& pose, const ArrayLike& positions, const ArrayLike& normals, const std::string& name,
           const std::string& sweep, const std::string& role, float weight, const std::vector<std::string>& tags) {
    if (pose.rig != rig_) throw nb::value_error("pose: is of another character than the examples");
    const std::size_t vertices = writer_.subject().rest.positions.size();
    const InArray<float> p(positions, "positions", {vertices, 3});
    Example example;
    example.name = name;
    example.sweep = sweep;
    example.role = role_of(role);
    example.weight = weight;
    example.tags = tags;
    if (normals.is_none()) return take(writer_.add(example, pose.pose, p.as<Vec3f>()));
    const InArray<float> n(normals, "normals", {vertices, 3});
    take(writer_.add(example, pose.pose, p.as<Vec3f>(), n.as<Vec3f>()));
  }
  void finish() { take(writer_.finish()); }
  std::size_t size() const { return writer_.size(); }

 private:
  std::shared_ptr<Rig> rig_;
  ExampleWriter writer_;
};

void bind_plan(nb::module_& m) {
  nb::class_<PlanHandle>(m, "Plan", "Poses that are to be simulated, sculpted or taught. Made by supple.plan().")
      .def_static(
          "load", [](const std::filesystem::path& path) { return PlanHandle(take(read_pose_plan(path))); },
          nb::arg("path"), nb::sig("def load(path: str | os.PathLike[str]) -> Plan"))
      .def(
          "save", [](const PlanHandle& p, const std::filesystem::path& path) { take(write_pose_plan(path, p.plan)); },
          nb::arg("path"), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"))
      .def("pose", &planned_pose, nb::arg("number"), nb::arg("character"), "The pose of that number, of a character.")
      .def_prop_ro("names", [](const PlanHandle& p) { return each(p, [](const PlannedPose& x) { return x.name; }); })
      .def_prop_ro(
          "sweeps", [](const PlanHandle& p) { return p.sweeps; }, "Of each pose, the motion that it belongs to.")
      .def_prop_ro(
          "roles", [](const PlanHandle& p) { return each(p, [](const PlannedPose& x) { return name_of(x.role); }); },
          "Of each pose, 'train' or 'test'.")
      .def_prop_ro("weights",
                   [](const PlanHandle& p) { return each(p, [](const PlannedPose& x) { return x.weight; }); })
      .def_prop_ro("tags", [](const PlanHandle& p) { return each(p, [](const PlannedPose& x) { return x.tags; }); })
      .def("__len__", [](const PlanHandle& p) { return p.poses.size(); })
      .def("__repr__",
           [](const PlanHandle& p) { return "<supple.Plan of " + std::to_string(p.poses.size()) + " poses>"; });
}

}  // namespace

void bind_examples(nb::module_& m) {
  bind_plan(m);
  nb::class_<ExampleSet>(
      m, "ExampleSet",
      "Poses of one rig and the skin that belongs to each. Arrays are views, of mapped files where the set was loaded.")
      .def_static(
          "load", [](const std::filesystem::path& folder) { return take(load_examples(folder)); }, nb::arg("folder"),
          nb::sig("def load(folder: str | os.PathLike[str]) -> ExampleSet"))
      .def(
          "save", [](const ExampleSet& s, const std::filesystem::path& folder) { take(save_examples(folder, s)); },
          nb::arg("folder"), nb::sig("def save(self, folder: str | os.PathLike[str]) -> None"))
      .def(
          "check", [](const ExampleSet& s) { take(validate(s)); }, "supple.Error where a pose or a vertex is unsound.")
      .def_prop_ro(
          "parts",
          [](const ExampleSet& s) {
            std::vector<std::pair<std::string, std::size_t>> all;
            for (const ExamplePart& part : s.parts) all.emplace_back(part.name, part.vertices);
            if (all.empty()) all.emplace_back(s.part, s.vertices());
            return all;
          },
          "The parts of the character that the skin is, each with its number of vertices; these lie one after another.")
      .def_prop_ro(
          "origin", [](const ExampleSet& s) { return s.origin; }, "How the set was made.")
      .def_prop_ro("names", [](const ExampleSet& s) { return each(s, [](const Example& e) { return e.name; }); })
      .def_prop_ro("sweeps", [](const ExampleSet& s) { return each(s, [](const Example& e) { return e.sweep; }); })
      .def_prop_ro("roles",
                   [](const ExampleSet& s) { return each(s, [](const Example& e) { return name_of(e.role); }); })
      .def_prop_ro("weights", [](const ExampleSet& s) { return each(s, [](const Example& e) { return e.weight; }); })
      .def_prop_ro("tags", [](const ExampleSet& s) { return each(s, [](const Example& e) { return e.tags; }); })
      .def_prop_ro(
          "flags", [](const ExampleSet& s) { return each(s, [](const Example& e) { return e.flags; }); },
          "Of each example, what went wrong when it was made.")
      .def_prop_ro(
          "usable",
          [](const ExampleSet& s) {
            std::vector<bool> all;
            for (std::size_t i = 0; i < s.size(); ++i) all.push_back(s.usable(i));
            return all;
          },
          "Of each example, whether it is fit for training: none of its flags speaks against that.")
      .def_prop_ro("joint_names",
                   [](const ExampleSet& s) {
                     return std::vector<std::string>(s.skeleton.names().begin(), s.skeleton.names().end());
                   })
      .def_prop_ro(
          "rotations", [](const ExampleSet& s) { return by_example(s.rotations, s.size()); },
          "(N, J, 4) float32, local, x y z w.", nb::rv_policy::automatic)
      .def_prop_ro(
          "translations", [](const ExampleSet& s) { return by_example(s.translations, s.size()); },
          "(N, J, 3) float32, local; (N, 0, 3) where none differs from rest.", nb::rv_policy::automatic)
      .def_prop_ro(
          "positions", [](const ExampleSet& s) { return by_example(s.positions, s.size()); },
          "(N, V, 3) float32, world space, metres.", nb::rv_policy::automatic)
      .def_prop_ro(
          "normals", [](const ExampleSet& s) { return by_example(s.normals, s.size()); }, "(N, V, 3) float32.",
          nb::rv_policy::automatic)
      .def_prop_ro(
          "rest_positions", [](const ExampleSet& s) { return flat<float>(s.rest_positions); }, "(V, 3) float32.",
          nb::rv_policy::automatic)
      .def_prop_ro(
          "triangles", [](const ExampleSet& s) { return flat<std::uint32_t>(s.triangles); }, "(T, 3) uint32.",
          nb::rv_policy::automatic)
      .def(
          "pose",
          [](const ExampleSet& s, std::size_t number, const RigHandle& of) {
            if (number >= s.size()) throw nb::index_error("a set has no example of that number");
            if (s.skeleton.size() != of.character().skeleton.size())
              throw nb::value_error("character: has other joints than the examples");
            PoseHandle pose{of.rig, s.pose(number)};
            pose.pose.morph_weights = of.character().morph_weights;
            return pose;
          },
          nb::arg("number"), nb::arg("character"))
      .def("__len__", &ExampleSet::size)
      .def("__repr__", [](const ExampleSet& s) {
        return "<supple.ExampleSet of " + std::to_string(s.size()) + " examples, " + std::to_string(s.vertices()) +
               " vertices>";
      });
  nb::class_<WriterHandle>(
      m, "ExampleWriter",
      "Writes an example set to a folder, one example at a time; the folder is whole after finish().")
      .def(nb::init<const std::string&, const RigHandle&, const NameOrNumber&, const std::string&>(), nb::arg("folder"),
           nb::arg("character"), nb::arg("part").none() = nb::none(), nb::arg("origin") = "")
      .def("add", &WriterHandle::add, nb::arg("pose"), nb::arg("positions").none(),
           nb::arg("normals").none() = nb::none(), nb::kw_only(), nb::arg("name"), nb::arg("sweep") = "",
           nb::arg("role") = "train", nb::arg("weight") = 1.0f, nb::arg("tags") = std::vector<std::string>(),
           "Positions (V, 3), world space, metres; normals are carried along by the surface where they are left out.")
      .def("finish", &WriterHandle::finish)
      .def("__len__", &WriterHandle::size);
}

}  // namespace supple::python
