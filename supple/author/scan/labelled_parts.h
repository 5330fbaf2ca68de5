// Pieces of labelled bone, and which label each is of.
#pragma once

#include "supple/author/scan/labelled.h"

namespace supple::scan {

struct LabelledParts {
  Parts parts;                     // largest first
  std::vector<std::size_t> label;  // #parts: place in LabelMap::labels
  std::vector<std::size_t> empty;  // labels of bones that have no piece
};
/// `uses` has an entry for each label.
Result<LabelledParts> take_labels_apart(const LabelMap& map, std::span<const LabelUse> uses, const Volume* image,
                                        const LabelledOptions& options, const Progress& progress);

}  // namespace supple::scan
