// Flesh along a clip as tracks of its twin joints.
#include <algorithm>

#include "supple/author/bake/play_flesh.h"

namespace supple {

void put_take(const Character& character, const FleshTake& take, Clip& clip) {
  const std::vector<bool> twins = twin_joints(character.flesh, character.skeleton.size());
  std::erase_if(clip.tracks, [&](const Track& t) { return t.channel != Channel::morph_weights && twins[t.target]; });
  std::size_t place = 0;
  for (const FleshElement& e : character.flesh.elements) {
    for (const FleshTwin& twin : e.twins) {
      Track shift{Channel::translation, Interpolation::linear, twin.joint, 3, take.times, {}};
      Track turn{Channel::rotation, Interpolation::linear, twin.joint, 4, take.times, {}};
      for (const std::vector<Transformf>& frame : take.twins) {
        const Vec3f t = frame[place].translation;
        const Quatf r = frame[place].rotation;
        shift.values.insert(shift.values.end(), {t.x, t.y, t.z});
        turn.values.insert(turn.values.end(), {r.x, r.y, r.z, r.w});
      }
      clip.tracks.push_back(std::move(shift));
      if (e.torsion) clip.tracks.push_back(std::move(turn));
      ++place;
    }
  }
}

FleshTake still_take(const Character& character, const Clip& clip) {
  Pose pose = character.at(clip, clip.start());
  rest_twins(character.flesh, pose.local);
  const std::vector<Affinef> world = to_world(character.skeleton, pose);
  FleshTake take;
  take.times.push_back(clip.start());
  take.motions.push_back(settled(character.flesh, world).motions);
  move_twins(character.flesh, world, take.motions[0], pose.local);
  take.twins.emplace_back();
  for (const FleshElement& e : character.flesh.elements)
    for (const FleshTwin& twin : e.twins) take.twins[0].push_back(pose.local[twin.joint]);
  return take;
}

Result<void> bake_flesh(const Character& character, Clip& clip, const FleshPlayOptions& options, Warnings* warnings) {
  const auto take = play_flesh(character, clip, options, warnings);
  if (!take) return take.error();
  put_take(character, *take, clip);
  return {};
}

}  // namespace supple
