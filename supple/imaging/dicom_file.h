// The data elements of a DICOM file, every length checked against the file: libraries that decode pictures stop the
// program where a file is cut short.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "supple/base/mapped_file.h"

namespace supple::imaging {

using DicomTag = std::uint32_t;  // group << 16 | element, as 0x00280010

struct DicomSet;
struct DicomElement {
  std::span<const std::byte> value;                   // in the mapped file
  std::vector<DicomSet> items;                        // of a sequence
  std::vector<std::span<const std::byte>> fragments;  // of a compressed picture; the first is the table of offsets
};

struct DicomSet {
  std::map<DicomTag, DicomElement> elements;
  bool big_endian = false;

  const DicomElement* find(DicomTag tag) const;
  /// Without padding; "" where the element is absent.
  std::string text(DicomTag tag) const;
  /// Decimal strings; none where one of them is no number.
  std::vector<double> numbers(DicomTag tag) const;
  /// An unsigned number of 16 bits.
  std::size_t count(DicomTag tag, std::size_t fallback) const;
};

struct DicomFile {
  MappedFile mapping;    // what the elements look into
  std::string transfer;  // transfer syntax
  DicomSet set;
};

inline constexpr DicomTag pixel_data = 0x7fe00010;

/// Whether the file begins as DICOM files do.
bool is_dicom(const std::filesystem::path& path);
/// Up to the picture. The error says what is damaged.
Result<DicomFile> open_dicom(const std::filesystem::path& path);

}  // namespace supple::imaging
