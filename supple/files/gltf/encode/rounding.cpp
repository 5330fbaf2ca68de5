#include "supple/files/gltf/encode/rounding.h"

#include <algorithm>
#include <cmath>

namespace supple::gltf {
namespace {

using Kind = Rounding::Kind;

constexpr int weight_exponent = -15;

bool starts_with(const std::string& text, const char* beginning) { return text.rfind(beginning, 0) == 0; }

/// The power of two, as its exponent, at or above a size.
int exponent_above(double size) { return size > 0 ? static_cast<int>(std::ceil(std::log2(size))) : 0; }

class Planner {
 public:
  explicit Planner(const Document& document) : document_(document) {
    plan_.accessors.resize(count(document.root, "accessors"));
    planned_.resize(plan_.accessors.size());
  }

  RoundingPlan plan() {
    const Item root(document_.root, "");
    for (const Item& mesh : root.list("meshes")) {
      for (const Item& primitive : mesh.list("primitives")) plan_primitive(primitive);
    }
    for (const Item& animation : root.list("animations")) plan_animation(animation);
    for (const Item& skin : root.list("skins")) set(skin, "inverseBindMatrices", {});
    return std::move(plan_);
  }

 private:
  /// An accessor of several uses is rounded as the one that asks for more, or not at all.
  void set(const Item& owner, const std::string& key, Rounding rounding) {
    const auto accessor = owner.index(key, plan_.accessors.size());
    if (!accessor) return;
    if (rounding.kind != Kind::exact && !can_be_rounded(*accessor, rounding)) rounding = {};
    Rounding& planned = plan_.accessors[*accessor];
    if (!planned_[*accessor]) {
      planned = rounding;
    } else if (planned.kind == Kind::steps && rounding.kind == Kind::steps) {
      planned.exponent = std::min(planned.exponent, rounding.exponent);
    } else if (planned != rounding) {
      planned = {};
    }
    planned_[*accessor] = true;
  }

  bool can_be_rounded(std::size_t accessor, const Rounding& rounding) const {
    constexpr double most_steps = 1 << 23;  // beyond, a step is no longer a step of the file's 24 bits
    const Layout layout = accessor_layout(document_, accessor);
    const Item item = element(document_.root, "accessors", accessor);
    if (layout.component_type != float32 || layout.columns > 1) return false;
    if (rounding.kind != Kind::steps && (item.has("sparse") || !item.has("bufferView"))) return false;
    if (rounding.kind == Kind::steps && std::abs(rounding.exponent) > 100) return false;
    const std::vector<float> values = read_floats(document_, accessor);
    return std::all_of(values.begin(), values.end(), [&](float v) {
      if (!std::isfinite(v)) return false;
      return rounding.kind != Kind::steps || std::ldexp(std::abs(double{v}), -rounding.exponent) < most_steps;
    });
  }

  Rounding steps_of(const Item& owner, const char* key, int bits, bool of_extent) const {
    const auto accessor = owner.index(key, plan_.accessors.size());
    if (!accessor) return {};
    const Layout layout = accessor_layout(document_, *accessor);
    if (layout.component_type != float32) return {};
    const std::vector<float> values = read_floats(document_, *accessor);
    const std::size_t width = layout.components();
    double size = 0;
    for (std::size_t c = 0; c < width && c < values.size(); ++c) {
      float low = of_extent ? values[c] : 0, high = low;
      for (std::size_t i = c; i < values.size(); i += width) {
        low = std::min(low, values[i]);
        high = std::max(high, values[i]);
      }
      size = std::max({size, double{high} - double{low}});
    }
    return std::isfinite(size) ? Rounding{Kind::steps, exponent_above(size) - bits} : Rounding{};
  }

  void plan_primitive(const Item& primitive) {
    const Item attributes = primitive.required_object("attributes");
    const Rounding positions = steps_of(attributes, "POSITION", 16, true);
    for (const auto& [name, value] : attributes.json().members()) {
      Rounding rounding;
      if (name == "POSITION") rounding = positions;
      if (name == "NORMAL" || name == "TANGENT") rounding = {Kind::directions};
      if (starts_with(name, "TEXCOORD_")) rounding = {Kind::steps, -14};
      if (starts_with(name, "COLOR_")) rounding = {Kind::steps, -10};
      if (starts_with(name, "WEIGHTS_")) rounding = {Kind::steps, weight_exponent};
      set(attributes, name, rounding);
    }
    round_weights(attributes);
    for (const Item& target : primitive.list("targets")) {
      for (const auto& [name, value] : target.json().members()) {
        Rounding rounding;
        if (name == "POSITION") rounding = positions;
        if (name == "NORMAL" || name == "TANGENT") rounding = {Kind::steps, -11};
        set(target, name, rounding);
      }
    }
    set(primitive, "indices", {});
  }

  /// All sets of one vertex together: what rounding adds or takes away, its largest weight makes up for.
  void round_weights(const Item& attributes) {
    std::vector<std::size_t> accessors;
    std::vector<std::vector<float>> sets;
    for (std::size_t s = 0;; ++s) {
      const auto accessor = attributes.index("WEIGHTS_" + std::to_string(s), plan_.accessors.size());
      if (!accessor) break;
      if (plan_.accessors[*accessor].kind != Kind::steps) return leave_exact(attributes);
      accessors.push_back(*accessor);
      sets.push_back(read_floats(document_, *accessor));
      if (sets.back().size() != sets.front().size()) return leave_exact(attributes);
    }
    for (std::size_t v = 0; !sets.empty() && v + 4 <= sets[0].size(); v += 4) {
      double before = 0, after = 0;
      float* largest = &sets[0][v];
      for (auto& set : sets) {
        for (std::size_t k = v; k < v + 4; ++k) {
          before += double{set[k]};
          set[k] = to_step(set[k], weight_exponent);
          after += double{set[k]};
          if (set[k] > *largest) largest = &set[k];
        }
      }
      if (std::abs(before - 1) < 1e-3) *largest = static_cast<float>(double{*largest} + 1 - after);
    }
    for (std::size_t s = 0; s < accessors.size(); ++s) plan_.weights[accessors[s]] = std::move(sets[s]);
  }

  void leave_exact(const Item& attributes) {
    for (const auto& [name, value] : attributes.json().members()) {
      if (starts_with(name, "WEIGHTS_")) plan_.accessors[attributes.required_index(name, plan_.accessors.size())] = {};
    }
  }

  void plan_animation(const Item& animation) {
    const std::vector<Item> samplers = animation.list("samplers");
    for (const Item& sampler : samplers) set(sampler, "input", {});
    for (const Item& channel : animation.list("channels")) {
      const Item& sampler = samplers[channel.required_index("sampler", samplers.size())];
      const std::string path = channel.required_object("target").required_text("path");
      Rounding rounding;
      if (sampler.text("interpolation", "LINEAR") != "CUBICSPLINE") {
        if (path == "rotation") rounding = {Kind::rotations};
        if (path == "translation" || path == "scale" || path == "weights")
          rounding = steps_of(sampler, "output", 18, false);
      }
      set(sampler, "output", rounding);
    }
  }

  const Document& document_;
  RoundingPlan plan_;
  std::vector<bool> planned_;
};

}  // namespace

float to_step(float value, int exponent) {
  return static_cast<float>(std::ldexp(std::round(std::ldexp(double{value}, -exponent)), exponent));
}

RoundingPlan plan_rounding(const Document& document) { return Planner(document).plan(); }

}  // namespace supple::gltf
