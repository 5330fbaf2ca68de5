#include "supple/workflow/study/mixed_poses.h"

#include <algorithm>
#include <limits>
#include <numbers>

namespace supple::workflow {
namespace {

constexpr double seen_before = 15 * std::numbers::pi / 180;  // no joint differs by more: that is the scan again

struct Finger {
  std::string name;                    // "index finger"
  std::vector<JointIndex> joints;      // all of it
  std::size_t straight = 0, bent = 0;  // places in Mixer::sources
};

/// "index-finger-metacarpal": its finger, without the last word.
std::string finger_name(std::string joint) {
  joint.resize(std::min(joint.size(), joint.rfind('-')));
  std::replace(joint.begin(), joint.end(), '-', ' ');
  return joint;
}

class Mixer {
 public:
  explicit Mixer(const ExampleSet& set) : set_(&set) {
    // Sources are the base and what the hand was taught: between those it knows what to do.
    sources_.push_back(rest_pose(set.skeleton));
    names_.push_back("base");
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (set.examples[i].role != Role::train) continue;
      sources_.push_back(set.pose(i));
      names_.push_back(set.examples[i].name);
    }
    find_fingers();
  }

  const std::vector<Finger>& fingers() const { return fingers_; }

  /// Every finger from another source, beginning with the one after `shift`.
  MixedPose each_from_another(std::size_t shift) const {
    const auto source = [&](std::size_t f) { return (f + shift) % sources_.size(); };
    std::string caption;
    for (std::size_t f = 0; f < fingers_.size(); ++f)
      caption += (f == 0 ? "" : ", ") + fingers_[f].name + " of " + names_[source(f)];
    return mixed(std::move(caption), source);
  }

  /// Each finger from the source that `choose(finger number)` says; the rest of the hand as in the base.
  template <class Choose>
  MixedPose mixed(std::string caption, const Choose& choose) const {
    MixedPose result;
    result.caption = std::move(caption);
    result.pose = sources_[0];
    for (std::size_t f = 0; f < fingers_.size(); ++f) {
      const Pose& from = sources_[choose(f)];
      for (const JointIndex j : fingers_[f].joints) result.pose.local[j] = from.local[j];
    }
    find_nearest(result);
    return result;
  }
  /// Straight where asked for, bent elsewhere.
  template <class Straight>
  MixedPose bent_but(std::string caption, const Straight& straight) const {
    return mixed(std::move(caption),
                 [&](std::size_t f) { return straight(f) ? fingers_[f].straight : fingers_[f].bent; });
  }

 private:
  /// Fingers are what begins at the joint with most children.
  void find_fingers() {
    const Skeleton& skeleton = set_->skeleton;
    std::vector<JointIndex> starts;
    for (JointIndex j = 0; j < skeleton.size(); ++j) {
      std::vector<JointIndex> children = skeleton.children(j);
      if (children.size() > starts.size()) starts = std::move(children);
    }
    for (const JointIndex start : starts) {
      Finger finger{finger_name(skeleton.name(start)), {}};
      for (JointIndex j = start; j < skeleton.size(); ++j)
        if (skeleton.is_ancestor(start, j)) finger.joints.push_back(j);
      std::vector<double> flexion;
      for (const Pose& pose : sources_) flexion.push_back(flexion_of(finger, pose));
      finger.straight = static_cast<std::size_t>(std::min_element(flexion.begin(), flexion.end()) - flexion.begin());
      finger.bent = static_cast<std::size_t>(std::max_element(flexion.begin(), flexion.end()) - flexion.begin());
      fingers_.push_back(std::move(finger));
    }
  }

  /// Radians from the base, summed over the finger's joints.
  double flexion_of(const Finger& finger, const Pose& pose) const {
    double sum = 0;
    for (const JointIndex j : finger.joints) {
      const auto dofs = set_->skeleton.dofs(j);
      const std::vector<float> angles = get_angles(pose, set_->skeleton, j);
      for (std::size_t d = 0; d < dofs.size(); ++d)
        if (dofs[d].name == "flexion") sum += double{angles[d]};
    }
    return sum;
  }

  void find_nearest(MixedPose& mixed) const {
    mixed.nearest = std::numeric_limits<double>::infinity();
    const auto compare = [&](const std::string& name, const Pose& pose) {
      double largest = 0;
      for (const Finger& finger : fingers_)
        for (const JointIndex j : finger.joints)
          largest = std::max(largest, double{angle_between(mixed.pose.local[j].rotation, pose.local[j].rotation)});
      if (largest < mixed.nearest) mixed.nearest = largest, mixed.nearest_scan = name;
    };
    compare("base", sources_[0]);
    for (std::size_t i = 0; i < set_->size(); ++i) compare(set_->examples[i].name, set_->pose(i));
  }

  const ExampleSet* set_;
  std::vector<Pose> sources_;
  std::vector<std::string> names_;  // of the sources
  std::vector<Finger> fingers_;
};

void leave_out_seen(std::vector<MixedPose>& poses) {
  std::erase_if(poses, [](const MixedPose& p) { return p.nearest < seen_before; });
}

MixedPose one_straight(const Mixer& mixer, std::size_t finger) {
  return mixer.bent_but(mixer.fingers()[finger].name + " straight, the others bent",
                        [&](std::size_t f) { return f == finger; });
}

}  // namespace

std::vector<MixedPose> one_straight_poses(const ExampleSet& set) {
  const Mixer mixer(set);
  std::vector<MixedPose> poses;
  for (std::size_t f = 0; f < mixer.fingers().size(); ++f) poses.push_back(one_straight(mixer, f));
  leave_out_seen(poses);
  std::stable_sort(poses.begin(), poses.end(),
                   [](const MixedPose& a, const MixedPose& b) { return a.nearest > b.nearest; });
  return poses;
}

std::vector<MixedPose> poses_to_look_at(const ExampleSet& set) {
  const Mixer mixer(set);
  const std::size_t fingers = mixer.fingers().size();
  std::vector<MixedPose> poses;
  if (fingers < 3) return poses;
  poses.push_back(one_straight(mixer, 1));
  poses.push_back(mixer.bent_but("all bent", [](std::size_t) { return false; }));
  poses.push_back(mixer.bent_but(mixer.fingers()[1].name + " and " + mixer.fingers()[2].name + " straight",
                                 [](std::size_t f) { return f == 1 || f == 2; }));
  poses.push_back(one_straight(mixer, 0));
  poses.push_back(one_straight(mixer, fingers - 1));
  poses.push_back(mixer.bent_but("every other finger bent", [](std::size_t f) { return f % 2 == 0; }));
  for (const std::size_t shift : {1, 2}) poses.push_back(mixer.each_from_another(shift));
  leave_out_seen(poses);
  return poses;
}

}  // namespace supple::workflow
