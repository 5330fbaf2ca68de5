#include "supple/workflow/jobs/warn_of_reduction.h"

#include <fmt/core.h>

namespace supple::workflow {

void warn_of_reduction(const ReducedInfluences& reduced, std::size_t influences, const Character& character, Work& work,
                       double unit) {
  if (reduced.vertices == 0) return;
  std::string text = fmt::format("{} vertices were reduced to {} joints", reduced.vertices, influences);
  if (reduced.folded > 0) text += fmt::format(", {} of them by giving flesh back to its bone", reduced.folded);
  if (reduced.joint != no_joint) {
    text += fmt::format(": up to {:.2f} mm off, worst at vertex {} of part '{}' ({}) in clip '{}' at {:.2f} s",
                        reduced.worst * unit * 1000, reduced.vertex, character.parts[reduced.part].name,
                        character.skeleton.name(reduced.joint), reduced.clip, reduced.seconds);
  } else if (character.clips.empty()) {
    text += ": how far off is not known without clips";
  }
  work.warnings.push_back(std::move(text));
}

}  // namespace supple::workflow
