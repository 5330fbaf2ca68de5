// Which parts of a character a fit learns, and their examples.
#pragma once

#include "supple/rig/merge_parts.h"
#include "supple/workflow/jobs/fit/options.h"
#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

struct LearntParts {
  std::vector<std::size_t> shown;   // parts of the character that the set shows, in its order
  std::vector<std::size_t> places;  // those of them that are learnt: places in `shown`, rising

  std::vector<std::size_t> parts() const;
  /// The set's vertices of one of the parts it shows.
  std::vector<std::uint32_t> vertices(const ExampleSet& set, std::size_t place) const;
};

/// All parts that the set shows, or those of them that --part names. Methods that know one part refuse several.
Result<LearntParts> choose_learnt_parts(const ExampleSet& set, const Character& character, const FitOptions& options);

/// The surfaces of each mesh that has some of the parts, one that is learnt first.
Result<std::vector<std::vector<std::size_t>>> meshes_of(const Model& model, std::span<const std::size_t> parts);

/// Skin that bends and that the set does not show stays as it is; and so does what --part leaves, of which only shared
/// borders are worth a word.
void warn_of_left_parts(const Character& character, const LearntParts& learnt, const FitOptions& options, Work& work);

/// The examples of the one part that is learnt of those that the set shows.
ExampleSet examples_of_one(const ExampleSet& set, const LearntParts& learnt);
/// The examples of the merged part.
ExampleSet merged_examples(const ExampleSet& set, const LearntParts& learnt, const MergedParts& merged);

/// Gives the parts of `to` the weights of the merged part of `from`. Vertices that got a joint which the skin of one of
/// their parts lacks keep what they had, in all parts.
void put_merged_weights(const MergedParts& merged, Character& from, Character& to);

}  // namespace supple::workflow
