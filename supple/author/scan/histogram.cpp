// Counting values, and reading off the counts what is air, soft tissue and bone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

#include "supple/author/scan/surface.h"
#include "supple/base/parallel.h"

namespace supple::scan {
namespace {

constexpr std::size_t most_bins = 512;
// A metal clip or a few wild samples must not widen all bins: this share at either end goes into the outermost ones.
constexpr double clipped_share = 1e-4;
// Scanners fill the corners around their round field of view with something below air: no tissue, and no air either.
constexpr double least_air = -1200;

// How often each of the 65536 samples occurs, from -32768 on.
std::vector<std::size_t> sample_counts(const Volume& volume) {
  constexpr std::size_t parts = 16;
  const std::size_t chunk = std::max<std::size_t>(1, (volume.samples.size() + parts - 1) / parts);
  std::vector<std::vector<std::size_t>> counts(parts, std::vector<std::size_t>(65536, 0));
  parallel_for(volume.samples.size(), chunk, [&](std::size_t begin, std::size_t end) {
    std::vector<std::size_t>& own = counts[begin / chunk];
    for (std::size_t i = begin; i < end; ++i) ++own[static_cast<std::size_t>(volume.samples[i] + 32768)];
  });
  for (std::size_t p = 1; p < parts; ++p) {
    for (std::size_t s = 0; s < 65536; ++s) counts[0][s] += counts[p][s];
  }
  return std::move(counts[0]);
}

// The same without what scanners fill corners with.
std::vector<std::size_t> tissue_counts(const Volume& volume) {
  std::vector<std::size_t> counts = volume.samples.empty() ? std::vector<std::size_t>(65536) : sample_counts(volume);
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (volume.slope * (static_cast<double>(s) - 32768) + volume.intercept < least_air) counts[s] = 0;
  }
  return counts;
}

// The sample that `share` of all lie below or at.
std::size_t quantile(std::span<const std::size_t> counts, double share) {
  std::size_t total = 0;
  for (const std::size_t c : counts) total += c;
  const double wanted = share * static_cast<double>(total);
  double sum = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    sum += static_cast<double>(counts[s]);
    if (sum >= wanted && counts[s] > 0) return s;
  }
  return 0;
}

// Bins of whole samples, so that none is favoured.
Histogram binned(const Volume& volume, std::span<const std::size_t> counts) {
  const std::size_t first = quantile(counts, clipped_share), last = quantile(counts, 1 - clipped_share);
  const std::size_t width = (last - first) / most_bins + 1;
  Histogram h;
  h.step = volume.slope * static_cast<double>(width);
  h.low = volume.slope * (static_cast<double>(first) - 32768 - 0.5) + volume.intercept;
  h.counts.assign((last - first) / width + 1, 0);
  for (std::size_t s = 0; s < counts.size(); ++s) {
    h.counts[s <= first ? 0 : std::min((s - first) / width, h.counts.size() - 1)] += counts[s];
  }
  return h;
}

double middle_of(const Histogram& h, std::size_t bin) { return h.low + h.step * (static_cast<double>(bin) + 0.5); }

// Counts with the jitter of single bins taken out: three times the mean of three.
std::vector<double> smoothed(const Histogram& h) {
  std::vector<double> now(h.counts.begin(), h.counts.end()), next(now.size());
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double before = i > 0 ? now[i - 1] : 0, after = i + 1 < now.size() ? now[i + 1] : 0;
      next[i] = (before + now[i] + after) / 3;
    }
    now.swap(next);
  }
  return now;
}

struct Hill {
  std::size_t top = 0, begin = 0, end = 0;  // bins
};

// Hills whose top stands out from the lower of the saddles beside it. Heights are compared as square roots: chance then
// jitters all of them by half, and rare values count next to frequent ones.
std::vector<Hill> hills_of(const Histogram& h) {
  const std::vector<double> height = smoothed(h);
  const double highest = *std::max_element(height.begin(), height.end());
  const double enough = std::max(3.0, 0.03 * std::sqrt(highest));
  std::vector<Hill> hills;
  std::size_t valley = 0, top = 0;
  bool climbing = true;
  for (std::size_t i = 0; i <= height.size(); ++i) {
    const double here = i < height.size() ? std::sqrt(height[i]) : 0;
    if (climbing) {
      if (i < height.size() && height[i] > height[top]) top = i;
      if (std::sqrt(height[top]) - here < enough && i < height.size()) continue;
      if (std::sqrt(height[top]) - (hills.empty() ? 0 : std::sqrt(height[valley])) < enough) continue;
      if (!hills.empty()) hills.back().end = valley;
      hills.push_back({top, hills.empty() ? 0 : valley, height.size()});
      climbing = false;
      valley = std::min(i, height.size() - 1);
    } else if (i < height.size()) {
      if (height[i] < height[valley]) valley = i;
      if (here - std::sqrt(height[valley]) < enough) continue;
      climbing = true;
      top = i;
    }
  }
  return hills;
}

std::string number(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Two thresholds that make three groups, each as narrow as can be (Otsu, A Threshold Selection Method from Gray-Level
// Histograms, 1979). Returns the first bins of the second and third groups.
std::array<std::size_t, 2> three_groups(const Histogram& h) {
  const std::size_t n = h.counts.size();
  std::vector<double> count(n + 1, 0), sum(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = static_cast<double>(h.counts[i]);
    count[i + 1] = count[i] + c;
    sum[i + 1] = sum[i] + c * static_cast<double>(i);
  }
  const auto between = [&](std::size_t begin, std::size_t end) {
    const double c = count[end] - count[begin], s = sum[end] - sum[begin];
    return c > 0 ? s * s / c : 0;
  };
  std::array<std::size_t, 2> best{1, 2};
  double most = -1;
  for (std::size_t a = 1; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const double spread = between(0, a) + between(a, b) + between(b, n);
      if (spread > most) {
        most = spread;
        best = {a, b};
      }
    }
  }
  return best;
}

// What is dark and what is not, each as narrow as can be (Otsu 1979): the medians of both, equal where there is only
// one.
std::array<double, 2> two_groups(const Histogram& h) {
  double total = 0, sum = 0;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    total += static_cast<double>(h.counts[i]);
    sum += static_cast<double>(h.counts[i]) * static_cast<double>(i);
  }
  std::size_t split = 0;
  double most = -1, below = 0, below_sum = 0;
  for (std::size_t i = 0; i + 1 < h.counts.size(); ++i) {
    below += static_cast<double>(h.counts[i]);
    below_sum += static_cast<double>(h.counts[i]) * static_cast<double>(i);
    const double above = total - below, apart = below_sum / below - (sum - below_sum) / above;
    if (!(below > 0 && above > 0) || below * above * apart * apart <= most) continue;
    most = below * above * apart * apart;
    split = i + 1;
  }
  const auto median = [&](std::size_t begin, std::size_t end) {
    double all = 0, passed = 0;
    for (std::size_t i = begin; i < end; ++i) all += static_cast<double>(h.counts[i]);
    std::size_t at = begin;
    while (at + 1 < end && 2 * (passed += static_cast<double>(h.counts[at])) < all) ++at;
    return middle_of(h, at);
  };
  if (split == 0) return {0, 0};
  return {median(0, split), median(split, h.counts.size())};
}

// Where the hills of air and soft tissue are.
struct AirAndTissue {
  std::size_t air = 0, tissue = 0;  // bins
};

// Hounsfield units say where to look: air about -1000, soft tissue about 0 (water). What has a hill of its own between
// the two, such as the table, its pads and fat, is neither. None where the hills do not fit: other units.
std::optional<AirAndTissue> by_hounsfield_units(const Histogram& h, std::span<const double> height) {
  constexpr double most_air = -900, least_tissue = -50, most_tissue = 150;
  std::optional<std::size_t> air, tissue;
  const auto higher = [&](std::size_t bin, std::optional<std::size_t>& best) {
    if (!best || height[bin] > height[*best]) best = bin;
  };
  for (const Hill& hill : hills_of(h)) {
    const double value = middle_of(h, hill.top);
    if (value < most_air) higher(hill.top, air);
    if (value >= least_tissue && value <= most_tissue) higher(hill.top, tissue);
  }
  if (!air || !tissue) return std::nullopt;
  return AirAndTissue{*air, *tissue};
}

AirAndTissue by_groups(const Histogram& h, std::span<const double> height) {
  const auto top = [&](std::size_t begin, std::size_t end) {
    const auto at = [&](std::size_t i) { return height.begin() + static_cast<std::ptrdiff_t>(i); };
    return static_cast<std::size_t>(std::max_element(at(begin), at(end)) - height.begin());
  };
  const auto [tissue_begins, bone_begins] = three_groups(h);
  return {top(0, tissue_begins), top(tissue_begins, bone_begins)};
}

}  // namespace

std::string Histogram::describe() const {
  std::size_t total = 0;
  for (const std::size_t c : counts) total += c;
  if (total == 0) return "no values";
  if (counts.size() == 1) return "all values are about " + number("%.4g", middle_of(*this, 0));
  std::string text = "values from " + number("%.0f", low) + " to " +
                     number("%.0f", low + step * static_cast<double>(counts.size())) + ":";
  bool first = true;
  for (const Hill& hill : hills_of(*this)) {
    std::size_t inside = 0;
    for (std::size_t i = hill.begin; i < hill.end; ++i) inside += counts[i];
    const double percent = 100 * static_cast<double>(inside) / static_cast<double>(total);
    text += (first ? " " : ", ") + number(percent < 1 ? "%.1f" : "%.0f", percent) + " % around " +
            number("%.0f", middle_of(*this, hill.top));
    first = false;
  }
  return text;
}

Histogram histogram(const Volume& volume) {
  if (volume.samples.empty()) return {};
  return binned(volume, sample_counts(volume));
}

double change_at(const Volume& volume, double threshold) {
  if (volume.samples.empty()) return 0;
  const std::vector<std::size_t> counts = tissue_counts(volume);
  constexpr double outliers = 1e-3, moved = 0.05;
  const auto low = static_cast<double>(quantile(counts, outliers)),
             high = static_cast<double>(quantile(counts, 1 - outliers));
  const double at = (threshold - volume.intercept) / volume.slope + 32768, step = moved * (high - low);
  const auto above = [&](double sample) {
    const auto first = static_cast<std::ptrdiff_t>(std::clamp(std::ceil(sample), 0.0, 65536.0));
    return static_cast<double>(std::accumulate(counts.begin() + first, counts.end(), std::size_t{0}));
  };
  return (above(at - step) - above(at + step)) / (2 * std::max(above(at), 1.0));
}

Result<Thresholds> propose_thresholds(const Volume& volume) {
  const Histogram all = histogram(volume);
  const auto failed = [&](const std::string& why) {
    return Error{volume.name.empty() ? "volume" : volume.name, why + "; " + all.describe(),
                 "give the thresholds of skin and bone yourself"};
  };
  if (volume.modality == "MR") return failed("magnetic resonance has no fixed scale on which bone is bright");
  const Histogram h = binned(volume, tissue_counts(volume));
  if (h.counts.size() < 8) return failed("there is nothing to tell apart");

  const std::vector<double> height = smoothed(h);
  const auto known = by_hounsfield_units(h, height);
  const auto [air, tissue] = known ? *known : by_groups(h, height);
  // A true pair of hills has a valley between.
  double valley = height[air];
  for (std::size_t i = air; i <= tissue; ++i) valley = std::min(valley, height[i]);
  if (valley > 0.5 * std::min(height[air], height[tissue])) return failed("air and soft tissue cannot be told apart");

  // Bone rarely makes a hill of its own: it is what lies clearly above soft tissue.
  std::size_t half = tissue;
  while (half < h.counts.size() && height[half] > 0.5 * height[tissue]) ++half;
  const double sigma = static_cast<double>(half - tissue) / 1.18;  // bins: of a bell with this half-width
  constexpr double least_sigmas = 5, least_of_air = 0.1;           // above tissue; as a share of air to tissue
  const auto clearance = static_cast<std::size_t>(
      std::ceil(std::max(least_sigmas * sigma, least_of_air * static_cast<double>(tissue - air))));
  std::size_t total = 0, dense = 0;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    total += h.counts[i];
    if (i >= tissue + clearance) dense += h.counts[i];
  }
  constexpr double least_bone = 5e-4;  // of all samples
  if (static_cast<double>(dense) < least_bone * static_cast<double>(total)) {
    return failed("nothing is clearly denser than soft tissue");
  }
  std::size_t bone = tissue + clearance;  // the median of what is dense
  for (std::size_t sum = h.counts[bone]; 2 * sum < dense; sum += h.counts[bone]) ++bone;
  return Thresholds{(middle_of(h, air) + middle_of(h, tissue)) / 2, (middle_of(h, tissue) + middle_of(h, bone)) / 2};
}

Result<double> propose_skin(const Volume& volume) {
  if (const auto both = propose_thresholds(volume)) return both->skin;
  const Histogram h = histogram(volume);
  const auto [air, body] = two_groups(h);
  if (!(air < body))
    return Error{volume.name.empty() ? "volume" : volume.name, "shows no air around the hand; " + h.describe(),
                 "give the threshold of skin yourself, or label the skin"};
  return (air + body) / 2;
}

}  // namespace supple::scan
