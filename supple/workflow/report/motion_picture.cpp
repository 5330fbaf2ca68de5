#include "supple/workflow/report/motion_picture.h"

#include <fmt/core.h>

#include "supple/render/sheet.h"
#include "supple/workflow/report/pictures.h"

namespace supple::workflow {

Result<render::Image> draw_motion(const ConvertedFile& converted, Work& work) {
  const AppliedMotion& applied = *converted.motion;
  Character moving;
  moving.name = applied.motion.clip.name;
  moving.skeleton = applied.motion.skeleton;
  moving.clips.push_back(applied.motion.clip);
  const auto source = to_model(moving);
  if (!source) return source.error();
  const auto view = render::find_view("three-quarter");
  if (!view) return view.error();
  Look look;
  look.bones = true;
  const Clip& clip = converted.model.character().clips.back();
  std::vector<render::SheetCell> cells;
  for (const bool of_motion : {true, false}) {
    const Model& model = of_motion ? *source : converted.model;
    const Character& c = model.character();
    const std::string who = of_motion ? "motion" : "character";
    std::vector<Shot> shots{{who + " at rest", c.rest(), {}, 0}};
    for (const float share : {0.25f, 0.5f, 0.75f}) {
      const float seconds = clip.start() + share * clip.duration();
      shots.push_back({fmt::format("{}, {:.2f} s", who, seconds), c.at(c.clips.back(), seconds), {}, 0});
    }
    for (const Shot& shot : shots) {  // each by itself: the motion may walk far
      auto image = draw_shots(model, std::span(&shot, 1), std::span(&*view, 1), look, {480, 640}, "", work);
      if (!image) return image.error();
      cells.push_back({std::move(*image), shot.caption});
    }
  }
  const std::string names = applied.match.source_names.empty()
                                ? ""
                                : applied.match.source_names + " names to " + applied.match.target_names + " names";
  return render::contact_sheet(cells, {.title = clip.name, .subtitle = names, .columns = 4});
}

}  // namespace supple::workflow
