#include "supple/author/learn/vertex_budget.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "supple/author/learn/correction.h"

namespace supple::learn {
namespace {

/// Full size at a quarter more than the (most+1)th strength: a steeper fade leaves more of the mode and shows.
constexpr float fade_slope = 4;

/// One mode at one vertex: how far it goes in any training example, and where its offsets are.
struct Entry {
  float strength = 0;
  Vec3f* offset = nullptr;
  Vec3f* companion = nullptr;  // change of the normal that goes with it
};

/// Largest coordinate of each mode at the centres of its driver, which are its examples.
std::vector<double> largest_coordinates(const Correction& c) {
  std::vector<double> largest(c.driver.targets(), 0.0);
  const std::size_t joints = c.driver.joints.size();
  for (std::size_t k = 0; k < c.driver.centre_count(); ++k) {
    const auto at = coordinates_at(c, std::span(c.driver.centres).subspan(k * joints, joints));
    for (std::size_t m = 0; m < at.size(); ++m) largest[m] = std::max(largest[m], std::abs(at[m]));
  }
  return largest;
}

void fade(std::vector<Entry>& entries, std::size_t most) {
  if (entries.size() <= most) return;
  std::vector<float> strengths;
  for (const Entry& e : entries) strengths.push_back(e.strength);
  std::nth_element(strengths.begin(), strengths.begin() + static_cast<std::ptrdiff_t>(most), strengths.end(),
                   std::greater<>());
  const float next = strengths[most];
  if (!(next > 0)) return;
  for (const Entry& e : entries) {
    const float keep = std::clamp(fade_slope * (e.strength - next) / next, 0.0f, 1.0f);
    *e.offset = *e.offset * keep;
    if (e.companion != nullptr) *e.companion = *e.companion * keep;
  }
}

}  // namespace

void limit_modes_per_vertex(EigenSkin& skin, std::size_t vertices, std::size_t most) {
  std::vector<std::vector<Entry>> positions(vertices), normals(vertices);
  for (Correction& c : skin.corrections) {
    const std::vector<double> largest = largest_coordinates(c);
    const bool own = !c.normal_singular_values.empty();
    const auto collect = [&](std::vector<std::vector<Vec3f>>& modes, std::size_t kept, std::size_t first,
                             std::vector<std::vector<Entry>>& to, bool companions) {
      for (std::size_t m = 0; m < kept; ++m)
        for (std::size_t i = 0; i < c.support.vertices.size(); ++i) {
          const auto strength = static_cast<float>(largest[first + m]) * length(modes[m][i]);
          to[c.support.vertices[i]].push_back({strength, &modes[m][i], companions ? &c.normals[m][i] : nullptr});
        }
    };
    collect(c.positions, c.kept, 0, positions, !own && !c.normals.empty());
    if (own) collect(c.normals, c.kept_normals, c.positions.size(), normals, false);
  }
  for (auto& entries : positions) fade(entries, most);
  for (auto& entries : normals) fade(entries, most);
}

}  // namespace supple::learn
