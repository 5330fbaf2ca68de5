// Pictures of a skin before and after, cut to what has changed.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "supple/deform/skin.h"
#include "supple/render/sheet.h"
#include "supple/workflow/report/improve/report.h"
#include "supple/workflow/report/skin_pictures.h"

namespace supple::workflow {
namespace {

constexpr render::Size cell{560, 520};
constexpr std::size_t most_shown = 4;
constexpr float changed_share = 0.1f;  // of the largest difference: the picture holds all skin that moved by more
constexpr double around = 0.16;        // of the picture beside that, so that one sees what it belongs to

/// Poses in which the two skins differ most, no two of them at the same joint.
std::vector<const ComparedPose*> most_changed(const Improved& improved) {
  std::vector<const ComparedPose*> poses, chosen;
  for (const ComparedPose& pose : improved.comparison.poses) poses.push_back(&pose);
  std::stable_sort(poses.begin(), poses.end(),
                   [](const ComparedPose* a, const ComparedPose* b) { return a->moved > b->moved; });
  std::set<std::string> joints;
  for (const ComparedPose* pose : poses) {
    if (chosen.size() == most_shown || pose->moved <= 0) break;
    if (joints.insert(nearest_joint(improved.fit->before, pose->moved_part, pose->moved_vertex)).second)
      chosen.push_back(pose);
  }
  return chosen;
}

struct Shown {
  std::vector<Vec3f> positions, normals;
};

Result<Shown> shown_in(Skin& skin, const Character& character, std::size_t part, const ComparedPose& pose) {
  if (auto ok = skin.evaluate({pose.local, character.morph_weights}); !ok) return ok.error();
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
  const std::vector<const ComparedPose*> poses = most_changed(improved);
  for (const ComparedPose* pose : poses) {
    if (!report(progress, "drawing", static_cast<double>(cells.size()) / static_cast<double>(2 * poses.size())))
      return Error{"drawing", "was stopped", ""};
    const auto before = shown_in(*old_skin, fit.input, fit.part, *pose);
    const auto after = shown_in(*new_skin, fit.learnt, fit.part, *pose);
    if (!before) return before.error();
    if (!after) return after.error();
    std::vector<float> moved;
    std::vector<Vec3f> subject;
    for (std::size_t v = 0; v < before->positions.size(); ++v) {
      moved.push_back(length(after->positions[v] - before->positions[v]));
      if (moved.back() >= changed_share * static_cast<float>(pose->moved)) subject.push_back(after->positions[v]);
    }
    const render::View& view = drawn->view_of_most(after->normals, moved);
    for (const auto& [shown, what] : {std::pair{&*before, "linear blend"}, std::pair{&*after, "Supple"}}) {
      const std::vector<float> occlusion = drawn->occlusion(shown->positions, shown->normals);
      auto image = drawn->image({shown->positions, shown->normals, {}, occlusion}, subject, view, cell, around);
      if (!image) return image.error();
      cells.push_back({std::move(*image), fmt::format("{}: {}", pose->name, what)});
    }
  }
  if (cells.empty()) return Error{"pictures", "there are none: both skins are the same", ""};
  return render::contact_sheet(cells, {.title = "", .subtitle = "", .columns = poses.size() > 2 ? 4u : 2u});
}

}  // namespace supple::workflow
