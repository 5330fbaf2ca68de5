#include "supple/workflow/jobs/judge_motion.h"

#include <fmt/core.h>

#include <algorithm>

#include "supple/deform/field/limbs.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/deformers.h"
#include "supple/workflow/jobs/clip_frames.h"

namespace supple::workflow {
namespace {

constexpr double motion_frames_per_second = 20, most_motion_frames = 240;
constexpr double much_more_strain = 1.1;  // of linear blend's
constexpr double strain_to_see = 0.005;   // of all edges' lengths, more than by linear blend

double times_stretched(const SkinDamage& damage) {
  return damage.strain_before > 0 ? damage.strain / damage.strain_before : 1;
}

std::size_t torn(const SkinDamage& damage) { return damage.torn + damage.parted + damage.opened; }

/// Without what was learnt and without the swinging of flesh.
Character by_linear_blend(const Character& character, std::size_t clip) {
  Character plain = character;
  const std::vector<bool> twins = twin_joints(character.flesh, character.skeleton.size());
  std::erase_if(plain.clips[clip].tracks,
                [&](const Track& track) { return track.channel != Channel::morph_weights && twins[track.target]; });
  remove_driven_morphs(plain);
  clear_deformers(plain);
  return plain;
}

ComparisonPoses frames_to_judge(const Character& plain, const Character& character, std::size_t clip) {
  const Clip& played = character.clips[clip];
  const double rate =
      std::min(motion_frames_per_second, most_motion_frames / std::max(double{played.duration()}, 1e-3));
  ComparisonPoses frames;
  for (const double seconds : frame_times(played, rate)) {
    const auto at = static_cast<float>(seconds);
    ComparedMoment moment{fmt::format("{} at {:.2f} s", played.name, at), plain.at(plain.clips[clip], at),
                          character.at(played, at)};
    moment.plays = true;
    moment.clip = clip;
    moment.seconds = at;
    frames.moments.push_back(std::move(moment));
  }
  return frames;
}

void find_worse(JudgedMotion& judged, bool swings) {
  const std::vector<ComparedPose>& poses = judged.compared.poses;
  const auto badness = [&](std::size_t frame) {
    return std::pair(torn(poses[frame].damage), times_stretched(poses[frame].damage));
  };
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const SkinDamage& damage = poses[i].damage;
    DamageTotals alone;
    alone.add(damage);
    const bool stretched =
        !swings && times_stretched(damage) > much_more_strain && damage.strain > damage.strain_before + strain_to_see;
    if (!(poses[i].after.broken || alone.bad(judged.compared.pairs_of_triangles) || torn(damage) > 0 || stretched))
      continue;
    if (judged.worse.empty() || badness(i) > badness(judged.worst)) judged.worst = i;
    judged.worse.push_back(i);
  }
}

std::string sentence_about(const JudgedMotion& judged) {
  const ComparedPose& worst = judged.compared.poses[judged.worst];
  const std::string what = worst.after.broken       ? "vertices are nowhere"
                           : torn(worst.damage) > 0 ? fmt::format("torn at {} places", torn(worst.damage))
                           : times_stretched(worst.damage) > much_more_strain
                               ? fmt::format("stretched {:.2f} times as much", times_stretched(worst.damage))
                               : fmt::format("{} more folds", worst.damage.new_folds());
  return fmt::format("in {} of {} frames the skin is worse than by linear blend, most of all in '{}': {}",
                     judged.worse.size(), judged.compared.poses.size(), worst.name, what);
}

}  // namespace

Result<std::optional<JudgedMotion>> judge_motion(const Character& character, std::size_t clip, Work& work) {
  const Character plain = by_linear_blend(character, clip);
  const std::vector<bool> flows = flowing_parts(plain);
  const bool carries = plain.morph_weights.size() != character.morph_weights.size() || !character.flesh.empty();
  if (!carries || std::ranges::none_of(flows, [](bool f) { return f; }) || character.clips[clip].duration() <= 0)
    return std::optional<JudgedMotion>();
  auto compared = compare_skins(plain, character, frames_to_judge(plain, character, clip), {}, work);
  if (!compared) return compared.error();
  JudgedMotion judged{std::move(*compared), {}, 0};
  find_worse(judged, !character.flesh.empty());
  const char* remedy = "add examples like these frames, or take out what was learnt: supple remove all";
  if (!judged.worse.empty()) work.warnings.push_back(sentence_about(judged) + " (" + remedy + ")");
  warn_of_worse(judged.compared, character.skeleton, "what the skin carries", remedy, work);
  return std::optional(std::move(judged));
}

}  // namespace supple::workflow
