// The steps of reading a character, in the order they run; each fills its share of Imported.
#pragma once

#include "supple/files/gltf/accessor.h"
#include "supple/files/gltf/read.h"

namespace supple::gltf {

/// The memory that a file may take up: a small one can name the same numbers a thousand times over, or claim numbers
/// without data. Every array that is read counts, also those that are given up again.
class Allowance {
 public:
  explicit Allowance(const Document& document);
  /// Throws Malformed where the file has taken too much.
  void take(std::size_t bytes, const std::string& item);

 private:
  std::size_t all_, left_;
};

struct Reader {
  const Document& document;
  Warnings* warnings;
  bool strict;
  Imported result;
  mutable Allowance allowance = Allowance(document);

  Item root() const { return Item(document.root, ""); }
  void warn(std::string line) const {
    if (warnings != nullptr) warnings->push_back(std::move(line));
  }
  /// Something that can be mended: an error in strict reading, otherwise a warning.
  void mend(const std::string& item, const std::string& problem, const std::string& done) const {
    if (strict) fail(item, problem, "read it without strict checking to have it mended");
    warn(item + ": " + problem + "; " + done);
  }
};

void read_nodes(Reader& reader);       // skeleton, remap
void read_skins(Reader& reader);       // skins
void read_materials(Reader& reader);   // materials
void read_parts(Reader& reader);       // parts, sources, morph blocks
void read_animations(Reader& reader);  // clips
void read_deformers(Reader& reader);   // see deformers.h

/// Morph targets of one primitive.
std::vector<MorphTarget> read_morphs(const Reader& reader, const Item& mesh, const Item& primitive,
                                     std::size_t vertices);
/// Skin weights of one primitive before cleaning; empty where it has none.
SkinWeights read_weights(const Reader& reader, const Item& attributes, std::size_t vertices, std::size_t joint_count);

/// As for a document, and counted.
std::vector<float> read_floats(const Reader& reader, std::size_t accessor);
std::vector<std::uint32_t> read_indices(const Reader& reader, std::size_t accessor);
/// Values of an accessor that must have the given shape ("VEC3") and element count.
std::vector<float> read_attribute(const Reader& reader, const Item& reference, std::size_t components,
                                  std::optional<std::size_t> count);

}  // namespace supple::gltf
