// What trainers start from: the training examples seen from rest, and where their joints are.
#pragma once

#include "supple/author/learn/displacements.h"
#include "supple/author/learn/settings.h"

namespace supple::learn {

/// The training examples seen from rest, less what corrections found so far account for.
struct Residual {
  const ExampleSet* set = nullptr;
  std::vector<std::size_t> chosen;  // places in the set
  RestDisplacements fields;         // of `chosen`
  Settings settings;                // of `chosen`

  const Example& example(std::size_t e) const { return set->examples[chosen[e]]; }
  /// Largest displacement of each vertex over some examples.
  std::vector<float> sizes(std::span<const std::size_t> examples) const;
};

/// Of the usable training examples of weight above 0; none is an error.
Result<Residual> training_examples(const ExampleSet& set, const Character& character, std::size_t part);

/// Sum over examples and vertices of squared displacements, by the examples' weights, m^2.
double total_energy(const Residual& residual);

/// Tells about vertices that were left out and examples that teach nothing or stand alone.
void tell_about_examples(const Residual& residual, Warnings& warnings);
/// Joints of the part's skin that no example moves.
std::vector<JointIndex> still_joints(const Residual& residual, const Character& character, std::size_t part);

}  // namespace supple::learn
