// One reader of labels per format; label_file.h chooses among them.
#pragma once

#include <map>

#include "supple/imaging/label_file.h"

namespace supple::imaging {

/// NRRD with the keys Segment0_Name, Segment0_LabelValue, Segment0_Layer, Segment0_Color ... of 3D Slicer, or without.
Result<LabelMap> read_nrrd_labels(const std::filesystem::path& path, Warnings* warnings, const Progress& progress);
/// One DICOM file of the classes Segmentation Storage and Label Map Segmentation Storage, or a folder that holds one.
Result<LabelMap> read_dicom_labels(const std::filesystem::path& path, Warnings* warnings, const Progress& progress);
/// Names and colours by value, from the table of labels in a NIfTI header; none where it has no table.
std::map<std::int16_t, Label> nifti_label_table(const std::filesystem::path& path);

/// Makes the samples of a volume values of labels: whole numbers from 0 to 32767.
Result<void> make_whole(Volume& volume);

/// Counts the samples of every label, and adds labels for values that none of them has.
Result<void> count_labels(LabelMap& map);

}  // namespace supple::imaging
