#include "supple/workflow/jobs/mend_flow.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "supple/rig/merge_parts.h"
#include "supple/workflow/jobs/improve/harm.h"

namespace supple::workflow {
namespace {

constexpr int most_rounds = 10;
constexpr float unseen_fade = 0.01f;  // of the flow
/// Muscles that swing move flesh from one region to the next: that is what they are for.
constexpr double muscle_slack = 0.2;
/// Of the flow that is left to skin after it was blamed once, and twice.
constexpr float shares_left[] = {0.4f, 0};

/// Where it is worse; everywhere where vertices are nowhere, or where the whole suffers and no region shows why.
std::set<JointIndex> blamed_joints(const SkinComparison& c) {
  const std::vector<JointIndex> worse = c.worse_joints();
  std::set<JointIndex> joints(worse.begin(), worse.end());
  if (c.breaks_more() || joints.empty())
    for (const SkinRegion& region : c.regions) joints.insert(region.joint);
  joints.erase(no_joint);
  return joints;
}

std::string names_of(const std::set<JointIndex>& joints, const Skeleton& skeleton) {
  std::string names;
  std::size_t count = 0;
  for (const JointIndex j : joints) {
    if (++count > 4) break;
    names += (names.empty() ? "'" : ", '") + skeleton.name(j) + "'";
  }
  return joints.size() > 4 ? fmt::format("{} and {} more", names, joints.size() - 4) : names;
}

class FlowMender {
 public:
  FlowMender(const Character& plain, Character& character, SkinJudge judge, Work& work)
      : plain_(plain), character_(character), judge_(std::move(judge)), work_(work), steps_(plain.skeleton.size()) {}

  /// The flow first, by itself; then what muscles do on it.
  Result<MendedFlow> mend() {
    const std::vector<VortexMuscle> proposed = std::move(muscles());
    muscles().clear();
    if (auto ok = compare_again(); !ok) return ok.error();
    if (auto ok = mend_places(); !ok) return ok.error();
    if (auto ok = mend_shares(); !ok) return ok.error();
    if (!proposed.empty())
      if (auto ok = put_muscles_back(proposed); !ok) return ok.error();
    return MendedFlow{std::move(current_), std::move(told_)};
  }

 private:
  std::vector<VortexMuscle>& muscles() { return character_.kinodynamics->muscles; }
  DeformationField& field() { return character_.kinodynamics->field; }

  Result<void> compare_again() {
    const auto poses = comparison_poses(plain_, character_);
    if (!poses) return poses.error();
    auto next = judge_.compare(character_, *poses, work_);
    if (!next) return next.error();
    current_ = std::move(*next);
    if (!muscles().empty()) current_.region_slack = muscle_slack;
    return {};
  }

  /// Fades the flow smoothly about places where an eye sees damage; skin elsewhere keeps all of it.
  Result<void> mend_places() {
    if (current_.worse().empty()) return {};
    const std::string why = sentence_of(current_.worse()[0], current_, character_.skeleton, "the flow alone");
    const auto poses = comparison_poses(plain_, character_);
    if (!poses) return poses.error();
    LookedAt moments;
    for (const ComparedMoment& moment : poses->moments) {
      ComparedMoment own = moment;
      own.plays = false;
      (poses->source == PoseSource::clips ? moments.clips : moments.poses).push_back(std::move(own));
    }
    std::vector<std::size_t> parts = skinned_parts(plain_);
    const HarmFinder finder(plain_, parts, Blend::kinodynamic);
    Work quiet;
    quiet.asked_to_stop = work_.asked_to_stop;
    const auto harm = finder.find(character_, moments, {0, false}, quiet);
    if (!harm) return harm.error();
    if (!harm->found()) return {};
    std::size_t first = 0, faded = 0;
    for (const std::size_t p : parts) {
      const std::size_t vertices = plain_.parts[p].mesh.positions.size();
      for (std::uint32_t v = 0; v < vertices; ++v)
        if (const float gone = 1 - harm->keep[first + v]; gone > unseen_fade) bind(p, v, gone), ++faded;
      first += vertices;
    }
    std::sort(field().bound.begin(), field().bound.end(), [](const SkinVertexWeight& a, const SkinVertexWeight& b) {
      return a.part != b.part ? a.part < b.part : a.vertex < b.vertex;
    });
    if (auto ok = compare_again(); !ok) return ok;
    told_.push_back(
        fmt::format("{:.0f} % of the skin is blended linearly in part or wholly, about places where {}",
                    100.0 * static_cast<double>(faded) / static_cast<double>(std::max<std::size_t>(1, first)), why));
    return {};
  }

  void bind(std::size_t part, std::uint32_t vertex, float gone) {
    std::vector<SkinVertexWeight>& bound = field().bound;
    const auto own = std::find_if(bound.begin(), bound.end(),
                                  [&](const SkinVertexWeight& w) { return w.part == part && w.vertex == vertex; });
    if (own == bound.end())
      bound.push_back({static_cast<std::uint32_t>(part), vertex, gone});
    else
      own->weight = 1 - (1 - own->weight) * (1 - gone);
  }

  Result<void> mend_shares() {
    if (current_.worse().empty()) return {};
    const std::string why = sentence_of(current_.worse()[0], current_, character_.skeleton, "the flow alone");
    std::set<JointIndex> stepped_back;
    for (int round = 0; round < most_rounds && !current_.worse().empty(); ++round) {
      for (const JointIndex j : blamed_joints(current_)) step_back(j, stepped_back);
      if (auto ok = compare_again(); !ok) return ok;
    }
    if (!current_.worse().empty()) {
      for (const SkinRegion& region : current_.regions) {
        if (region.joint == no_joint) continue;
        set_share(region.joint, 0);
        stepped_back.insert(region.joint);
      }
      if (auto ok = compare_again(); !ok) return ok;
    }
    told_.push_back(fmt::format("the skin of {} joints is blended linearly in part or wholly ({}): {}",
                                stepped_back.size(), names_of(stepped_back, character_.skeleton), why));
    return {};
  }

  /// Those that hang on skin which is worse with muscles stay out; where that does not help, all do.
  Result<void> put_muscles_back(const std::vector<VortexMuscle>& proposed) {
    muscles() = proposed;
    if (auto ok = compare_again(); !ok) return ok;
    if (current_.worse().empty()) return {};
    const std::string why = sentence_of(current_.worse()[0], current_, character_.skeleton, "all muscles");
    const std::set<JointIndex> blamed = blamed_joints(current_);
    std::erase_if(muscles(), [&](const VortexMuscle& m) {
      return blamed.contains(m.joint) ||
             std::any_of(m.skin_joints.begin(), m.skin_joints.end(), [&](JointIndex j) { return blamed.contains(j); });
    });
    if (auto ok = compare_again(); !ok) return ok;
    if (!current_.worse().empty() && !muscles().empty()) {
      muscles().clear();
      if (auto ok = compare_again(); !ok) return ok;
    }
    std::string left_out;
    for (const VortexMuscle& m : proposed)
      if (std::find(muscles().begin(), muscles().end(), m) == muscles().end())
        left_out += (left_out.empty() ? "'" : ", '") + m.name + "'";
    told_.push_back("muscles are left out (" + left_out + "): " + why);
    return {};
  }

  /// By one degree: to a part of the flow, then to none of it. Then its neighbours step back in the same way, and
  /// theirs: a region's volume depends on where the skin around it is.
  void step_back(JointIndex j, std::set<JointIndex>& stepped_back) {
    std::set<JointIndex> ring{j}, reached{j};
    for (std::size_t left = ++steps_[j]; left > 0 && !ring.empty();) {
      const std::size_t degrees = std::min(left, std::size(shares_left));
      left -= degrees;
      std::set<JointIndex> next;
      for (const JointIndex own : ring) {
        set_share(own, shares_left[degrees - 1]);
        stepped_back.insert(own);
        for (const JointIndex near : neighbours_of(own))
          if (reached.insert(near).second) next.insert(near);
      }
      ring = std::move(next);
    }
  }
  std::vector<JointIndex> neighbours_of(JointIndex j) const {
    std::vector<JointIndex> near = character_.skeleton.children(j);
    if (character_.skeleton.parent(j) != no_joint) near.push_back(character_.skeleton.parent(j));
    return near;
  }

  void set_share(JointIndex joint, float share) {
    std::vector<FlowShare>& flow = character_.kinodynamics->field.flow;
    const auto found = std::find_if(flow.begin(), flow.end(), [&](const FlowShare& s) { return s.joint == joint; });
    if (found != flow.end()) {
      found->share = std::min(found->share, share);
    } else {
      flow.push_back({joint, share});
    }
  }

  const Character& plain_;
  Character& character_;
  SkinJudge judge_;
  Work& work_;
  SkinComparison current_;
  std::vector<std::size_t> steps_;  // #joints: how often each has stepped back
  std::vector<std::string> told_;
};

}  // namespace

Result<std::optional<MendedFlow>> mend_flow(const Character& plain, Character& character, Work& work) {
  const auto poses = comparison_poses(plain, character);
  if (!poses) return poses.error();
  if (poses->moments.empty()) return std::optional<MendedFlow>();
  auto judge = SkinJudge::make(plain, *poses, {.after = Blend::kinodynamic}, work);
  if (!judge) return judge.error();
  auto mended = FlowMender(plain, character, std::move(*judge), work).mend();
  if (!mended) return mended.error();
  return std::optional(std::move(*mended));
}

}  // namespace supple::workflow
