// Skins: a character's surface in a pose, one by one or many at once.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "layers.h"
#include "skin_handle.h"

namespace supple::python {
namespace {

Blend blend_of(const std::string& name) {
  if (name == "linear") return Blend::linear;
  if (name == "dual") return Blend::dual_quaternion;
  if (name == "kinodynamic") return Blend::kinodynamic;
  throw nb::value_error(("blend: '" + name + "' is not one of linear, dual, kinodynamic").c_str());
}

OutArray<float> surface(nb::handle self, std::span<const Vec3f> values) {
  // What Python writes there is gone with the next pose; a copy for each frame would not be.
  return OutArray<float>(const_cast<float*>(reinterpret_cast<const float*>(values.data())), {values.size(), 3}, self);
}

/// Vectors that are not written twice: large ones need not be cleared first.
class Buffer {
 public:
  explicit Buffer(std::size_t size) : values_(new float[size * 3]), size_(size) {}
  std::span<Vec3f> values() { return {reinterpret_cast<Vec3f*>(values_.get()), size_}; }
  OutArray<float> release(std::size_t count, std::size_t vertices) {
    float* const first = values_.release();
    const nb::capsule owner(first, [](void* held) noexcept { delete[] static_cast<float*>(held); });
    return OutArray<float>(first, {count, vertices, 3}, owner);
  }

 private:
  std::unique_ptr<float[]> values_;
  std::size_t size_;
};

Skin make_skin(const Character& character, Blend blend, const Layers& layers) {
  Warnings warnings;
  auto skin = Skin::make(character, blend, layers, &warnings);
  warn(warnings);
  return take(std::move(skin));
}

void check_lengths(std::span<const Quatf> rotations) {
  for (std::size_t i = 0; i < rotations.size(); ++i)
    if (std::abs(dot(rotations[i], rotations[i]) - 1) > 1e-3f)
      throw nb::value_error(("rotations: number " + std::to_string(i) + " is no unit quaternion").c_str());
}

}  // namespace

SkinHandle::SkinHandle(const RigHandle& of, const std::string& blend, const std::vector<std::string>& off,
                       const std::vector<std::string>& given)
    : rig_(of.rig),
      character_(std::make_unique<Character>(of.character())),
      blend_(blend_of(blend)),
      layers_(layers_of(off, given)),
      skin_(make_skin(*character_, blend_, layers_)) {}

void SkinHandle::check(const PoseHandle& pose) const {
  if (pose.rig != rig_) throw nb::value_error("pose: is of another character than the skin");
}

void SkinHandle::evaluate(const PoseHandle& pose, unsigned threads) {
  check(pose);
  work([&] { return skin_.evaluate(pose.pose, threads); });
}

void SkinHandle::animate(const PoseHandle& pose, double seconds, unsigned threads) {
  check(pose);
  if (!(seconds >= 0) || !std::isfinite(seconds)) throw nb::value_error("seconds: must be 0 or more");
  work([&] { return skin_.animate(pose.pose, seconds, threads); });
}

void SkinHandle::show(const Pose& pose, std::span<const FleshMotion> flesh, std::span<const Vec3f> vorticity,
                      unsigned threads) {
  work([&]() -> Result<void> {
    if (auto ok = skin_.set_flesh(flesh); !ok) return ok;
    if (auto ok = skin_.set_muscles(vorticity); !ok) return ok;
    const Result<void> done = skin_.evaluate(pose, threads);
    if (auto ok = skin_.set_flesh({}); !ok) return ok;  // what comes next goes by its own pose
    if (auto ok = skin_.set_muscles({}); !ok) return ok;
    return done;
  });
}

nb::object SkinHandle::evaluate_batch(const ArrayLike& rotations, const ArrayLike& translations,
                                      const ArrayLike& scales, const ArrayLike& morph_weights, const NameOrNumber& part,
                                      bool with_normals, unsigned threads) {
  const std::size_t joints = character_->skeleton.size(), weights = character_->morph_weights.size();
  const InArray<float> r(rotations, "rotations", {any_size, joints, 4});
  PoseArrays poses{r.size(0), r.as<Quatf>(), {}, {}, {}};
  check_lengths(poses.rotations);
  std::optional<InArray<float>> t, s, w;
  if (!translations.is_none())
    poses.translations =
        t.emplace(translations, "translations", std::initializer_list<std::size_t>{poses.count, joints, 3}).as<Vec3f>();
  if (!scales.is_none())
    poses.scales = s.emplace(scales, "scales", std::initializer_list<std::size_t>{poses.count, joints, 3}).as<Vec3f>();
  if (!morph_weights.is_none())
    poses.morph_weights =
        w.emplace(morph_weights, "morph_weights", std::initializer_list<std::size_t>{poses.count, weights}).scalars();
  const std::size_t number = part_of(*character_, part);
  const std::size_t vertices = character_->parts[number].mesh.positions.size();
  Buffer positions(poses.count * vertices), normals(with_normals ? poses.count * vertices : 0);
  work([&]() -> Result<void> {
    if (!batch_ || batch_threads_ != threads) {
      auto made = SkinBatch::make(*character_, blend_, layers_, threads);
      if (!made) return made.error();
      batch_.emplace(std::move(*made));
      batch_threads_ = threads;
    }
    return batch_->evaluate(poses, number, positions.values(), normals.values());
  });
  if (!with_normals) return nb::cast(positions.release(poses.count, vertices));
  return nb::make_tuple(positions.release(poses.count, vertices), normals.release(poses.count, vertices));
}

OutArray<float> positions_of(nb::handle self, const NameOrNumber& part) {
  const SkinHandle& skin = nb::cast<const SkinHandle&>(self);
  return surface(self, skin.skin().positions(part_of(skin.character(), part)));
}

namespace {

/// The same function twice, for type checkers: what it returns depends on an argument.
#define SUPPLE_BATCH_ARGUMENTS                                                                         \
  "def evaluate_batch(self, rotations: numpy.typing.ArrayLike, "                                       \
  "translations: numpy.typing.ArrayLike | None = None, scales: numpy.typing.ArrayLike | None = None, " \
  "morph_weights: numpy.typing.ArrayLike | None = None, *, part: str | int | None = None, "
constexpr const char* batch_of_positions = SUPPLE_BATCH_ARGUMENTS
    "normals: typing.Literal[False] = False, threads: int = 0) -> numpy.typing.NDArray[numpy.float32]";
constexpr const char* batch_with_normals = SUPPLE_BATCH_ARGUMENTS
    "normals: typing.Literal[True], threads: int = 0) -> "
    "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]";

}  // namespace

void bind_skin(nb::module_& m) {
  const auto part_argument = nb::arg("part").none() = nb::none();
  nb::class_<SkinHandle>(m, "Skin",
                         "A character's surface as it moves, with every layer of its file: drivers, pose space, "
                         "wrinkles, kinodynamics, delta "
                         "mush, flesh. It works on a copy of the character.")
      .def(nb::init<const RigHandle&, const std::string&, const std::vector<std::string>&,
                    const std::vector<std::string>&>(),
           nb::arg("character"), nb::arg("blend") = "linear", nb::kw_only(),
           nb::arg("off") = std::vector<std::string>(), nb::arg("given") = std::vector<std::string>(),
           "`blend`: linear, dual (quaternions) or kinodynamic. `off`: layers that stand at rest. `given`: layers that "
           "are as morph weights and joints of the pose have them, as in a clip into which they were baked.")
      .def(
          "evaluate",
          [](nb::handle_t<SkinHandle> self, const PoseHandle& pose, const NameOrNumber& part, unsigned threads) {
            nb::cast<SkinHandle&>(self).evaluate(pose, threads);
            return positions_of(self, part);
          },
          nb::arg("pose"), part_argument, nb::arg("threads") = 0,
          "(V, 3) float32, world space, metres: the surface in a pose, of a part (name or number; otherwise the first "
          "that joints bend). "
          "A view that the next call writes to: copy() it to keep it.")
      .def(
          "animate",
          [](nb::handle_t<SkinHandle> self, const PoseHandle& pose, double seconds, const NameOrNumber& part,
             unsigned threads) {
            nb::cast<SkinHandle&>(self).animate(pose, seconds, threads);
            return positions_of(self, part);
          },
          nb::arg("pose"), nb::arg("seconds"), part_argument, nb::arg("threads") = 0,
          "The same `seconds` later than the last call: flesh and muscles trail behind the bones.")
      .def("evaluate_batch", &SkinHandle::evaluate_batch, nb::arg("rotations").none(),
           nb::arg("translations").none() = nb::none(), nb::arg("scales").none() = nb::none(),
           nb::arg("morph_weights").none() = nb::none(), nb::kw_only(), part_argument, nb::arg("normals") = false,
           nb::arg("threads") = 0, nb::sig(batch_of_positions),
           "(B, J, 4) local rotations -> (B, V, 3) float32, on all cores. Translations and scales (B, J, 3) and morph "
           "weights (B, W) are those of the rest pose where they are left out. With `normals` a pair of positions and "
           "normals.")
      .def("evaluate_batch", &SkinHandle::evaluate_batch, nb::arg("rotations").none(),
           nb::arg("translations").none() = nb::none(), nb::arg("scales").none() = nb::none(),
           nb::arg("morph_weights").none() = nb::none(), nb::kw_only(), part_argument, nb::arg("normals") = false,
           nb::arg("threads") = 0, nb::sig(batch_with_normals))
      .def("positions", &positions_of, part_argument, "(V, 3) float32: the surface as the last call left it, a view.")
      .def(
          "normals",
          [](nb::handle_t<SkinHandle> self, const NameOrNumber& part) {
            const SkinHandle& skin = nb::cast<const SkinHandle&>(self);
            return surface(self, skin.skin().normals(part_of(skin.character(), part)));
          },
          part_argument, "(V, 3) float32, unit vectors, likewise.")
      .def_prop_ro(
          "morph_weights",
          [](nb::handle_t<SkinHandle> self) {
            return view(nb::cast<const SkinHandle&>(self).skin().morph_weights(), self);
          },
          "(W,) float32, driven ones included, as the last call left them: a view.", nb::rv_policy::automatic)
      .def("__repr__", [](const SkinHandle& s) { return "<supple.Skin of '" + s.character().name + "'>"; });
}

}  // namespace supple::python
