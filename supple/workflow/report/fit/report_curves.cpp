// Errors and singular values against the number of modes: curves with the numbers below them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "supple/author/learn/settings.h"
#include "supple/workflow/jobs/fit/learning_curve.h"
#include "supple/workflow/report/chart.h"
#include "supple/workflow/report/fit/report_sections.h"
#include "supple/workflow/report/html.h"

namespace supple::workflow {
namespace {

constexpr std::array<const char*, 3> group_colours{"#2f6fb5", "#d4572a", "#2a8c5f"};
constexpr const char *grey = "#8b95a3", *violet = "#7d4fa8";

/// EigenSkin 2002, figure 7: relErr of one pose of the thumb's first joint with 0 to 5 modes.
constexpr std::array<double, 6> paper_figure_7{1, 0.161, 0.160, 0.100, 0.098, 0.065};
constexpr const char* paper_joint = "thumb-metacarpal";

/// The same measured here: training examples that move nothing but that joint.
struct ThumbErrors {
  std::string pose;
  std::vector<double> of_pose, mean, worst;  // per number of modes
};

/// The example that flexes the joint farthest and does nothing else; the first where none is so simple.
std::size_t most_flexed(const ExampleSet& set, JointIndex joint, std::span<const std::size_t> examples) {
  const auto dofs = set.skeleton.dofs(joint);
  std::size_t best = 0;
  float most = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const std::vector<float> angles = get_angles(set.pose(examples[i]), set.skeleton, joint);
    float flexion = 0, other = 0;
    for (std::size_t d = 0; d < dofs.size(); ++d)
      (dofs[d].name == "flexion" ? flexion : other) += std::abs(angles[d]) * (angles[d] < 0 ? 0.99f : 1);
    if (other < 1e-3f && flexion > most) most = flexion, best = i;
  }
  return best;
}

/// Trained on those examples alone, without a budget, as the paper does.
std::optional<ThumbErrors> thumb_errors(const FitJob& job) {
  const auto joint = job.set.skeleton.find(paper_joint);
  if (!joint) return std::nullopt;
  const std::vector<JointIndex> alone{*joint};
  const auto training = learn::examples_of(job.set, learn::Group::train);
  const learn::Settings settings = learn::settings_of(job.set, training);
  ExampleSet set = job.set;
  for (Example& e : set.examples) e.role = Role::test;
  std::vector<std::size_t> examples;
  for (std::size_t i = 0; i < training.size(); ++i) {
    if (settings.moved[i] != alone) continue;
    examples.push_back(training[i]);
    set.examples[training[i]].role = Role::train;
  }
  if (examples.empty()) return std::nullopt;
  learn::EigenSkinOptions options = job.skin.options;
  options.coupling = false;
  auto thumb = learn::train_eigenskin(set, job.original, job.part, options);
  if (!thumb || thumb->corrections.size() != 1) return std::nullopt;
  learn::Correction& c = thumb->corrections[0];
  c.kept = std::min(paper_figure_7.size() - 1, c.positions.size());
  c.kept_normals = 0;

  Character character = job.original;
  const learn::Attached attached =
      learn::attach(*thumb, set, character, std::span(&job.part, 1), {.signed_weights = true, .poses = {}});
  const std::size_t shown = most_flexed(set, *joint, examples);
  learn::ErrorMeter meter(character, job.part, attached, set, &job.input);
  ThumbErrors result;
  result.pose = set.examples[examples[shown]].name;
  for (std::size_t k = 0; k < paper_figure_7.size(); ++k) {
    const auto errors = meter.measure(examples, learn::first_modes(*thumb, attached, k, false));
    const learn::ErrorSummary summary = learn::summarize(errors, set.vertices(), 0);
    result.of_pose.push_back(errors[shown].relative());
    result.mean.push_back(summary.mean_relative);
    result.worst.push_back(summary.worst_relative);
  }
  return result;
}

double smallest(const std::vector<ChartSeries>& series) {
  double low = 1;
  for (const ChartSeries& s : series)
    for (const ChartPoint& p : s.points)
      if (p.y > 0) low = std::min(low, p.y);
  return low;
}

std::vector<ChartSeries> group_curves(const std::vector<CurvePoint>& curve) {
  std::vector<ChartSeries> series;
  for (std::size_t g = 0; g < 3; ++g) {
    series.push_back({learn::group_names[g], group_colours[g], {}, false});
    for (const CurvePoint& p : curve)
      if (p.groups[g].examples > 0)
        series.back().points.push_back({static_cast<double>(p.modes), p.groups[g].relative});
  }
  return series;
}

std::string chart_of(std::vector<ChartSeries> series, const std::string& x_title, double most) {
  Chart chart;
  chart.x_title = x_title;
  chart.y_title = "error, share of linear blend's";
  chart.x_high = most;
  chart.y_low = std::max(1e-4, smallest(series) / 1.15);
  chart.logarithmic = true;
  chart.series = std::move(series);
  for (const ChartSeries& s : chart.series)
    for (const ChartPoint& p : s.points) chart.y_high = std::max(chart.y_high, p.y);
  return to_svg(chart);
}

html::Table table_of(const std::vector<CurvePoint>& curve) {
  std::vector<html::Table::Column> columns{{"modes"}};
  for (const CurvePoint& p : curve) columns.push_back({std::to_string(p.modes), true});
  html::Table table(std::move(columns));
  const auto row = [&](std::size_t g, const char* what, double learn::ErrorSummary::*value) {
    std::vector<std::string> cells{fmt::format("{}: {}", learn::group_names[g], what)};
    for (const CurvePoint& p : curve) cells.push_back(fmt::format("{:.3f}", p.groups[g].*value));
    table.add(cells);
  };
  for (std::size_t g = 0; g < 3; ++g) {
    if (curve.empty() || curve[0].groups[g].examples == 0) continue;
    row(g, "all", &learn::ErrorSummary::relative);
    row(g, "mean of poses", &learn::ErrorSummary::mean_relative);
    row(g, "worst pose", &learn::ErrorSummary::worst_relative);
  }
  return table;
}

void add_row(html::Table& table, const std::string& name, std::span<const double> values, std::size_t columns) {
  std::vector<std::string> cells{name};
  for (std::size_t i = 0; i < columns; ++i)
    cells.push_back(i < values.size() ? fmt::format("{:.3f}", values[i]) : std::string());
  table.add(cells);
}

ChartSeries series_of(const std::string& name, const char* colour, std::span<const double> values) {
  ChartSeries series{name, colour, {}, true};
  for (std::size_t k = 0; k < values.size(); ++k) series.points.push_back({static_cast<double>(k), values[k]});
  return series;
}

std::string spectrum(const learn::Correction& c, double to_mm, double low, double high, std::size_t most) {
  Chart chart;
  chart.width = 240;
  chart.height = 130;
  chart.x_low = 1;
  chart.x_high = static_cast<double>(most);
  chart.y_low = low;
  chart.y_high = high;
  chart.logarithmic = true;
  chart.series.push_back({"", group_colours[0], {}, false});
  for (std::size_t m = 0; m < c.singular_values.size(); ++m)
    chart.series[0].points.push_back({static_cast<double>(m + 1), to_mm * c.singular_values[m], m < c.kept});
  return html::figure(to_svg(chart), fmt::format("<b>{}</b><br>{} of {} kept", html::escaped(c.driver.name), c.kept,
                                                 c.singular_values.size()));
}

}  // namespace

std::string error_against_modes(const FitJob& job) {
  std::string text =
      "<h2>Error against modes</h2>\n<p>Distance to the examples over all vertices, as a share of what linear blend "
      "skinning leaves: 1 is linear blend, 0 is the example itself. Measured by evaluating the skin.</p>\n";
  if (job.kernel) {
    const std::string chart =
        chart_of(group_curves(job.by_targets), "modes in the file", static_cast<double>(job.by_targets.back().modes));
    return text +
           html::gallery(std::vector<std::string>{html::figure(chart, "Skins of fewer modes; the last was written.")},
                         "26rem") +
           table_of(job.by_targets).text();
  }
  const auto thumb = thumb_errors(job);
  std::vector<ChartSeries> series = group_curves(job.by_modes_per_joint);
  html::Table table = table_of(job.by_modes_per_joint);
  if (thumb) {
    const std::size_t columns = job.by_modes_per_joint.size();
    const std::string ours = "training pose " + thumb->pose;
    add_row(table, html::escaped(ours), thumb->of_pose, columns);
    add_row(table, fmt::format("training poses of {}: mean", paper_joint), thumb->mean, columns);
    add_row(table, fmt::format("training poses of {}: worst", paper_joint), thumb->worst, columns);
    add_row(table, "<b>EigenSkin paper (2002), figure 7: one pose of that joint</b>", paper_figure_7, columns);
    series.push_back(series_of(thumb->pose, violet, thumb->of_pose));
    series.push_back(series_of("paper, figure 7", grey, paper_figure_7));
  }
  const double most = job.by_modes_per_joint.empty() ? 1 : static_cast<double>(job.by_modes_per_joint.back().modes);
  const double granted = job.by_targets.empty() ? 1 : static_cast<double>(job.by_targets.back().modes);
  text += html::gallery(
      std::vector<std::string>{
          html::figure(chart_of(std::move(series), "modes of every joint", most),
                       "The same number of modes for every joint, none for pairs of joints."),
          html::figure(chart_of(group_curves(job.by_targets), "modes in the file", granted),
                       "Modes in the order in which they were granted; the last is what was written.")},
      "26rem");
  text += "<h3>The same number of modes for every joint</h3>\n" + table.text();
  return text + "<h3>Modes in the order in which they were granted</h3>\n" + table_of(job.by_targets).text();
}

std::string spectra(const FitJob& job) {
  double low = 1e300, high = 0;
  std::size_t most = 2;
  for (const learn::Correction& c : job.skin.corrections)
    for (std::size_t m = 0; m < c.singular_values.size(); ++m) {
      high = std::max(high, job.millimetres() * c.singular_values[m]);
      low = std::min(low, job.millimetres() * c.singular_values[m]);
      most = std::max(most, m + 1);
    }
  if (high == 0) return "";
  low = std::max(low, 1e-4 * high);
  std::vector<std::string> figures;
  std::size_t unused = 0;
  for (const learn::Correction& c : job.skin.corrections) {
    if (c.is_pair() && c.kept == 0) {
      ++unused;
      continue;
    }
    figures.push_back(spectrum(c, job.millimetres(), low, high, most));
  }
  std::string text =
      "<h2>Spectra</h2>\n<p>Singular values of each joint's displacements in millimetres (the root of the sum over "
      "vertices and examples of squares), on one logarithmic scale. Filled: modes in the file.";
  if (unused > 0) text += fmt::format(" {} pairs of joints without modes in the file are not shown.", unused);
  return text + "</p>\n" + html::gallery(figures, "12rem");
}

std::string error_against_examples(const FitJob& job) {
  if (job.by_examples.size() < 2) return "";
  std::vector<ChartSeries> series;
  for (std::size_t g = 1; g < 3; ++g) {
    series.push_back({learn::group_names[g], group_colours[g], {}, false});
    for (const LearningPoint& p : job.by_examples)
      if (p.groups[g].examples > 0)
        series.back().points.push_back({static_cast<double>(p.examples), p.groups[g].relative});
  }
  series.push_back({"left out of training", "#888", {}, true});
  for (const LearningPoint& p : job.by_examples)
    series.back().points.push_back({static_cast<double>(p.examples), p.left_out});
  const auto most = static_cast<double>(job.by_examples.back().examples);
  std::string text =
      "<h2>Error against the number of examples</h2>\n" + chart_of(std::move(series), "examples learnt from", most);
  if (const auto twice = with_twice_as_many(job.by_examples))
    text += fmt::format("<p>If it goes on falling so, twice as many examples would leave about <b>{:.3f}</b>.</p>\n",
                        *twice);
  return text;
}

}  // namespace supple::workflow
