#include "supple/workflow/jobs/model.h"

#include <algorithm>
#include <cctype>

namespace supple::workflow {

std::span<const float> Model::morph_weights(std::size_t part) const {
  const Part& p = character().parts[part];
  return std::span(character().morph_weights).subspan(p.first_morph_weight, p.morphs.size());
}

Result<Model> load_model(const std::filesystem::path& path, Work& work, bool strict) {
  auto loaded = load(path, &work.warnings, {.strict = strict});
  if (!loaded) return loaded.error();
  if (!loaded->document) return to_model(loaded->character());
  Model model{std::move(*loaded->document), std::move(loaded->imported)};
  if (!work.warnings.empty()) gltf::put_mended_weights(model.document, model.imported);
  return model;
}

Result<Model> to_model(const Character& character) {
  auto document = gltf::to_document(character);
  if (!document) return document.error();
  auto imported = gltf::to_character(*document);
  if (!imported) return imported.error();
  return Model{std::move(*document), std::move(*imported)};
}

Result<void> save_model(const std::filesystem::path& path, const Model& model, Work& work, bool embed) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (extension != ".glb" && extension != ".gltf") return save(path, model.character());  // .obj, or a clear refusal
  return gltf::write_document(path, model.document, {.embed = embed, .compress = work.compress}, &work.warnings);
}

Result<void> check_gltf_name(const std::filesystem::path& path) {
  if (path.extension() == ".glb" || path.extension() == ".gltf") return {};
  return Error{path.string(), "is no glTF file name", "write .glb or .gltf"};
}

void warn_of_lost_textures(const Model& source, Work& work) {
  const auto textures = source.document.root.find("textures");
  if (textures == nullptr || textures->empty()) return;
  work.warnings.push_back(source.document.name + ": textures are left behind; materials keep their base colour");
}

std::string nearest_joint(const Character& character, std::size_t part, std::size_t vertex) {
  const Part& p = character.parts[part];
  if (!p.skin) return p.node == no_joint ? "" : character.skeleton.name(p.node);
  return character.skeleton.name(character.skins[*p.skin].joints[p.weights.of(vertex)[0].joint]);
}

}  // namespace supple::workflow
