#include "supple/files/gltf/kinodynamics.h"

#include "supple/files/gltf/deformers_member.h"
#include "supple/files/gltf/reader.h"
#include "supple/files/kinodynamics_json.h"

namespace supple::gltf {
namespace {

constexpr const char* kinodynamics_member = "kinodynamics";

const KinodynamicsSpelling spelling_in_gltf{.camel_case = true, .angle_unit = 1};

/// Nodes and primitives by number; unknown keys are passed over, as everywhere in glTF.
class NodesRead final : public KinodynamicsReading {
 public:
  explicit NodesRead(const Reader& reader) : KinodynamicsReading(spelling_in_gltf), reader_(reader) {}
  JointIndex joint(const Item& item) const override {
    return reader_.result.nodes.to_joint[item.as_index(count(reader_.document.root, "nodes"))];
  }
  std::uint32_t part(const Item& weights) const override {
    const std::size_t node = weights.required_index("node", count(reader_.document.root, "nodes"));
    const std::uint64_t primitive = weights.unsigned_integer("primitive", 0);
    const std::vector<PartSource>& sources = reader_.result.sources;
    for (std::uint32_t p = 0; p < sources.size(); ++p)
      if (sources[p].node == node && sources[p].primitive == primitive) return p;
    fail(weights.path("primitive"),
         "nodes[" + std::to_string(node) + "] has no triangles in primitive " + std::to_string(primitive));
  }
  void check_keys(const Item&, const std::vector<std::string>&) const override {}

 private:
  const Reader& reader_;
};

class NodesWritten final : public KinodynamicsWriting {
 public:
  NodesWritten(std::span<const PartSource> sources, const Places& places)
      : KinodynamicsWriting(spelling_in_gltf), sources_(sources), places_(places) {}
  Json joint(JointIndex joint) const override { return places_.node_of_joint[joint]; }
  void put_part(Json& weights, std::uint32_t part) const override {
    weights["node"] = sources_[part].node;
    if (sources_[part].primitive != 0) weights["primitive"] = sources_[part].primitive;
  }

 private:
  std::span<const PartSource> sources_;
  const Places& places_;
};

}  // namespace

std::optional<Kinodynamics> read_kinodynamics(const Reader& reader, const Item& extension) {
  const auto item = extension.object(kinodynamics_member);
  if (!item) return std::nullopt;
  Kinodynamics kinodynamics = kinodynamics_of(*item, NodesRead(reader));
  if (auto ok = validate(kinodynamics, reader.result.character); !ok)
    fail(item->path(), ok.error().item + " " + ok.error().problem);
  return kinodynamics;
}

Result<void> put_kinodynamics(Document& document, const std::optional<Kinodynamics>& kinodynamics,
                              std::span<const PartSource> sources, const Places& places) {
  if (!kinodynamics) {
    drop_deformers_member(document.root, kinodynamics_member);
    return {};
  }
  for (const VortexMuscle& m : kinodynamics->muscles) {
    for (const MuscleSkinWeight& w : m.skin_weights)
      if (w.part >= sources.size() || sources[w.part].node == no_joint)
        return Error{"muscle '" + m.name + "'", "is painted on a part that the file does not have", ""};
  }
  put_deformers_member(document.root, kinodynamics_member, to_json(*kinodynamics, NodesWritten(sources, places)));
  return {};
}

}  // namespace supple::gltf
