// Takes: a motion played with all that swings, flesh and muscles, any frame of which can be shown.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "settings.h"
#include "skin_handle.h"
#include "supple/author/bake/play_flesh.h"
#include "supple/author/bake/play_muscles.h"

namespace supple::python {
namespace {

Loop loop_of(const std::string& name) {
  if (name == "auto") return Loop::automatic;
  if (name == "on") return Loop::on;
  if (name == "off") return Loop::off;
  throw nb::value_error(("loop: '" + name + "' is not one of auto, on, off").c_str());
}

/// Keys of all joints at every frame, from matrices of frame after frame.
Clip clip_of(const Skeleton& skeleton, std::span<const float> world, std::size_t frames, double rate) {
  const std::size_t joints = skeleton.size();
  Clip clip;
  clip.name = "take";
  const std::array<std::pair<Channel, std::uint32_t>, 3> channels{
      {{Channel::translation, 3}, {Channel::rotation, 4}, {Channel::scale, 3}}};
  for (std::size_t j = 0; j < joints; ++j) {
    for (const auto& [channel, width] : channels) {
      Track track;
      track.channel = channel;
      track.target = static_cast<std::uint32_t>(j);
      track.width = width;
      track.values.reserve(frames * width);
      for (std::size_t f = 0; f < frames; ++f) track.times.push_back(static_cast<float>(static_cast<double>(f) / rate));
      clip.tracks.push_back(std::move(track));
    }
  }
  std::vector<Transformf> local(joints);
  for (std::size_t f = 0; f < frames; ++f) {
    locals_of(skeleton, world.subspan(f * joints * 16, joints * 16), local);
    for (std::size_t j = 0; j < joints; ++j) {
      const Transformf& t = local[j];
      const float* const values[] = {&t.translation.x, &t.rotation.x, &t.scale.x};
      for (std::size_t c = 0; c < channels.size(); ++c) {
        std::vector<float>& into = clip.tracks[3 * j + c].values;
        into.insert(into.end(), values[c], values[c] + channels[c].second);
      }
    }
  }
  return clip;
}

class TakeHandle {
 public:
  TakeHandle(SkinHandle& skin, const ArrayLike& world, double rate, const std::string& loop,
             std::optional<double> preroll, nb::handle settings)
      : skin_(nb::find(skin)), rate_(rate) {
    if (!(rate > 0) || !std::isfinite(rate)) throw nb::value_error("rate: must be above 0");
    const Character& character = skin.character();
    const InArray<float> matrices(world, "world", {any_size, character.skeleton.size(), 4, 4});
    const std::size_t frames = matrices.size(0);
    if (frames == 0) throw nb::value_error("world: there must be one frame at least");
    const Settings tuned(character, settings, frames);
    const Loop round = loop_of(loop);
    clip_ = clip_of(character.skeleton, matrices.scalars(), frames, rate);
    Warnings warnings;
    Result<void> done;
    {
      const nb::gil_scoped_release released;
      done = play(skin, tuned, frames, round, preroll, warnings);
    }
    warn(warnings);
    take(done);
  }

  const SkinHandle& skin() const { return nb::cast<const SkinHandle&>(skin_); }
  nb::handle skin_object() const { return skin_; }
  std::size_t frames() const { return clip_.tracks.front().times.size(); }
  bool loops() const { return flesh_.loops || muscles_.loops; }
  int cycles() const { return std::max(flesh_.cycles, muscles_.cycles); }
  double gap() const { return std::max(flesh_.gap, muscles_.gap); }

  void show(double frame, const PoseHandle* pose, unsigned threads) {
    if (!std::isfinite(frame)) throw nb::value_error("frame: must be a number");
    if (pose != nullptr && pose->rig != skin().rig())
      throw nb::value_error("pose: is of another character than the take");
    const double last = static_cast<double>(frames() - 1);
    const double at = std::clamp(frame, 0.0, last);
    const auto first = static_cast<std::size_t>(at);
    const std::size_t next = std::min(first + 1, frames() - 1);
    const auto t = static_cast<float>(at - static_cast<double>(first));
    std::vector<FleshMotion> motions;
    for (std::size_t e = 0; !flesh_.motions.empty() && e < flesh_.motions[first].size(); ++e)
      motions.push_back(between(flesh_.motions[first][e], flesh_.motions[next][e], t));
    std::vector<Vec3f> vorticity;
    for (std::size_t s = 0; !muscles_.vorticity.empty() && s < muscles_.vorticity[first].size(); ++s)
      vorticity.push_back(muscles_.vorticity[first][s] * (1 - t) + muscles_.vorticity[next][s] * t);
    nb::cast<SkinHandle&>(skin_).show(pose != nullptr ? pose->pose : this->pose(static_cast<float>(at / rate_)),
                                      motions, vorticity, threads);
  }

  /// The pose of a frame with the twins where the flesh has them, as a plain engine skins it.
  Pose with_flesh(std::size_t frame) const {
    Pose result = pose(static_cast<float>(static_cast<double>(frame) / rate_));
    std::size_t place = 0;
    for (const FleshElement& e : skin().character().flesh.elements)
      for (const FleshTwin& twin : e.twins)
        if (!flesh_.twins.empty()) result.local[twin.joint] = flesh_.twins[frame][place++];
    return result;
  }

 private:
  Pose pose(float seconds) const { return skin().character().at(clip_, seconds); }

  Result<void> play(const SkinHandle& skin, const Settings& settings, std::size_t frames, Loop loop,
                    std::optional<double> preroll, Warnings& warnings) {
    const Character& character = skin.character();
    if (!character.flesh.empty() && skin.layers().flesh == LayerSource::live) {
      if (frames == 1) {
        flesh_ = still_take(character, clip_);
      } else {
        FleshPlayOptions options{.rate = rate_, .loop = loop};
        options.preroll = preroll.value_or(options.preroll);
        if (!settings.empty()) options.tune = [&](float s, Flesh& flesh) { settings.tune(double{s} * rate_, flesh); };
        auto played = play_flesh(character, clip_, options, &warnings);
        if (!played) return played.error();
        flesh_ = std::move(*played);
      }
    }
    const KinodynamicLayer* layer = skin.skin().kinodynamics();
    if (layer != nullptr && !layer->muscles().muscles.empty() && frames > 1) {
      VortexPlayOptions options{.rate = rate_, .loop = loop};
      options.preroll = preroll.value_or(options.preroll);
      if (!settings.empty()) options.tune = [&](float s, Kinodynamics& k) { settings.tune(double{s} * rate_, k); };
      auto played = play_muscles(character, layer->muscles(), clip_, options, &warnings);
      if (!played) return played.error();
      muscles_ = std::move(*played);
    }
    return {};
  }

  nb::object skin_;
  double rate_;
  Clip clip_;
  FleshTake flesh_;
  VortexTake muscles_;
};

template <class Member>
OutArray<float> all_of(const TakeHandle& take, Member Transformf::*member) {
  constexpr std::size_t width = sizeof(Member) / sizeof(float);
  const std::size_t joints = take.skin().character().skeleton.size();
  std::vector<float> values;
  values.reserve(take.frames() * joints * width);
  for (std::size_t f = 0; f < take.frames(); ++f) {
    const Pose pose = take.with_flesh(f);
    for (const Transformf& local : pose.local) {
      const float* first = reinterpret_cast<const float*>(&(local.*member));
      values.insert(values.end(), first, first + width);
    }
  }
  return owned(std::move(values), {take.frames(), joints, width});
}

}  // namespace

void bind_take(nb::module_& m) {
  nb::class_<TakeHandle>(m, "Take",
                         "A motion played with all that swings: flesh and muscles of every frame, worked out once.")
      .def(nb::init<SkinHandle&, const ArrayLike&, double, const std::string&, std::optional<double>, nb::handle>(),
           nb::arg("skin"), nb::arg("world").none(), nb::arg("rate"), nb::kw_only(), nb::arg("loop") = "auto",
           nb::arg("preroll").none() = nb::none(), nb::arg("settings").none() = nb::none(),
           nb::sig("def __init__(self, skin: Skin, world: numpy.typing.ArrayLike, rate: float, *, "
                   "loop: typing.Literal['auto', 'on', 'off'] = 'auto', preroll: float | None = None, "
                   "settings: dict[str, dict[str, typing.Any]] | None = None) -> None"),
           "`world` (N, J, 4, 4): where joints are at N frames, `rate` a second. `loop`: whether the last frame is "
           "the first again; cycles are played until they close. `preroll`: seconds that the first pose is held "
           "before. `settings`: of flesh elements and muscles by name, what is otherwise than in the character, for "
           "all frames or (N,) for each: frequency, damping_ratio, gravity (3 numbers) and, of elements, gain, "
           "air_friction, max_elongation; of muscles density, medium_density, stretch, life, limit.")
      .def(
          "show",
          [](nb::handle_t<TakeHandle> self, double frame, const PoseHandle* pose, const NameOrNumber& part,
             unsigned threads) {
            TakeHandle& take = nb::cast<TakeHandle&>(self);
            take.show(frame, pose, threads);
            return positions_of(take.skin_object(), part);
          },
          nb::arg("frame"), nb::arg("pose").none() = nb::none(), nb::arg("part").none() = nb::none(),
          nb::arg("threads") = 0,
          "(V, 3) float32: the surface at a frame, from 0 on; between two frames likewise. With a `pose` it is that, "
          "and what swings does what it does at the frame. A view, as of Skin.evaluate().")
      .def_prop_ro("loops", &TakeHandle::loops)
      .def_prop_ro("cycles", &TakeHandle::cycles, "How often it was played until the cycle closed.")
      .def_prop_ro("gap", &TakeHandle::gap, "How far the last cycle was from closing, of what flesh may do.")
      .def_prop_ro(
          "rotations", [](const TakeHandle& t) { return all_of(t, &Transformf::rotation); },
          "(N, J, 4) float32, local: with the twins where the flesh has them.", nb::rv_policy::automatic)
      .def_prop_ro(
          "translations", [](const TakeHandle& t) { return all_of(t, &Transformf::translation); },
          "(N, J, 3) float32, likewise.", nb::rv_policy::automatic)
      .def("__len__", &TakeHandle::frames);
}

}  // namespace supple::python
