#include "cli/model.h"

namespace supple::cli {

std::span<const float> Model::morph_weights(std::size_t part) const {
  const Part& p = character().parts[part];
  return std::span(character().morph_weights).subspan(p.first_morph_weight, p.morphs.size());
}

Result<Model> load_model(const std::filesystem::path& path, Session& session, bool strict) {
  auto loaded = load(path, &session.warnings, {.strict = strict});
  if (!loaded) return loaded.error();
  if (!loaded->document) return to_model(loaded->character());
  return Model{std::move(*loaded->document), std::move(loaded->imported)};
}

Result<Model> to_model(const Character& character) {
  auto document = gltf::to_document(character);
  if (!document) return document.error();
  auto imported = gltf::to_character(*document);
  if (!imported) return imported.error();
  return Model{std::move(*document), std::move(*imported)};
}

Result<void> save_model(const std::filesystem::path& path, const Model& model, Session& session, bool embed) {
  const std::string extension = path.extension().string();
  if (extension == ".obj") return write_obj(path, model.character().parts);
  if (extension == ".glb" || extension == ".gltf") {
    return gltf::write_document(path, model.document, {.embed = embed}, &session.warnings);
  }
  return Error{path.string(), "has an extension that cannot be written", "use .glb, .gltf or .obj"};
}

}  // namespace supple::cli
