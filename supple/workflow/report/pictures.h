// Pictures of characters: poses, views and colour maps put together for the render and demo commands.
#pragma once

#include <string>
#include <vector>

#include "supple/render/camera.h"
#include "supple/render/draw.h"
#include "supple/render/image.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/named_pose.h"

namespace supple::workflow {

struct Look {
  Blend blend = Blend::linear;
  bool wireframe = false, bones = false;
  float opacity = 1;                 // of everything but bone surfaces
  std::string map;                   // "", "weights", "weights:JOINT", "displacement" or "error"
  double map_max_mm = 0;             // upper end of displacement and error; 0: the largest that occurs
  const Model* reference = nullptr;  // for "error"
};

/// One pose to be drawn.
struct Shot {
  std::string caption;
  Pose pose;
  Pose reference_pose;  // of Look::reference; empty where there is none
};

/// The standard views, and for hands: palm, dorsal, thumb, oblique.
Result<render::View> view_of(const Character& character, const std::string& name);
/// Views that together show a character from around.
std::vector<render::View> views_around(const Character& character);
/// What a picture shows when no view is named.
std::string default_view(const Character& character);
/// What shows most of a bent joint in one picture: hands from the thumb's side of the palm.
std::string detail_view(const Character& character);

/// Draws every shot from every view; more than one picture becomes a contact sheet, shots in rows where there are
/// several views.
Result<render::Image> draw_shots(const Model& model, std::span<const Shot> shots, std::span<const render::View> views,
                                 const Look& look, render::Size size, const std::string& title,
                                 const Progress& progress);

}  // namespace supple::workflow
