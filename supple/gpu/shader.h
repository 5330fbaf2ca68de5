// The vertex shader's text.
#pragma once

#include <string_view>

namespace supple::gpu {

/// skin.glsl: uniforms and supple_deform(), to be put into a vertex shader of GLSL ES 3.00.
std::string_view skin_shader();

}  // namespace supple::gpu
