// Where corrections act and what they do, painted on the skin at rest: supports and eigendisplacements (figures 3 and 5
// of EigenSkin 2002).
#include <fmt/core.h>

#include <algorithm>

#include "supple/deform/skin.h"
#include "supple/workflow/report/chart.h"
#include "supple/workflow/report/fit/report_sections.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/report/skin_pictures.h"

namespace supple::workflow {
namespace {

constexpr render::Size large{480, 520}, small{240, 256}, close_up{360, 360};
constexpr std::size_t most_supports = 24, most_joints = 4, most_modes_of_joint = 3, most_modes_of_pose = 9;

const Vec3f still_colour = render::from_hex(0xd3d7dd), moved_colour = render::from_hex(0xd4572a);

struct RestSkin {
  std::vector<Vec3f> positions, normals;  // world space
  std::vector<float> occlusion;

  ShownSurface in(std::span<const Vec3f> colours) const { return {positions, normals, colours, occlusion}; }
};

Result<RestSkin> rest_skin(const FitJob& job, const SkinPictures& drawn) {
  auto skin = Skin::make(job.original);
  if (!skin) return skin.error();
  if (auto ok = skin->evaluate(job.original.rest()); !ok) return ok.error();
  const auto positions = skin->positions(job.part), normals = skin->normals(job.part);
  return RestSkin{
      {positions.begin(), positions.end()}, {normals.begin(), normals.end()}, drawn.occlusion(positions, normals)};
}

/// Modes of the file that move each vertex.
std::vector<float> modes_per_vertex(const FitJob& job) {
  std::vector<float> counts(job.set.vertices());
  const Part& part = job.learnt.parts[job.part];
  for (std::size_t t = part.morphs.size() - job.attached.targets.size(); t < part.morphs.size(); ++t)
    if (!part.morphs[t].positions.empty())
      for (const std::uint32_t v : part.morphs[t].vertices) counts[v] += 1;
  return counts;
}

Result<std::string> budget_pictures(const FitJob& job, SkinPictures& drawn, const RestSkin& rest) {
  const std::vector<float> counts = modes_per_vertex(job);
  const float most = std::max(1.0f, *std::max_element(counts.begin(), counts.end()));
  const auto colours = render::map_colours(counts, 0, most, render::ColourMap::sea);
  std::vector<std::string> figures;
  for (const render::View& view : std::span(drawn.views()).first(2)) {
    auto picture = drawn.draw(rest.in(colours), rest.positions, view, large, "modes per vertex, " + view.name);
    if (!picture) return picture.error();
    figures.push_back(html::figure(*picture, view.name));
  }
  return "<h3>Modes that move each vertex</h3>\n" + colour_bar(render::ColourMap::sea, double{most}, "modes") +
         html::gallery(figures, "26rem");
}

Result<std::string> support_pictures(const FitJob& job, SkinPictures& drawn, const RestSkin& rest) {
  std::vector<std::string> figures;
  std::size_t more = 0;
  for (const learn::Correction& c : job.skin.corrections) {
    if (c.is_pair() || c.support.vertices.empty()) continue;
    if (figures.size() == most_supports) {
      ++more;
      continue;
    }
    std::vector<Vec3f> colours(rest.positions.size(), still_colour);
    for (std::size_t i = 0; i < c.support.vertices.size(); ++i)
      colours[c.support.vertices[i]] = still_colour + (moved_colour - still_colour) * c.support.mask[i];
    auto picture = drawn.draw(rest.in(colours), rest.positions, drawn.detail(), small, "support of " + c.driver.name);
    if (!picture) return picture.error();
    figures.push_back(html::figure(*picture, html::escaped(c.driver.name)));
  }
  std::string text =
      "<h3>Supports</h3>\n<p>Where each joint's correction acts: grey skin is left to linear blend, and the correction "
      "fades in towards full colour.";
  if (more > 0) text += fmt::format(" {} more joints are not shown.", more);
  return text + "</p>\n" + html::gallery(figures, "9.5rem");
}

/// Components about grey, the largest of them at the end of its scale.
std::vector<Vec3f> displacement_colours(const learn::Correction& c, std::size_t mode, std::size_t vertices) {
  const std::vector<Vec3f>& field = c.positions[mode];
  float largest = 1e-30f;
  for (const Vec3f u : field) largest = std::max({largest, std::abs(u.x), std::abs(u.y), std::abs(u.z)});
  const auto channel = [&](float u) { return render::from_srgb(0.5f + 0.5f * u / largest); };
  std::vector<Vec3f> colours(vertices, Vec3f{channel(0), channel(0), channel(0)});
  for (std::size_t i = 0; i < field.size(); ++i)
    colours[c.support.vertices[i]] = {channel(field[i].x), channel(field[i].y), channel(field[i].z)};
  return colours;
}

/// Corrections of single joints in the file, the strongest first.
std::vector<std::size_t> strongest(const learn::EigenSkin& skin) {
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < skin.corrections.size(); ++c)
    if (!skin.corrections[c].is_pair() && skin.corrections[c].kept > 0) order.push_back(c);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return skin.corrections[a].singular_values[0] > skin.corrections[b].singular_values[0];
  });
  if (order.size() > most_joints) order.resize(most_joints);
  return order;
}

Result<std::string> displacement_pictures(const FitJob& job, SkinPictures& drawn, const RestSkin& rest) {
  std::string text =
      "<h3>Displacements of the modes</h3>\n<p>The strongest modes, as they are in the file. Red, green "
      "and blue are displacements "
      "along x, y and z at rest, about grey where there are none; each mode has its own scale. In millimetres: the "
      "largest displacement that the mode makes in any example.</p>\n";
  const std::size_t most_modes = job.kernel ? most_modes_of_pose : most_modes_of_joint;
  for (const std::size_t number : strongest(job.skin)) {
    const learn::Correction& c = job.skin.corrections[number];
    std::vector<Vec3f> subject;
    std::vector<float> amounts(rest.positions.size());
    for (std::size_t i = 0; i < c.support.vertices.size(); ++i) {
      subject.push_back(rest.positions[c.support.vertices[i]]);
      amounts[c.support.vertices[i]] = squared_length(c.positions[0][i]);
    }
    const render::View& view = drawn.view_of_most(rest.normals, amounts);
    std::vector<std::string> figures;
    for (const learn::TargetSource& t : job.attached.targets) {
      if (t.correction != number || t.of_normals || t.mode >= most_modes) continue;
      float largest = 0;
      for (const Vec3f u : c.positions[t.mode]) largest = std::max(largest, length(u));
      const auto colours = displacement_colours(c, t.mode, rest.positions.size());
      auto picture = drawn.draw(rest.in(colours), subject, view, close_up,
                                fmt::format("mode {} of {}", t.mode + 1, c.driver.name));
      if (!picture) return picture.error();
      figures.push_back(
          html::figure(*picture, fmt::format("mode {}, {:.2f} mm", t.mode + 1,
                                             job.millimetres() * double{largest} *
                                                 std::max(std::abs(double{t.low}), std::abs(double{t.high})))));
    }
    text += "<p><b>" + html::escaped(c.driver.name) + "</b>, " + view.name + "</p>\n" + html::gallery(figures, "19rem");
  }
  return text;
}

}  // namespace

Result<std::string> pictures_of_modes(const FitJob& job, SkinPictures& drawn, const Progress& progress) {
  const auto rest = rest_skin(job, drawn);
  if (!rest) return rest.error();
  std::string text = "<h2>Where corrections act</h2>\n";
  double done = 0;
  for (const auto section : {budget_pictures, support_pictures, displacement_pictures}) {
    if (job.kernel && section == support_pictures) continue;  // each mode has its own
    if (!report(progress, "drawing", 0.15 * done++)) return Error{"drawing", "was stopped", ""};
    auto pictures = section(job, drawn, *rest);
    if (!pictures) return pictures.error();
    text += *pictures;
  }
  return text;
}

}  // namespace supple::workflow
