#include "supple/files/gltf/drivers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "supple/files/gltf/reader.h"

namespace supple::gltf {
namespace {

constexpr std::array<std::pair<const char*, RbfKernel>, 5> kernels{{{"exponential", RbfKernel::exponential},
                                                                    {"gaussian", RbfKernel::gaussian},
                                                                    {"linear", RbfKernel::linear},
                                                                    {"cubic", RbfKernel::cubic},
                                                                    {"pose", RbfKernel::pose}}};

// ---- writing ----

const char* kernel_name(RbfKernel kernel) {
  return std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.second == kernel; })->first;
}

/// One array per group of `width` vectors or rotations.
template <class T>
Json grouped(std::span<const T> values, std::size_t width) {
  Json list = Json::array();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % width == 0) list.push_back(Json::array());
    append(list.back(), values[i]);
  }
  return list;
}

/// Those of the pose kernel are single precision, which takes half the digits.
Json coefficient_json(const MorphDriver& driver, double value) {
  return driver.kernel == RbfKernel::pose ? Json(short_decimal(static_cast<float>(value))) : Json(value);
}

Json pairs_json(const MorphDriver& driver) {
  Json list = Json::array();
  for (const auto& [a, b] : driver.pairs) list.push_back(Json::array({a, b}));
  return list;
}

Json driver_json(const MorphDriver& driver, const MorphBlock& block, const Places& places) {
  Json json = Json::object();
  if (!driver.name.empty()) json["name"] = driver.name;
  json["node"] = block.node;
  json["firstTarget"] = driver.first_weight - block.first;
  json["joints"] = Json::array();
  for (const JointIndex j : driver.joints) json["joints"].push_back(places.node_of_joint[j]);
  json["reference"] = grouped<Quatf>(driver.reference, 1);
  json["kernel"] = kernel_name(driver.kernel);
  if (driver.kernel == RbfKernel::pose) {
    json["radii"] = Json::array();
    for (const float r : driver.radii) json["radii"].push_back(short_decimal(r));
    if (!driver.pairs.empty()) json["pairs"] = pairs_json(driver);
    json["pairWeight"] = short_decimal(driver.pair_weight);
  } else {
    json["radius"] = short_decimal(driver.radius);
  }
  if (!driver.twist_axes.empty()) json["twistAxes"] = grouped<Vec3f>(driver.twist_axes, 1);
  if (driver.twist_weight != 1) json["twistWeight"] = short_decimal(driver.twist_weight);
  json["centres"] = grouped<Quatf>(driver.centres, driver.joints.size());
  json["coefficients"] = Json::array();
  for (auto row = driver.coefficients.begin(); row != driver.coefficients.end();) {
    const auto end = row + static_cast<std::ptrdiff_t>(driver.targets());
    Json numbers = Json::array();
    for (; row != end; ++row) numbers.push_back(coefficient_json(driver, *row));
    json["coefficients"].push_back(std::move(numbers));
  }
  json["restWeights"] = Json::array();
  for (const float w : driver.rest_weights) json["restWeights"].push_back(short_decimal(w));
  return json;
}

bool holds(const MorphBlock& block, const MorphDriver& driver) {
  return block.first <= driver.first_weight && driver.first_weight + driver.targets() <= block.first + block.count;
}

// ---- reading ----

/// Elements of a required array of arrays, `width` numbers each, one after another.
std::vector<float> flattened(const Item& driver, std::string_view key, std::size_t width) {
  if (!driver.has(key)) fail(driver.path(key), "is missing");
  std::vector<float> all;
  for (const Item& element : driver.list(key)) {
    const std::vector<float> values = element.as_floats(width);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<Quatf> rotations(const Item& driver, std::string_view key, std::size_t per_element) {
  const std::vector<float> values = flattened(driver, key, 4 * per_element);
  std::vector<Quatf> result;
  for (std::size_t i = 0; i < values.size(); i += 4)
    result.push_back({values[i], values[i + 1], values[i + 2], values[i + 3]});
  return result;
}

RbfKernel kernel_of(const Item& driver) {
  const std::string name = driver.required_text("kernel");
  for (const auto& [known, kernel] : kernels) {
    if (name == known) return kernel;
  }
  fail(driver.path("kernel"), "'" + name + "' is not known", "write exponential, gaussian, linear, cubic or pose");
}

/// The morph weights of the node that the driver moves.
const MorphBlock& block_of(const Reader& reader, const Item& driver) {
  const std::size_t node = driver.required_index("node", count(reader.document.root, "nodes"));
  for (const MorphBlock& block : reader.result.morphs) {
    if (block.node == node) return block;
  }
  fail(driver.path("node"), "nodes[" + std::to_string(node) + "] has no morph targets to drive");
}

void read_pose_kernel(const Item& item, MorphDriver& driver) {
  driver.radii = item.floats("radii").value_or(std::vector<float>{});
  driver.pair_weight = item.required_float("pairWeight");
  if (!item.has("pairs")) return;
  for (const Item& pair : item.list("pairs")) {
    const std::vector<double> places = pair.as_numbers(2);
    std::array<std::uint32_t, 2> read{};
    for (std::size_t i = 0; i < 2; ++i) {
      if (!(places[i] >= 0) || places[i] >= static_cast<double>(driver.joints.size()) ||
          places[i] != std::floor(places[i]))
        fail(pair.path(), "must hold two places in joints");
      read[i] = static_cast<std::uint32_t>(places[i]);
    }
    driver.pairs.push_back(read);
  }
}

MorphDriver read_driver(const Reader& reader, const Item& item) {
  MorphDriver driver;
  driver.name = item.text("name", "");
  for (const std::size_t node : item.indices("joints", count(reader.document.root, "nodes")))
    driver.joints.push_back(reader.result.nodes.to_joint[node]);
  if (driver.joints.empty() || driver.joints.size() > MorphDriver::most_joints)
    fail(item.path("joints"), "must name 1 to " + std::to_string(MorphDriver::most_joints) + " nodes");
  driver.reference = rotations(item, "reference", 1);
  driver.kernel = kernel_of(item);
  if (driver.kernel == RbfKernel::pose) {
    read_pose_kernel(item, driver);
  } else {
    driver.radius = item.required_float("radius");
  }
  if (item.has("twistAxes")) {
    const std::vector<float> axes = flattened(item, "twistAxes", 3);
    for (std::size_t i = 0; i < axes.size(); i += 3) driver.twist_axes.push_back({axes[i], axes[i + 1], axes[i + 2]});
    if (driver.twist_axes.empty()) fail(item.path("twistAxes"), "must hold one axis per joint");
  }
  if (item.has("twistWeight")) driver.twist_weight = item.required_float("twistWeight");
  driver.centres = rotations(item, "centres", driver.joints.size());
  const auto rest_weights = item.floats("restWeights");
  if (!rest_weights || rest_weights->empty()) fail(item.path("restWeights"), "must hold one weight per morph target");
  driver.rest_weights = *rest_weights;
  if (!item.has("coefficients")) fail(item.path("coefficients"), "is missing");
  for (const Item& row : item.list("coefficients")) {
    const std::vector<double> values = row.as_numbers(driver.targets());
    for (const double value : values)
      driver.coefficients.push_back(driver.kernel == RbfKernel::pose ? double{static_cast<float>(value)} : value);
  }
  const MorphBlock& block = block_of(reader, item);
  const std::size_t first = item.required_index("firstTarget", block.count);
  if (first + driver.targets() > block.count) {
    fail(item.path("restWeights"), "reaches morph target " + std::to_string(first + driver.targets() - 1) +
                                       " but nodes[" + std::to_string(block.node) + "] has only " +
                                       std::to_string(block.count));
  }
  driver.first_weight = block.first + static_cast<std::uint32_t>(first);
  const Character& character = reader.result.character;
  if (auto ok = validate(driver, character.skeleton.size(), character.morph_weights.size()); !ok)
    fail(item.path(), ok.error().problem);
  return driver;
}

}  // namespace

std::vector<MorphDriver> read_drivers(const Reader& reader, const Item& extension) {
  std::vector<MorphDriver> drivers;
  std::vector<bool> driven(reader.result.character.morph_weights.size());
  for (const Item& item : extension.list("drivers")) {
    drivers.push_back(read_driver(reader, item));
    const MorphDriver& driver = drivers.back();
    for (std::size_t w = driver.first_weight; w < driver.first_weight + driver.targets(); ++w) {
      if (driven[w]) fail(item.path(), "drives a morph target that another driver moves already");
      driven[w] = true;
    }
  }
  return drivers;
}

Result<void> put_drivers(Document& document, std::span<const MorphDriver> drivers, const Places& places) {
  Json list = Json::array();
  for (std::size_t d = 0; d < drivers.size(); ++d) {
    const MorphDriver& driver = drivers[d];
    if (driver.targets() == 0) continue;
    const std::string item = "driver " + std::to_string(d) + " '" + driver.name + "'";
    for (const JointIndex j : driver.joints) {
      if (j >= places.node_of_joint.size()) return Error{item, "follows a joint that the file does not have", ""};
    }
    const std::size_t before = list.size();
    for (const MorphBlock& block : places.morphs) {
      if (holds(block, driver)) list.push_back(driver_json(driver, block, places));
    }
    if (list.size() == before) return Error{item, "drives morph targets that no mesh of the file has", ""};
  }
  Json& root = document.root;
  if (list.empty()) {
    drop_deformers_member(root, "drivers");
  } else {
    put_deformers_member(root, "drivers", std::move(list));
  }
  return {};
}

}  // namespace supple::gltf
