#include "supple/imaging/samples.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace supple::imaging {
namespace {

constexpr std::size_t samples_at_once = 1 << 18;  // numbers handled between two looks at the progress
constexpr double lowest = std::numeric_limits<std::int16_t>::min(), highest = std::numeric_limits<std::int16_t>::max();
constexpr double span_16 = highest - lowest;

template <class T>
T load(const std::byte* at, bool swap) {
  std::array<std::byte, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), at, sizeof(T));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// Calls body(number of the first, numbers of the block as T) for block after block.
template <class T, class Body>
Result<void> for_blocks(ByteSource& source, std::uint64_t offset, bool swap, const Volume& volume,
                        const Progress& progress, std::pair<double, double> part, Body&& body) {
  if (auto placed = source.start_at(offset); !placed) return placed;
  const std::size_t count = volume.count();
  std::vector<std::byte> raw(std::min(count, samples_at_once) * sizeof(T));
  std::vector<T> numbers(raw.size() / sizeof(T));
  for (std::size_t first = 0; first < count; first += samples_at_once) {
    const std::size_t here = std::min(samples_at_once, count - first);
    const auto got = source.read(std::span(raw).first(here * sizeof(T)));
    if (!got) return got.error();
    if (*got < here * sizeof(T)) {
      return Error{
          volume.name,
          "ends after " + std::to_string(first + *got / sizeof(T)) + " of " + std::to_string(count) + " numbers",
          "copy the file again"};
    }
    for (std::size_t i = 0; i < here; ++i) numbers[i] = load<T>(raw.data() + i * sizeof(T), swap);
    body(first, std::span<const T>(numbers).first(here));
    const double done = static_cast<double>(first + here) / static_cast<double>(count);
    if (!report(progress, "reading", part.first + (part.second - part.first) * done))
      return Error{volume.name, "was not read: stopped", ""};
  }
  return {};
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool whole = true;         // every finite number is one
  std::size_t infinite = 0;  // numbers that are not finite

  void add(double x) {
    if (!std::isfinite(x)) {
      ++infinite;
      return;
    }
    low = std::min(low, x);
    high = std::max(high, x);
    whole = whole && x == std::nearbyint(x);
  }
};

/// number = step * sample + base.
struct Quantisation {
  double step = 1, base = 0;
};

Quantisation quantise(const Range& range) {
  const double span = range.high - range.low;
  if (range.whole && span <= span_16) {
    const bool fits = range.low >= lowest && range.high <= highest;
    return {1, fits ? 0 : range.low - lowest};
  }
  const double step = span / span_16;
  if (step == 0) return {1, range.low};  // all are the same, as far as numbers go
  return {step, range.low - lowest * step};
}

template <class T>
Result<Quantisation> read_direct(ByteSource& source, std::uint64_t offset, bool swap, Volume& volume,
                                 const Progress& progress) {
  // Unsigned numbers of 16 bits are moved down to fit signed samples.
  constexpr int moved = std::is_same_v<T, std::uint16_t> ? 1 << 15 : 0;
  volume.samples.resize(volume.count());
  auto read =
      for_blocks<T>(source, offset, swap, volume, progress, {0, 1}, [&](std::size_t first, std::span<const T> numbers) {
        for (std::size_t i = 0; i < numbers.size(); ++i)
          volume.samples[first + i] = static_cast<std::int16_t>(numbers[i] - moved);
      });
  if (!read) return read.error();
  return Quantisation{1, static_cast<double>(moved)};
}

template <class T>
Result<Quantisation> read_quantised(ByteSource& source, std::uint64_t offset, bool swap, Volume& volume,
                                    Warnings* warnings, const Progress& progress) {
  Range range;
  auto read = for_blocks<T>(source, offset, swap, volume, progress, {0, 0.5}, [&](auto, std::span<const T> numbers) {
    for (const T x : numbers) range.add(static_cast<double>(x));
  });
  if (!read) return read.error();
  if (range.infinite == volume.count()) return Error{volume.name, "holds no finite number", ""};
  if (range.infinite > 0 && warnings) {
    warnings->push_back(volume.name + ": " + std::to_string(range.infinite) +
                        " numbers are not finite: taken as the lowest, " + std::to_string(range.low));
  }
  const Quantisation q = quantise(range);
  if (!std::isfinite(q.step)) return Error{volume.name, "holds numbers too large for a scan", "correct its type"};
  volume.samples.resize(volume.count());
  read = for_blocks<T>(source, offset, swap, volume, progress, {0.5, 1}, [&](std::size_t first, auto numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double x = static_cast<double>(numbers[i]);
      const double sample = std::isfinite(x) ? std::nearbyint((x - q.base) / q.step) : (range.low - q.base) / q.step;
      volume.samples[first + i] = static_cast<std::int16_t>(std::clamp(sample, lowest, highest));
    }
  });
  if (!read) return read.error();
  return q;
}

Result<Quantisation> read_any(ByteSource& source, std::uint64_t offset, const Encoding& encoding, Volume& volume,
                              Warnings* warnings, const Progress& progress) {
  const bool swap = encoding.big_endian != (std::endian::native == std::endian::big);
  switch (encoding.type) {
    case SampleType::int8:
      return read_direct<std::int8_t>(source, offset, swap, volume, progress);
    case SampleType::uint8:
      return read_direct<std::uint8_t>(source, offset, swap, volume, progress);
    case SampleType::int16:
      return read_direct<std::int16_t>(source, offset, swap, volume, progress);
    case SampleType::uint16:
      return read_direct<std::uint16_t>(source, offset, swap, volume, progress);
    case SampleType::int32:
      return read_quantised<std::int32_t>(source, offset, swap, volume, warnings, progress);
    case SampleType::uint32:
      return read_quantised<std::uint32_t>(source, offset, swap, volume, warnings, progress);
    case SampleType::int64:
      return read_quantised<std::int64_t>(source, offset, swap, volume, warnings, progress);
    case SampleType::uint64:
      return read_quantised<std::uint64_t>(source, offset, swap, volume, warnings, progress);
    case SampleType::float32:
      return read_quantised<float>(source, offset, swap, volume, warnings, progress);
    case SampleType::float64:
      return read_quantised<double>(source, offset, swap, volume, warnings, progress);
  }
  return Error{volume.name, "has numbers of an unknown type", ""};
}

}  // namespace

std::size_t bytes_of(SampleType type) {
  constexpr std::array<std::size_t, 10> sizes{1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

std::uint64_t offset_of_last(const ByteSource& source, std::size_t count, SampleType type) {
  const std::uint64_t needed = std::uint64_t{count} * bytes_of(type), there = source.limit();
  return there - std::min(there, needed);
}

std::optional<int> offset_to_values(const Volume& volume) {
  if (volume.slope != 1 || volume.intercept != std::nearbyint(volume.intercept)) return std::nullopt;
  if (volume.samples.empty() || std::abs(volume.intercept) > span_16) return std::nullopt;
  const auto [low, high] = std::minmax_element(volume.samples.begin(), volume.samples.end());
  if (*low + volume.intercept < lowest || *high + volume.intercept > highest) return std::nullopt;
  return static_cast<int>(volume.intercept);
}

Result<void> read_samples(ByteSource& source, std::uint64_t offset, const Encoding& encoding, Volume& volume,
                          Warnings* warnings, const Progress& progress) {
  if (!std::isfinite(encoding.slope) || encoding.slope == 0 || !std::isfinite(encoding.intercept))
    return Error{volume.name, "scales its numbers by a slope or intercept that makes no sense", "correct its header"};
  const std::uint64_t needed = std::uint64_t{volume.count()} * bytes_of(encoding.type);
  const std::uint64_t there = source.limit() - std::min(source.limit(), offset);
  if (there < needed) {
    return Error{volume.name,
                 "is shorter than its header says: " + std::to_string(there) + " bytes of numbers instead of " +
                     std::to_string(needed),
                 "copy the file again, or correct the sizes in its header"};
  }
  const auto q = read_any(source, offset, encoding, volume, warnings, progress);
  if (!q) return q.error();
  volume.slope = encoding.slope * q->step;
  volume.intercept = encoding.slope * q->base + encoding.intercept;
  if (volume.slope == 0 || !std::isfinite(volume.slope) || !std::isfinite(volume.intercept))
    return Error{volume.name, "scales its numbers beyond what can be told apart", "correct its slope and intercept"};
  if (volume.slope < 0) {  // x = -1 - ~x: the same numbers with a slope above 0
    for (std::int16_t& sample : volume.samples) sample = static_cast<std::int16_t>(~sample);
    volume.intercept -= volume.slope;
    volume.slope = -volume.slope;
  }
  return {};
}

}  // namespace supple::imaging
