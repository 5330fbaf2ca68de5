// Delta mush for a part of a character, and whether it does it good.
#pragma once

#include "supple/workflow/jobs/compare_deformer.h"
#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

struct AddDeltaMushOptions {
  std::string input{}, output{};
  std::string part{};  // empty: the first that is bound to joints
  std::uint32_t iterations = 10;
  double strength = 0.5;     // > 0 to 1: how far each iteration goes to the mean of the neighbours
  bool keep_borders = true;  // open edges stay where skinning puts them
  bool compare = true;       // with linear blend, see compare_deformer()
};

struct AddedDeltaMush {
  Model model;  // as it was written
  DeltaMush mush;
  std::optional<SkinComparison> compared;
};

/// Delta mush that the part has is replaced.
Result<AddedDeltaMush> add_delta_mush(const AddDeltaMushOptions& options, Work& work);

}  // namespace supple::workflow
