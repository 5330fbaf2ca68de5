#include "supple/imaging/dicom_series.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "supple/imaging/lattice.h"

namespace supple::imaging {
namespace {

std::string fixed(double x, int digits = 2) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

std::string size_text(const Slice& s) { return std::to_string(s.columns) + " x " + std::to_string(s.rows); }

/// What a slice must be by itself.
Result<void> check_slice(const Slice& s, const std::string& name) {
  const std::string item = name + ", " + s.label();
  if (!s.photometric.starts_with("MONOCHROME"))
    return Error{item, "is a colour picture (" + s.photometric + ")", "give the original slices in grey"};
  if ((s.bits_allocated != 8 && s.bits_allocated != 16) || s.bits_stored < 1 || s.bits_stored > s.bits_allocated) {
    return Error{item,
                 "has pixels of " + std::to_string(s.bits_stored) + " in " + std::to_string(s.bits_allocated) + " bits",
                 "give slices of 8 or 16 bits"};
  }
  if (!s.position || !s.along_row || !is_finite(*s.position))
    return Error{item, "does not say where it lies (ImagePositionPatient, ImageOrientationPatient)",
                 "give the original slices, not pictures of them"};
  if (!(s.column_spacing > 0 && s.row_spacing > 0) || !std::isfinite(s.column_spacing + s.row_spacing))
    return Error{item, "does not say how far pixels lie apart (PixelSpacing)", "give the original slices"};
  if (!std::isfinite(s.slope) || s.slope == 0 || !std::isfinite(s.intercept))
    return Error{item, "scales its pixels by a RescaleSlope or RescaleIntercept that makes no sense",
                 "export it again"};
  return {};
}

/// What two slices of one volume must share.
Result<void> check_pair(const Slice& a, const Slice& b, const std::string& name) {
  const std::string both = a.label() + " and " + b.label();
  if (a.columns != b.columns || a.rows != b.rows) {
    return Error{name, "has slices of two sizes: " + both + " have " + size_text(a) + " and " + size_text(b),
                 "move one kind elsewhere: often a scout or a second reconstruction"};
  }
  constexpr double same_direction = 1e-4;  // of a unit vector, as files round it
  if (length(*a.along_row - *b.along_row) > same_direction ||
      length(*a.along_column - *b.along_column) > same_direction)
    return Error{name, "has slices of two orientations: " + both, "move one kind elsewhere"};
  constexpr double same_spacing = 1e-4;  // of the spacing
  if (std::abs(a.column_spacing - b.column_spacing) > same_spacing * a.column_spacing ||
      std::abs(a.row_spacing - b.row_spacing) > same_spacing * a.row_spacing)
    return Error{name, "has slices of two pixel spacings: " + both, "move one kind elsewhere"};
  return {};
}

/// Places along the normal must be those of a lattice.
Result<double> even_step(const std::vector<Slice>& slices, const std::vector<double>& places, const std::string& name,
                         Warnings* warnings) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < places.size(); ++k) steps.push_back(places[k] - places[k - 1]);
  std::vector<double> sorted = steps;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const double usual = sorted[sorted.size() / 2];
  constexpr double same_place = 0.01, gap = 1.5;  // of the usual step
  constexpr double least_step = 1e-4;             // mm: below, slices lie in one place whatever the others do
  std::size_t doubles = 0, first_double = 0, gaps = 0, missing = 0, first_gap = 0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k] < std::max(least_step, same_place * usual) && doubles++ == 0) first_double = k;
    if (usual > least_step && steps[k] > gap * usual) {
      if (gaps++ == 0) first_gap = k;
      missing += static_cast<std::size_t>(std::lround(steps[k] / usual)) - 1;
    }
  }
  if (doubles > 0) {
    return Error{name,
                 "has " + std::to_string(doubles) + " slices more than places: " + slices[first_double].label() +
                     " and " + slices[first_double + 1].label() + " both lie at " + fixed(places[first_double]) + " mm",
                 "keep one reconstruction or moment of the scan"};
  }
  if (gaps > 0) {
    return Error{name,
                 std::to_string(missing) + (missing == 1 ? " slice is" : " slices are") + " missing in " +
                     std::to_string(gaps) + (gaps == 1 ? " gap" : " gaps, the first") + " between " +
                     fixed(places[first_gap]) + " mm (" + slices[first_gap].label() + ") and " +
                     fixed(places[first_gap + 1]) + " mm (" + slices[first_gap + 1].label() + "); slices lie " +
                     fixed(usual, 3) + " mm apart",
                 "copy the missing slices, or keep only one side of the gap"};
  }
  const double step = (places.back() - places.front()) / static_cast<double>(steps.size());
  constexpr double uneven = 0.1, worth_a_word = 0.02;  // of a step: less is the table's play, or rounding
  double most = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double off = places[k] - places.front() - static_cast<double>(k) * step;
    if (std::abs(off) > uneven * step) {
      return Error{name,
                   "has slices at uneven steps: " + slices[k].label() + " lies " + fixed(off, 3) +
                       " mm from where equal steps of " + fixed(step, 3) + " mm would put it",
                   "resample it to equal steps"};
    }
    most = std::max(most, std::abs(off));
  }
  if (warnings && most > worth_a_word * step)
    warnings->push_back(name + ": its slices lie up to " + fixed(most, 3) + " mm off equal steps of " + fixed(step, 3) +
                        " mm, and are taken to lie at equal ones");
  return step;
}

/// Slices must lie behind each other; a tilted gantry shifts each a little further.
Result<void> check_tilt(const std::vector<Slice>& slices, Vec3d normal, const std::string& name) {
  const Vec3d first = *slices.front().position;
  constexpr double allowed = 0.25;  // of a pixel
  const double pixel = std::min(slices.front().column_spacing, slices.front().row_spacing);
  for (const Slice& slice : slices) {
    const Vec3d from_first = *slice.position - first;
    const double along = dot(from_first, normal), sideways = length(from_first - normal * along);
    if (sideways <= allowed * pixel) continue;
    const Vec3d whole = *slices.back().position - first;
    const double whole_along = dot(whole, normal);
    const double angle = std::atan2(length(whole - normal * whole_along), whole_along) * 180 / std::numbers::pi;
    constexpr double straight = 0.01;  // degrees
    if (angle < straight)
      return Error{name,
                   "has slices that do not lie behind each other: " + slice.label() + " is shifted by " +
                       fixed(sideways) + " mm",
                   "export the series again"};
    return Error{
        name, "was scanned with the gantry tilted by " + fixed(angle) + " degrees: slices do not lie behind each other",
        "resample it without tilt on the scanner or in a viewer that corrects it"};
  }
  return {};
}

}  // namespace

Result<void> arrange(std::vector<Slice>& slices, Volume& volume, Warnings* warnings) {
  // File names first, so that messages do not depend on the order in which a folder is listed.
  std::sort(slices.begin(), slices.end(),
            [](const Slice& a, const Slice& b) { return a.path != b.path ? a.path < b.path : a.frame < b.frame; });
  for (const Slice& s : slices) {
    if (auto checked = check_slice(s, volume.name); !checked) return checked;
    if (auto checked = check_pair(slices.front(), s, volume.name); !checked) return checked;
  }
  if (slices.size() < 2)
    return Error{volume.name, "is a single slice", "give the folder with all slices of the series"};
  const Vec3d normal = normalized(cross(*slices.front().along_row, *slices.front().along_column));
  const auto place = [&](const Slice& s) { return dot(*s.position, normal); };
  std::stable_sort(slices.begin(), slices.end(), [&](const Slice& a, const Slice& b) { return place(a) < place(b); });
  std::vector<double> places(slices.size());
  std::transform(slices.begin(), slices.end(), places.begin(), place);
  const auto step = even_step(slices, places, volume.name, warnings);
  if (!step) return step.error();
  if (auto checked = check_tilt(slices, normal, volume.name); !checked) return checked;
  const Slice& first = slices.front();
  const std::size_t sizes[]{first.columns, first.rows, slices.size()};
  if (auto sized = set_size(volume, sizes); !sized) return sized;
  return set_axes(volume,
                  {{*first.along_row * first.column_spacing, *first.along_column * first.row_spacing, normal * *step},
                   *first.position});
}

void choose_scale(std::span<const Slice> slices, Volume& volume, Warnings* warnings) {
  const Slice& first = slices.front();
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool alike = true, whole_steps = true;
  for (const Slice& s : slices) {
    const double a = s.slope * s.lowest() + s.intercept, b = s.slope * s.highest() + s.intercept;
    low = std::min({low, a, b});
    high = std::max({high, a, b});
    const double apart = (s.intercept - first.intercept) / first.slope;
    whole_steps = whole_steps && s.slope == first.slope && apart == std::nearbyint(apart);
    alike = alike && s.slope == first.slope && s.intercept == first.intercept;
  }
  using Limits = std::numeric_limits<std::int16_t>;
  constexpr double steps_16 = 65535;
  volume.slope = std::abs(first.slope);
  if (whole_steps && high - low <= steps_16 * volume.slope) {
    // Samples are the pixels themselves wherever these fit.
    const double as_stored_low = (low - first.intercept) / volume.slope;
    const double as_stored_high = (high - first.intercept) / volume.slope;
    const bool fits = as_stored_low >= Limits::min() && as_stored_high <= Limits::max();
    volume.intercept = fits ? first.intercept : low - volume.slope * Limits::min();
  } else {
    volume.slope = (high - low) / steps_16;
    volume.intercept = low - volume.slope * Limits::min();
  }
  if (!alike && warnings) {
    warnings->push_back(volume.name +
                        ": slices are scaled differently (RescaleSlope, RescaleIntercept); brought to one" +
                        (whole_steps ? "" : ", in steps of " + fixed(volume.slope, 4)));
  }
}

}  // namespace supple::imaging
