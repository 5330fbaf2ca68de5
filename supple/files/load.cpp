#include "supple/files/load.h"

#include "supple/base/file.h"
#include "supple/deform/posed_surfaces.h"
#include "supple/files/load_character.h"

namespace supple {
namespace {

Result<Loaded> load_gltf(const std::filesystem::path& path, Warnings* warnings, const LoadOptions& options) {
  auto document = gltf::read_document(path);
  if (!document) return document.error();
  auto imported = gltf::to_character(*document, warnings, {options.strict});
  if (!imported) return imported.error();
  return Loaded{std::move(*imported), std::move(*document)};
}

Result<Loaded> load_obj(const std::filesystem::path& path, Warnings* warnings) {
  auto model = read_obj(path, warnings);
  if (!model) return model.error();
  Loaded loaded;
  loaded.character().name = model->part.name;
  loaded.character().parts.push_back(std::move(model->part));
  loaded.imported.sources.emplace_back();
  return loaded;
}

Result<Loaded> load_bvh(const std::filesystem::path& path, const LoadOptions& options) {
  auto motion = read_bvh(path, {options.bvh_scale});
  if (!motion) return motion.error();
  Loaded loaded;
  loaded.character().name = motion->clip.name;
  for (JointIndex j = 0; j < motion->skeleton.size(); ++j) {
    loaded.imported.nodes.to_joint.push_back(j);
    loaded.imported.nodes.to_source.push_back(j);
  }
  loaded.character().skeleton = std::move(motion->skeleton);
  loaded.character().clips.push_back(std::move(motion->clip));
  return loaded;
}

}  // namespace

Result<Loaded> load(const std::filesystem::path& path, Warnings* warnings, const LoadOptions& options) {
  const std::string extension = lower_extension(path);
  if (extension == ".glb" || extension == ".gltf") return load_gltf(path, warnings, options);
  if (extension == ".obj") return load_obj(path, warnings);
  if (extension == ".bvh") return load_bvh(path, options);
  return Error{path.string(), "is of no known kind", "use a .glb, .gltf, .obj or .bvh file"};
}

Result<Character> load_character(const std::filesystem::path& path, Warnings* warnings) {
  auto loaded = load(path, warnings);
  if (!loaded) return loaded.error();
  return std::move(loaded->character());
}

Result<void> save(const std::filesystem::path& path, const Character& character, const gltf::WriteOptions& options) {
  const std::string extension = lower_extension(path);
  if (extension == ".obj") {
    if (character.parts.empty()) return Error{path.string(), "would be empty: there is no mesh", "write .glb or .gltf"};
    const auto surfaces = posed_surfaces(character, character.rest());
    return surfaces ? write_obj(path, surfaces->parts) : Result<void>(surfaces.error());
  }
  if (extension != ".glb" && extension != ".gltf") {
    return Error{path.string(), "is of no kind that can be written", "use .glb, .gltf or .obj"};
  }
  const auto document = gltf::to_document(character);
  if (!document) return document.error();
  return gltf::write_document(path, *document, options);
}

}  // namespace supple
