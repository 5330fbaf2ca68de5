// Where a character is looked at from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "supple/render/camera.h"
#include "supple/rig/character.h"

namespace supple::workflow {

/// The standard views, and for hands: palm, dorsal, thumb, oblique.
Result<render::View> view_of(const Character& character, const std::string& name);
/// Views that together show a character from around.
std::vector<render::View> views_around(const Character& character);
/// The one of some views in which most of a quantity faces the eye: `amounts` (#V) lie on surfaces with these normals.
/// Null where there is nothing to see.
const render::View* view_of_most(std::span<const render::View> views, std::span<const Vec3f> normals,
                                 std::span<const float> amounts);
/// What a picture shows when no view is named: flesh from the side where it moves most, hands from the back.
render::View default_view(const Character& character);
/// What shows most of a bent joint in one picture: hands from the thumb's side of the palm.
std::string detail_view(const Character& character);

}  // namespace supple::workflow
