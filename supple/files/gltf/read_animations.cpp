// Animations become clips.
#include <cmath>
#include <unordered_map>

#include "supple/files/gltf/reader.h"

namespace supple::gltf {
namespace {

Interpolation interpolation_of(const std::string& name) {
  if (name == "STEP") return Interpolation::step;
  return name == "CUBICSPLINE" ? Interpolation::cubic_spline : Interpolation::linear;
}

using MorphsOfNodes = std::unordered_map<std::size_t, const MorphBlock*>;

/// What a channel moves; none where this reader cannot follow it.
std::optional<Track> target_of(const Reader& reader, const MorphsOfNodes& morphs, const Item& channel) {
  const Item target = channel.required_object("target");
  const auto node = target.index("node", count(reader.document.root, "nodes"));
  if (!node) {
    reader.warn(channel.path() + ": targets no node; left out");
    return std::nullopt;
  }
  Track track;
  track.target = reader.result.nodes.to_joint[*node];
  const std::string path = target.required_text("path");
  if (path == "rotation") {
    track.channel = Channel::rotation;
    track.width = 4;
  } else if (path == "translation" || path == "scale") {
    track.channel = path == "scale" ? Channel::scale : Channel::translation;
    track.width = 3;
  } else if (path == "weights") {
    track.channel = Channel::morph_weights;
    const auto found = morphs.find(*node);
    if (found == morphs.end()) {
      reader.warn(channel.path() + ": nodes[" + std::to_string(*node) + "] has no morph targets to animate; left out");
      return std::nullopt;
    }
    track.target = found->second->first;
    track.width = found->second->count;
  } else {
    reader.warn(channel.path() + ": path '" + path + "' is not known; left out");
    return std::nullopt;
  }
  return track;
}

std::vector<float> read_times(const Reader& reader, const Item& sampler) {
  const Item reference(sampler.json()["input"], sampler.path("input"));
  std::vector<float> times = read_attribute(reader, reference, 1, {});
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i])) fail(reference.path(), "time " + std::to_string(i) + " is not finite");
    if (i > 0 && times[i] <= times[i - 1]) {
      fail(reference.path(), "time " + std::to_string(i) + " does not come after the one before it");
    }
  }
  return times;
}

void read_values(const Reader& reader, const Item& sampler, Track& track) {
  const std::size_t accessor = sampler.required_index("output", count(reader.document.root, "accessors"));
  const Layout layout = accessor_layout(reader.document, accessor);
  const std::string item = "accessors[" + std::to_string(accessor) + "]";
  const std::size_t components = track.channel == Channel::morph_weights ? 1 : track.width;
  const std::size_t wanted =
      track.times.size() * track.width * (track.interpolation == Interpolation::cubic_spline ? 3 : 1);
  if (layout.components() != components || layout.count * components != wanted) {
    fail(item, "holds " + std::to_string(layout.count * layout.components()) + " numbers; the " +
                   std::to_string(track.times.size()) + " keys of " + sampler.path() + " need " +
                   std::to_string(wanted));
  }
  track.values = read_floats(reader, accessor);
  for (std::size_t i = 0; i < track.values.size(); ++i) {
    if (!std::isfinite(track.values[i])) fail(item, "element " + std::to_string(i / components) + " is not finite");
  }
}

}  // namespace

void read_animations(Reader& reader) {
  MorphsOfNodes morphs;
  for (const MorphBlock& block : reader.result.morphs) morphs[block.node] = &block;
  for (const Item& animation : reader.root().list("animations")) {
    Clip clip;
    clip.name = animation.text("name", "");
    const std::vector<Item> samplers = animation.list("samplers");
    for (const Item& channel : animation.list("channels")) {
      auto track = target_of(reader, morphs, channel);
      if (!track) continue;
      const Item& sampler = samplers[channel.required_index("sampler", samplers.size())];
      track->interpolation = interpolation_of(sampler.text("interpolation", "LINEAR"));
      track->times = read_times(reader, sampler);
      read_values(reader, sampler, *track);
      clip.tracks.push_back(std::move(*track));
    }
    reader.result.character.clips.push_back(std::move(clip));
  }
}

}  // namespace supple::gltf
