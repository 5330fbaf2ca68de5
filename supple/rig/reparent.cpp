#include "supple/rig/reparent.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "supple/geometry/mesh.h"

namespace supple {
namespace {

constexpr double angle_tolerance = 8e-6;  // radians
constexpr double place_tolerance = 4e-6;  // of the skeleton's size
constexpr double rounding = 2e-7;         // of floats: what differs from rest by less stands still
constexpr double most_shear = 1e-4;       // of unit axes: what rounding leaves
constexpr int most_halvings = 6;          // of the time between two keys

std::vector<Affined> world_of(const Skeleton& skeleton, std::span<const Transformf> local) {
  std::vector<Affined> world(local.size());
  for (JointIndex j = 0; j < local.size(); ++j) {
    const Transform<double> t{Vec3d(local[j].translation), normalized(Quatd(local[j].rotation)), Vec3d(local[j].scale)};
    world[j] = skeleton.parent(j) == no_joint ? t.affine() : world[skeleton.parent(j)] * t.affine();
  }
  return world;
}

bool is_above_itself(std::span<const JointIndex> parents, JointIndex j) {
  std::size_t steps = 0;
  for (JointIndex up = parents[j]; up != no_joint; up = parents[up])
    if (up == j || ++steps > parents.size()) return true;
  return false;
}

/// What the joints that move to other parents are relative to them, at a moment.
class NewLocals {
 public:
  NewLocals(const Character& character, std::span<const JointIndex> parents) : c_(character), parents_(parents) {
    for (JointIndex j = 0; j < parents.size(); ++j)
      if (parents[j] != c_.skeleton.parent(j)) moved_.push_back(j);
    std::vector<Vec3f> places;
    for (const Affined& world : world_of(c_.skeleton, c_.skeleton.rest())) places.push_back(Vec3f(world.translation));
    size_ = std::max(double{bounds(places).diagonal()}, 1e-9);
  }

  std::span<const JointIndex> moved() const { return moved_; }
  double size() const { return size_; }

  /// #moved.
  Result<std::vector<Transformf>> of(std::span<const Transformf> local) const {
    const std::vector<Affined> world = world_of(c_.skeleton, local);
    std::vector<Transformf> result;
    for (const JointIndex j : moved_) {
      const Affined above = parents_[j] == no_joint ? Affined{} : world[parents_[j]];
      if (!(std::abs(determinant(above.linear)) > 0))
        return Error{"joint '" + c_.skeleton.name(j) + "'", "would hang on one that is scaled to nothing",
                     "leave it where it is"};
      double shear = 0;
      result.push_back(decompose(inverse(above) * world[j], &shear));
      if (shear > most_shear)
        return Error{"joint '" + c_.skeleton.name(j) + "'",
                     "would be sheared below '" + (parents_[j] == no_joint ? "" : c_.skeleton.name(parents_[j])) + "'",
                     "take out scales that differ along the axes first"};
    }
    return result;
  }

 private:
  const Character& c_;
  std::span<const JointIndex> parents_;
  std::vector<JointIndex> moved_;
  double size_ = 1;
};

/// As clips are played between two keys.
Transformf between(const Transformf& a, const Transformf& b, float t) {
  return {a.translation + (b.translation - a.translation) * t, slerp(a.rotation, b.rotation, t),
          a.scale + (b.scale - a.scale) * t};
}

class ClipRewriter {
 public:
  /// `rest`: #moved, in the new tree.
  ClipRewriter(const Character& character, const NewLocals& locals, std::span<const Transformf> rest, const Clip& clip)
      : c_(character), locals_(locals), rest_(rest), clip_(clip), keys_(locals.moved().size()) {}

  Result<Clip> rewritten() {
    const std::set<float> times = key_times();
    if (!times.empty()) {
      auto before = at(*times.begin());
      if (!before) return before.error();
      add_keys(*times.begin(), *before, {});
      for (auto time = std::next(times.begin()); time != times.end(); ++time) {
        auto after = at(*time);
        if (!after) return after.error();
        std::vector<std::size_t> all(keys_.size());
        for (std::size_t m = 0; m < all.size(); ++m) all[m] = m;
        if (auto ok = refine(*std::prev(time), *before, *time, *after, std::move(all), 0); !ok) return ok.error();
        add_keys(*time, *after, {});
        before = std::move(after);
      }
    }
    return with_keys();
  }

 private:
  struct Key {
    float time;
    Transformf local;
  };
  using Locals = std::vector<Transformf>;

  /// Of all joints; a track that jumps has a moment just before each key too.
  std::set<float> key_times() const {
    std::set<float> times;
    for (const Track& track : clip_.tracks) {
      if (track.channel == Channel::morph_weights) continue;
      for (const float time : track.times) {
        times.insert(time);
        if (track.interpolation == Interpolation::step && time != track.times.front())
          times.insert(std::nextafter(time, -1e30f));
      }
    }
    return times;
  }

  Result<Locals> at(float time) const { return locals_.of(c_.at(clip_, time).local); }

  /// `only`: of these; empty: of all.
  void add_keys(float time, const Locals& locals, std::span<const std::size_t> only) {
    for (const std::size_t m : only) keys_[m].push_back({time, locals[m]});
    for (std::size_t m = 0; only.empty() && m < keys_.size(); ++m) keys_[m].push_back({time, locals[m]});
  }

  bool is_near(const Transformf& a, const Transformf& b) const {
    return angle_between(Quatd(a.rotation), Quatd(b.rotation)) <= angle_tolerance &&
           double{length(a.translation - b.translation)} <= place_tolerance * locals_.size() &&
           double{length(a.scale - b.scale)} <= place_tolerance * double{length(b.scale)};
  }

  /// Keys between two moments for those of the joints that would not go the right way by themselves.
  Result<void> refine(float a, const Locals& first, float b, const Locals& last, std::vector<std::size_t> joints,
                      int halvings) {
    const float middle = a + (b - a) / 2;
    if (joints.empty() || halvings >= most_halvings || !(a < middle && middle < b)) return {};
    std::set<std::size_t> astray;
    Locals halfway;
    for (const float t : {0.25f, 0.5f, 0.75f}) {
      const float time = t == 0.5f ? middle : a + (b - a) * t;
      auto there = at(time);
      if (!there) return there.error();
      for (const std::size_t m : joints)
        if (!is_near(between(first[m], last[m], (time - a) / (b - a)), (*there)[m])) astray.insert(m);
      if (t == 0.5f) halfway = std::move(*there);
    }
    std::vector<std::size_t> again(astray.begin(), astray.end());
    if (again.empty()) return {};
    if (auto ok = refine(a, first, middle, halfway, again, halvings + 1); !ok) return ok;
    add_keys(middle, halfway, again);
    return refine(middle, halfway, b, last, std::move(again), halvings + 1);
  }

  Clip with_keys() const {
    Clip result{clip_.name, {}};
    const std::span<const JointIndex> moved = locals_.moved();
    for (const Track& track : clip_.tracks) {
      const bool replaced =
          track.channel != Channel::morph_weights && std::find(moved.begin(), moved.end(), track.target) != moved.end();
      if (!replaced) result.tracks.push_back(track);
    }
    for (std::size_t m = 0; m < moved.size(); ++m) add_tracks(moved[m], rest_[m], keys_[m], result);
    return result;
  }

  /// Translation, rotation and scale, as far as they ever differ from rest by more than rounding.
  void add_tracks(JointIndex joint, const Transformf& rest, const std::vector<Key>& keys, Clip& clip) const {
    std::vector<float> times, translations, rotations, scales;
    bool shifts = false, turns = false, grows = false;
    Quatf last = rest.rotation;
    for (const Key& key : keys) {
      const auto& [t, r, s] = key.local;
      const Quatf q = dot(r, last) < 0 ? -r : r;
      last = q;
      times.push_back(key.time);
      translations.insert(translations.end(), {t.x, t.y, t.z});
      rotations.insert(rotations.end(), {q.x, q.y, q.z, q.w});
      scales.insert(scales.end(), {s.x, s.y, s.z});
      shifts = shifts || double{length(t - rest.translation)} > rounding * locals_.size();
      turns = turns || angle_between(Quatd(r), Quatd(rest.rotation)) > rounding;
      grows = grows || double{length(s - rest.scale)} > rounding * double{length(rest.scale)};
    }
    if (shifts) clip.tracks.push_back({Channel::translation, Interpolation::linear, joint, 3, times, translations});
    if (turns) clip.tracks.push_back({Channel::rotation, Interpolation::linear, joint, 4, times, rotations});
    if (grows) clip.tracks.push_back({Channel::scale, Interpolation::linear, joint, 3, times, scales});
  }

  const Character& c_;
  const NewLocals& locals_;
  std::span<const Transformf> rest_;
  const Clip& clip_;
  std::vector<std::vector<Key>> keys_;  // #moved
};

}  // namespace

Result<Reparented> reparent(const Character& character, std::span<const JointIndex> parents) {
  const Skeleton& skeleton = character.skeleton;
  for (JointIndex j = 0; j < parents.size(); ++j)
    if (is_above_itself(parents, j))
      return Error{"joint '" + skeleton.name(j) + "'", "would hang below itself", "choose another parent"};
  const NewLocals locals(character, parents);
  Reparented result{{skeleton.rest().begin(), skeleton.rest().end()}, {}};
  auto rest = locals.of(skeleton.rest());
  if (!rest) return rest.error();
  for (std::size_t m = 0; m < rest->size(); ++m) result.rest[locals.moved()[m]] = (*rest)[m];
  for (const Clip& clip : character.clips) {
    auto rewritten = ClipRewriter(character, locals, *rest, clip).rewritten();
    if (!rewritten)
      return Error{"clip '" + clip.name + "', " + rewritten.error().item, rewritten.error().problem,
                   rewritten.error().remedy};
    result.clips.push_back(std::move(*rewritten));
  }
  return result;
}

}  // namespace supple
