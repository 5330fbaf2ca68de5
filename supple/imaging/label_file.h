// Labels in files: what each sample of a scan is.
#pragma once

#include <filesystem>

#include "supple/base/progress.h"
#include "supple/base/result.h"
#include "supple/geometry/label_map.h"

namespace supple::imaging {

/// Reads labels from a volume of whole numbers (.nrrd, .nhdr, .mha, .mhd, .nii, .nii.gz), from a segmentation of 3D
/// Slicer (.seg.nrrd, with names, colours and layers), or from a DICOM segmentation (.dcm, or a folder that holds one).
/// Names of NIfTI files come from a table in their header, where TotalSegmentator puts them. The error tells numbers
/// that are no labels, and an image given instead of its labels.
Result<LabelMap> read_labels(const std::filesystem::path& path, Warnings* warnings = nullptr,
                             const Progress& progress = {});

/// As a segmentation of 3D Slicer, packed by gzip.
Result<void> write_labels(const std::filesystem::path& path, const LabelMap& map);

}  // namespace supple::imaging
