// One reader per format; volume_file.h chooses among them.
#pragma once

#include <filesystem>

#include "supple/base/progress.h"
#include "supple/base/result.h"
#include "supple/geometry/volume.h"

namespace supple::imaging {

/// .nrrd, or .nhdr with its data in another file.
Result<Volume> read_nrrd(const std::filesystem::path& path, Warnings* warnings, const Progress& progress);
/// .mha, or .mhd with its data in another file.
Result<Volume> read_metaimage(const std::filesystem::path& path, Warnings* warnings, const Progress& progress);
/// .nii, .nii.gz, or .hdr beside its .img.
Result<Volume> read_nifti(const std::filesystem::path& path, Warnings* warnings, const Progress& progress);
/// A folder of slices, of which `series` names the series, or one file of many frames.
Result<Volume> read_dicom(const std::filesystem::path& path, const std::string& series, Warnings* warnings,
                          const Progress& progress);

}  // namespace supple::imaging
