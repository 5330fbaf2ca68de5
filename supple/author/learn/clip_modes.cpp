#include "supple/author/learn/clip_modes.h"

#include <algorithm>
#include <cmath>

#include "supple/author/learn/displacements.h"
#include "supple/author/learn/modes.h"
#include "supple/deform/part_binding.h"
#include "supple/deform/skin.h"
#include "supple/rig/append_morphs.h"

namespace supple::learn {
namespace {

/// Of the part's size: what rounding alone displaces.
constexpr double least_displacement = 2e-6;

/// Displacements are counted from the mesh as it is without its targets.
Result<void> check_morphs(const Character& c, const Part& part, const Clip& clip, const SurfaceFrames& frames) {
  for (const double t : frames.times) {
    const Pose pose = c.at(clip, static_cast<float>(t));
    for (std::size_t m = 0; m < part.morphs.size(); ++m)
      if (pose.morph_weights[part.first_morph_weight + m] != 0)
        return Error{"part '" + part.name + "'", "has morph targets that move in clip '" + clip.name + "'",
                     "bake from the character without them, or into a vertex cache"};
  }
  return {};
}

/// Frames as examples: what the trainers read.
ExampleSet examples_of(const Character& c, std::size_t part, const Clip& clip, const SurfaceFrames& frames) {
  ExampleSet set;
  set.part = c.parts[part].name;
  set.skeleton = c.skeleton;
  set.rest_positions = std::vector<Vec3f>(c.parts[part].mesh.positions);
  set.rest_normals = rest_normals(c.parts[part]);
  set.triangles = std::vector<Triangle>(c.parts[part].mesh.triangles);
  std::vector<Quatf> rotations;
  std::vector<Vec3f> translations, scales, positions, normals;
  for (std::size_t f = 0; f < frames.times.size(); ++f) {
    set.examples.push_back({std::to_string(f)});
    for (const Transformf& t : c.at(clip, static_cast<float>(frames.times[f])).local) {
      rotations.push_back(t.rotation);
      translations.push_back(t.translation);
      scales.push_back(t.scale);
    }
    positions.insert(positions.end(), frames.positions[f].begin(), frames.positions[f].end());
    normals.insert(normals.end(), frames.normals[f].begin(), frames.normals[f].end());
  }
  set.rotations = std::move(rotations);
  set.translations = std::move(translations);
  set.scales = std::move(scales);
  set.positions = std::move(positions);
  set.normals = std::move(normals);
  return set;
}

/// Targets scaled so that their weights lie within -1 to 1, and the weights of every frame.
struct Targets {
  std::vector<MorphTarget> targets;
  std::vector<std::vector<float>> weights;  // #frames by #targets
};

Targets targets_of(const RestDisplacements& rest, const std::string& clip, std::size_t most) {
  std::vector<std::span<const Vec3f>> positions, normals;
  for (std::size_t f = 0; f < rest.examples; ++f) {
    positions.push_back(rest.positions_of(f));
    normals.push_back(rest.normals_of(f));
  }
  const std::vector<float> even(rest.examples, 1);
  const PrincipalModes modes = principal_modes(positions, even, most);
  const std::vector<std::vector<Vec3f>> companions = companion_modes(modes, normals, even);
  Targets result{{}, std::vector<std::vector<float>>(rest.examples)};
  for (std::size_t m = 0; m < modes.modes.size(); ++m) {
    double largest = 0;
    for (std::size_t f = 0; f < rest.examples; ++f) largest = std::max(largest, std::abs(modes.coordinates(f, m)));
    MorphTarget target;
    target.name = clip + " " + std::to_string(m + 1);
    const auto scale = static_cast<float>(largest);
    for (const Vec3f& p : modes.modes[m]) target.positions.push_back(p * scale);
    for (const Vec3f& n : companions[m]) target.normals.push_back(n * scale);
    result.targets.push_back(std::move(target));
    for (std::size_t f = 0; f < rest.examples; ++f)
      result.weights[f].push_back(static_cast<float>(modes.coordinates(f, m) / largest));
  }
  return result;
}

/// One track for all weights of the mesh: what others do in the clip stays.
void put_track(const Character& c, const Part& part, const SurfaceFrames& frames, std::uint32_t first_new,
               const Targets& targets, Clip& clip) {
  const std::uint32_t first = part.first_morph_weight;
  Track track;
  track.channel = Channel::morph_weights;
  track.target = first;
  track.width = static_cast<std::uint32_t>(part.morphs.size());
  for (std::size_t f = 0; f < frames.times.size(); ++f) {
    const Pose pose = c.at(clip, static_cast<float>(frames.times[f]));
    track.times.push_back(static_cast<float>(frames.times[f]));
    track.values.insert(track.values.end(), pose.morph_weights.begin() + first,
                        pose.morph_weights.begin() + first + track.width);
    std::copy(targets.weights[f].begin(), targets.weights[f].end(),
              track.values.end() - track.width + (first_new - first));
  }
  std::erase_if(clip.tracks, [&](const Track& t) { return t.channel == Channel::morph_weights && t.target == first; });
  clip.tracks.push_back(std::move(track));
}

/// Root of mean square distance of what the clip now plays from the frames; and where it is largest.
Result<void> measure(const Character& c, std::size_t part, const Clip& clip, const SurfaceFrames& frames, bool with,
                     ClipModes& fit) {
  auto skin = Skin::make(c, Blend::linear, Layers::as_given());
  if (!skin) return skin.error();
  double sum = 0, worst = 0;
  for (std::size_t f = 0; f < frames.times.size(); ++f) {
    Pose pose = c.at(clip, static_cast<float>(frames.times[f]));
    if (!with) pose.morph_weights = c.morph_weights;
    if (auto ok = skin->evaluate(pose); !ok) return ok;
    for (std::size_t v = 0; v < frames.positions[f].size(); ++v) {
      const double off = length(Vec3d(skin->positions(part)[v]) - Vec3d(frames.positions[f][v]));
      sum += off * off;
      if (!with || off <= worst) continue;
      worst = off;
      fit.worst_frame = f;
      fit.worst_vertex = v;
    }
  }
  const double count = static_cast<double>(frames.times.size() * frames.positions[0].size());
  (with ? fit.error : fit.blend_error) = std::sqrt(sum / count);
  if (with) fit.worst = worst;
  return {};
}

}  // namespace

Result<ClipModes> put_clip_modes(Character& character, std::span<const std::size_t> parts, std::size_t clip,
                                 const SurfaceFrames& frames, std::size_t most) {
  if (auto still = check_morphs(character, character.parts[parts[0]], character.clips[clip], frames); !still)
    return still.error();
  const ExampleSet set = examples_of(character, parts[0], character.clips[clip], frames);
  std::vector<std::size_t> all(set.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto rest = rest_displacements(set, character, parts[0], all);
  if (!rest) return rest.error();
  ClipModes fit;
  fit.singular = rest->singular.size();
  const double size = double{bounds(character.parts[parts[0]].mesh.positions).diagonal()};
  const bool moves = std::any_of(rest->positions.begin(), rest->positions.end(),
                                 [&](Vec3f u) { return double{length(u)} > least_displacement * size; });
  if (moves) {
    const Targets targets = targets_of(*rest, character.clips[clip].name, most);
    fit.modes = targets.targets.size();
    const std::vector<float> still(fit.modes, 0);
    const std::uint32_t first_new = append_morphs(character, parts, targets.targets, still);
    put_track(character, character.parts[parts[0]], frames, first_new, targets, character.clips[clip]);
  }
  for (const bool with : {false, true}) {
    if (auto ok = measure(character, parts[0], character.clips[clip], frames, with, fit); !ok) return ok.error();
  }
  return fit;
}

}  // namespace supple::learn
