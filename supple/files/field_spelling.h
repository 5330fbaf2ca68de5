// How a kind of file spells what descriptions say (see supple/rig/fields.h): its keys, its angles, its joints and
// parts.
#pragma once

#include "supple/files/gltf/read.h"
#include "supple/rig/fields.h"

namespace supple {

struct FieldSpelling {
  bool camel_case = false;  // dampingRatio, otherwise damping_ratio
  double angle_unit = 1;    // radians

  /// `words` are joined by underscores.
  std::string key(std::string_view words) const {
    std::string key;
    for (std::size_t i = 0; i < words.size(); ++i)
      key += camel_case && words[i] == '_' ? static_cast<char>(words[++i] - 'a' + 'A') : words[i];
    return key;
  }
};
inline constexpr FieldSpelling gltf_spelling{.camel_case = true, .angle_unit = 1};

/// What readers need to know of a file. What cannot be read is thrown as gltf::Malformed.
class NameReader {
 public:
  explicit NameReader(const FieldSpelling& s) : spelling(s) {}
  virtual ~NameReader() = default;
  const FieldSpelling spelling;

  virtual JointIndex joint(const gltf::Item& item) const = 0;
  /// The part that an object is about.
  virtual std::uint32_t part(const gltf::Item& object, bool primitive_required) const = 0;
  /// The morph weights of the mesh that an object is about.
  virtual gltf::MorphBlock targets(const gltf::Item& object) const = 0;
  /// Called for every object when it is read.
  virtual void check_keys(const gltf::Item& object, const std::vector<std::string>& known) const = 0;
};

/// What writers need to know. What the file lacks is thrown as gltf::Malformed, its item left to the writer.
class NameWriter {
 public:
  explicit NameWriter(const FieldSpelling& s) : spelling(s) {}
  virtual ~NameWriter() = default;
  const FieldSpelling spelling;

  virtual Json joint(JointIndex joint) const = 0;
  virtual void put_part(Json& object, std::uint32_t part, Presence primitive) const = 0;
  /// The nodes of the file that carry morph weights.
  virtual std::span<const gltf::MorphBlock> morphs() const = 0;
};

}  // namespace supple
