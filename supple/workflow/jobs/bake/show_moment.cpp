#include "supple/workflow/jobs/bake/show_moment.h"

#include "supple/author/bake/clip_player.h"
#include "supple/workflow/jobs/bake/recording.h"

namespace supple::workflow {

Result<void> show_moment(Skin& skin, const Character& character, const PoseOptions& options, const Pose& pose,
                         Work& work) {
  if (options.clip.empty() || !options.turns.empty()) return skin.evaluate(pose);
  const auto clip = find_clip(character, options.clip);
  if (!clip) return clip.error();
  const double seconds = options.time ? double{*options.time} : double{(*clip)->start()};
  Recording recording{character, **clip, {}, clip_rate(**clip), {seconds}, {}, {}, std::move(skin), {}};
  auto recorded = record_flesh(recording, work);
  if (recorded) recorded = record_muscles(recording, work);
  if (recorded) recorded = recording.each_frame([](std::size_t) { return Result<void>(); });
  skin = std::move(recording.skin);
  return recorded;
}

}  // namespace supple::workflow
