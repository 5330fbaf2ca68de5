// Bones and skin of a scan whose samples somebody has labelled: no threshold decides what is bone.
#pragma once

#include <optional>
#include <span>

#include "supple/author/scan/extract.h"
#include "supple/geometry/label_map.h"

namespace supple::scan {

/// What one label of a map stands for: a bone, several bones, or skin; nothing that is used where neither.
struct LabelUse {
  std::vector<std::uint32_t> bones;  // places in the template
  std::size_t count = 0;             // pieces that it is known to consist of; 0: not known
  bool skin = false;                 // all that is not air, with or without the bones
  std::uint32_t body = 0xffffffffu;  // single bone of a compound one that it is, place in the template; this: none
  std::size_t most = 0;              // single bones that it may consist of, of a compound bone as a whole
};

struct LabelledOptions {
  double blur = 0.8;           // samples, before a surface is drawn: takes the steps of the samples away
  double smallest = 60e-9;     // cubic metres: smaller pieces are dropped
  bool refine = true;          // surfaces move to the edges of the image, where there is one
  bool divide = true;          // labels of several bones are cut where these touch
  std::optional<double> skin;  // where the image's skin begins; none: read off its histogram
  double skin_blur = 0.8;      // samples, of the image
};

/// Every piece of every label of bone. Labels of several bones are divided at necks: at wider ones where that gives as
/// many pieces as the label is known to consist of. `image`: that they were drawn over, or null. The error names a
/// label of a bone that is empty.
Result<Parts> labelled_bones(const LabelMap& map, std::span<const LabelUse> uses, const Volume* image,
                             const LabelledOptions& options, Warnings* warnings = nullptr,
                             const Progress& progress = {});

/// Bone from the labels; skin from its label, else from the `image`, else none. Labels must lie where the image shows
/// a body: errors tell labels whose lattice lies elsewhere, and labels of another scan.
Result<Surfaces> labelled_surfaces(const LabelMap& map, std::span<const LabelUse> uses, const Volume* image,
                                   const LabelledOptions& options, Warnings* warnings = nullptr,
                                   const Progress& progress = {});

/// Whether labels can belong to an image: their samples lie in it. The error tells both lattices.
Result<void> check_lattices(const LabelMap& map, const Volume& image);

}  // namespace supple::scan
