// One slice of a DICOM series: what its header says of it, and its pixels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "supple/base/result.h"
#include "supple/base/vec.h"

namespace supple::imaging {

/// A file, or one frame of a file of several. Lengths in millimetres in the patient's space, as the file has them.
struct Slice {
  std::filesystem::path path;
  std::size_t frame = 0, frames = 1;
  std::string series, description, modality;
  std::string photometric;  // "MONOCHROME2": bright is high
  std::size_t columns = 0, rows = 0;
  std::size_t bits_allocated = 16, bits_stored = 16;
  bool is_signed = false;
  std::optional<Vec3d> position;                 // of the first pixel's centre
  std::optional<Vec3d> along_row, along_column;  // unit vectors towards the next column, the next row
  double column_spacing = 0, row_spacing = 0;    // 0: the file does not say
  double slope = 1, intercept = 0;               // value = slope * pixel + intercept
  std::size_t stored_bytes = 0;                  // of the picture of all frames in the file
  bool compressed = false;

  /// Smallest and largest number that a pixel can hold.
  int lowest() const { return is_signed ? -(1 << (bits_stored - 1)) : 0; }
  int highest() const { return is_signed ? (1 << (bits_stored - 1)) - 1 : (1 << bits_stored) - 1; }
  /// "slice0001.dcm" or "hand.dcm, frame 3", for messages.
  std::string label() const;
};

/// Whether the file can hold all that the slice says of its size, before anyone takes memory for it.
Result<void> check_picture(const Slice& slice);

/// The slices of a file; none where it is not DICOM or holds no picture. The error is about a file that is DICOM and
/// damaged.
Result<std::vector<Slice>> read_slices(const std::filesystem::path& path);

/// Decodes pixels. Frames of one file that are asked for one after the other are decoded once.
class PixelReader {
 public:
  /// columns * rows numbers, in rows; MONOCHROME1 is turned round so that bright is high. Valid until the next call.
  Result<std::span<const std::int32_t>> read(const Slice& slice);

 private:
  Result<void> load(const Slice& slice);

  std::filesystem::path path_;  // of the file in decoded_
  std::vector<char> decoded_;   // all frames, as the file has them or unpacked
  bool big_endian_ = false;
  std::vector<std::int32_t> pixels_;
};

}  // namespace supple::imaging
