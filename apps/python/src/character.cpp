// Characters: joints, parts and clips of a file as arrays.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "character_arrays.h"
#include "errors.h"
#include "module.h"
#include "supple/rig/deformers.h"
#include "supple/rig/find_part.h"

namespace supple::python {

namespace {

/// Part in Python.
struct PartHandle {
  std::shared_ptr<Rig> rig;
  std::size_t number = 0;
  const Part& part() const { return rig->character().parts[number]; }
  nb::capsule owner() const { return keep(rig); }
};

/// Clip in Python.
struct ClipHandle {
  std::shared_ptr<Rig> rig;
  std::size_t number = 0;
  const Clip& clip() const { return rig->character().clips[number]; }
};

RigHandle load_rig(const std::filesystem::path& path, bool strict) {
  workflow::Work work;
  std::optional<Result<workflow::Model>> model;
  {
    const nb::gil_scoped_release released;
    model.emplace(workflow::load_model(path, work, strict));
  }
  warn(work.warnings);
  return {std::make_shared<Rig>(Rig{take(std::move(*model)), {}, {}})};
}

void save_rig(RigHandle& r, const std::filesystem::path& path, bool compress) {
  workflow::Work work;
  work.compress = compress;
  Rig& rig = *r.rig;
  for (const std::size_t part : rig.edited)
    gltf::put_part(rig.model.document, rig.model.imported.sources[part], rig.character().parts[part],
                   rig.model.morph_weights(part), &work.warnings);
  rig.edited.clear();
  Result<void> saved;
  {
    const nb::gil_scoped_release released;
    saved = workflow::save_model(path, rig.model, work);
  }
  warn(work.warnings);
  take(saved);
}

const Clip& clip_of(const RigHandle& r, nb::handle clip) {
  const std::vector<Clip>& clips = r.character().clips;
  std::size_t number = 0;
  if (nb::isinstance<ClipHandle>(clip)) return nb::cast<const ClipHandle&>(clip).clip();
  if (nb::try_cast(clip, number)) {
    if (number >= clips.size()) throw nb::index_error("the character has no clip of that number");
    return clips[number];
  }
  const auto name = nb::cast<std::string>(clip);
  if (const Clip* found = r.character().find_clip(name)) return *found;
  std::string names;
  for (const Clip& one : clips) names += (names.empty() ? "" : ", ") + one.name;
  throw nb::key_error(("there is no clip '" + name + "'; there are: " + names).c_str());
}

PoseHandle pose_at(const RigHandle& r, nb::handle clip, float seconds) {
  if (!std::isfinite(seconds)) throw nb::value_error("seconds: must be a number");
  return {r.rig, r.character().at(clip_of(r, clip), seconds)};
}

void add_clip(RigHandle& r, const std::string& name, const ArrayLike& times, const ArrayLike& rotations,
              const ArrayLike& translations) {
  Clip clip = make_clip(r.character().skeleton, name, times, rotations, translations);
  Character& character = r.rig->model.character();
  take(validate(clip, character.skeleton.size(), character.morph_weights.size()));
  take(gltf::put_clip(r.rig->model.document, clip, gltf::places_of(r.rig->model.imported)));
  const auto same =
      std::find_if(character.clips.begin(), character.clips.end(), [&](const Clip& c) { return c.name == name; });
  if (same == character.clips.end()) {
    character.clips.push_back(std::move(clip));
  } else {
    r.rig->replaced.push_back(std::make_shared<Clip>(std::exchange(*same, std::move(clip))));
  }
}

/// Writes over a part's vectors where they are, so that views of them stay good.
void set_vectors(PartHandle& p, const ArrayLike& given, const char* what, std::vector<Vec3f> Mesh::*member) {
  Part& part = p.rig->model.character().parts[p.number];
  const InArray<float> values(given, what, {part.mesh.positions.size(), 3});
  std::vector<Vec3f>& vectors = part.mesh.*member;
  vectors.resize(part.mesh.positions.size());  // normals may have been none
  std::copy(values.as<Vec3f>().begin(), values.as<Vec3f>().end(), vectors.begin());
  p.rig->edited.insert(p.number);
}

void set_weights(PartHandle& p, const ArrayLike& given) {
  Character& character = p.rig->model.character();
  Part& part = character.parts[p.number];
  if (!part.skin) throw nb::value_error("weights: the part is not bound to joints");
  SkinWeights weights = weights_from_dense(given, part.mesh.positions.size(), character.skins[*part.skin].joints,
                                           character.skeleton.size());
  const WeightRepairs repairs = clean(weights, character.skins[*part.skin].joints.size());
  warn(repairs.describe());
  p.rig->replaced.push_back(std::make_shared<SkinWeights>(std::exchange(part.weights, std::move(weights))));
  p.rig->edited.insert(p.number);
}

std::tuple<OutArray<const std::uint32_t>, OutArray<const std::uint32_t>, OutArray<const float>> csr(
    const PartHandle& p) {
  const SkinWeights& w = p.part().weights;
  const nb::capsule owner = p.owner();
  const auto* first = w.entries.data();
  constexpr std::int64_t stride = sizeof(Influence) / sizeof(float);
  return {
      view(std::span<const std::uint32_t>(w.first), owner),
      OutArray<const std::uint32_t>(first == nullptr ? nullptr : &first->joint, {w.entries.size()}, owner, {stride}),
      OutArray<const float>(first == nullptr ? nullptr : &first->weight, {w.entries.size()}, owner, {stride})};
}

void bind_part(nb::module_& m) {
  nb::class_<PartHandle>(m, "Part", "One surface of a character. Arrays are views; assigning to one checks and copies.")
      .def_prop_ro("name", [](const PartHandle& p) { return p.part().name; })
      .def_prop_ro(
          "is_skinned", [](const PartHandle& p) { return p.part().skin.has_value(); }, "Whether joints bend it.")
      .def_prop_ro(
          "node", [](const PartHandle& p) { return p.rig->model.imported.sources[p.number].node; },
          "The number of its node in the glTF file.")
      .def_prop_ro(
          "first_morph_weight", [](const PartHandle& p) { return p.part().first_morph_weight; },
          "The place of its first morph target in Pose.morph_weights.")
      .def_prop_rw(
          "positions",
          [](const PartHandle& p) { return view<float>(std::span<const Vec3f>(p.part().mesh.positions), p.owner()); },
          [](PartHandle& p, const ArrayLike& v) { set_vectors(p, v, "positions", &Mesh::positions); },
          "(V, 3) float32, as skinning takes them: in the bind pose, metres.", nb::rv_policy::automatic,
          nb::for_setter(nb::arg("value").none()))
      .def_prop_rw(
          "normals",
          [](const PartHandle& p) { return view<float>(std::span<const Vec3f>(p.part().mesh.normals), p.owner()); },
          [](PartHandle& p, const ArrayLike& v) { set_vectors(p, v, "normals", &Mesh::normals); },
          "(V, 3) float32, or (0, 3).", nb::rv_policy::automatic, nb::for_setter(nb::arg("value").none()))
      .def_prop_ro(
          "triangles",
          [](const PartHandle& p) {
            return view<std::uint32_t>(std::span<const Triangle>(p.part().mesh.triangles), p.owner());
          },
          "(T, 3) uint32, counter-clockwise seen from outside.", nb::rv_policy::automatic)
      .def_prop_ro(
          "texcoords",
          [](const PartHandle& p) {
            return view<float>(std::span<const std::array<float, 2>>(p.part().texcoords), p.owner());
          },
          "(V, 2) float32, or (0, 2).", nb::rv_policy::automatic)
      .def_prop_ro(
          "joints",
          [](const PartHandle& p) {
            const auto& skin = p.part().skin;
            static const std::vector<JointIndex> none;
            return view(std::span<const JointIndex>(skin ? p.rig->character().skins[*skin].joints : none), p.owner());
          },
          "(K,) uint32: the joints of the character that may move it; weights_csr and inverse_binds count by these.",
          nb::rv_policy::automatic)
      .def_prop_ro("weights_csr", &csr,
                   "(first, joints, weights): vertex v follows joints[first[v]:first[v + 1]], places in Part.joints, "
                   "heaviest first.",
                   nb::rv_policy::automatic)
      .def_prop_rw(
          "weights", [](const PartHandle& p) { return weights_to_dense(p.rig->character(), p.part()); }, &set_weights,
          "(V, J) float32, by all joints of the character: a copy. Assigned rows are scaled to a sum of 1.",
          nb::rv_policy::automatic, nb::for_setter(nb::arg("value").none()))
      .def_prop_ro(
          "inverse_binds", [](const PartHandle& p) { return inverse_binds(p.rig->character(), p.part()); },
          "(K, 4, 4) float32: from where the mesh stands to a joint's own axes. A copy.", nb::rv_policy::automatic)
      .def_prop_ro("morph_names",
                   [](const PartHandle& p) {
                     std::vector<std::string> names;
                     for (const MorphTarget& morph : p.part().morphs) names.push_back(morph.name);
                     return names;
                   })
      .def(
          "morph", [](const PartHandle& p, std::size_t number) { return morph_offsets(p.part(), number); },
          nb::arg("number"), "(V, 3) float32: what a morph target adds to positions where its weight is 1. A copy.")
      .def_prop_ro(
          "first_morph_weight", [](const PartHandle& p) { return p.part().first_morph_weight; },
          "The place of its first morph target in Pose.morph_weights.")
      .def("__repr__", [](const PartHandle& p) {
        return "<supple.Part '" + p.part().name + "' of " + std::to_string(p.part().mesh.positions.size()) +
               " vertices>";
      });
}

void bind_clip(nb::module_& m) {
  nb::class_<ClipHandle>(m, "Clip", "An animation of a character.")
      .def_prop_ro("name", [](const ClipHandle& c) { return c.clip().name; })
      .def_prop_ro(
          "start", [](const ClipHandle& c) { return c.clip().start(); }, "Seconds.")
      .def_prop_ro(
          "end", [](const ClipHandle& c) { return c.clip().end(); }, "Seconds.")
      .def_prop_ro(
          "tracks",
          [](const ClipHandle& c) {
            static constexpr const char* channels[] = {"translation", "rotation", "scale", "morph_weights"};
            static constexpr const char* ways[] = {"step", "linear", "cubic_spline"};
            nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>> all;
            for (const Track& track : c.clip().tracks) {
              nb::dict one;
              one["channel"] = channels[static_cast<std::size_t>(track.channel)];
              one["interpolation"] = ways[static_cast<std::size_t>(track.interpolation)];
              one["target"] = track.target;
              one["times"] = view(std::span<const float>(track.times), keep(c.rig));
              one["values"] = OutArray<const float>(track.values.data(),
                                                    {track.values.size() / track.width, track.width}, keep(c.rig));
              all.append(one);
            }
            return all;
          },
          "Of each track: channel, interpolation, target (a joint, or the first of the morph weights), times (K,), "
          "values (K, width).")
      .def("__repr__", [](const ClipHandle& c) { return "<supple.Clip '" + c.clip().name + "'>"; });
}

}  // namespace

JointIndex joint_of(const Skeleton& skeleton, nb::handle joint) {
  std::size_t number = 0;
  if (nb::try_cast(joint, number)) {
    if (number >= skeleton.size()) throw nb::index_error("the character has no joint of that number");
    return static_cast<JointIndex>(number);
  }
  std::string name;
  if (!nb::try_cast(joint, name)) throw nb::type_error("joint: must be a name or a number");
  const auto found = skeleton.require(name);
  if (!found) throw nb::key_error(found.error().message().c_str());
  return *found;
}

std::size_t part_of(const Character& character, nb::handle part) {
  std::size_t number = 0;
  if (nb::try_cast(part, number)) {
    if (number >= character.parts.size()) throw nb::index_error("the character has no part of that number");
    return number;
  }
  std::string name;
  if (!part.is_none() && !nb::try_cast(part, name)) throw nb::type_error("part: must be a name or a number");
  const auto found = find_part(character, name);
  if (!found) throw nb::key_error(found.error().message().c_str());
  return *found;
}

void bind_character(nb::module_& m) {
  bind_part(m);
  bind_clip(m);
  nb::class_<RigHandle>(m, "Character", nb::is_weak_referenceable(),
                        "Joints, surfaces bound to them, clips and deformers of a file.")
      .def_static("load", &load_rig, nb::arg("path"), nb::kw_only(), nb::arg("strict") = false,
                  nb::sig("def load(path: str | os.PathLike[str], *, strict: bool = False) -> Character"),
                  "Reads .glb, .gltf, .obj or .bvh. What is repaired is told by warnings, or refused with `strict`.")
      .def_static(
          "from_arrays",
          [](const ArrayLike& positions, const ArrayLike& triangles, const std::vector<std::string>& joints,
             const std::vector<std::int64_t>& parents, const ArrayLike& joint_positions, const ArrayLike& weights,
             const std::string& name) {
            return RigHandle{
                std::make_shared<Rig>(Rig{take(workflow::to_model(character_of(positions, triangles, joints, parents,
                                                                               joint_positions, weights, name))),
                                          {},
                                          {}})};
          },
          nb::arg("positions").none(), nb::arg("triangles").none(), nb::arg("joints"), nb::arg("parents"),
          nb::arg("joint_positions").none(), nb::arg("weights").none(), nb::arg("name") = "character",
          "A character of one part: vertices (V, 3) and triangles (T, 3) at rest, joints by name, each with its "
          "parent's "
          "number (-1: none) and where it is at rest (J, 3), metres; weights (V, J).")
      .def("save", &save_rig, nb::arg("path"), nb::kw_only(), nb::arg("compress") = false,
           nb::sig("def save(self, path: str | os.PathLike[str], *, compress: bool = False) -> None"),
           "Writes .glb, .gltf or .obj, whole or not at all; what Supple does not know of a glTF file stays in it.")
      .def_prop_ro("name", [](const RigHandle& r) { return r.character().name; })
      .def_prop_ro(
          "unit", [](const RigHandle& r) { return r.character().unit; },
          "Metres that one unit of its lengths is, where its file says so.")
      .def_prop_ro(
          "joint_names",
          [](const RigHandle& r) {
            const auto names = r.character().skeleton.names();
            return std::vector<std::string>(names.begin(), names.end());
          },
          "Unique; joints without a name are called by their number, '#5'.")
      .def_prop_ro(
          "parents",
          [](const RigHandle& r) {
            std::vector<std::int32_t> parents;
            for (const JointIndex p : r.character().skeleton.parents())
              parents.push_back(p == no_joint ? -1 : static_cast<std::int32_t>(p));
            const std::size_t count = parents.size();
            return owned(std::move(parents), {count});
          },
          "(J,) int32, -1 for roots; parents come before their children.", nb::rv_policy::automatic)
      .def_prop_ro(
          "joint_nodes",
          [](const RigHandle& r) {
            std::vector<std::uint32_t> nodes = gltf::places_of(r.rig->model.imported).node_of_joint;
            const std::size_t count = nodes.size();
            return owned(std::move(nodes), {count});
          },
          "(J,) uint32: the number of each joint's node in the glTF file.", nb::rv_policy::automatic)
      .def(
          "joint",
          [](const RigHandle& r, const std::string& name) { return joint_of(r.character().skeleton, nb::cast(name)); },
          nb::arg("name"), "The number of a joint.")
      .def(
          "dofs",
          [](const RigHandle& r, const NameOrNumber& joint) {
            std::vector<std::tuple<std::string, std::vector<float>, float, float>> all;
            for (const Dof& dof : r.character().skeleton.dofs(joint_of(r.character().skeleton, joint)))
              all.emplace_back(dof.name, std::vector<float>{dof.axis.x, dof.axis.y, dof.axis.z}, dof.min, dof.max);
            return all;
          },
          nb::arg("joint"), "What a joint may do: (name, axis, least, most), radians.")
      .def(
          "rest",
          [](const RigHandle& r) {
            return PoseHandle{r.rig, r.character().rest()};
          },
          "The rest pose.")
      .def("at", &pose_at, nb::arg("clip"), nb::arg("seconds"), "The pose of a clip (name or number) at a time.")
      .def("add_clip", &add_clip, nb::arg("name"), nb::arg("times").none(), nb::arg("rotations").none(),
           nb::arg("translations").none() = nb::none(),
           "Adds a clip, or replaces the one of that name: times (K,) in seconds, local rotations (K, J, 4), "
           "translations (K, J, 3).")
      .def_prop_ro("clips",
                   [](const RigHandle& r) {
                     std::vector<ClipHandle> all;
                     for (std::size_t i = 0; i < r.character().clips.size(); ++i) all.push_back({r.rig, i});
                     return all;
                   })
      .def_prop_ro("parts",
                   [](const RigHandle& r) {
                     std::vector<PartHandle> all;
                     for (std::size_t i = 0; i < r.character().parts.size(); ++i) all.push_back({r.rig, i});
                     return all;
                   })
      .def(
          "part",
          [](const RigHandle& r, const NameOrNumber& part) {
            return PartHandle{r.rig, part_of(r.character(), part)};
          },
          nb::arg("part").none() = nb::none(), "The part of a name or number; otherwise the first that joints bend.")
      .def_prop_ro(
          "deformers",
          [](const RigHandle& r) {
            std::map<std::string, std::size_t> all;
            for (const DeformerKind* kind : deformers())
              if (const std::size_t count = kind->count(r.character()); count > 0) all[kind->name] = count;
            return all;
          },
          "How many it has of each kind.")
      .def("__repr__", [](const RigHandle& r) {
        const Character& c = r.character();
        return "<supple.Character '" + c.name + "': " + std::to_string(c.skeleton.size()) + " joints, " +
               std::to_string(c.parts.size()) + " parts, " + std::to_string(c.clips.size()) + " clips>";
      });
}

}  // namespace supple::python
