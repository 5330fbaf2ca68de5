// Judges a learnt skin by what an eye would see, and finds where it must be faded to linear blend. No teacher is asked.
#pragma once

#include "supple/deform/skin.h"
#include "supple/measure/region_volumes.h"
#include "supple/measure/skin_damage.h"
#include "supple/workflow/jobs/comparison_poses.h"
#include "supple/workflow/jobs/simulate/teaching_pose.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

/// What both skins are looked at in.
struct LookedAt {
  std::vector<ComparedMoment> clips;   // frames of all clips, as they play where nothing but glTF is known
  std::vector<ComparedMoment> poses;   // that were taught or held out, of no clip
  std::vector<ComparedMoment> beyond;  // such poses mixed and turned farther than any: nothing may tear there
};
LookedAt moments_to_look_at(const Character& before, const Character& after, std::span<const TeachingPose> taught);

/// One joint's skin in the clips, or where there are none in the poses.
struct JointFigures {
  JointIndex joint = no_joint;
  std::size_t edges = 0;
  double strain_before = 0, strain_after = 0;  // RMS over edges and frames
  double kept = 1;                             // of what was learnt, the rest was faded: mean of its vertices
};

/// A frame in which linear blend stretches one joint's skin more than in any other.
struct WorstPlace {
  std::string frame;
  Pose before, after;  // for either skin
  JointIndex joint = no_joint;
  double strain_before = 0, strain_after = 0;  // RMS over the joint's edges
  std::optional<std::size_t> clip{};           // of the frame, where it is of one
  float seconds = 0;
};

struct SeenFigures {
  DamageTotals clips, poses, beyond;
  /// They are of the clips, or of the poses where there are no clips, against the skin as it was bound. Strain: RMS of
  /// edge length / length as bound - 1. Volume: RMS of the change of a region's volume, large regions counting more.
  double strain_before = 0, strain_after = 0, volume_before = 0, volume_after = 0;
  std::size_t pairs_of_triangles = 0;
  std::vector<JointFigures> joints;  // that have skin, in the order of the skeleton
  std::string worst_frame;           // of the clips, or of the poses where there are none
  std::vector<WorstPlace> places;  // each of another joint, where the eye sees most of linear blend's stretching first
  /// Whether there are more new folds than this share of all pairs of triangles in a frame on average.
  bool folds_more(double share) const;
  bool bad() const {
    return clips.torn + clips.parted + poses.torn + poses.parted + beyond.torn + beyond.parted > 0 || folds_more(5e-4);
  }
  /// Of the clips, or where there are none of the poses.
  const DamageTotals& shown() const { return clips.frames > 0 ? clips : poses; }
};

/// Looks at both skins, which have the same vertices, in all moments. `parts` are what is drawn of the character;
/// strain and volume are of those with a skin.
class HarmFinder {
 public:
  /// `after`: how the second skin is blended in moments that do not play as plain glTF.
  HarmFinder(const Character& before, std::vector<std::size_t> parts, Blend after = Blend::linear);

  /// Leaves out poses of no clip in which linear blend stretches the skin by half as much again as in any clip: the rig
  /// was not made for them.
  Result<void> leave_out_absurd(LookedAt& moments) const;

  /// `after` as it is.
  Result<SeenFigures> look(const Character& after, const LookedAt& moments, Work& work) const;

  struct Harm {
    std::vector<float> keep;  // #vertices of all parts, one after another: how much of what was learnt may stay
    SeenFigures learnt;       // before anything was faded
    std::size_t rounds = 0;   // in which something was faded
    bool found() const { return rounds > 0; }
  };
  struct Bounds {
    double farthest = 0;          // units of the file that a vertex may be moved by; 0: any
    bool joints_strained = true;  // whether strain may not grow at a joint: flesh that meets flesh is squeezed
  };
  /// Fades what was learnt about every damaged place, where it goes too far, and at joints whose strain grew, until no
  /// moment is damaged: corrections are linear in what is kept, so that each round knows the faded skin exactly.
  Result<Harm> find(const Character& after, const LookedAt& moments, const Bounds& bounds, Work& work) const;

  /// Says at each joint how much of what was learnt is kept: `keep` as in Harm.
  void tell_kept(SeenFigures& figures, std::span<const float> keep) const;

  std::span<const std::size_t> parts() const { return parts_; }

 private:
  struct Looked;
  struct Asked;
  struct Frame;
  struct Stretched;
  struct Eye;
  Result<Eye> open_eye(const Character& after) const;
  Result<SkinDamage> see(Eye& eye, const Frame& frame, const Asked& asked) const;
  std::vector<float> about(std::span<const float> blame, const Looked& looked, std::span<const float> keep) const;
  Result<Looked> look(const Character& after, const LookedAt& moments, const Asked& asked, Work& work) const;

  const Character* before_;
  std::vector<std::size_t> parts_;
  Blend after_;
  std::vector<Vec3f> rest_;
  std::vector<Triangle> triangles_;
  std::vector<JointIndex> follows_;                  // #vertices: the joint that each follows most
  std::vector<std::array<std::uint32_t, 2>> edges_;  // that are long enough to have a strain
  std::vector<double> lengths_;                      // #edges_, as bound
  std::vector<std::uint32_t> region_of_;             // #triangles_: skin that follows one joint most
  std::optional<measure::RegionVolumes> regions_;
  std::vector<double> volumes_;  // of the regions, as bound
  std::optional<SkinDamageTest> test_;
};

}  // namespace supple::workflow
