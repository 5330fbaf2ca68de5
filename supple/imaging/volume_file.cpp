#include "supple/imaging/volume_file.h"

#include <new>

#include "supple/imaging/formats.h"
#include "supple/imaging/header_text.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

Result<Volume> read_any(const fs::path& path, const std::string& series, Warnings* warnings, const Progress& progress) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) return read_dicom(path, series, warnings, progress);
  if (!fs::exists(path, failed)) return Error{path.string(), "does not exist", "check the path"};
  const std::string name = lower(path.filename().string());
  if (name.ends_with(".nrrd") || name.ends_with(".nhdr")) return read_nrrd(path, warnings, progress);
  if (name.ends_with(".mha") || name.ends_with(".mhd")) return read_metaimage(path, warnings, progress);
  if (name.ends_with(".nii") || name.ends_with(".nii.gz") || name.ends_with(".hdr") || name.ends_with(".img"))
    return read_nifti(path, warnings, progress);
  if (name.ends_with(".dcm") || name.ends_with(".ima")) return read_dicom(path, series, warnings, progress);
  if (name.ends_with(".raw")) {
    return Error{path.string(), "does not say its sizes, type and spacing",
                 "write a header .nhdr or .mhd that names it, and give that"};
  }
  return Error{path.string(), "is of no known volume format",
               "give a .nrrd, .nhdr, .mha, .mhd, .nii, .nii.gz or a folder of DICOM slices"};
}

}  // namespace

Result<Volume> read_volume(const fs::path& path, const std::string& series, Warnings* warnings,
                           const Progress& progress) {
  try {
    return read_any(path, series, warnings, progress);
  } catch (const std::bad_alloc&) {
    return Error{path.string(), "does not fit into memory", "cut it to the hand, or use a machine with more memory"};
  }
}

}  // namespace supple::imaging
