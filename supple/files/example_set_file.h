// Example sets on disk: a folder with an index (JSON) and one .npy file per array, readable by numpy as it is.
//
//   examples.json        format, units, counts, joints, one record per example
//   rotations.npy        (#P, #joints, 4) float32, local, x y z w
//   translations.npy     (#P, #joints, 3) float32, local; only where some differ from rest
//   scales.npy           likewise
//   positions.npy        (#P, #V, 3) float32, world space, metres
//   normals.npy          (#P, #V, 3) float32
//   rest_positions.npy   (#V, 3) float32     rest_normals.npy (#V, 3) float32     triangles.npy (#T, 3) uint32
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "supple/rig/example_set.h"

namespace supple {

struct NpyArray;

/// Maps the arrays, so that opening costs no more than reading the index; arrays of other number types (float64, int64)
/// are converted. Checks that everything is there and fits the index; see validate() for the contents.
Result<ExampleSet> load_examples(const std::filesystem::path& folder);
/// The same from the text of the index; `open_array` is asked for "positions.npy" and the others.
Result<ExampleSet> parse_examples(std::string_view index, const std::string& name,
                                  const std::function<Result<NpyArray>(const char*)>& open_array);

/// What a set is about, known before its first example.
struct ExampleSubject {
  Skeleton skeleton;
  Mesh rest;  // as the part stores it; normals are computed where there are none
  std::string part, origin;
  std::vector<ExamplePart> parts{};  // where there are several: see ExampleSet
  bool zero_at_bind = false;         // see ExampleSet
};
/// The subject that is one part of a character.
ExampleSubject subject_of(const Character& character, std::size_t part, std::string origin);
/// The same of several parts, one after another; of one it is the one above.
ExampleSubject subject_of(const Character& character, std::vector<std::size_t> parts, std::string origin);

/// Writes a set one example at a time; memory does not grow with the arrays. The folder holds a whole set or, until
/// finish(), what it held before: arrays have temporary names, the index comes last. A writer that is dropped before
/// finish() leaves nothing behind.
class ExampleWriter {
 public:
  /// Creates the folder where it is missing (its parent must exist).
  static Result<ExampleWriter> create(const std::filesystem::path& folder, ExampleSubject subject);
  ExampleWriter(ExampleWriter&&) noexcept;
  ExampleWriter& operator=(ExampleWriter&&) noexcept;
  ~ExampleWriter();

  std::size_t size() const;
  const ExampleSubject& subject() const;
  /// Checked as validate() would; an example that is refused leaves the set as it was. `normals` may be empty: the
  /// rest skin's are then carried along by the surface.
  Result<void> add(const Example& example, const Pose& pose, std::span<const Vec3f> positions,
                   std::span<const Vec3f> normals = {});
  /// A set may be empty; nothing can be added any more. After an add() that failed, on a full disk for one, the set
  /// holds the examples before it.
  Result<void> finish();

 private:
  struct State;
  explicit ExampleWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A whole set at once.
Result<void> save_examples(const std::filesystem::path& folder, const ExampleSet& set);

}  // namespace supple
