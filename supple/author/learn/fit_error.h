// How near a trained skin comes to its examples, measured through the run-time evaluator.
#pragma once

#include <memory>

#include "supple/author/learn/attach.h"

namespace supple::learn {

/// One example: the skin as evaluated beside the example, and linear blend skinning beside it.
struct PoseError {
  std::size_t example = 0;   // place in the set
  std::size_t moved = 0;     // joints away from rest
  double squared = 0;        // sum over vertices of squared distances, m^2
  double blend_squared = 0;  // the same for linear blend skinning
  double largest = 0;        // metres
  double blend_largest = 0;
  std::uint32_t vertex = 0;  // where
  double normal_sum = 0;     // radians over the measured vertices
  double blend_normal_sum = 0;
  double worse = 0;  // metres: how much farther from the example than by linear blend some vertex is at most
  std::uint32_t worse_vertex = 0;
  double relative() const;  // relErr of EigenSkin 2002, figure 7: sqrt(squared / blend_squared)
};

/// A group of examples.
struct ErrorSummary {
  std::size_t examples = 0;
  double relative = 0;                           // over all of them: sqrt of the ratio of sums
  double mean_relative = 0, worst_relative = 0;  // over examples
  std::size_t worst_example = 0;                 // place in the set, of worst_relative
  std::size_t worse_examples = 0;                // whose error is a hundredth larger than linear blend's, or more
  double rms = 0, blend_rms = 0;                 // metres, over vertices and examples
  double largest = 0;                            // metres
  std::size_t largest_example = 0;
  std::uint32_t largest_vertex = 0;
  double worse = 0;  // metres: how much farther from its example than by linear blend a vertex is at most
  std::size_t worse_example = 0;
  std::uint32_t worse_vertex = 0;
  double normal = 0, blend_normal = 0;  // mean angle, radians, over the vertices that corrections move
};

enum class Group : std::uint8_t { train, held_out_single, held_out_several };
inline constexpr std::array<const char*, 3> group_names{"training", "held-out, one joint", "held-out, several joints"};

/// Usable examples of a group; examples at rest belong to none.
std::vector<std::size_t> examples_of(const ExampleSet& set, Group group);

/// Measures one skin again and again, with more and fewer of its modes: its tables and what linear blend makes of each
/// example are computed once. Refers to all that it was made of.
class ErrorMeter {
 public:
  /// `input`: the character whose linear blend is what errors are compared with, where the weights were changed since.
  ErrorMeter(const Character& character, std::size_t part, const Attached& attached, const ExampleSet& set,
             const Character* input = nullptr);
  ErrorMeter(const ErrorMeter&) = delete;
  ErrorMeter& operator=(const ErrorMeter&) = delete;
  ~ErrorMeter();

  /// Errors of some examples with some of the new morph targets held at rest: `used` has one entry per target of
  /// `attached`, or is empty for all.
  std::vector<PoseError> measure(std::span<const std::size_t> examples, const std::vector<bool>& used = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same, once.
std::vector<PoseError> measure_poses(const Character& character, std::size_t part, const Attached& attached,
                                     const ExampleSet& set, std::span<const std::size_t> examples,
                                     const std::vector<bool>& used = {}, const Character* input = nullptr);
/// Errors of the character as it plays, all its layers live, beside the same with all morph weights at rest. Normals
/// are measured on every vertex. The error is Skin's, of a character that cannot be shown. `input`: as above.
Result<std::vector<PoseError>> measure_live(const Character& character, std::size_t part, const ExampleSet& set,
                                            std::span<const std::size_t> examples, const Character* input = nullptr);
/// `vertices`: of the part, `moved`: those that normals were measured on.
ErrorSummary summarize(std::span<const PoseError> errors, std::size_t vertices, std::size_t moved);
/// Vertices that some correction moves.
std::size_t moved_vertices(const EigenSkin& skin, std::size_t vertices);

/// Targets of at most `modes` modes per joint, and of pairs of joints or not.
std::vector<bool> first_modes(const EigenSkin& skin, const Attached& attached, std::size_t modes, bool pairs);

}  // namespace supple::learn
