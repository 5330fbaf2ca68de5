// Volumes in files: DICOM series, NIfTI, NRRD, MetaImage.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "supple/base/progress.h"
#include "supple/base/result.h"
#include "supple/geometry/volume.h"

namespace supple::imaging {

/// One series of a folder of DICOM files.
struct Series {
  std::string id;           // SeriesInstanceUID
  std::string description;  // "Hand relaxed 0.3 Bone"
  std::string modality;
  std::size_t slices = 0;
  std::array<std::size_t, 2> size{};           // columns, rows
  std::vector<std::filesystem::path> files{};  // in no order
};
/// All series below a folder, by number of slices. Files that are not DICOM are passed over.
Result<std::vector<Series>> list_series(const std::filesystem::path& folder, Warnings* warnings = nullptr);

/// Reads a file (.nrrd, .nhdr, .mha, .mhd, .nii, .nii.gz, .hdr with .img, .dcm of many frames) or a folder of DICOM
/// slices, sorted by position.
/// `series`: id, or any part of the id or description, where a folder holds several. Errors name the file and the
/// remedy: several series to choose from, slices missing (which, and where), slices of two sizes, a gantry that is
/// tilted, colour images.
Result<Volume> read_volume(const std::filesystem::path& path, const std::string& series = {},
                           Warnings* warnings = nullptr, const Progress& progress = {});

/// Attached header (.nrrd), compressed by gzip where asked.
Result<void> write_nrrd(const std::filesystem::path& path, const Volume& volume, bool compress = true);

struct DicomOptions {
  std::string description;  // of the series
  std::string patient = "Phantom";
  std::string transfer = "explicit";  // "explicit", "jpeg-lossless", "rle", "jpeg2000"
};
/// One file per slice: FOLDER/slice0001.dcm ...; the folder must be new or empty. Written whole: the folder appears
/// when all slices are there.
Result<void> write_dicom(const std::filesystem::path& folder, const Volume& volume, const DicomOptions& options = {});

}  // namespace supple::imaging
