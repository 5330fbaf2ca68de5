// A file as commands see it: the character to work with and the document to write back into.
#pragma once

#include <filesystem>

#include "supple/files/load.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

struct Model {
  gltf::Document document;
  gltf::Imported imported;

  const Character& character() const { return imported.character; }
  Character& character() { return imported.character; }
  /// Rest weights of one part's morph targets.
  std::span<const float> morph_weights(std::size_t part) const;
};

/// Reads .glb, .gltf, .obj or .bvh; repairs are told as warnings, or refused with `strict`.
Result<Model> load_model(const std::filesystem::path& path, Work& work, bool strict = false);

/// A character made here, ready to be written.
Result<Model> to_model(const Character& character);

/// Writes by the extension: .glb, .gltf, or .obj (the surfaces in the rest pose).
Result<void> save_model(const std::filesystem::path& path, const Model& model, Work& work, bool embed = false);

/// Whether a file of that name can carry deformers: .glb or .gltf.
Result<void> check_gltf_name(const std::filesystem::path& path);

/// For commands that build a new file from an old one's character.
void warn_of_lost_textures(const Model& source, Work& work);

/// The joint that moves a vertex most: where an artist looks for what is wrong there. Empty for parts that nothing
/// moves.
std::string nearest_joint(const Character& character, std::size_t part, std::size_t vertex);

}  // namespace supple::workflow
