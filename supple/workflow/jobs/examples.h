// Example sets as files: what is in one, whether it is sound, and making one from what other programs write.
#pragma once

#include <map>
#include <string>

#include "supple/files/example_set_import.h"
#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

/// What an example set holds.
struct ExampleCounts {
  std::size_t train = 0, test = 0;
  std::size_t left_out = 0;                                // by their flags
  std::size_t left_out_test = 0;                           // of these, for testing
  std::map<std::string, std::size_t> sweeps, flags, tags;  // examples of each
  std::size_t bytes = 0;                                   // of its arrays
};
ExampleCounts count_examples(const ExampleSet& set);
/// How many held-out poses have no teacher, as a sentence; empty where all have one.
std::string held_out_sentence(std::size_t without_teacher, std::size_t held_out);

struct CheckExamplesOptions {
  std::string folder{};
  std::string model{};  // that the set must belong to; empty: not asked
  std::string part{};   // of the model; empty: the one that the set names
};

struct CheckedExamples {
  std::size_t examples = 0, vertices = 0;
  std::string part;  // of the model; several with commas
};

/// Every pose and vertex is sound, and the set is of the model.
Result<CheckedExamples> check_examples(const CheckExamplesOptions& options, Work& work);

struct ImportExamplesOptions {
  std::string output{};  // folder
  std::string model{};   // the rig
  std::string part{};    // empty: the first skinned one, or all skin where the sources show that
  std::string origin{};  // text; empty: told from the sources
  // One of these sources:
  std::string meshes{};  // folder of .obj or .ply files, one per pose
  std::string cache{};   // .mdd, .pc2, or a folder of numbered files, of a clip
  bool morphs = false;   // the model's own morph targets
  // And what they need:
  std::string poses{};  // of each mesh or morph target (.json)
  std::string clip{};   // of the cache: its name or number
  CacheOptions reading{};
};

/// Writes an example set, and returns it as it is read again.
Result<ExampleSet> import_examples(const ImportExamplesOptions& options, Work& work);

}  // namespace supple::workflow
