// Nodes become joints; skins become bindings to them.
#include <cmath>

#include "supple/files/gltf/reader.h"

namespace supple::gltf {
namespace {

/// The affine map in a column-major 4x4 matrix.
Affined affine_of(std::span<const float> m, const std::string& item) {
  constexpr float tolerance = 1e-3f;
  for (std::size_t i = 0; i < 16; ++i) {
    if (!std::isfinite(m[i])) fail(item, "holds a number that is not finite");
  }
  if (std::abs(m[3]) > tolerance || std::abs(m[7]) > tolerance || std::abs(m[11]) > tolerance ||
      std::abs(m[15] - 1) > tolerance) {
    fail(item, "is not affine: its last row must be 0 0 0 1");
  }
  return {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, {m[12], m[13], m[14]}};
}

Transformf rest_of(const Reader& reader, const Item& node) {
  Transformf rest;
  if (const auto matrix = node.floats("matrix", 16)) {
    double shear = 0;
    rest = decompose(affine_of(*matrix, node.path("matrix")), &shear);
    if (shear > 1e-4) reader.mend(node.path("matrix"), "has shear, which joints cannot carry", "the shear was dropped");
    return rest;
  }
  if (const auto t = node.floats("translation", 3)) rest.translation = {(*t)[0], (*t)[1], (*t)[2]};
  if (const auto r = node.floats("rotation", 4)) rest.rotation = {(*r)[0], (*r)[1], (*r)[2], (*r)[3]};
  if (const auto s = node.floats("scale", 3)) rest.scale = {(*s)[0], (*s)[1], (*s)[2]};
  return rest;
}

std::vector<Dof> dofs_of(const Item& node) {
  std::vector<Dof> dofs;
  if (!node.has("extras") || !node.json()["extras"].is_object()) return dofs;
  const auto supple = node.object("extras")->object("supple");
  if (!supple) return dofs;
  for (const Item& item : supple->list("dofs")) {
    Dof dof;
    dof.name = item.text("name", "");
    const auto axis = item.floats("axis", 3);
    if (!axis) fail(item.path("axis"), "is missing");
    dof.axis = {(*axis)[0], (*axis)[1], (*axis)[2]};
    dof.min = item.single("min", 0);
    dof.max = item.single("max", 0);
    dofs.push_back(std::move(dof));
  }
  return dofs;
}

}  // namespace

void read_nodes(Reader& reader) {
  const std::vector<Item> nodes = reader.root().list("nodes");
  std::vector<RawJoint> joints(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    joints[i].name = nodes[i].text("name", "");
    joints[i].rest = rest_of(reader, nodes[i]);
    joints[i].dofs = dofs_of(nodes[i]);
    for (const std::size_t child : nodes[i].indices("children", nodes.size())) joints[child].parent = i;
  }
  for (const Item& skin : reader.root().list("skins"))
    for (const std::size_t node : skin.indices("joints", nodes.size())) joints[node].in_skin = true;
  auto built = build_skeleton(joints);
  if (!built) throw Malformed{built.error()};
  reader.result.character.skeleton = std::move(built->skeleton);
  reader.result.nodes = std::move(built->remap);
}

void read_skins(Reader& reader) {
  const Character& character = reader.result.character;
  for (const Item& skin : reader.root().list("skins")) {
    SkinBinding binding;
    binding.name = skin.text("name", "");
    for (const std::size_t node : skin.indices("joints", count(reader.document.root, "nodes"))) {
      binding.joints.push_back(reader.result.nodes.to_joint[node]);
    }
    binding.inverse_bind.resize(binding.joints.size());
    if (skin.has("inverseBindMatrices")) {
      const std::size_t index = skin.required_index("inverseBindMatrices", count(reader.document.root, "accessors"));
      const std::string item = "accessors[" + std::to_string(index) + "]";
      const Layout layout = accessor_layout(reader.document, index);
      if (layout.components() != 16 || layout.component_type != float32 || layout.count < binding.joints.size()) {
        fail(item, "must hold a MAT4 of floats for each of the " + std::to_string(binding.joints.size()) +
                       " joints of " + skin.path());
      }
      const std::vector<float> values = read_floats(reader, index);
      for (std::size_t k = 0; k < binding.joints.size(); ++k) {
        const std::string joint =
            item + ", joint " + std::to_string(k) + " '" + character.skeleton.name(binding.joints[k]) + "'";
        binding.inverse_bind[k] = Affinef(affine_of(std::span(values).subspan(16 * k, 16), joint));
      }
    }
    reader.result.character.skins.push_back(std::move(binding));
  }
}

void read_materials(Reader& reader) {
  for (const Item& item : reader.root().list("materials")) {
    Material material;
    material.name = item.text("name", "");
    material.double_sided = item.flag("doubleSided", false);
    material.metallic = material.roughness = 1;  // glTF's defaults
    if (const auto pbr = item.object("pbrMetallicRoughness")) {
      if (const auto color = pbr->floats("baseColorFactor", 4))
        std::copy_n(color->begin(), 4, material.base_color.begin());
      material.metallic = pbr->single("metallicFactor", 1);
      material.roughness = pbr->single("roughnessFactor", 1);
    }
    reader.result.character.materials.push_back(std::move(material));
  }
}

}  // namespace supple::gltf
