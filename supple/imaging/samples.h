// The numbers of a volume file, of whatever type, as the 16-bit samples of a Volume.
#pragma once

#include <optional>

#include "supple/base/progress.h"
#include "supple/geometry/volume.h"
#include "supple/imaging/byte_source.h"

namespace supple::imaging {

enum class SampleType { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };
std::size_t bytes_of(SampleType type);

/// How a file writes its numbers; a number x stands for slope * x + intercept.
struct Encoding {
  SampleType type = SampleType::int16;
  bool big_endian = false;
  double slope = 1, intercept = 0;
};

/// Where the numbers of a file are: `offset` bytes after the first of the source.
struct SampleData {
  std::unique_ptr<ByteSource> source;
  std::uint64_t offset = 0;
};
/// Of numbers that are the last bytes of a plain source, after a header of unknown length.
std::uint64_t offset_of_last(const ByteSource& source, std::size_t count, SampleType type);

/// Fills samples, slope and intercept of a volume whose size is set, from the numbers that begin `offset` bytes after
/// the source's first. Whole numbers that span no more than 16 bits stay exact; others are rounded to 1/65535 of their
/// range, those that are not finite become the lowest. Refuses sources that are too short before taking memory.
Result<void> read_samples(ByteSource& source, std::uint64_t offset, const Encoding& encoding, Volume& volume,
                          Warnings* warnings = nullptr, const Progress& progress = {});

/// What added to every sample gives the values themselves, so that a file can hold these for programs that know nothing
/// of our slope and intercept; nothing where they are not whole numbers of 16 bits.
std::optional<int> offset_to_values(const Volume& volume);

}  // namespace supple::imaging
