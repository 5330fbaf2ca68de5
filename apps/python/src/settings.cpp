#include "settings.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>

#include "arrays.h"

namespace supple::python {
namespace {

template <class Item>
struct Setting {
  const char* name;
  std::size_t width;
  float min, max;
  void (*set)(Item&, Vec3f);  // a number is x
};

constexpr float any = std::numeric_limits<float>::max(), positive = 1e-6f;

constexpr Setting<FleshElement> element_settings[] = {
    {"frequency", 1, positive, any,
     [](FleshElement& e, Vec3f v) {  // modes keep their ratios
       const float ratio = v.x / e.springs[0].frequency;
       for (FleshSpring& spring : e.springs) spring.frequency *= ratio;
       if (e.torsion) e.torsion->frequency *= ratio;
     }},
    {"damping_ratio", 1, 0, any,
     [](FleshElement& e, Vec3f v) {
       for (FleshSpring& spring : e.springs) spring.damping_ratio = v.x;
     }},
    {"gravity", 3, -any, any, [](FleshElement& e, Vec3f v) { e.gravity = v; }},
    {"gain", 1, 0, any, [](FleshElement& e, Vec3f v) { e.gain = v.x; }},
    {"air_friction", 1, 0, any, [](FleshElement& e, Vec3f v) { e.air_friction = v.x; }},
    {"max_elongation", 1, 0, any, [](FleshElement& e, Vec3f v) { e.max_elongation = v.x; }}};

constexpr Setting<VortexMuscle> muscle_settings[] = {
    {"frequency", 1, positive, any, [](VortexMuscle& m, Vec3f v) { m.frequency = v.x; }},
    {"damping_ratio", 1, 0, any, [](VortexMuscle& m, Vec3f v) { m.damping_ratio = v.x; }},
    {"gravity", 3, -any, any, [](VortexMuscle& m, Vec3f v) { m.gravity = v; }},
    {"density", 1, 0, any, [](VortexMuscle& m, Vec3f v) { m.density = v.x; }},
    {"medium_density", 1, 0, any, [](VortexMuscle& m, Vec3f v) { m.medium_density = v.x; }},
    {"stretch", 1, -any, any, [](VortexMuscle& m, Vec3f v) { m.stretch = v.x; }},
    {"stretch_axis", 3, -any, any, [](VortexMuscle& m, Vec3f v) { m.stretch_axis = normalized(v, m.stretch_axis); }},
    {"life", 1, -any, any, [](VortexMuscle& m, Vec3f v) { m.life = v.x; }},
    {"shear", 1, 0, 1, [](VortexMuscle& m, Vec3f v) { m.shear = v.x >= 0.5f; }},
    {"limit", 1, 0, any, [](VortexMuscle& m, Vec3f v) { m.limit = v.x; }}};

template <class Items>
std::size_t find_named(const Items& items, const std::string& name) {
  return static_cast<std::size_t>(
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; }) - items.begin());
}

/// The values of one field, checked.
template <class Item, std::size_t N>
std::size_t read_values(const Setting<Item> (&all)[N], const std::string& owner, const std::string& field,
                        nb::handle given, std::size_t frames, std::size_t& width, std::vector<float>& values) {
  const auto* found = std::find_if(std::begin(all), std::end(all), [&](const auto& s) { return field == s.name; });
  const std::string label = "settings: '" + field + "' of '" + owner + "'";
  if (found == std::end(all)) {
    std::string names;
    for (const auto& s : all) names += (names.empty() ? "" : ", ") + std::string(s.name);
    throw nb::key_error((label + " is not one of " + names).c_str());
  }
  width = found->width;
  nb::object array = nb::module_::import_("numpy").attr("asarray")(given);
  const std::size_t axes = nb::cast<std::size_t>(array.attr("ndim")), of_one = width == 1 ? 0 : 1;
  if (axes == 0) array = array.attr("reshape")(1);
  const std::size_t count = axes > of_one ? frames : 1;
  const InArray<float> numbers = width == 1      ? InArray<float>(array, label.c_str(), {count})
                                 : axes > of_one ? InArray<float>(array, label.c_str(), {count, width})
                                                 : InArray<float>(array, label.c_str(), {width});
  values.assign(numbers.scalars().begin(), numbers.scalars().end());
  for (const float v : values)
    if (!(v >= found->min && v <= found->max))
      throw nb::value_error((label + " is out of range: " + std::to_string(v)).c_str());
  return static_cast<std::size_t>(found - std::begin(all));
}

}  // namespace

Settings::Settings(const Character& character, nb::handle given, std::size_t frames) {
  if (given.is_none()) return;
  const std::vector<VortexMuscle> none;
  const auto& elements = character.flesh.elements;
  const auto& muscles = character.kinodynamics ? character.kinodynamics->muscles : none;
  for (const auto [key, fields] : nb::cast<nb::dict>(given)) {
    const std::string name = nb::cast<std::string>(key);
    const std::size_t element = find_named(elements, name), muscle = find_named(muscles, name);
    if (element == elements.size() && muscle == muscles.size())
      throw nb::key_error(("settings: the character has neither an element nor a muscle '" + name + "'").c_str());
    for (const auto [field, value] : nb::cast<nb::dict>(fields)) {
      Track track;
      track.is_muscle = element == elements.size();
      track.item = track.is_muscle ? muscle : element;
      const std::string wanted = nb::cast<std::string>(field);
      track.field = track.is_muscle
                        ? read_values(muscle_settings, name, wanted, value, frames, track.width, track.values)
                        : read_values(element_settings, name, wanted, value, frames, track.width, track.values);
      tracks_.push_back(std::move(track));
    }
  }
}

Vec3f Settings::at(const Track& track, double frame) {
  const std::size_t count = track.values.size() / track.width;
  const double place = std::clamp(frame, 0.0, static_cast<double>(count - 1));
  const auto first = static_cast<std::size_t>(place);
  const std::size_t next = std::min(first + 1, count - 1);
  const auto t = static_cast<float>(place - static_cast<double>(first));
  const auto value = [&](std::size_t i) {
    if (i >= track.width) return 0.0f;
    const float a = track.values[first * track.width + i];
    return a + (track.values[next * track.width + i] - a) * t;
  };
  return {value(0), value(1), value(2)};
}

void Settings::tune(double frame, Flesh& flesh) const {
  for (const Track& track : tracks_)
    if (!track.is_muscle) element_settings[track.field].set(flesh.elements[track.item], at(track, frame));
}

void Settings::tune(double frame, Kinodynamics& kinodynamics) const {
  for (const Track& track : tracks_)
    if (track.is_muscle) muscle_settings[track.field].set(kinodynamics.muscles[track.item], at(track, frame));
}

}  // namespace supple::python
