#include "layers.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>

namespace supple::python {
namespace {

void set_sources(Layers& layers, const std::vector<std::string>& names, const char* argument, LayerSource source) {
  const std::array<std::pair<const char*, LayerSource Layers::*>, 5> all{{{"drivers", &Layers::drivers},
                                                                          {"pose-space", &Layers::pose_space},
                                                                          {"wrinkles", &Layers::wrinkles},
                                                                          {"delta-mush", &Layers::delta_mush},
                                                                          {"flesh", &Layers::flesh}}};
  for (const std::string& name : names) {
    const auto* found = std::find_if(all.begin(), all.end(), [&](const auto& layer) { return name == layer.first; });
    if (found == all.end())
      throw nanobind::value_error(
          (std::string(argument) + ": '" + name + "' is not one of drivers, pose-space, wrinkles, delta-mush, flesh")
              .c_str());
    layers.*(found->second) = source;
  }
}

}  // namespace

Layers layers_of(const std::vector<std::string>& off, const std::vector<std::string>& given) {
  Layers layers;
  set_sources(layers, off, "off", LayerSource::at_rest);
  set_sources(layers, given, "given", LayerSource::as_given);
  return layers;
}

}  // namespace supple::python
