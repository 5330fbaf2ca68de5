// Pictures of characters: poses, views and colour maps put together for the render and demo commands.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "supple/deform/skin.h"
#include "supple/render/draw.h"
#include "supple/render/image.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/named_pose.h"
#include "supple/workflow/report/views.h"

namespace supple::workflow {

struct Look {
  Blend blend = Blend::linear;
  bool wireframe = false, bones = false;
  float opacity = 1;                 // of everything but bone surfaces
  std::string map;                   // "", "weights", "weights:JOINT", "displacement" or "error"
  double map_max_mm = 0;             // upper end of displacement and error; 0: the largest that occurs
  const Model* reference = nullptr;  // for "error"
  bool textures = true;              // base colour textures, where there is no map
  std::vector<std::string> hidden;   // parts that are left out: names of parts, meshes or nodes, with * for any letters
};

/// One pose to be drawn.
struct Shot {
  std::string caption;
  Pose pose;
  Pose reference_pose;  // of Look::reference; empty where there is none
  double seconds = 0;   // since the shot before: flesh and muscles swing on; 0: they hang as the pose lets them
};

/// A picture with the legend of its colours; the same picture where there is no map.
using AddLegend = std::function<render::Image(const render::Image&)>;
/// What becomes of a picture: of which shot and view it is. An error ends the drawing.
using TakePicture =
    std::function<Result<void>(render::Image image, std::size_t shot, std::size_t view, const AddLegend& legend)>;

/// Draws every shot from every view, shot by shot. One camera shows all shots, and colours mean the same in all. A
/// character without a surface is drawn as its bones.
Result<void> draw_each(const Model& model, std::span<const Shot> shots, std::span<const render::View> views,
                       const Look& look, render::Size size, Work& work, const TakePicture& take);

/// The same as one picture: more than one becomes a contact sheet, shots in rows where there are several views.
Result<render::Image> draw_shots(const Model& model, std::span<const Shot> shots, std::span<const render::View> views,
                                 const Look& look, render::Size size, const std::string& title, Work& work);

}  // namespace supple::workflow
