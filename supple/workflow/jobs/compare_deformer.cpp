#include "supple/workflow/jobs/compare_deformer.h"

namespace supple::workflow {

void warn_of_no_poses(const std::string& what, Work& work) {
  work.warnings.push_back(what +
                          " was not compared with linear blend: the file has no clips, and no joint of it bends any "
                          "skin (supple convert --motion puts a clip in)");
}

Result<std::optional<SkinComparison>> compare_deformer(const Character& character, const DeformerKind& kind,
                                                       const CompareOptions& options, const std::string& remedy,
                                                       Work& work) {
  Character plain = character;
  kind.clear(plain);
  const auto poses = comparison_poses(plain, character);
  if (!poses) return poses.error();
  if (poses->moments.empty()) {
    warn_of_no_poses(kind.name, work);
    return std::optional<SkinComparison>();
  }
  auto compared = compare_skins(plain, character, *poses, options, work);
  if (!compared) return compared.error();
  warn_of_worse(*compared, character.skeleton, kind.name, remedy, work);
  return std::optional(std::move(*compared));
}

}  // namespace supple::workflow
