// Pictures of a skin before and after, close up where linear blend is worst.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "supple/deform/skin.h"
#include "supple/geometry/bvh.h"
#include "supple/render/gif.h"
#include "supple/render/sheet.h"
#include "supple/workflow/report/improve/report.h"
#include "supple/workflow/report/skin_pictures.h"

namespace supple::workflow {
namespace {

constexpr render::Size cell{560, 520};
constexpr std::size_t most_shown = 4;
constexpr render::Size film_cell{400, 380};
constexpr float film_seconds = 2.5f, film_rate = 12.5f;
constexpr float own_skin = 0.2f;     // weight of the joint from which the picture holds a vertex
constexpr double around = 0.25;      // of the picture beside that, so that one sees what it belongs to
constexpr float skin_depth = 1e-3f;  // of the size: a ray to the eye begins so far above the skin
constexpr Vec3f view_up{0, 1, 0};
constexpr float steep = 0.9f, from_above_or_below = 0.5f;  // whoever looks at a character seldom stands there
constexpr double seen_by_eye = 1e-3;                       // strain that went away: the picture of less shows nothing

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

/// The view that sees most of what was moved, where nothing stands before it.
const render::View& clearest_view(const SkinPictures& pictures, const Bvh& body, std::span<const Vec3f> positions,
                                  std::span<const Vec3f> normals, std::span<const float> moved, float size) {
  const render::View* best = &pictures.detail();
  float most = 0;
  for (const render::View& view : pictures.views()) {
    const Vec3f eye = normalized(view.direction);
    float seen = 0;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const float facing = dot(normals[v], eye);
      if (!(moved[v] > 0) || !(facing > 0)) continue;
      if (!body.occluded(positions[v] + normals[v] * (skin_depth * size), eye, 0, 2 * size)) seen += moved[v] * facing;
    }
    if (std::abs(dot(eye, view_up)) > steep) seen *= from_above_or_below;
    if (seen > most) most = seen, best = &view;
  }
  return *best;
}

struct Shown {
  std::vector<Vec3f> positions, normals;
};

/// Both skins of an improvement, to be drawn side by side.
class PairOfSkins {
 public:
  static Result<PairOfSkins> open(const Improved& improved) {
    if (!improved.fit) return Error{"pictures", "there are none: nothing was learnt", ""};
    const Fit& fit = *improved.fit;
    auto before = Skin::make(fit.input), after = Skin::make(fit.learnt);
    if (!before) return before.error();
    if (!after) return after.error();
    auto pictures = SkinPictures::open(fit.input, fit.part);
    if (!pictures) return pictures.error();
    return PairOfSkins(fit, std::move(*before), std::move(*after), std::move(*pictures));
  }

  /// By linear blend, and with what was learnt.
  Result<std::array<Shown, 2>> posed(const Pose& pose) {
    auto before = shown_in(before_, fit_->input, pose), after = shown_in(after_, fit_->learnt, pose);
    if (!before) return before.error();
    if (!after) return after.error();
    return std::array{std::move(*before), std::move(*after)};
  }

  const render::View& view_of(const std::array<Shown, 2>& both, const std::vector<bool>& own) const {
    std::vector<float> moved;
    for (std::size_t v = 0; v < own.size(); ++v)
      moved.push_back(own[v] ? length(both[1].positions[v] - both[0].positions[v]) : 0);
    const Bvh body(both[1].positions, fit_->input.parts[fit_->part].mesh.triangles);
    return clearest_view(pictures_, body, both[1].positions, both[1].normals, moved,
                         bounds(both[1].positions).diagonal());
  }

  Result<render::Image> image(const Shown& shown, std::span<const Vec3f> subject, const render::View& view,
                              render::Size size) {
    return pictures_.image({shown.positions, shown.normals, {}, pictures_.occlusion(shown.positions, shown.normals)},
                           subject, view, size, around);
  }

  std::vector<bool> skin_of(JointIndex joint) const {
    return workflow::skin_of(fit_->input, fit_->input.parts[fit_->part], joint);
  }

 private:
  PairOfSkins(const Fit& fit, Skin before, Skin after, SkinPictures pictures)
      : fit_(&fit), before_(std::move(before)), after_(std::move(after)), pictures_(std::move(pictures)) {}

  Result<Shown> shown_in(Skin& skin, const Character& character, const Pose& pose) const {
    Pose own = character.rest();
    std::copy_n(pose.local.begin(), std::min(own.local.size(), pose.local.size()), own.local.begin());
    if (auto ok = skin.evaluate(own); !ok) return ok.error();
    const auto positions = skin.positions(fit_->part), normals = skin.normals(fit_->part);
    return Shown{{positions.begin(), positions.end()}, {normals.begin(), normals.end()}};
  }

  const Fit* fit_;
  Skin before_, after_;
  SkinPictures pictures_;
};

std::vector<Vec3f> chosen_of(const std::vector<Vec3f>& positions, const std::vector<bool>& own) {
  std::vector<Vec3f> chosen;
  for (std::size_t v = 0; v < own.size(); ++v)
    if (own[v]) chosen.push_back(positions[v]);
  return chosen;
}

}  // namespace

Result<render::Image> before_and_after(const Improved& improved, const Progress& progress) {
  auto pair = PairOfSkins::open(improved);
  if (!pair) return pair.error();
  const Skeleton& skeleton = improved.fit->input.skeleton;
  std::vector<render::SheetCell> cells;
  const std::vector<const WorstPlace*> places = places_to_show(improved);
  for (const WorstPlace* place : places) {
    if (!report(progress, "drawing", static_cast<double>(cells.size()) / static_cast<double>(2 * places.size())))
      return Error{"drawing", "was stopped", ""};
    const auto both = pair->posed(place->before);
    if (!both) return both.error();
    const std::vector<bool> own = pair->skin_of(place->joint);
    const std::vector<Vec3f> subject = chosen_of((*both)[1].positions, own);
    if (subject.empty()) continue;
    const render::View& view = pair->view_of(*both, own);
    const std::array words{fmt::format("linear blend, {:.0f} % stretched", 100 * place->strain_before),
                           fmt::format("Supple, {:.0f} %", 100 * place->strain_after)};
    for (std::size_t side = 0; side < 2; ++side) {
      auto image = pair->image((*both)[side], subject, view, cell);
      if (!image) return image.error();
      cells.push_back(
          {std::move(*image), fmt::format("{}, {}: {}", skeleton.name(place->joint), place->frame, words[side])});
    }
  }
  if (cells.empty()) return Error{"pictures", "there are none: nowhere does linear blend stretch the skin more", ""};
  return render::contact_sheet(cells, {.title = "", .subtitle = "", .columns = cells.size() > 4 ? 4u : 2u});
}

Result<Bytes> moving_before_and_after(const Improved& improved, const Progress& progress) {
  auto pair = PairOfSkins::open(improved);
  if (!pair) return pair.error();
  const std::vector<const WorstPlace*> places = places_to_show(improved);
  const auto worst = std::ranges::find_if(
      places, [&](const WorstPlace* p) { return p->clip && *p->clip < improved.fit->model.character().clips.size(); });
  if (worst == places.end()) return Error{"moving picture", "there is none: the file has no clips", ""};
  const Character& character = improved.fit->model.character();  // the clips of a merged skin are left there
  const Clip& clip = character.clips[*(*worst)->clip];
  const float from = std::max(clip.start(), (*worst)->seconds - film_seconds / 2);
  const float to = std::min(clip.start() + clip.duration(), from + film_seconds);
  const std::vector<bool> own = pair->skin_of((*worst)->joint);
  const auto count = static_cast<std::size_t>(std::max(1.0f, (to - from) * film_rate));
  std::vector<std::array<Shown, 2>> frames;
  std::vector<Vec3f> subject;
  for (std::size_t i = 0; i < count; ++i) {
    auto both = pair->posed(character.at(clip, from + static_cast<float>(i) / film_rate));
    if (!both) return both.error();
    const std::vector<Vec3f> here = chosen_of((*both)[1].positions, own);
    subject.insert(subject.end(), here.begin(), here.end());
    frames.push_back(std::move(*both));
  }
  const auto at_worst = pair->posed((*worst)->before);
  if (!at_worst) return at_worst.error();
  const render::View view = pair->view_of(*at_worst, own);
  std::vector<render::Image> images;
  for (const std::array<Shown, 2>& both : frames) {
    if (!report(progress, "drawing", static_cast<double>(images.size()) / static_cast<double>(count)))
      return Error{"drawing", "was stopped", ""};
    std::vector<render::SheetCell> cells;
    for (const Shown& side : both) {
      auto image = pair->image(side, subject, view, film_cell);
      if (!image) return image.error();
      cells.push_back({std::move(*image), cells.empty() ? "linear blend" : "Supple"});
    }
    auto sheet = render::contact_sheet(cells, {.title = "", .subtitle = "", .columns = 2});
    if (!sheet) return sheet.error();
    images.push_back(std::move(*sheet));
  }
  return render::encode_gif(images, double{film_rate});
}

}  // namespace supple::workflow
