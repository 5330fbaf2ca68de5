#include "supple/author/simulate/calculix/results.h"

#include <algorithm>
#include <charconv>

#include "supple/author/simulate/calculix/deck.h"

namespace supple::simulate {
namespace {

/// Takes the first line off a text.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// Takes the first number off a line; false where there is none.
template <class Number>
bool next_number(std::string_view& line, Number& number) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return false;
  line.remove_prefix(begin);
  const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (failed != std::errc{}) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return true;
}

}  // namespace

Result<std::vector<std::vector<Vec3d>>> read_displacements(std::string_view dat, const TissueModel& model,
                                                           std::span<const std::vector<Vec3d>> waypoints) {
  std::vector<std::vector<Vec3d>> shapes;
  std::size_t rows = 0;
  const auto incomplete = [&] { return !shapes.empty() && rows < model.free_count(); };
  while (!dat.empty()) {
    std::string_view line = next_line(dat);
    if (line.find("displacements") != std::string_view::npos) {
      if (shapes.size() == waypoints.size() || incomplete()) break;
      shapes.push_back(model.mesh().nodes);
      rows = 0;
      for (std::size_t v = 0; v < model.mesh().nodes.size(); ++v)
        if (model.bone_of()[v] != no_bone) shapes.back()[v] = waypoints[shapes.size() - 1][v];
      continue;
    }
    std::size_t node = 0;
    Vec3d u{};
    if (!next_number(line, node)) continue;
    if (shapes.empty() || node == 0 || node > model.mesh().nodes.size() || !next_number(line, u.x) ||
        !next_number(line, u.y) || !next_number(line, u.z)) {
      return Error{"CalculiX", "printed displacements that cannot be read: node " + std::to_string(node), ""};
    }
    if (model.bone_of()[node - 1] != no_bone) continue;
    shapes.back()[node - 1] = model.mesh().nodes[node - 1] + u / calculix_units_per_metre;
    ++rows;
  }
  if (incomplete()) shapes.pop_back();
  return shapes;
}

CalculixSummary read_summary(std::string_view sta) {
  CalculixSummary summary;
  while (!sta.empty()) {
    std::string_view line = next_line(sta);
    int step = 0, increment = 0, attempt = 0, iterations = 0;
    double time = 0;
    if (!next_number(line, step) || !next_number(line, increment) || !next_number(line, attempt) ||
        !next_number(line, iterations) || !next_number(line, time)) {
      continue;
    }
    ++summary.increments;
    summary.iterations += iterations;
    summary.cutbacks += attempt - 1;
    summary.time = time;
  }
  return summary;
}

}  // namespace supple::simulate
