#include "supple/author/learn/clip_modes.h"

#include <algorithm>
#include <cmath>

#include "supple/author/learn/displacements.h"
#include "supple/author/learn/modes.h"
#include "supple/deform/part_binding.h"
#include "supple/deform/skin.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/joined_parts.h"

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

/// Frames of one part as examples: what the trainers read.
ExampleSet examples_of(const Character& c, const JoinedParts& joined, std::size_t place, const Clip& clip,
                       const SurfaceFrames& frames) {
  const Part& part = c.parts[joined.parts()[place]];
  ExampleSet set;
  set.part = part.name;
  set.skeleton = c.skeleton;
  set.rest_positions = std::vector<Vec3f>(part.mesh.positions);
  set.rest_normals = rest_normals(part);
  set.triangles = std::vector<Triangle>(part.mesh.triangles);
  std::vector<Quatf> rotations;
  std::vector<Vec3f> translations, scales, positions, normals;
  const auto own = [&](const std::vector<Vec3f>& all) {
    return std::span(all).subspan(joined.first_vertex(place), joined.vertices_of(place));
  };
  for (std::size_t f = 0; f < frames.times.size(); ++f) {
    set.examples.push_back({std::to_string(f)});
    for (const Transformf& t : c.at(clip, static_cast<float>(frames.times[f])).local) {
      rotations.push_back(t.rotation);
      translations.push_back(t.translation);
      scales.push_back(t.scale);
    }
    positions.insert(positions.end(), own(frames.positions[f]).begin(), own(frames.positions[f]).end());
    normals.insert(normals.end(), own(frames.normals[f]).begin(), own(frames.normals[f]).end());
  }
  set.rotations = std::move(rotations);
  set.translations = std::move(translations);
  set.scales = std::move(scales);
  set.positions = std::move(positions);
  set.normals = std::move(normals);
  return set;
}

/// Displacements of all parts, one after another.
Result<RestDisplacements> displacements_of(const Character& c, const JoinedParts& joined, const Clip& clip,
                                           const SurfaceFrames& frames) {
  RestDisplacements all;
  all.examples = frames.times.size();
  all.vertices = joined.vertices();
  all.positions.resize(all.examples * all.vertices);
  all.normals.resize(all.positions.size());
  std::vector<std::size_t> chosen(all.examples);
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
  for (std::size_t k = 0; k < joined.parts().size(); ++k) {
    const ExampleSet set = examples_of(c, joined, k, clip, frames);
    const auto one = rest_displacements(set, c, joined.parts()[k], chosen);
    if (!one) return one.error();
    for (std::size_t f = 0; f < all.examples; ++f) {
      const auto to = static_cast<std::ptrdiff_t>(f * all.vertices + joined.first_vertex(k));
      std::ranges::copy(one->positions_of(f), all.positions.begin() + to);
      std::ranges::copy(one->normals_of(f), all.normals.begin() + to);
    }
    for (const RestDisplacements::Singular& s : one->singular)
      all.singular.push_back({s.example, joined.first_vertex(k) + s.vertex});
  }
  return all;
}

/// Targets scaled so that their weights lie within -1 to 1, and the weights of every frame.
struct Targets {
  std::vector<MorphTarget> targets;         // of all parts, one after another
  std::vector<std::vector<float>> weights;  // #frames by #targets
};

std::vector<MorphTarget> targets_of_part(const Targets& all, const JoinedParts& joined, std::size_t place) {
  const auto first = static_cast<std::ptrdiff_t>(joined.first_vertex(place)),
             last = first + static_cast<std::ptrdiff_t>(joined.vertices_of(place));
  std::vector<MorphTarget> result;
  for (const MorphTarget& t : all.targets) {
    result.push_back({t.name, {}, {t.positions.begin() + first, t.positions.begin() + last}, {}, {}});
    if (!t.normals.empty()) result.back().normals.assign(t.normals.begin() + first, t.normals.begin() + last);
  }
  return result;
}

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

/// Gives the parts of one mesh their share of the targets, and the clip the track of their weights.
void put_targets(Character& c, const std::vector<std::size_t>& mesh, const JoinedParts& joined,
                 const SurfaceFrames& frames, const Targets& targets, Clip& clip) {
  // The first one that has frames gets its targets at once; others get as many that move nothing, and then their own.
  std::vector<std::size_t> parts = mesh;
  const auto place_of = [&](std::size_t part) {
    return static_cast<std::size_t>(std::find(joined.parts().begin(), joined.parts().end(), part) -
                                    joined.parts().begin());
  };
  const auto recorded = [&](std::size_t part) { return place_of(part) < joined.parts().size(); };
  std::stable_partition(parts.begin(), parts.end(), recorded);
  const std::size_t had = c.parts[parts[0]].morphs.size();
  const std::vector<float> still(targets.targets.size(), 0);
  const std::uint32_t first_new = append_morphs(c, parts, targets_of_part(targets, joined, place_of(parts[0])), still);
  for (const std::size_t p : std::span(parts).subspan(1))
    if (recorded(p))
      std::ranges::move(targets_of_part(targets, joined, place_of(p)),
                        c.parts[p].morphs.begin() + static_cast<std::ptrdiff_t>(had));
  put_track(c, c.parts[parts[0]], frames, first_new, targets, clip);
}

/// Root of mean square distance of what the clip now plays from the frames; and where it is largest.
Result<void> measure(const Character& c, const JoinedParts& joined, const Clip& clip, const SurfaceFrames& frames,
                     bool with, ClipModes& fit) {
  auto skin = Skin::make(c, Blend::linear, Layers::as_given());
  if (!skin) return skin.error();
  double sum = 0, worst = 0;
  for (std::size_t f = 0; f < frames.times.size(); ++f) {
    Pose pose = c.at(clip, static_cast<float>(frames.times[f]));
    if (!with) pose.morph_weights = c.morph_weights;
    if (auto ok = skin->evaluate(pose); !ok) return ok;
    const std::vector<Vec3f> shown = joined.join([&](std::size_t p) { return skin->positions(p); });
    for (std::uint32_t v = 0; v < shown.size(); ++v) {
      const double off = length(Vec3d(shown[v]) - Vec3d(frames.positions[f][v]));
      sum += off * off;
      if (!with || off <= worst) continue;
      worst = off;
      fit.worst_frame = f;
      fit.worst_part = joined.vertex(v).part;
      fit.worst_vertex = joined.vertex(v).number;
    }
  }
  const double count = static_cast<double>(frames.times.size() * frames.positions[0].size());
  (with ? fit.error : fit.blend_error) = std::sqrt(sum / count);
  if (with) fit.worst = worst;
  return {};
}

}  // namespace

Result<ClipModes> put_clip_modes(Character& character, std::span<const std::vector<std::size_t>> meshes,
                                 std::size_t clip, const SurfaceFrames& frames, std::size_t most) {
  const JoinedParts joined(character, frames.parts);
  for (const std::size_t p : joined.parts())
    if (auto still = check_morphs(character, character.parts[p], character.clips[clip], frames); !still)
      return still.error();
  const auto rest = displacements_of(character, joined, character.clips[clip], frames);
  if (!rest) return rest.error();
  ClipModes fit;
  fit.singular = rest->singular.size();
  const auto rest_shape = joined.join([&](std::size_t p) { return std::span(character.parts[p].mesh.positions); });
  const double size = double{bounds(rest_shape).diagonal()};
  const bool moves = std::any_of(rest->positions.begin(), rest->positions.end(),
                                 [&](Vec3f u) { return double{length(u)} > least_displacement * size; });
  if (moves) {
    const Targets targets = targets_of(*rest, character.clips[clip].name, most);
    fit.modes = targets.targets.size();
    for (const std::vector<std::size_t>& mesh : meshes)
      put_targets(character, mesh, joined, frames, targets, character.clips[clip]);
  }
  for (const bool with : {false, true}) {
    if (auto ok = measure(character, joined, character.clips[clip], frames, with, fit); !ok) return ok.error();
  }
  return fit;
}

}  // namespace supple::learn
