#include "supple/author/scan/parts.h"

#include <algorithm>
#include <cmath>

#include "supple/author/scan/parts_surface.h"

namespace supple::scan {
namespace {

// Where markers may begin, as shares of the density of bone: at 0.65 to 0.7 the gap between two bones shows that is
// thinner than a sample; above 0.8 what is left is only the hard shell.
constexpr double marker_shares[] = {0.6, 0.65, 0.7, 0.75, 0.8, 0.84, 0.88, 0.92};
// Of the samples of bone: three quarters are less dense, the rims among them.
constexpr double dense_quantile = 0.75;
// A cut must be surer than a gap: what is cut from a neighbour must have this times the size of the smallest piece.
// Fingertips' bones have shafts of two samples, which look like the contacts of others.
constexpr double cut_part = 2;
// Pieces of fewer samples are noise, not something a person would look for in a list.
constexpr std::size_t least_samples = 8;

std::int16_t sample_above(const Volume& volume, double value) {
  return static_cast<std::int16_t>(std::clamp(std::ceil((value - volume.intercept) / volume.slope), -32768., 32767.));
}

double dense_value(const Volume& volume, const std::vector<Piece>& pieces) {
  std::vector<std::size_t> counts(65536, 0);
  std::size_t total = 0;
  for (const Piece& piece : pieces) {
    total += piece.samples;
    for (const Run& run : piece.runs) {
      const std::int16_t* row = volume.samples.data() + volume.place(0, run.row, run.slice);
      for (std::size_t i = run.begin; i < run.end; ++i) ++counts[static_cast<std::size_t>(row[i] + 32768)];
    }
  }
  std::size_t sum = 0, sample = 0;
  for (; sample < 65535; ++sample) {
    sum += counts[sample];
    if (static_cast<double>(sum) >= dense_quantile * static_cast<double>(total)) break;
  }
  return volume.slope * (static_cast<double>(sample) - 32768) + volume.intercept;
}

SplitOptions split_options(const Volume& volume, const PartOptions& options, double dense) {
  SplitOptions split;
  split.smallest = cut_part * options.smallest;
  const bool given = options.marker.has_value();
  split.by_depth = !given || *options.marker >= options.iso;
  split.levels = {sample_above(volume, options.marker.value_or(options.iso))};
  for (const double share : marker_shares) {
    const std::int16_t level = sample_above(volume, share * dense);
    if (!given && level > split.levels.back()) split.levels.push_back(level);
  }
  return split;
}

}  // namespace

Result<Parts> separate_bones(const Volume& volume, const PartOptions& options, Warnings* warnings,
                             const Progress& progress) {
  const std::string name = volume.name.empty() ? "volume" : volume.name;
  const Error stopped{name, "stopped on request", ""};
  if (!report(progress, "bones", 0)) return stopped;
  const Volume scan = blurred(volume, options.blur);
  if (!report(progress, "bones", 0.1)) return stopped;
  Parts result;
  const std::int16_t threshold = sample_above(scan, options.iso);
  std::vector<Piece> pieces;
  if (options.iso <= scan.slope * 32767 + scan.intercept) pieces = dense_pieces(scan, threshold);

  const Vec3d spacing = scan.spacing();
  const double sample_volume = spacing.x * spacing.y * spacing.z;
  std::size_t specks = 0;
  std::erase_if(pieces, [&](const Piece& piece) {
    const double size = static_cast<double>(piece.samples) * sample_volume;
    if (size >= options.smallest && piece.samples >= least_samples) return false;
    if (piece.samples < least_samples) {
      ++specks;
    } else {
      result.dropped.push_back({scan.to_world.point(piece.centre), size});
    }
    return true;
  });
  std::stable_sort(result.dropped.begin(), result.dropped.end(),
                   [](const Parts::Dropped& a, const Parts::Dropped& b) { return a.volume > b.volume; });
  if (pieces.empty()) {
    return Error{name,
                 "no bone above " + std::to_string(std::lround(options.iso)) + "; " + histogram(volume).describe(),
                 "choose a threshold between soft tissue and bone"};
  }
  result.surface = isosurface(scan, {options.iso, true});
  if (!report(progress, "bones", 0.3)) return stopped;

  const double dense = std::max(dense_value(scan, pieces), options.iso + scan.slope);
  const SplitOptions split_by = split_options(scan, options, dense);
  result.marker = scan.slope * split_by.levels.front() + scan.intercept;
  std::size_t most = 1, done = 0;
  for (const Piece& piece : pieces) {
    const Block block = block_of(scan, piece);
    const Split split = split_piece(block, split_by);
    if (split.parts > most) {
      most = split.parts;
      result.marker = scan.slope * split.level + scan.intercept;
    }
    for (std::size_t p = 1; p <= split.parts; ++p) {
      result.parts.push_back(part_surface(scan, block, split, static_cast<std::uint16_t>(p), options.iso, dense));
    }
    const double share = static_cast<double>(++done) / static_cast<double>(pieces.size());
    if (!report(progress, "bones", 0.3 + 0.7 * share)) return stopped;
  }
  std::stable_sort(result.parts.begin(), result.parts.end(),
                   [](const BonePart& a, const BonePart& b) { return a.volume > b.volume; });
  if (warnings != nullptr && !result.dropped.empty()) {
    warnings->push_back(name + ": " + std::to_string(result.dropped.size()) + " pieces of bone smaller than " +
                        std::to_string(std::lround(options.smallest * 1e9)) + " cubic millimetres were dropped");
  }
  if (warnings != nullptr && specks > 0) {
    warnings->push_back(name + ": " + std::to_string(specks) + " specks of fewer than " +
                        std::to_string(least_samples) + " samples above the threshold of bone were taken for noise");
  }
  return result;
}

}  // namespace supple::scan
