// Where the stages' first data come from: volumes, labels, or surfaces that another program made.
#pragma once

#include "supple/author/scan/extract.h"
#include "supple/author/scan/parts.h"
#include "supple/geometry/bvh.h"
#include "supple/workflow/study/labelled_scan.h"

namespace supple::workflow {

/// Changes when a file of the scan does, the data behind a header among them: paths relative to `folder`, the
/// project's, sizes and times.
std::uint64_t source_fingerprint(const ScanEntry& entry, const std::filesystem::path& folder);

/// `hand`: what names of labels are about.
Result<scan::Surfaces> surfaces_of(const ScanEntry& entry, const scan::ExtractOptions& options,
                                   const LabelledHand& hand, Work& work);
/// Bones of the base, taken apart, or as the files have them.
Result<scan::Parts> parts_of(const ScanEntry& entry, const scan::PartOptions& options, const LabelledHand& hand,
                             Work& work);

/// Vertices of a reduced skin that lie where the measured one was cut; `surface` is that of the measured skin.
std::vector<bool> border_of(std::span<const Vec3f> skin, const scan::Surfaces& measured, const Bvh& surface);

}  // namespace supple::workflow
