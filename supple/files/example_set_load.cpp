// Opening an example set: the index, then the arrays that must fit it.
#include "supple/files/example_set_file.h"
#include "supple/files/example_set_index.h"
#include "supple/files/npy.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

const char* const expected = "the shape follows from the counts in examples.json";

template <class Group>
Result<void> map_floats(const fs::path& path, std::span<const std::size_t> shape, SharedArray<Group>& out) {
  const auto array = read_npy(path);
  if (!array) return array.error();
  if (auto ok = require_shape(*array, shape, expected); !ok) return ok;
  const auto values = to_floats(*array);
  if (!values) return values.error();
  out = values->template grouped<Group>();
  return {};
}

Result<void> map_triangles(const fs::path& path, std::span<const std::size_t> shape, SharedArray<Triangle>& out) {
  const auto array = read_npy(path);
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
  const auto json = read_json(file);
  if (!json) return json.error();
  auto index = to_example_index(*json, file.string());
  if (!index) return index.error();

  ExampleSet set;
  set.part = std::move(index->part);
  set.origin = std::move(index->origin);
  set.skeleton = std::move(index->skeleton);
  set.examples = std::move(index->examples);
  const std::size_t poses = set.size(), joints = set.skeleton.size(), vertices = index->vertices;
  const std::size_t rotations[]{poses, joints, 4}, vectors[]{poses, joints, 3}, skins[]{poses, vertices, 3},
      rest[]{vertices, 3}, triangles[]{index->triangles, 3};
  if (auto ok = map_floats(folder / "rest_positions.npy", rest, set.rest_positions); !ok) return ok.error();
  if (auto ok = map_floats(folder / "rest_normals.npy", rest, set.rest_normals); !ok) return ok.error();
  if (auto ok = map_triangles(folder / "triangles.npy", triangles, set.triangles); !ok) return ok.error();
  if (auto ok = map_floats(folder / "rotations.npy", rotations, set.rotations); !ok) return ok.error();
  if (auto ok = map_floats(folder / "positions.npy", skins, set.positions); !ok) return ok.error();
  if (auto ok = map_floats(folder / "normals.npy", skins, set.normals); !ok) return ok.error();
  if (index->has_translations) {
    if (auto ok = map_floats(folder / "translations.npy", vectors, set.translations); !ok) return ok.error();
  }
  if (index->has_scales) {
    if (auto ok = map_floats(folder / "scales.npy", vectors, set.scales); !ok) return ok.error();
  }
  return set;
}

}  // namespace supple
