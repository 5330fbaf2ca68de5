#include "supple/workflow/jobs/pose_file.h"

#include "supple/deform/pipeline.h"
#include "supple/deform/posed_surfaces.h"

namespace supple::workflow {

Result<PosedFile> pose_file(const PoseFileOptions& o, Work& work) {
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  const Character& c = model->character();
  auto pose = pose_of(c, o.pose);
  if (!pose) return pose.error();
  drive_morph_weights(c, *pose);
  for (std::string& line : exceeded_limits(c.skeleton, *pose)) work.warnings.push_back(std::move(line));
  const bool baked = o.bake || o.output.ends_with(".obj");
  if (baked) {
    if (c.parts.empty()) return Error{o.input, "has no mesh to bake", "leave out --bake to keep the rig"};
    const auto surfaces = posed_surfaces(c, *pose, o.blend);
    if (!surfaces) return surfaces.error();
    if (!o.output.ends_with(".obj")) warn_of_lost_textures(*model, work);
    auto made = to_model(*surfaces);
    if (!made) return made.error();
    model = std::move(*made);
  } else {
    gltf::put_rest_pose(model->document, *pose, gltf::places_of(model->imported));
  }
  if (auto saved = save_model(o.output, *model, work); !saved) return saved.error();
  return PosedFile{baked};
}

}  // namespace supple::workflow
