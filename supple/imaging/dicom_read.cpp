#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "supple/imaging/dicom_file.h"
#include "supple/imaging/dicom_series.h"
#include "supple/imaging/formats.h"
#include "supple/imaging/header_text.h"
#include "supple/imaging/volume_file.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

struct FoundSeries {
  Series series;
  std::vector<Slice> slices;
};

/// Every series below a folder. A file that is damaged spoils only itself, and `warnings` says which.
Result<std::vector<FoundSeries>> find_series(const fs::path& folder, Warnings* warnings, const Progress& progress) {
  std::error_code failed;
  std::vector<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(folder, failed); !failed && entry != fs::end(entry);
       entry.increment(failed)) {
    std::error_code unreadable;
    if (entry->is_regular_file(unreadable)) files.push_back(entry->path());
  }
  if (failed) return Error{folder.string(), "cannot be listed", "check the folder and its permissions"};
  std::sort(files.begin(), files.end());
  std::map<std::string, FoundSeries> by_id;
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (!report(progress, "looking for slices", static_cast<double>(f) / static_cast<double>(files.size())))
      return Error{folder.string(), "was not read: stopped", ""};
    auto slices = read_slices(files[f]);
    if (!slices) {
      if (warnings) warnings->push_back(slices.error().message());
      continue;
    }
    if (slices->empty()) continue;
    FoundSeries& found = by_id[slices->front().series];
    found.series.files.push_back(files[f]);
    found.slices.insert(found.slices.end(), slices->begin(), slices->end());
  }
  std::vector<FoundSeries> all;
  for (auto& [id, found] : by_id) {
    const Slice& first = found.slices.front();
    found.series.id = id;
    found.series.description = first.description;
    found.series.modality = first.modality;
    found.series.slices = found.slices.size();
    found.series.size = {first.columns, first.rows};
    all.push_back(std::move(found));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const FoundSeries& a, const FoundSeries& b) { return a.series.slices > b.series.slices; });
  return all;
}

std::string listed(const std::vector<FoundSeries>& all) {
  std::string text;
  for (const FoundSeries& found : all) {
    const Series& s = found.series;
    text += (text.empty() ? "'" : "; '") + s.description + "' " + s.modality + " " + std::to_string(s.slices) +
            " slices of " + std::to_string(s.size[0]) + " x " + std::to_string(s.size[1]) + ", id " + s.id;
  }
  return text;
}

Result<FoundSeries> choose(std::vector<FoundSeries> all, const std::string& wanted, const fs::path& folder) {
  std::vector<FoundSeries> matching;
  const std::string low = lower(wanted);
  for (FoundSeries& found : all) {
    const Series& s = found.series;
    if (s.id == wanted) return found;
    if (s.id.find(wanted) != std::string::npos || lower(s.description).find(low) != std::string::npos)
      matching.push_back(found);
  }
  if (matching.size() == 1) return std::move(matching.front());
  const std::string remedy = "name one by its id or a part of its description";
  if (matching.empty()) return Error{folder.string(), "has no series '" + wanted + "', but " + listed(all), remedy};
  return Error{folder.string(),
               "holds " + std::to_string(matching.size()) + " series" +
                   (wanted.empty() ? "" : " that match '" + wanted + "'") + ": " + listed(matching),
               remedy};
}

void warn_of_kind(const FoundSeries& found, const std::string& name, Warnings* warnings) {
  if (!warnings) return;
  const std::string& modality = found.series.modality;
  if (modality != "CT" && modality != "MR") {
    warnings->push_back(name + ": its modality is '" + modality +
                        "', neither CT nor MR: thresholds for bone and skin must be given by hand");
  }
  const auto inverted = static_cast<std::size_t>(std::count_if(
      found.slices.begin(), found.slices.end(), [](const Slice& s) { return s.photometric == "MONOCHROME1"; }));
  if (inverted > 0)
    warnings->push_back(name + ": " + std::to_string(inverted) + " slices are stored dark for bright: turned round");
}

Result<void> read_pixels(const std::vector<Slice>& slices, Volume& volume, const Progress& progress) {
  using Limits = std::numeric_limits<std::int16_t>;
  for (const Slice& slice : slices) {
    if (auto held = check_picture(slice); !held) return held;
  }
  volume.samples.resize(volume.count());
  const std::size_t per_slice = volume.size[0] * volume.size[1];
  PixelReader reader;
  for (std::size_t k = 0; k < slices.size(); ++k) {
    const auto pixels = reader.read(slices[k]);
    if (!pixels) return pixels.error();
    std::int16_t* out = volume.samples.data() + k * per_slice;
    // Where a slice is scaled as the volume is, this is a whole number, and rounding only takes away the arithmetic's.
    const double scale = slices[k].slope / volume.slope;
    const double shift = (slices[k].intercept - volume.intercept) / volume.slope;
    for (std::size_t i = 0; i < per_slice; ++i) {
      const double sample = std::nearbyint(scale * (*pixels)[i] + shift);
      out[i] = static_cast<std::int16_t>(
          std::clamp<double>(sample, static_cast<double>(Limits::min()), static_cast<double>(Limits::max())));
    }
    if (!report(progress, "reading slices", static_cast<double>(k + 1) / static_cast<double>(slices.size())))
      return Error{volume.name, "was not read: stopped", ""};
  }
  return {};
}

/// A folder may hold hundreds of files that are cut short: a few are named, more are counted.
void tell_of(const Warnings& damaged, const std::string& name, Warnings& warnings) {
  constexpr std::size_t named = 3;
  const std::size_t count = std::min(damaged.size(), named);
  warnings.insert(warnings.end(), damaged.begin(), damaged.begin() + static_cast<std::ptrdiff_t>(count));
  if (damaged.size() > named)
    warnings.push_back(name + ": " + std::to_string(damaged.size() - named) + " more files could not be read");
}

}  // namespace

Result<std::vector<Series>> list_series(const fs::path& folder, Warnings* warnings) {
  Warnings damaged;
  auto found = find_series(folder, &damaged, {});
  if (!found) return found.error();
  if (warnings) tell_of(damaged, folder.string(), *warnings);
  std::vector<Series> series;
  for (FoundSeries& f : *found) series.push_back(std::move(f.series));
  return series;
}

Result<Volume> read_dicom(const fs::path& path, const std::string& series, Warnings* warnings,
                          const Progress& progress) {
  std::error_code failed;
  FoundSeries found;
  Warnings damaged;
  if (fs::is_directory(path, failed)) {
    auto all = find_series(path, &damaged, progress);
    if (!all) return all.error();
    if (all->empty()) {
      return Error{path.string(),
                   damaged.empty() ? "holds no DICOM slices" : "holds no readable slice: " + damaged.front(),
                   "give the folder that holds the slices of a scan"};
    }
    auto chosen = choose(std::move(*all), series, path);
    if (!chosen) return chosen.error();
    found = std::move(*chosen);
  } else {
    if (auto file = open_dicom(path); !file) return file.error();
    auto slices = read_slices(path);
    if (!slices) return slices.error();
    if (slices->empty()) return Error{path.string(), "holds no picture", "give the folder with the slices"};
    found.slices = std::move(*slices);
    found.series.modality = found.slices.front().modality;
  }
  Volume volume;
  volume.name = path.string();
  volume.modality = found.series.modality;
  if (auto arranged = arrange(found.slices, volume, warnings); !arranged) {
    Error error = arranged.error();
    if (!damaged.empty())  // most likely the reason
      error.problem += "; files that could not be read: " + std::to_string(damaged.size()) + ", " + damaged.front();
    return error;
  }
  if (warnings) tell_of(damaged, volume.name, *warnings);
  choose_scale(found.slices, volume, warnings);
  warn_of_kind(found, volume.name, warnings);
  if (auto read = read_pixels(found.slices, volume, progress); !read) return read.error();
  return volume;
}

}  // namespace supple::imaging
