// The one door for files: reads and writes characters by the extension of the path.
#pragma once

#include "supple/files/bvh.h"
#include "supple/files/gltf/deformers.h"
#include "supple/files/gltf/edit.h"
#include "supple/files/gltf/flesh.h"
#include "supple/files/gltf/read.h"
#include "supple/files/gltf/save.h"
#include "supple/files/gltf/write.h"
#include "supple/files/obj.h"

namespace supple {

struct LoadOptions {
  bool strict = false;   // refuse what would otherwise be repaired with a warning
  double bvh_scale = 1;  // metres per unit of a .bvh
};

/// A character and, where it came from glTF, the document that edits go into so that nothing else of it is lost.
struct Loaded {
  gltf::Imported imported;
  std::optional<gltf::Document> document;
  Character& character() { return imported.character; }
  const Character& character() const { return imported.character; }
};

/// .glb, .gltf: everything. .obj: one part without joints. .bvh: a skeleton and a clip.
Result<Loaded> load(const std::filesystem::path& path, Warnings* warnings = nullptr, const LoadOptions& options = {});

/// .glb, .gltf: everything. .obj: the surfaces in the rest pose. Whole or not at all.
Result<void> save(const std::filesystem::path& path, const Character& character,
                  const gltf::WriteOptions& options = {});

}  // namespace supple
