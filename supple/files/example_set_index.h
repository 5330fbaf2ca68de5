// The index of an example set on disk, examples.json: everything but the arrays.
#pragma once

#include <string>
#include <vector>

#include "supple/files/json_file.h"
#include "supple/rig/example_set.h"

namespace supple {

struct ExampleIndex {
  std::string part, origin;
  std::vector<ExamplePart> parts;  // of a set that shows several
  Skeleton skeleton;
  std::size_t vertices = 0, triangles = 0;
  bool has_translations = false, has_scales = false;
  std::vector<Example> examples;
  bool zero_at_bind = false;
};

/// One record of the list "examples"; only the name is required, the rest has the defaults of Example.
Json to_json(const Example& example);
Example to_example(const gltf::Item& item);  // throws gltf::Malformed

/// Joints in order, parents by their place; floats are the shortest decimals that read back as the same floats.
Json to_json(const Skeleton& skeleton);
Skeleton to_skeleton(const std::vector<gltf::Item>& joints);  // throws gltf::Malformed

Json to_json(const ExampleIndex& index);
Result<ExampleIndex> to_example_index(const Json& json, const std::string& name);

}  // namespace supple
