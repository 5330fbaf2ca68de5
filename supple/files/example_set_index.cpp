#include "supple/files/example_set_index.h"

#include "supple/files/lines.h"

namespace supple {
namespace {

using gltf::fail;
using gltf::Item;
using gltf::short_decimal;

constexpr const char* format_name = "supple-examples";
constexpr std::uint64_t format_version = 1;

Json to_json(Vec3f v) { return {short_decimal(v.x), short_decimal(v.y), short_decimal(v.z)}; }
Json to_json(Quatf q) { return {short_decimal(q.x), short_decimal(q.y), short_decimal(q.z), short_decimal(q.w)}; }

Vec3f to_vector(const Item& item, const char* key, Vec3f otherwise) {
  const auto values = item.floats(key, 3);
  return values ? Vec3f{(*values)[0], (*values)[1], (*values)[2]} : otherwise;
}

RawJoint to_joint(const Item& item, std::size_t place) {
  RawJoint joint;
  joint.name = item.text("name", "");
  const bool root = !item.has("parent") || item.json().at("parent").is_null();
  if (!root) joint.parent = item.required_index("parent", place);  // parents come first
  joint.rest.translation = to_vector(item, "translation", {});
  joint.rest.scale = to_vector(item, "scale", {1, 1, 1});
  if (const auto r = item.floats("rotation", 4)) joint.rest.rotation = {(*r)[0], (*r)[1], (*r)[2], (*r)[3]};
  for (const Item& dof : item.list("dofs")) {
    joint.dofs.push_back(
        {dof.required_text("name"), to_vector(dof, "axis", {1, 0, 0}), dof.single("min", 0), dof.single("max", 0)});
  }
  return joint;
}

std::vector<std::string> texts(const Item& item, const char* key) {
  std::vector<std::string> result;
  for (const Item& entry : item.list(key)) {
    if (!entry.json().is_string()) fail(entry.path(), "must be a text");
    result.push_back(entry.json().get<std::string>());
  }
  return result;
}

void require_count(const Item& counts, const char* key, std::size_t listed) {
  const std::uint64_t stated = counts.unsigned_integer(key, listed);
  if (stated != listed)
    fail(counts.path(key), "is " + std::to_string(stated) + " but " + std::to_string(listed) + " are listed");
}

}  // namespace

Json to_json(const Example& example) {
  return {{"name", example.name},
          {"sweep", example.sweep},
          {"role", example.role == Role::train ? "train" : "test"},
          {"tags", example.tags},
          {"weight", short_decimal(example.weight)},
          {"range", short_decimal(example.range)},
          {"flags", example.flags}};
}

Example to_example(const Item& item) {
  Example example;
  example.name = item.required_text("name");
  example.sweep = item.text("sweep", "");
  const std::string role = item.text("role", "train");
  if (role != "train" && role != "test") fail(item.path("role"), "is " + supple::quoted(role), "use train or test");
  example.role = role == "train" ? Role::train : Role::test;
  example.tags = texts(item, "tags");
  example.weight = item.single("weight", 1);
  example.range = item.single("range", 0);
  example.flags = texts(item, "flags");
  return example;
}

Json to_json(const Skeleton& skeleton) {
  Json joints = Json::array();
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const Transformf& rest = skeleton.rest(j);
    Json joint{{"name", skeleton.name(j)},
               {"parent", skeleton.parent(j) == no_joint ? Json() : Json(skeleton.parent(j))},
               {"translation", to_json(rest.translation)},
               {"rotation", to_json(rest.rotation)},
               {"scale", to_json(rest.scale)},
               {"dofs", Json::array()}};
    for (const Dof& dof : skeleton.dofs(j)) {
      joint["dofs"].push_back({{"name", dof.name},
                               {"axis", to_json(dof.axis)},
                               {"min", short_decimal(dof.min)},
                               {"max", short_decimal(dof.max)}});
    }
    joints.push_back(std::move(joint));
  }
  return joints;
}

Skeleton to_skeleton(const std::vector<Item>& joints) {
  std::vector<RawJoint> raw;
  for (const Item& joint : joints) raw.push_back(to_joint(joint, raw.size()));
  auto built = build_skeleton(raw);
  if (!built) throw gltf::Malformed{built.error()};
  // Building normalises rotations once more; what was written comes back bit for bit.
  for (JointIndex j = 0; j < raw.size(); ++j) built->skeleton.set_rest(j, raw[j].rest);
  return std::move(built->skeleton);
}

Json to_json(const ExampleIndex& index) {
  Json json{{"format", format_name},
            {"version", format_version},
            {"units", {{"length", "metres"}, {"angle", "radians"}, {"rotation", "quaternion x, y, z, w"}}},
            {"part", index.part},
            {"origin", index.origin},
            {"counts",
             {{"examples", index.examples.size()},
              {"joints", index.skeleton.size()},
              {"vertices", index.vertices},
              {"triangles", index.triangles}}},
            {"translations", index.has_translations},
            {"scales", index.has_scales},
            {"joints", to_json(index.skeleton)},
            {"examples", Json::array()}};
  if (index.zero_at_bind) json["zero_at"] = "bind";
  for (const ExamplePart& part : index.parts)
    json["parts"].push_back({{"name", part.name}, {"vertices", part.vertices}});
  for (const Example& example : index.examples) json["examples"].push_back(to_json(example));
  return json;
}

Result<ExampleIndex> to_example_index(const Json& json, const std::string& name) {
  return gltf::guarded(name, [&]() -> Result<ExampleIndex> {
    const Item root(json, "");
    if (!json.is_object() || root.text("format", "") != format_name)
      fail("format", std::string("is not ") + format_name, "choose the folder of an example set");
    if (const auto version = root.unsigned_integer("version"); version != format_version)
      fail("version", "is " + std::to_string(version) + "; this program reads " + std::to_string(format_version),
           "use a newer supple");
    ExampleIndex index;
    index.part = root.text("part", "");
    index.origin = root.text("origin", "");
    const std::string zero_at = root.text("zero_at", "rest");
    if (zero_at != "rest" && zero_at != "bind") fail("zero_at", "is '" + zero_at + "'", "write rest or bind");
    index.zero_at_bind = zero_at == "bind";
    for (const Item& part : root.list("parts")) {
      const std::uint64_t vertices = part.unsigned_integer("vertices");
      if (vertices > 0xffffffffu) fail(part.path("vertices"), "is more than a part can have");
      index.parts.push_back({part.required_text("name"), static_cast<std::size_t>(vertices)});
    }
    index.has_translations = root.flag("translations", false);
    index.has_scales = root.flag("scales", false);
    index.skeleton = to_skeleton(root.list("joints"));
    for (const Item& example : root.list("examples")) index.examples.push_back(to_example(example));
    const Item counts = root.required_object("counts");
    require_count(counts, "examples", index.examples.size());
    require_count(counts, "joints", index.skeleton.size());
    index.vertices = counts.unsigned_integer("vertices");
    index.triangles = counts.unsigned_integer("triangles");
    return index;
  });
}

}  // namespace supple
