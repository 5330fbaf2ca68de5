#include "fuzz/target.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace supple::fuzz {

// One in each file of targets/.
extern const Target bvh_target, deformers_target, dicom_target, draco_target, examples_target, flesh_recipe_target,
    glb_target, gltf_target, gmsh_target, json_target, kinodynamic_recipe_target, labels_target, medit_target,
    meshopt_target, metaimage_target, netgen_target, nifti_target, npy_target, nrrd_target, obj_target, plan_target,
    ply_target, pose_book_target, project_target, recipe_words_target, request_target, stl_target, vertex_cache_target;

std::span<const Target* const> targets() {
  static constexpr const Target* all[] = {&bvh_target,
                                          &deformers_target,
                                          &dicom_target,
#ifdef SUPPLE_HAS_DRACO
                                          &draco_target,
#endif
                                          &examples_target,
                                          &flesh_recipe_target,
                                          &glb_target,
                                          &gltf_target,
                                          &gmsh_target,
                                          &json_target,
                                          &kinodynamic_recipe_target,
                                          &labels_target,
                                          &medit_target,
                                          &meshopt_target,
                                          &metaimage_target,
                                          &netgen_target,
                                          &nifti_target,
                                          &npy_target,
                                          &nrrd_target,
                                          &obj_target,
                                          &plan_target,
                                          &ply_target,
                                          &pose_book_target,
                                          &project_target,
                                          &recipe_words_target,
                                          &request_target,
                                          &stl_target,
                                          &vertex_cache_target};
  return all;
}

const Target* find_target(std::string_view name) {
  for (const Target* target : targets()) {
    if (target->name == name) return target;
  }
  return nullptr;
}

void require(bool holds, const char* words) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n", words);
  std::abort();
}

ScratchFile::ScratchFile(const std::string& extension) {
  namespace fs = std::filesystem;
  const fs::path parent = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  folder_ = (parent / "supple-fuzz-XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) require(false, "a folder for files can be made");
  path_ = folder_ + "/file" + extension;
}

ScratchFile::~ScratchFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void ScratchFile::put(Input contents) const {
  std::FILE* file = std::fopen(path_.c_str(), "wb");
  require(file != nullptr, "the file can be written");
  std::fwrite(contents.data(), 1, contents.size(), file);
  std::fclose(file);
}

std::string ScratchFile::contents() const {
  std::ifstream file(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace supple::fuzz
