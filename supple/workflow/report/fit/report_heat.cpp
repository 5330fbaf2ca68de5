// Linear blend, the trained skin and the example beside each other, coloured by the distance to the example (as in
// figure 7 of EigenSkin 2002).
#include <fmt/core.h>

#include <algorithm>

#include "supple/deform/skin.h"
#include "supple/workflow/report/chart.h"
#include "supple/workflow/report/fit/report_sections.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/report/skin_pictures.h"

namespace supple::workflow {
namespace {

constexpr render::Size size{480, 480};
constexpr std::size_t poses_per_group = 2;
constexpr float shown_share = 0.15f;  // of linear blend's largest distance: the picture holds all skin that misses more
constexpr double margin = 0.12;

struct Worst {
  learn::PoseError error;
  learn::Group group = learn::Group::train;
};

/// Poses farthest from their examples, by RMS: held-out ones, or training ones where none were held out.
std::vector<Worst> worst_poses(const Fit& job) {
  std::vector<Worst> result;
  const auto take = [&](learn::Group group, std::size_t most) {
    std::vector<learn::PoseError> errors = job.poses[static_cast<std::size_t>(group)];
    std::stable_sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) { return a.squared > b.squared; });
    for (std::size_t i = 0; i < std::min(most, errors.size()); ++i) result.push_back({errors[i], group});
  };
  take(learn::Group::held_out_single, poses_per_group);
  take(learn::Group::held_out_several, poses_per_group);
  if (result.empty()) take(learn::Group::train, 2 * poses_per_group);
  return result;
}

/// One deformation of the part in one pose, beside the example.
struct Shape {
  std::vector<Vec3f> positions, normals;
  std::vector<float> distances;  // metres
};

Result<Shape> shape_of(const Character& character, const Fit& job, std::size_t example) {
  auto skin = Skin::make(character);
  if (!skin) return skin.error();
  Pose pose = job.set.pose(example);
  pose.morph_weights = character.morph_weights;
  if (auto ok = skin->evaluate(pose); !ok) return ok.error();
  const auto positions = skin->positions(job.part), normals = skin->normals(job.part);
  Shape shape{{positions.begin(), positions.end()}, {normals.begin(), normals.end()}, {}};
  const auto truth = job.set.positions_of(example);
  for (std::size_t v = 0; v < truth.size(); ++v) shape.distances.push_back(length(positions[v] - truth[v]));
  return shape;
}

float largest(const Shape& shape) { return *std::max_element(shape.distances.begin(), shape.distances.end()); }

double rms(double squared, std::size_t vertices) { return std::sqrt(squared / static_cast<double>(vertices)); }

Result<std::string> pictures_of(const Fit& job, const Worst& worst, const Shape& blend, const Shape& trained,
                                float scale, SkinPictures& drawn) {
  const learn::PoseError& e = worst.error;
  const std::string name = job.set.examples[e.example].name;
  const auto truth = job.set.positions_of(e.example), normals = job.set.normals_of(e.example);
  std::vector<float> amounts;
  std::vector<Vec3f> subject;
  const float shown_from = shown_share * largest(blend);
  for (std::size_t v = 0; v < truth.size(); ++v) {
    amounts.push_back(blend.distances[v] * blend.distances[v]);
    if (blend.distances[v] >= shown_from) subject.push_back(truth[v]);
  }
  // The shapes differ by millimetres: with the same shadows, colours are all that differs.
  const std::vector<float> occlusion = drawn.occlusion(truth, normals);
  const render::View& view = drawn.view_of_most(normals, amounts);
  const auto caption = [&](const char* what, double squared, double most) {
    return fmt::format("{}: {:.3f} mm RMS, {:.2f} mm at most", what, job.millimetres() * rms(squared, truth.size()),
                       job.millimetres() * most);
  };
  const auto heat = [&](const Shape& shape) {
    return render::map_colours(shape.distances, 0, scale, render::ColourMap::ember);
  };
  const auto blend_colours = heat(blend), trained_colours = heat(trained);
  const std::array<std::pair<ShownSurface, std::string>, 3> row{
      {{{blend.positions, blend.normals, blend_colours, occlusion},
        caption("linear blend", e.blend_squared, e.blend_largest)},
       {{trained.positions, trained.normals, trained_colours, occlusion},
        caption(job.method.c_str(), e.squared, e.largest)},
       {{truth, normals, {}, occlusion}, "example"}}};
  std::vector<std::string> figures;
  for (const auto& [shown_surface, text] : row) {
    auto picture = drawn.draw(shown_surface, subject, view, size, name + ", " + text, margin);
    if (!picture) return picture.error();
    figures.push_back(html::figure(*picture, text));
  }
  return fmt::format("<h3>{} ({}): {:.3f} of linear blend's error</h3>\n", html::escaped(name),
                     learn::group_names[static_cast<std::size_t>(worst.group)], e.relative()) +
         html::gallery(figures, "19rem");
}

}  // namespace

Result<std::string> pictures_of_errors(const Fit& job, SkinPictures& drawn, const Progress& progress) {
  const std::vector<Worst> poses = worst_poses(job);
  if (poses.empty()) return std::string();
  std::vector<Shape> blend, trained;
  float scale = 0;
  for (const Worst& w : poses) {
    auto before = shape_of(job.original, job, w.error.example);
    if (!before) return before.error();
    auto after = shape_of(job.learnt, job, w.error.example);
    if (!after) return after.error();
    scale = std::max({scale, largest(*before), largest(*after)});
    blend.push_back(std::move(*before));
    trained.push_back(std::move(*after));
  }
  const bool held_out = poses[0].group != learn::Group::train;
  std::string text = fmt::format(
      "<h2>Distance to the examples</h2>\n<p>The {} poses that the trained skin misses most, by RMS{}. All pictures "
      "share one scale.</p>\n",
      held_out ? "held-out" : "training", held_out ? "" : "; none were held out");
  text += colour_bar(render::ColourMap::ember, job.millimetres() * double{scale}, "distance to the example, mm");
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!report(progress, "drawing", 0.45 + 0.5 * static_cast<double>(i) / static_cast<double>(poses.size())))
      return Error{"drawing", "was stopped", ""};
    auto pictures = pictures_of(job, poses[i], blend[i], trained[i], scale, drawn);
    if (!pictures) return pictures.error();
    text += *pictures;
  }
  return text;
}

}  // namespace supple::workflow
