// Example sets from what other programs write: meshes in poses, vertex caches of a clip, sculpted morph targets.
#pragma once

#include <filesystem>
#include <optional>

#include "supple/base/progress.h"
#include "supple/files/example_set_file.h"
#include "supple/files/gltf/read.h"
#include "supple/files/pose_book.h"

namespace supple {

/// Where the examples go and what they are examples of. The writer's subject is that part of that character.
struct ImportTarget {
  ExampleWriter& writer;
  const Character& character;
  std::size_t part = 0;
  Warnings* warnings = nullptr;
  Progress progress;
};

/// How surfaces from outside become metres, Y up, vertex by vertex those of the rig.
struct SurfaceOptions {
  bool z_up = false;              // (x, y, z) -> (x, z, -y)
  double scale = 1;               // metres per unit
  bool compare_triangles = true;  // where the files have any; off for files with polygons that were cut otherwise
  /// The surface at rest in the files' order of vertices (.obj, .ply), where that is not the rig's: vertices are
  /// matched by their places. Without one, files that have one vertex for each place of the rig's are matched in their
  /// pose.
  std::filesystem::path rest{};
};

/// Every .obj and .ply file of a folder, by name; its pose is the book's entry of that name, with or without extension.
/// Files without a pose and poses without a file are errors.
Result<void> import_meshes(ImportTarget& target, const std::filesystem::path& folder, const PoseBook& poses,
                           const SurfaceOptions& options = {});

struct CacheOptions {
  SurfaceOptions surface{};
  double frames_per_second = 24;  // of PC2 and file sequences
  std::size_t every = 1;          // takes every n-th frame, from the first on
  std::optional<double> start{};  // seconds into the clip of the first frame; none: as the cache says
  double hold_out = 0.25;         // share of the frames that are for testing, in blocks of neighbours; 0: none
};

/// A clip of the character and the skin that a cache holds at the same times; see VertexCache. Frames are named after
/// the clip and share its sweep. Blocks of half a second, an eighth of the clip at most, are held out: single frames
/// between their neighbours would only test how well those are remembered.
Result<void> import_cache(ImportTarget& target, const Clip& clip, const std::filesystem::path& cache,
                          const CacheOptions& options = {});

/// Morph targets that are sculpts of a pose: the example is the skin of rest + morph in that pose. The pose of a target
/// is the entry of its name in the first book that has one, or its name itself ("elbow.flexion=90"). Targets without a
/// pose are an error; with `only_listed` they are left out with a warning.
Result<void> import_morphs(ImportTarget& target, std::span<const PoseBook> books, bool only_listed = false);

/// The poses that a file keeps for the morph targets of a part, in node.extras.supple.poses; none is no error.
Result<PoseBook> poses_in_extras(const gltf::Document& document, const gltf::Imported& imported, std::size_t part);

}  // namespace supple
