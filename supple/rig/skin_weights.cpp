#include "supple/rig/skin_weights.h"

#include <algorithm>
#include <cmath>

namespace supple {
namespace {

bool heavier(const Influence& a, const Influence& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
}

void count(std::size_t& counter, std::uint32_t& first, std::size_t vertex) {
  if (counter++ == 0) first = static_cast<std::uint32_t>(vertex);
}

std::string line(std::size_t n, const char* what, std::uint32_t first, const char* remedy) {
  return std::to_string(n) + (n == 1 ? " vertex " : " vertices ") + what + ", first vertex " + std::to_string(first) +
         ": " + remedy;
}

}  // namespace

std::size_t SkinWeights::max_influences() const {
  std::size_t most = 0;
  for (std::size_t v = 0; v < vertices(); ++v) most = std::max<std::size_t>(most, first[v + 1] - first[v]);
  return most;
}

void SkinWeights::push_vertex(std::span<const Influence> influences) {
  entries.insert(entries.end(), influences.begin(), influences.end());
  first.push_back(static_cast<std::uint32_t>(entries.size()));
}

std::vector<std::string> WeightRepairs::describe() const {
  std::vector<std::string> lines;
  if (zero) lines.push_back(line(zero, "without any weight", first_zero, "bound to the fallback joint"));
  if (negative) lines.push_back(line(negative, "with a negative weight", first_negative, "dropped"));
  if (not_finite) lines.push_back(line(not_finite, "with a weight that is not finite", first_not_finite, "dropped"));
  if (joint_out_of_range) {
    lines.push_back(line(joint_out_of_range, "bound to a joint that does not exist", first_out_of_range, "dropped"));
  }
  if (not_normalized) {
    lines.push_back(line(not_normalized, "whose weights do not sum to one", first_not_normalized, "normalised") +
                    " (worst sum " + std::to_string(worst_sum) + ")");
  }
  if (duplicate_joint) lines.push_back(std::to_string(duplicate_joint) + " vertices naming a joint twice: merged");
  return lines;
}

WeightRepairs clean(SkinWeights& weights, std::size_t joint_count, std::uint32_t fallback, float tolerance) {
  WeightRepairs repairs;
  SkinWeights cleaned;
  cleaned.entries.reserve(weights.entries.size());
  cleaned.first.reserve(weights.first.size());
  std::vector<Influence> kept;
  for (std::size_t v = 0; v < weights.vertices(); ++v) {
    kept.clear();
    bool negative = false, not_finite = false, out_of_range = false, duplicate = false;
    for (const Influence& i : weights.of(v)) {
      if (!std::isfinite(i.weight))
        not_finite = true;
      else if (i.weight < 0)
        negative = true;
      else if (i.weight > 0 && i.joint >= joint_count)
        out_of_range = true;
      else if (i.weight > 0)
        kept.push_back(i);
    }
    std::sort(kept.begin(), kept.end(), [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
    std::size_t merged = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (merged > 0 && kept[merged - 1].joint == kept[i].joint) {
        kept[merged - 1].weight += kept[i].weight;
        duplicate = true;
      } else {
        kept[merged++] = kept[i];
      }
    }
    kept.resize(merged);
    double sum = 0;
    for (const Influence& i : kept) sum += i.weight;
    if (negative) count(repairs.negative, repairs.first_negative, v);
    if (not_finite) count(repairs.not_finite, repairs.first_not_finite, v);
    if (out_of_range) count(repairs.joint_out_of_range, repairs.first_out_of_range, v);
    if (duplicate) ++repairs.duplicate_joint;
    if (!(sum > 1e-30)) {
      count(repairs.zero, repairs.first_zero, v);
      kept.assign(1, {fallback, 1.0f});
      sum = 1;
    }
    if (std::abs(sum - 1) > tolerance) {
      count(repairs.not_normalized, repairs.first_not_normalized, v);
      if (std::abs(sum - 1) > std::abs(repairs.worst_sum - 1)) repairs.worst_sum = static_cast<float>(sum);
    }
    for (Influence& i : kept) i.weight = static_cast<float>(i.weight / sum);
    std::sort(kept.begin(), kept.end(), heavier);
    cleaned.push_vertex(kept);
  }
  weights = std::move(cleaned);
  return repairs;
}

SkinWeights top_influences(const SkinWeights& weights, std::size_t n) {
  SkinWeights reduced;
  std::vector<Influence> kept;
  for (std::size_t v = 0; v < weights.vertices(); ++v) {
    const std::span<const Influence> all = weights.of(v);
    kept.assign(all.begin(), all.end());
    std::sort(kept.begin(), kept.end(), heavier);
    if (n > 0 && kept.size() > n) {
      const float threshold = kept[n].weight;
      kept.resize(n);
      double sum = 0;
      for (Influence& i : kept) sum += i.weight -= threshold;
      if (sum > 0) {
        for (Influence& i : kept) i.weight = static_cast<float>(i.weight / sum);
        std::erase_if(kept, [](const Influence& i) { return i.weight <= 0; });
      } else {  // all equal: nothing to prefer, so the first n share
        for (Influence& i : kept) i.weight = 1.0f / static_cast<float>(n);
      }
    }
    reduced.push_vertex(kept);
  }
  return reduced;
}

}  // namespace supple
