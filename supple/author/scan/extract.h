// The two surfaces of a scan that everything else works with: all of its bone, and its skin.
#pragma once

#include <optional>
#include <span>

#include "supple/author/scan/parts.h"
#include "supple/base/progress.h"
#include "supple/geometry/bvh.h"

namespace supple::scan {

struct ExtractOptions {
  std::optional<double> bone, skin;         // in the units of the volume; none: read off the histogram
  double bone_blur = 0.5, skin_blur = 0.8;  // samples
};

struct Surfaces {
  Mesh bone;                              // every piece, unsorted, with normals
  Mesh skin;                              // the outer surface around most of the bone, closed, with normals
  std::vector<bool> skin_border;          // vertices of the skin where the volume cut it
  Thresholds thresholds;                  // that were used; 0 where a label told
  Thresholds changes{};                   // how much hangs on each, see change_at(); 0 where there is none
  std::vector<std::uint32_t> labelled{};  // #V of `bone`: bone of the template that its label names,
                                          // TemplateBone::none where it names several; empty: without labels
};

/// Errors show the histogram where one of the surfaces would be empty.
Result<Surfaces> extract(const Volume& volume, const ExtractOptions& options, Warnings* warnings = nullptr,
                         const Progress& progress = {});

/// The connected part that surrounds most of the `bone` (points): a skin without air pockets, specks and the table
/// under it, however large that is. The part with the largest area where none surrounds any.
Mesh part_around(const Mesh& mesh, std::span<const Vec3f> bone);

/// The connected part that is the skin around `bone` (all pieces of it): it has flesh between itself and the bone.
/// Shells of a headrest, however large, are as dense as bone nearly to their own surface. As above where no part has
/// flesh.
Mesh skin_around(const Mesh& mesh, const Mesh& bone);

/// Takes away connected parts of `bone` that lie outside the skin, most of each; all stay where none lies in it.
void drop_outside(Mesh& bone, const Mesh& skin);

/// Share of some points of `surface` that lie in the closed surface `skin`.
double share_in(const Bvh& skin, const Mesh& surface);

/// Takes pieces away that lie outside the skin, less than half of their surface in it: shells of a headrest, a splint,
/// a table. They are listed in Parts::outside and told as a warning. Where no piece lies in the skin, all stay.
void drop_outside(Parts& parts, const Mesh& skin, Warnings* warnings = nullptr);

}  // namespace supple::scan
