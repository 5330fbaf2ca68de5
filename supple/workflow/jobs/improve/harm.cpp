#include "supple/workflow/jobs/improve/harm.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "supple/base/parallel.h"
#include "supple/deform/field/limbs.h"
#include "supple/rig/bind_pose.h"

namespace supple::workflow {
namespace {

constexpr std::size_t most_frames = 480;   // of all clips together
constexpr std::size_t fewest_frames = 12;  // of each clip
constexpr double frames_per_second = 20;   // wanted of each
constexpr std::size_t poses_beyond = 48;
constexpr std::uint64_t beyond_seed = 1;
constexpr std::size_t frames_a_glance = 8;  // that one thread looks at, one after another
constexpr std::size_t most_looks = 32;
constexpr std::size_t one_of = 5;      // sound moments is looked at between two looks at all of them
constexpr float fade_by = 0.2f;        // of what is left, at a damaged place in one round
constexpr double worth_fading = 0.99;  // of a joint's strain, that may be left after a round: or it is let be
constexpr float linear_blend = 0.05f;  // of what was learnt: so little is as good as none
constexpr double least_reach = 0.04, most_reach = 0.3;  // of the size: how far about such a place corrections fade
constexpr double gentle = 4;             // times the way that skin goes back: it is spread as far as that
constexpr double folds_to_fade = 4e-4;   // new ones, of all pairs of triangles: a little fewer than may be shown
constexpr double far_from_clips = 2;     // times as many may be in poses that no clip has
constexpr double more_strain = 1.1;      // of linear blend's, at a joint: then it goes back
constexpr double strain_that_shows = 1;  // of linear blend's over the whole skin: flesh shares out what is less

Pose for_second(const Pose& pose, const Character& after) {
  Pose other = after.rest();
  std::copy(pose.local.begin(), pose.local.end(), other.local.begin());
  return other;
}

ComparedMoment moment_of(std::string name, const Pose& pose, const Character& after) {
  return {std::move(name), pose, for_second(pose, after)};
}

}  // namespace

namespace {

LookedAt suspects(const LookedAt& all, const std::vector<bool>& unsound) {
  LookedAt some;
  std::size_t number = 0;
  for (auto list : {&LookedAt::clips, &LookedAt::poses, &LookedAt::beyond})
    for (const ComparedMoment& moment : all.*list) {
      if (unsound[number] || number % one_of == 0) (some.*list).push_back(moment);
      ++number;
    }
  return some;
}

}  // namespace

bool SeenFigures::folds_more(double share) const {
  const auto more = [&](const DamageTotals& totals, double allowed) {
    return static_cast<double>(totals.folded) > static_cast<double>(totals.folded_before) +
                                                    allowed * static_cast<double>(pairs_of_triangles * totals.frames);
  };
  return more(clips, share) || more(poses, clips.frames > 0 ? far_from_clips * share : share);
}

LookedAt moments_to_look_at(const Character& before, const Character& after, std::span<const TeachingPose> taught) {
  LookedAt result;
  double seconds = 0;
  for (const Clip& clip : before.clips) seconds += double{clip.duration()};
  const double rate = std::min(frames_per_second, static_cast<double>(most_frames) / std::max(seconds, 1e-3));
  for (std::size_t k = 0; k < before.clips.size(); ++k) {
    const Clip& clip = before.clips[k];
    const bool shared = k < after.clips.size() && after.clips[k].name == clip.name;
    const double duration = double{clip.duration()};
    const std::size_t count =
        duration > 0 ? std::max(fewest_frames, static_cast<std::size_t>(std::ceil(duration * rate)) + 1) : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
      const float at = clip.start() + static_cast<float>(share * duration);
      const std::string name =
          fmt::format("{} at {:.2f} s", clip.name.empty() ? fmt::format("clip {}", k) : clip.name, at);
      ComparedMoment moment{name, before.at(clip, at), {}};
      moment.after = shared ? after.at(after.clips[k], at) : for_second(moment.before, after);
      moment.plays = shared;
      moment.clip = k;
      moment.seconds = at;
      result.clips.push_back(std::move(moment));
    }
  }
  for (const TeachingPose& pose : taught)
    if (std::ranges::find(pose.tags, clip_tag) == pose.tags.end() &&
        std::ranges::find(pose.tags, mixed_tag) == pose.tags.end())
      result.poses.push_back(moment_of(pose.name, pose.pose, after));
  for (const TeachingPose& pose : mixed_poses(before, taught, poses_beyond, beyond_seed))
    result.beyond.push_back(moment_of("beyond " + pose.name, pose.pose, after));
  return result;
}

HarmFinder::HarmFinder(const Character& before, std::vector<std::size_t> parts, Blend after)
    : before_(&before), parts_(std::move(parts)), after_(after) {
  const auto skin = Skin::make(before, Blend::linear, Layers::as_given());
  const std::vector<JointIndex> bone_of = bone_of_each_joint(before);
  for (const std::size_t p : parts_) {
    const Part& part = before.parts[p];
    const auto first = static_cast<std::uint32_t>(rest_.size());
    if (skin)
      rest_.insert(rest_.end(), skin->positions(p).begin(), skin->positions(p).end());
    else
      rest_.insert(rest_.end(), part.mesh.positions.begin(), part.mesh.positions.end());
    for (const Triangle& t : part.mesh.triangles) triangles_.push_back({first + t[0], first + t[1], first + t[2]});
    for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) {
      const std::span<const Influence> influences = part.skin ? part.weights.of(v) : std::span<const Influence>();
      follows_.push_back(influences.empty() ? no_joint  // a thing that is carried
                                            : bone_of[before.skins[*part.skin].joints[influences[0].joint]]);
    }
  }
  test_.emplace(rest_, triangles_);
  for (const Triangle& t : triangles_)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = std::min(t[k], t[(k + 1) % 3]), b = std::max(t[k], t[(k + 1) % 3]);
      edges_.push_back({a, b});
    }
  std::ranges::sort(edges_);
  edges_.erase(std::ranges::unique(edges_).begin(), edges_.end());
  std::vector<std::size_t> skinned;
  for (const std::size_t p : parts_)
    if (before.parts[p].skin) skinned.push_back(p);
  const std::vector<Affined> bound = bound_joints(before, skinned);
  Mesh reference;
  for (const std::size_t p : parts_)
    for (const Vec3d& v : blended(before, before.parts[p], bound)) reference.positions.emplace_back(v);
  reference.triangles = triangles_;
  const auto length_of = [&](const auto& e) {
    return double{length(reference.positions[e[0]] - reference.positions[e[1]])};
  };
  std::erase_if(edges_,
                [&](const auto& e) { return length_of(e) < 1e-6 * test_->size() || follows_[e[0]] == no_joint; });
  for (const auto& e : edges_) lengths_.push_back(length_of(e));
  std::map<JointIndex, std::uint32_t> numbers;
  for (const Triangle& t : triangles_) {
    const JointIndex joint = follows_[t[1]] == follows_[t[2]] ? follows_[t[1]] : follows_[t[0]];  // of two corners
    region_of_.push_back(numbers.try_emplace(joint, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  regions_.emplace(reference, region_of_, numbers.size());
  volumes_ = regions_->of(reference.positions);
  if (const auto carried = numbers.find(no_joint); carried != numbers.end()) volumes_[carried->second] = 0;
}

/// What a look is to come back with.
struct HarmFinder::Asked {
  std::span<const float> keep;  // empty: all
  double farthest = 0;          // 0: not asked
  bool blame_folds = false;
};

struct HarmFinder::Looked {
  SeenFigures figures;
  std::vector<float> blame;   // #vertices: 1 where something is wrong
  std::vector<float> moved;   // #vertices: units of the file, by what was learnt at most, but beyond
  std::vector<bool> unsound;  // #clips + poses + beyond: moments with damage other than folds
};

struct HarmFinder::Frame {
  const ComparedMoment* moment = nullptr;
  bool plays = false;     // as plain glTF; else drivers say what morph targets do
  bool strained = false;  // its strain counts
  bool beyond = false;    // nothing but damage counts
  std::size_t number = 0;
};

/// One joint's skin in one frame.
struct HarmFinder::Stretched {
  double seen = 0;  // squares of edges' changes of length, by linear blend: long edges show more of them
  double before_squares = 0, after_squares = 0;
  std::size_t edges = 0, frame = 0;
};

/// What one thread needs to look at frames, and what it has seen since it was asked last.
struct HarmFinder::Eye {
  Skin before, playing, driven;  // by linear blend; as plain glTF; with its drivers
  std::vector<Vec3f> was, is;
  std::vector<float> blame, moved;                    // #vertices: see Looked
  std::vector<double> before_squares, after_squares;  // #edges: of strains, over the frames that are shown
  std::vector<Stretched> in_frame, worst;             // #joints: in one frame, and in the worst of them
  double before_volume = 0, after_volume = 0;         // of the regions' changes, weighed by volume
  std::optional<Error> error;
};

Result<HarmFinder::Eye> HarmFinder::open_eye(const Character& after) const {
  auto before = Skin::make(*before_, Blend::linear, Layers::as_given());
  auto playing = Skin::make(after, Blend::linear, Layers::as_given());
  auto driven = Skin::make(after, after_);
  for (const auto* made : {&before, &playing, &driven})
    if (!*made) return made->error();
  Eye eye{std::move(*before), std::move(*playing), std::move(*driven), {}, {}, {}, {}, {}, {}, {}, {}, 0, 0, {}};
  eye.blame.assign(rest_.size(), 0);
  eye.moved.assign(rest_.size(), 0);
  eye.was.resize(rest_.size());
  eye.is.resize(rest_.size());
  return eye;
}

/// Shows the moment to the eye and returns what is wrong.
Result<SkinDamage> HarmFinder::see(Eye& eye, const Frame& frame, const Asked& asked) const {
  Skin& second = frame.plays ? eye.playing : eye.driven;
  if (auto ok = eye.before.evaluate(frame.moment->before, 1); !ok) return ok.error();
  if (auto ok = second.evaluate(frame.moment->after, 1); !ok) return ok.error();
  const auto gather = [&](const Skin& skin, std::vector<Vec3f>& all) {
    std::size_t at = 0;
    for (const std::size_t p : parts_)
      for (const Vec3f& v : skin.positions(p)) all[at++] = v;
  };
  gather(eye.before, eye.was);
  gather(second, eye.is);
  const std::vector<Vec3f>& was = eye.was;
  std::vector<Vec3f>& is = eye.is;
  if (!asked.keep.empty())
    for (std::size_t v = 0; v < is.size(); ++v) is[v] = was[v] + (is[v] - was[v]) * asked.keep[v];
  const SkinDamage damage = test_->measure(was, is, eye.blame, asked.blame_folds, true);
  for (std::size_t v = 0; v < is.size(); ++v) {
    const float moved = length(is[v] - was[v]);
    if (!frame.beyond) eye.moved[v] = std::max(eye.moved[v], moved);
    if (asked.farthest > 0 && !(double{moved} <= asked.farthest)) eye.blame[v] = 1;
  }
  if (!frame.strained) return damage;
  eye.in_frame.assign(before_->skeleton.size(), {});
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const auto [a, b] = edges_[e];
    const double x = double{length(was[a] - was[b])} / lengths_[e] - 1,
                 y = double{length(is[a] - is[b])} / lengths_[e] - 1;
    eye.before_squares[e] += x * x;
    eye.after_squares[e] += y * y;
    Stretched& own = eye.in_frame[follows_[a]];
    own.seen += x * x * lengths_[e] * lengths_[e];
    own.before_squares += x * x;
    own.after_squares += y * y;
    ++own.edges;
  }
  for (std::size_t j = 0; j < eye.worst.size(); ++j) {
    eye.in_frame[j].frame = frame.number;
    if (eye.in_frame[j].seen > eye.worst[j].seen) eye.worst[j] = eye.in_frame[j];
  }
  const std::vector<double> volumes_were = regions_->of(was), volumes_are = regions_->of(is);
  for (std::size_t r = 0; r < volumes_.size(); ++r) {
    const double volume = std::abs(volumes_[r]);
    if (!(volume > 0)) continue;
    const double x = volumes_were[r] / volumes_[r] - 1, y = volumes_are[r] / volumes_[r] - 1;
    eye.before_volume += volume * std::min(x * x, 1.0);
    eye.after_volume += volume * std::min(y * y, 1.0);
  }
  return damage;
}

Result<HarmFinder::Looked> HarmFinder::look(const Character& after, const LookedAt& moments, const Asked& asked,
                                            Work& work) const {
  std::vector<Frame> frames;
  const bool by_poses = moments.clips.empty();
  for (const ComparedMoment& m : moments.clips) frames.push_back({&m, m.plays, true, false, frames.size()});
  for (const ComparedMoment& m : moments.poses) frames.push_back({&m, false, by_poses, false, frames.size()});
  for (const ComparedMoment& m : moments.beyond) frames.push_back({&m, false, false, true, frames.size()});
  std::vector<Eye> eyes;
  for (unsigned i = 0; i < thread_count(); ++i) {
    auto eye = open_eye(after);
    if (!eye) return eye.error();
    eyes.push_back(std::move(*eye));
  }
  Looked result;
  result.blame.assign(rest_.size(), 0);
  result.moved.assign(rest_.size(), 0);
  std::vector<double> before_squares(edges_.size()), after_squares(edges_.size());
  std::vector<Stretched> worst(before_->skeleton.size());
  double before_volume = 0, after_volume = 0;
  std::vector<SkinDamage> damage(frames.size());
  // Sums are made glance by glance, in their order: they come out the same for any number of threads.
  const std::size_t glances = (frames.size() + frames_a_glance - 1) / frames_a_glance;
  for (std::size_t first = 0; first < glances; first += eyes.size()) {
    if (!report(work.progress, "looking at it", static_cast<double>(first) / static_cast<double>(glances)))
      return Error{"looking at the skin", "was stopped", ""};
    const std::size_t count = std::min(eyes.size(), glances - first);
    parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Eye& eye = eyes[i];
        eye.blame.assign(rest_.size(), 0);
        eye.moved.assign(rest_.size(), 0);
        eye.before_squares.assign(edges_.size(), 0);
        eye.after_squares.assign(edges_.size(), 0);
        eye.worst.assign(worst.size(), {});
        eye.before_volume = eye.after_volume = 0;
        const std::size_t from = (first + i) * frames_a_glance;
        for (std::size_t f = from; f < std::min(frames.size(), from + frames_a_glance); ++f) {
          auto seen = see(eye, frames[f], asked);
          if (!seen)
            eye.error = seen.error();
          else
            damage[f] = *seen;
        }
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      const Eye& eye = eyes[i];
      if (eye.error) return *eye.error;
      for (std::size_t v = 0; v < rest_.size(); ++v) {
        result.blame[v] = std::max(result.blame[v], eye.blame[v]);
        result.moved[v] = std::max(result.moved[v], eye.moved[v]);
      }
      for (std::size_t e = 0; e < edges_.size(); ++e) {
        before_squares[e] += eye.before_squares[e];
        after_squares[e] += eye.after_squares[e];
      }
      for (std::size_t j = 0; j < worst.size(); ++j)
        if (eye.worst[j].seen > worst[j].seen) worst[j] = eye.worst[j];
      before_volume += eye.before_volume;
      after_volume += eye.after_volume;
    }
  }
  for (const SkinDamage& d : damage)
    result.unsound.push_back(d.torn + d.nearly_parted + d.opened > 0 ||
                             (asked.farthest > 0 && d.far * test_->size() > asked.farthest));
  SeenFigures& figures = result.figures;
  figures.pairs_of_triangles = test_->pairs_of_triangles();
  std::size_t f = 0;
  for (; f < moments.clips.size(); ++f) figures.clips.add(damage[f]);
  for (; f < moments.clips.size() + moments.poses.size(); ++f) figures.poses.add(damage[f]);
  for (; f < frames.size(); ++f) figures.beyond.add(damage[f]);
  const std::vector<ComparedMoment>& shown = by_poses ? moments.poses : moments.clips;
  if (!shown.empty()) figures.worst_frame = shown[figures.shown().worst_frame].name;
  for (JointIndex j = 0; j < worst.size(); ++j)
    if (const Stretched& own = worst[j]; own.edges > 0) {
      const ComparedMoment& moment = *frames[own.frame].moment;
      const auto edges = static_cast<double>(own.edges);
      figures.places.push_back({moment.name, moment.before, moment.after, j, std::sqrt(own.before_squares / edges),
                                std::sqrt(own.after_squares / edges), moment.clip, moment.seconds});
    }
  std::ranges::stable_sort(figures.places, std::greater<>(), [&](const WorstPlace& p) { return worst[p.joint].seen; });
  const auto samples_of = [&](std::size_t count) {
    return static_cast<double>(std::max<std::size_t>(1, count * figures.shown().frames));
  };
  const auto rms = [&](std::span<const double> squares) {
    return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0) / samples_of(squares.size()));
  };
  figures.strain_before = rms(before_squares);
  figures.strain_after = rms(after_squares);
  double volume = 0;
  for (const double v : volumes_) volume += std::abs(v);
  if (volume > 0) {
    figures.volume_before = std::sqrt(before_volume / (volume * samples_of(1)));
    figures.volume_after = std::sqrt(after_volume / (volume * samples_of(1)));
  }
  std::map<JointIndex, JointFigures> joints;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    JointFigures& own = joints[follows_[edges_[e][0]]];
    ++own.edges;
    own.strain_before += before_squares[e];
    own.strain_after += after_squares[e];
  }
  for (auto& [joint, own] : joints) {
    const double samples = samples_of(own.edges);
    own.joint = joint;
    own.strain_before = std::sqrt(own.strain_before / samples);
    own.strain_after = std::sqrt(own.strain_after / samples);
    figures.joints.push_back(own);
  }
  return result;
}

Result<void> HarmFinder::leave_out_absurd(LookedAt& moments) const {
  if (moments.clips.empty()) return {};
  auto skin = Skin::make(*before_, Blend::linear, Layers::as_given());
  if (!skin) return skin.error();
  std::vector<Vec3f> is(rest_.size());
  const auto strain = [&](const ComparedMoment& moment) -> Result<double> {
    if (auto ok = skin->evaluate(moment.before, 1); !ok) return ok.error();
    std::size_t at = 0;
    for (const std::size_t p : parts_)
      for (const Vec3f& v : skin->positions(p)) is[at++] = v;
    double squares = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const double x = double{length(is[edges_[e][0]] - is[edges_[e][1]])} / lengths_[e] - 1;
      squares += x * x;
    }
    return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, edges_.size())));
  };
  double most = 0;
  for (const ComparedMoment& moment : moments.clips) {
    const auto stretched = strain(moment);
    if (!stretched) return stretched.error();
    most = std::max(most, *stretched);
  }
  for (std::vector<ComparedMoment>* some : {&moments.poses, &moments.beyond}) {
    std::vector<ComparedMoment> kept;
    for (ComparedMoment& moment : *some) {
      const auto stretched = strain(moment);
      if (!stretched) return stretched.error();
      if (*stretched <= absurd_strain * most) kept.push_back(std::move(moment));
    }
    *some = std::move(kept);
  }
  return {};
}

Result<SeenFigures> HarmFinder::look(const Character& after, const LookedAt& moments, Work& work) const {
  auto looked = look(after, moments, Asked{}, work);
  if (!looked) return looked.error();
  return std::move(looked->figures);
}

/// Blame spread as far about each joint's blamed skin as is gentle for what will be gone there of what moved it: little
/// that is faded is faded nearby.
std::vector<float> HarmFinder::about(std::span<const float> blame, const Looked& looked,
                                     std::span<const float> keep) const {
  std::map<JointIndex, float> joints;  // with blamed skin: how far that goes back to linear blend
  for (std::size_t v = 0; v < blame.size(); ++v)
    if (blame[v] > 0) {
      const float left = keep[v] * (1 - fade_by);  // `moved` is of what is kept so far
      float& farthest = joints[follows_[v]];
      farthest = std::max(farthest, looked.moved[v] / std::max(keep[v], linear_blend) * (1 - left));
    }
  std::vector<float> fade(blame.size()), own(blame.size());
  for (const auto& [joint, farthest] : joints) {
    for (std::size_t v = 0; v < blame.size(); ++v) own[v] = follows_[v] == joint ? blame[v] : 0;
    const double reach = std::clamp(gentle * double{farthest} / test_->size(), least_reach, most_reach);
    const std::vector<float> spread = test_->spread(own, reach);
    for (std::size_t v = 0; v < fade.size(); ++v) fade[v] = std::max(fade[v], spread[v]);
  }
  return fade;
}

Result<HarmFinder::Harm> HarmFinder::find(const Character& after, const LookedAt& moments, const Bounds& bounds,
                                          Work& work) const {
  Harm harm;
  std::map<JointIndex, double> strains;  // of joints whose strain grew, when they were seen last
  harm.keep.assign(rest_.size(), 1);
  // Most moments are sound. Between two looks at all of them, those with damage are enough, and some of the others.
  std::optional<LookedAt> some;
  bool folds = false;
  for (std::size_t looks = 0;; ++looks) {
    Work looking;
    looking.progress = within(work.progress, static_cast<double>(looks) / (most_looks + 1),
                              static_cast<double>(looks + 1) / (most_looks + 1));
    const auto looked = look(after, some ? *some : moments, {harm.keep, bounds.farthest, folds}, looking);
    if (!looked) return looked.error();
    const SeenFigures& figures = looked->figures;
    if (looks == 0) harm.learnt = figures;
    if (!some && !folds && figures.folds_more(folds_to_fade)) {
      folds = true;  // which places they are is asked in a look of its own
      continue;
    }
    folds = false;
    std::vector<float> blame = looked->blame;
    for (const JointFigures& own : figures.joints) {  // only a look at all moments tells strain as it is
      if (!(bounds.joints_strained && !some && own.strain_after > more_strain * own.strain_before &&
            own.strain_after > strain_that_shows * figures.strain_before))
        continue;
      const auto [last, first_time] = strains.try_emplace(own.joint, own.strain_after);
      const bool helps = first_time || own.strain_after < worth_fading * last->second;
      last->second = own.strain_after;
      if (helps)
        for (std::size_t v = 0; v < blame.size(); ++v)
          if (follows_[v] == own.joint && harm.keep[v] > linear_blend) blame[v] = 1;
    }
    const bool sound = std::ranges::all_of(blame, [](float b) { return b == 0; });
    if (looks >= most_looks || (sound && !some)) break;
    if (sound) {
      some.reset();
      continue;
    }
    if (!some) some = suspects(moments, looked->unsound);
    const std::vector<float> fade = about(blame, *looked, harm.keep);
    for (std::size_t v = 0; v < fade.size(); ++v) harm.keep[v] *= 1 - fade_by * fade[v];
    ++harm.rounds;
  }
  return harm;
}

void HarmFinder::tell_kept(SeenFigures& figures, std::span<const float> keep) const {
  std::vector<double> sum(before_->skeleton.size()), count(before_->skeleton.size());
  for (std::size_t v = 0; v < follows_.size(); ++v)
    if (follows_[v] != no_joint) sum[follows_[v]] += double{keep[v]}, ++count[follows_[v]];
  for (JointFigures& own : figures.joints)
    if (count[own.joint] > 0) own.kept = sum[own.joint] / count[own.joint];
}

}  // namespace supple::workflow
