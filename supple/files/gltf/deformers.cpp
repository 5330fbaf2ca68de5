#include "supple/files/gltf/deformers.h"

#include <algorithm>
#include <map>

#include "supple/files/field_reader.h"
#include "supple/files/field_writer.h"
#include "supple/files/gltf/deformers_member.h"
#include "supple/files/gltf/reader.h"

namespace supple::gltf {
namespace {

/// Nodes and primitives by number; unknown keys are passed over, as everywhere in glTF.
class NodesRead final : public NameReader {
 public:
  explicit NodesRead(const Reader& reader) : NameReader(gltf_spelling), reader_(reader) {
    const std::vector<PartSource>& sources = reader.result.sources;
    for (std::uint32_t p = 0; p < sources.size(); ++p)
      parts_.emplace(std::pair(sources[p].node, sources[p].primitive), p);
    for (const MorphBlock& block : reader.result.morphs) morphs_.emplace(block.node, block);
  }
  JointIndex joint(const Item& item) const override { return reader_.result.nodes.to_joint[item.as_index(nodes())]; }
  std::uint32_t part(const Item& object, bool primitive_required) const override {
    const std::size_t node = object.required_index("node", nodes());
    const std::uint64_t primitive =
        primitive_required ? object.unsigned_integer("primitive") : object.unsigned_integer("primitive", 0);
    if (const auto found = parts_.find({node, primitive}); found != parts_.end()) return found->second;
    const std::string name = "nodes[" + std::to_string(node) + "] has no triangles";
    const auto any = parts_.lower_bound({node, 0});
    if (any == parts_.end() || any->first.first != node) fail(object.path("node"), name);
    fail(object.path("primitive"), name + " in primitive " + std::to_string(primitive));
  }
  MorphBlock targets(const Item& object) const override {
    const std::size_t node = object.required_index("node", nodes());
    if (const auto found = morphs_.find(node); found != morphs_.end()) return found->second;
    fail(object.path("node"), "nodes[" + std::to_string(node) + "] has no morph targets");
  }
  void check_keys(const Item&, const std::vector<std::string>&) const override {}

 private:
  std::size_t nodes() const { return count(reader_.document.root, "nodes"); }
  const Reader& reader_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> parts_;  // by node and primitive
  std::map<std::uint64_t, MorphBlock> morphs_;                              // by node
};

class NodesWritten final : public NameWriter {
 public:
  NodesWritten(std::span<const PartSource> sources, const Places& places)
      : NameWriter(gltf_spelling), sources_(sources), places_(places) {}
  Json joint(JointIndex joint) const override {
    if (joint >= places_.node_of_joint.size()) fail("", "follows a joint that the file does not have");
    return places_.node_of_joint[joint];
  }
  void put_part(Json& object, std::uint32_t part, Presence primitive) const override {
    if (part >= sources_.size() || sources_[part].node == no_joint)
      fail("", "is on a part that the file does not have");
    object["node"] = sources_[part].node;
    if (primitive != Presence::optional || sources_[part].primitive != 0)
      object["primitive"] = sources_[part].primitive;
  }
  std::span<const MorphBlock> morphs() const override { return places_.morphs; }

 private:
  std::span<const PartSource> sources_;
  const Places& places_;
};

void check_extension_version(const Item& extension) {
  const std::uint64_t version = extension.unsigned_integer("version");
  if (version == 0) fail(extension.path("version"), "must be at least 1");
  if (version > deformers_version) {
    fail(extension.path("version"),
         "is " + std::to_string(version) + "; only version " + std::to_string(deformers_version) + " is understood");
  }
}

}  // namespace

Result<void> put_deformer(Document& document, const DeformerKind& kind, const Character& character,
                          std::span<const PartSource> sources, const Places& places) {
  return guarded("", [&]() -> Result<void> {
    const NodesWritten names(sources, places);
    FieldWriter writer(names);
    kind.describe(writer, const_cast<Character&>(character));  // a writer only looks
    const Json told = writer.take();
    if (const Json* value = told.find(kind.member)) {
      put_deformers_member(document.root, kind.member, *value);
    } else {
      drop_deformers_member(document.root, kind.member);
    }
    return {};
  });
}

Result<void> put_deformers(Document& document, const Character& character, std::span<const PartSource> sources,
                           const Places& places, bool of_morphs) {
  for (const DeformerKind* kind : deformers()) {
    if (of_morphs && kind->moved == nullptr && kind->count(character) > 0) continue;
    if (auto ok = put_deformer(document, *kind, character, sources, places); !ok) return ok;
  }
  return {};
}

void read_deformers(Reader& reader) {
  Character& character = reader.result.character;
  try {
    const auto extensions = reader.root().object("extensions");
    const auto extension = extensions ? extensions->object(deformers_extension) : std::nullopt;
    if (!extension) return;
    check_extension_version(*extension);
    const NodesRead names(reader);
    FieldReader fields(*extension, names);
    for (const DeformerKind* kind : deformers()) kind->describe(fields, character);
  } catch (const Malformed& malformed) {  // the rest of the file is a complete character without them
    if (reader.strict) throw;
    clear_deformers(character);
    const auto& [item, problem, remedy] = malformed.error;
    reader.warn(item + ": " + problem + "; the file was read without its deformers");
  }
}

}  // namespace supple::gltf
