#include "supple/rig/append_morphs.h"

#include <algorithm>
#include <numeric>

#include "supple/rig/deformers.h"

namespace supple {
namespace {

/// Values of each key are `width` wide (thrice that for splines); `change` turns one run of them into another.
void change_values(Track& track, std::uint32_t new_width, auto&& change) {
  const std::size_t runs = track.times.size() * (track.interpolation == Interpolation::cubic_spline ? 3 : 1);
  std::vector<float> values;
  values.reserve(runs * new_width);
  for (std::size_t r = 0; r < runs; ++r) {
    // Tangents (first and third of a spline's three) of what does not move are 0.
    const bool tangent = track.interpolation == Interpolation::cubic_spline && r % 3 != 1;
    change(std::span(track.values).subspan(r * track.width, track.width), tangent, values);
  }
  track.values = std::move(values);
  track.width = new_width;
}

void for_each_morph_track(Character& character, auto&& visit) {
  for (Clip& clip : character.clips)
    for (Track& track : clip.tracks)
      if (track.channel == Channel::morph_weights) visit(track);
}

void add_offsets(const MorphTarget& morph, std::span<const Vec3f> offsets, float weight, std::vector<Vec3f>& to) {
  if (to.empty()) return;
  for (std::size_t i = 0; i < offsets.size(); ++i)
    to[morph.vertices.empty() ? i : morph.vertices[i]] += offsets[i] * weight;
}

}  // namespace

std::uint32_t append_morphs(Character& character, std::span<const std::size_t> parts, std::vector<MorphTarget> targets,
                            std::span<const float> rest_weights) {
  Part& part = character.parts[parts[0]];
  const auto added = static_cast<std::uint32_t>(targets.size());
  const std::uint32_t block =
      part.morphs.empty() ? static_cast<std::uint32_t>(character.morph_weights.size()) : part.first_morph_weight;
  const auto had = static_cast<std::uint32_t>(part.morphs.size());
  const std::uint32_t at = block + had;
  const auto moved_up = [&](std::uint32_t& place) {
    if (place >= at) place += added;
  };
  for (Part& other : character.parts)
    if (!other.morphs.empty()) moved_up(other.first_morph_weight);
  std::vector<std::uint32_t> place(character.morph_weights.size() + 1);
  std::iota(place.begin(), place.end(), 0u);
  std::for_each(place.begin(), place.end(), moved_up);
  renumber_weights(character, place);
  for_each_morph_track(character, [&](Track& track) {
    if (had == 0 || track.target != block) return moved_up(track.target);
    change_values(track, track.width + added, [&](std::span<const float> run, bool tangent, std::vector<float>& to) {
      to.insert(to.end(), run.begin(), run.end());
      for (const float w : rest_weights) to.push_back(tangent ? 0 : w);
    });
  });
  character.morph_weights.insert(character.morph_weights.begin() + at, rest_weights.begin(), rest_weights.end());
  for (const std::size_t p : parts) {
    Part& surface = character.parts[p];
    surface.first_morph_weight = block;
    for (const MorphTarget& target : targets) {
      surface.morphs.push_back(p == parts[0] ? target : MorphTarget{target.name, {}, {}, {}, {}});
    }
  }
  return at;
}

namespace {

/// Morph weights that go, and what the deformers that move them make of them at rest.
struct GoingWeights {
  std::vector<bool> goes;   // #weights
  std::vector<float> rest;  // #weights

  explicit GoingWeights(const Character& c) : goes(c.morph_weights.size()), rest(c.morph_weights.size(), 0.0f) {}
  void add(const MovedWeights& m) {
    for (std::uint32_t t = 0; t < m.count; ++t) {
      goes[m.first + t] = true;
      if (!m.at_rest.empty()) rest[m.first + t] = m.at_rest[t];
    }
  }
};

/// Takes the targets of these weights out of parts, clips and rest weights; returns where the others are now. Deformers
/// still count as before.
std::vector<std::uint32_t> take_out(Character& character, const GoingWeights& going) {
  const auto& driven = going.goes;
  const auto& rest = going.rest;
  std::vector<std::uint32_t> place(driven.size() + 1, 0);  // where a weight goes
  for (std::size_t w = 0; w < driven.size(); ++w) place[w + 1] = place[w] + (driven[w] ? 0 : 1);
  for (Part& part : character.parts) {
    std::vector<MorphTarget> kept;
    for (std::size_t m = 0; m < part.morphs.size(); ++m) {
      const std::size_t w = part.first_morph_weight + m;
      if (!driven[w]) {
        kept.push_back(std::move(part.morphs[m]));
        continue;
      }
      add_offsets(part.morphs[m], part.morphs[m].positions, rest[w], part.mesh.positions);
      add_offsets(part.morphs[m], part.morphs[m].normals, rest[w], part.mesh.normals);
    }
    if (kept.size() != part.morphs.size() && !part.mesh.normals.empty()) {
      // Fitting scaled normals and their offsets alike, vertex by vertex: both go back.
      std::vector<float> scale;
      for (Vec3f& n : part.mesh.normals) {
        scale.push_back(1 / std::max(length(n), 1e-3f));
        n = n * scale.back();
      }
      for (MorphTarget& morph : kept)
        for (std::size_t i = 0; i < morph.normals.size(); ++i)
          morph.normals[i] = morph.normals[i] * scale[morph.vertices.empty() ? i : morph.vertices[i]];
    }
    if (!part.morphs.empty()) part.first_morph_weight = place[part.first_morph_weight];
    part.morphs = std::move(kept);
  }
  for_each_morph_track(character, [&](Track& track) {
    const std::uint32_t first = track.target, width = track.width;
    change_values(track, place[first + width] - place[first],
                  [&](std::span<const float> run, bool, std::vector<float>& to) {
                    for (std::uint32_t i = 0; i < width; ++i)
                      if (!driven[first + i]) to.push_back(run[i]);
                  });
    track.target = place[first];
  });
  for (Clip& clip : character.clips)
    std::erase_if(clip.tracks, [](const Track& t) { return t.channel == Channel::morph_weights && t.width == 0; });
  std::vector<float> weights;
  for (std::size_t w = 0; w < driven.size(); ++w)
    if (!driven[w]) weights.push_back(character.morph_weights[w]);
  character.morph_weights = std::move(weights);
  return place;
}

}  // namespace

void remove_with_morphs(Character& character, std::span<const DeformerKind* const> kinds) {
  GoingWeights going(character);
  for (const DeformerKind* kind : kinds) {
    if (kind->moved == nullptr) continue;
    for (const MovedWeights& m : kind->moved(character)) going.add(m);
  }
  const std::vector<std::uint32_t> place = take_out(character, going);
  for (const DeformerKind* kind : kinds) kind->clear(character);
  renumber_weights(character, place);
}

void remove_driven_morphs(Character& character) {
  std::vector<const DeformerKind*> learnt;
  for (const DeformerKind* kind : deformers())
    if (kind->learnt && kind->moved != nullptr) learnt.push_back(kind);
  remove_with_morphs(character, learnt);
}

void remove_driven_morphs(Character& character, std::size_t part) {
  const Part& owner = character.parts[part];
  const std::size_t first = owner.first_morph_weight, end = first + owner.morphs.size();
  const auto is_own = [&](std::size_t weight) { return weight >= first && weight < end; };
  GoingWeights going(character);
  for (const DeformerKind* kind : {&driver_kind, &pose_space_kind})
    for (const MovedWeights& m : kind->moved(character))
      if (is_own(m.first)) going.add(m);
  const bool space = character.pose_space && character.pose_space->part == part;
  const std::vector<std::uint32_t> place = take_out(character, going);
  std::erase_if(character.drivers, [&](const MorphDriver& d) { return is_own(d.first_weight); });
  if (space) character.pose_space.reset();
  renumber_weights(character, place);
}

}  // namespace supple
