// The surface that a clip makes, frame by frame, for programs that only play points or morph targets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "supple/author/learn/clip_modes.h"
#include "supple/deform/skin.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

struct BakeFileOptions {
  std::string input{};
  /// By its extension: a cache (.mdd, .pc2), of several parts one each, named NAME-PART.mdd; the character with the
  /// surface as morph targets (.glb, .gltf); without one, a folder of numbered .obj files.
  std::string output{};
  std::string clip{};  // its name or number; empty: the only one
  std::string part{};  // its name, or that of its mesh or node; empty: all skinned ones, or all for .obj files
  std::optional<double> rate{};  // frames a second; none: as the clip's keys ask
  Blend blend = Blend::linear;
  bool flesh = true;       // what swings behind the bones: flesh and muscles
  std::size_t modes = 32;  // morph targets of a glTF file, at most
};

struct BakedFile {
  std::string clip;
  std::vector<std::string> parts;  // names
  std::vector<std::string> files;  // that were written
  double rate = 0;                 // frames a second
  std::vector<double> times;       // #frames: seconds of the clip
  std::size_t vertices = 0;        // of all parts
  std::size_t flesh_elements = 0, muscles = 0;
  std::optional<learn::ClipModes> fit;  // of a glTF file
};

Result<BakedFile> bake_file(const BakeFileOptions& options, Work& work);

}  // namespace supple::workflow
