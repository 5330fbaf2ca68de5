// Opening an example set: the index, then the arrays that must fit it.
#include "supple/base/file.h"
#include "supple/files/example_set_file.h"
#include "supple/files/example_set_index.h"
#include "supple/files/npy.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

const char* const expected = "the shape follows from the counts in examples.json";

template <class Group>
Result<void> map_floats(const Result<NpyArray>& array, std::span<const std::size_t> shape, SharedArray<Group>& out) {
  if (!array) return array.error();
  if (auto ok = require_shape(*array, shape, expected); !ok) return ok;
  const auto values = to_floats(*array);
  if (!values) return values.error();
  out = values->template grouped<Group>();
  return {};
}

Result<void> map_triangles(const Result<NpyArray>& array, std::span<const std::size_t> shape,
                           SharedArray<Triangle>& out) {
  if (!array) return array.error();
  if (auto ok = require_shape(*array, shape, expected); !ok) return ok;
  const auto values = to_indices(*array);
  if (!values) return values.error();
  out = values->grouped<Triangle>();
  return {};
}

}  // namespace

Result<ExampleSet> load_examples(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return Error{folder.string(), "is not a folder", "name an example set"};
  const fs::path file = folder / "examples.json";
  if (!fs::exists(file, ignored)) {
    return Error{folder.string(), "holds no example set: examples.json is missing",
                 "it is written last: what was making the set did not finish"};
  }
  const auto text = read_text(file);
  if (!text) return text.error();
  return parse_examples(*text, file.string(), [&](const char* name) { return read_npy(folder / name); });
}

Result<ExampleSet> parse_examples(std::string_view text, const std::string& name,
                                  const std::function<Result<NpyArray>(const char*)>& open_array) {
  const auto json = parse_json(text, name);
  if (!json) return json.error();
  auto index = to_example_index(*json, name);
  if (!index) return index.error();

  ExampleSet set;
  set.part = std::move(index->part);
  set.parts = std::move(index->parts);
  set.origin = std::move(index->origin);
  set.zero_at_bind = index->zero_at_bind;
  set.skeleton = std::move(index->skeleton);
  set.examples = std::move(index->examples);
  const std::size_t poses = set.size(), joints = set.skeleton.size(), vertices = index->vertices;
  const std::size_t rotations[]{poses, joints, 4}, vectors[]{poses, joints, 3}, skins[]{poses, vertices, 3},
      rest[]{vertices, 3}, triangles[]{index->triangles, 3};
  if (auto ok = map_floats(open_array("rest_positions.npy"), rest, set.rest_positions); !ok) return ok.error();
  if (auto ok = map_floats(open_array("rest_normals.npy"), rest, set.rest_normals); !ok) return ok.error();
  if (auto ok = map_triangles(open_array("triangles.npy"), triangles, set.triangles); !ok) return ok.error();
  if (auto ok = map_floats(open_array("rotations.npy"), rotations, set.rotations); !ok) return ok.error();
  if (auto ok = map_floats(open_array("positions.npy"), skins, set.positions); !ok) return ok.error();
  if (auto ok = map_floats(open_array("normals.npy"), skins, set.normals); !ok) return ok.error();
  if (index->has_translations) {
    if (auto ok = map_floats(open_array("translations.npy"), vectors, set.translations); !ok) return ok.error();
  }
  if (index->has_scales) {
    if (auto ok = map_floats(open_array("scales.npy"), vectors, set.scales); !ok) return ok.error();
  }
  return set;
}

}  // namespace supple
