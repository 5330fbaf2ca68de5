#include "supple/workflow/report/part_looks.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "supple/files/gltf/textures.h"
#include "supple/render/decode_image.h"
#include "supple/rig/find_part.h"

namespace supple::workflow {
namespace {

using SharedTexture = std::shared_ptr<const render::Texture>;

render::Texture::Wrap to_wrap(gltf::TextureWrap wrap) {
  return wrap == gltf::TextureWrap::clamp    ? render::Texture::Wrap::clamp
         : wrap == gltf::TextureWrap::mirror ? render::Texture::Wrap::mirror
                                             : render::Texture::Wrap::repeat;
}

/// Decodes every picture of a document once.
class TextureShelf {
 public:
  TextureShelf(const gltf::Document& document, Warnings& warnings) : document_(document), warnings_(warnings) {}

  SharedTexture get(const gltf::BaseColourTexture& use) {
    const auto key = std::tuple(use.image, use.wrap_u, use.wrap_v, use.smooth);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    return known_[key] = make(use);
  }

 private:
  SharedTexture make(const gltf::BaseColourTexture& use) {
    const auto bytes = gltf::image_bytes(document_, use.image);
    auto image = bytes ? render::decode_image(*bytes) : Result<render::Image>(bytes.error());
    if (!image) {
      const Error& e = image.error();
      if (told_.insert(use.image).second)
        warnings_.push_back(Error{use.item + ", " + e.item, e.problem, e.remedy}.message() + "; drawn without it");
      return nullptr;
    }
    return std::make_shared<render::Texture>(
        render::Texture{std::move(*image), to_wrap(use.wrap_u), to_wrap(use.wrap_v), use.smooth});
  }

  const gltf::Document& document_;
  Warnings& warnings_;
  std::map<std::tuple<std::size_t, gltf::TextureWrap, gltf::TextureWrap, bool>, SharedTexture> known_;
  std::set<std::size_t> told_;  // images that a warning was given about
};

}  // namespace

bool is_bone_surface(const Part& part) { return part.name == "bones"; }

Result<PartLooks> PartLooks::make(const Model& model, const Look& look, Warnings& warnings) {
  PartLooks looks(model.character(), look);
  looks.parts_.resize(model.character().parts.size());
  for (const std::string& name : look.hidden) {
    const auto parts = find_parts(model.character(), name);
    if (!parts) return parts.error();
    for (const std::size_t p : *parts) looks.parts_[p].hidden = true;
  }
  if (look.textures && look.map.empty()) looks.add_textures(model, warnings);
  return looks;
}

void PartLooks::add_textures(const Model& model, Warnings& warnings) {
  const std::vector<gltf::MaterialColour> materials = gltf::material_colours(model.document, &warnings);
  TextureShelf shelf(model.document, warnings);
  std::size_t without_coordinates = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto material = character_->parts[p].material;
    PartLook& look = parts_[p];
    if (look.hidden || !material || *material >= materials.size()) continue;
    const gltf::MaterialColour& colour = materials[*material];
    const float base_alpha = character_->materials[*material].base_color[3];
    // The alpha of the material multiplies that of its texture; where there is no texture it holds for all of the part.
    if (colour.alpha == gltf::AlphaMode::mask && !colour.texture && base_alpha < colour.alpha_cutoff)
      look.hidden = true;
    if (!colour.texture) continue;
    std::vector<std::array<float, 2>> texcoords =
        colour.texture->texcoord == 0
            ? character_->parts[p].texcoords
            : gltf::texcoords_of(model.document, model.imported.sources[p], colour.texture->texcoord);
    if (texcoords.size() != character_->parts[p].mesh.positions.size()) {
      ++without_coordinates;
      continue;
    }
    look.texture = shelf.get(*colour.texture);
    if (look.texture == nullptr) continue;
    for (auto& uv : texcoords) uv = colour.texture->place(uv);
    look.texcoords = std::move(texcoords);
    look.alpha = colour.alpha == gltf::AlphaMode::mask    ? render::Alpha::mask
                 : colour.alpha == gltf::AlphaMode::blend ? render::Alpha::blend
                                                          : render::Alpha::ignored;
    look.alpha_cutoff = base_alpha > 0 ? colour.alpha_cutoff / base_alpha : 2.0f;
  }
  if (without_coordinates > 0)
    warnings.push_back(std::to_string(without_coordinates) +
                       " parts have a texture and no coordinates for it; drawn in their base colour");
}

bool PartLooks::all_hidden() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const PartLook& p) { return p.hidden; });
}

void PartLooks::dress(std::size_t part, render::PosedPart& posed) const {
  const Part& p = character_->parts[part];
  const PartLook& look = parts_[part];
  if (p.material) {
    const auto& rgba = character_->materials[*p.material].base_color;
    posed.colour = {rgba[0], rgba[1], rgba[2]};
  }
  posed.opacity = is_bone_surface(p) ? 1 : look_->opacity;
  posed.finish = !look_->map.empty()                  ? render::Finish::data
                 : is_bone_surface(p) || look.texture ? render::Finish::matte
                                                      : render::Finish::skin;
  posed.texture = look.texture;
  posed.texcoords = look.texcoords;
  posed.alpha = look.alpha;
  posed.alpha_cutoff = look.alpha_cutoff;
}

}  // namespace supple::workflow
