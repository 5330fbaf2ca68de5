// Pictures of a skin before and after, close up where linear blend is worst.
#include <fmt/core.h>

#include <algorithm>

#include "supple/deform/skin.h"
#include "supple/render/sheet.h"
#include "supple/workflow/report/improve/report.h"
#include "supple/workflow/report/skin_pictures.h"

namespace supple::workflow {
namespace {

constexpr render::Size cell{560, 520};
constexpr std::size_t most_shown = 4;
constexpr float own_skin = 0.2f;      // weight of the joint from which the picture holds a vertex
constexpr double around = 0.16;       // of the picture beside that, so that one sees what it belongs to
constexpr double seen_by_eye = 1e-3;  // strain that went away: the picture of less shows nothing

/// The places that linear blend stretches most and the new skin less, no two of neighbouring joints.
std::vector<const WorstPlace*> places_to_show(const Improved& improved) {
  const Skeleton& skeleton = improved.fit->input.skeleton;
  std::vector<const WorstPlace*> chosen;
  for (const WorstPlace& place : improved.seen.places) {
    if (chosen.size() == most_shown) break;
    if (place.strain_before - place.strain_after < seen_by_eye) continue;
    const bool beside = std::ranges::any_of(chosen, [&](const WorstPlace* other) {
      return skeleton.parent(other->joint) == place.joint || skeleton.parent(place.joint) == other->joint;
    });
    if (!beside) chosen.push_back(&place);
  }
  return chosen;
}

/// Whether a vertex of the part follows the joint enough to belong to its picture.
std::vector<bool> skin_of(const Character& character, const Part& part, JointIndex joint) {
  std::vector<bool> own(part.mesh.positions.size());
  for (std::size_t v = 0; v < own.size(); ++v)
    for (const Influence& i : part.weights.of(v))
      if (character.skins[*part.skin].joints[i.joint] == joint && i.weight >= own_skin) own[v] = true;
  return own;
}

struct Shown {
  std::vector<Vec3f> positions, normals;
};

Result<Shown> shown_in(Skin& skin, const Character& character, std::size_t part, const Pose& pose) {
  Pose own = character.rest();
  std::copy_n(pose.local.begin(), std::min(own.local.size(), pose.local.size()), own.local.begin());
  if (auto ok = skin.evaluate(own); !ok) return ok.error();
  const auto positions = skin.positions(part), normals = skin.normals(part);
  return Shown{{positions.begin(), positions.end()}, {normals.begin(), normals.end()}};
}

}  // namespace

Result<render::Image> before_and_after(const Improved& improved, const Progress& progress) {
  if (!improved.fit) return Error{"pictures", "there are none: nothing was learnt", ""};
  const Fit& fit = *improved.fit;
  auto old_skin = Skin::make(fit.input), new_skin = Skin::make(fit.learnt);
  if (!old_skin) return old_skin.error();
  if (!new_skin) return new_skin.error();
  auto drawn = SkinPictures::open(fit.input, fit.part);
  if (!drawn) return drawn.error();
  std::vector<render::SheetCell> cells;
  const std::vector<const WorstPlace*> places = places_to_show(improved);
  for (const WorstPlace* place : places) {
    if (!report(progress, "drawing", static_cast<double>(cells.size()) / static_cast<double>(2 * places.size())))
      return Error{"drawing", "was stopped", ""};
    const auto before = shown_in(*old_skin, fit.input, fit.part, place->before);
    const auto after = shown_in(*new_skin, fit.learnt, fit.part, place->before);
    if (!before) return before.error();
    if (!after) return after.error();
    const std::vector<bool> own = skin_of(fit.input, fit.input.parts[fit.part], place->joint);
    std::vector<float> moved;
    std::vector<Vec3f> subject;
    for (std::size_t v = 0; v < before->positions.size(); ++v) {
      moved.push_back(own[v] ? length(after->positions[v] - before->positions[v]) : 0);
      if (own[v]) subject.push_back(after->positions[v]);
    }
    if (subject.empty()) continue;
    const render::View& view = drawn->view_of_most(after->normals, moved);
    for (const auto& [shown, words] :
         {std::pair{&*before, fmt::format("linear blend, {:.0f} % stretched", 100 * place->strain_before)},
          std::pair{&*after, fmt::format("Supple, {:.0f} %", 100 * place->strain_after)}}) {
      const std::vector<float> occlusion = drawn->occlusion(shown->positions, shown->normals);
      auto image = drawn->image({shown->positions, shown->normals, {}, occlusion}, subject, view, cell, around);
      if (!image) return image.error();
      cells.push_back(
          {std::move(*image), fmt::format("{}, {}: {}", fit.input.skeleton.name(place->joint), place->frame, words)});
    }
  }
  if (cells.empty()) return Error{"pictures", "there are none: nowhere does linear blend stretch the skin more", ""};
  return render::contact_sheet(cells, {.title = "", .subtitle = "", .columns = cells.size() > 4 ? 4u : 2u});
}

}  // namespace supple::workflow
