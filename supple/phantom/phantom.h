// Scans of a hand that is known: volumes as a scanner would give them, with the truth beside them.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>

#include "supple/base/progress.h"
#include "supple/geometry/label_map.h"
#include "supple/phantom/study.h"
#include "supple/rig/character.h"

namespace supple::phantom {

/// A solid to be scanned: its signed distance (metres, negative inside) in its own rest space, and a box around it.
struct Solid {
  std::string name;
  std::function<double(Vec3d)> distance;  // called from several threads
  Vec3d low{}, high{};
  double lipschitz = 2;  // the most that `distance` changes over a metre; 1: it is the distance indeed
};

/// The body in its rest pose: a skin to be posed vertex by vertex, bones to be moved rigidly.
struct Subject {
  Character character;               // part 0: the skin; with the bones' surfaces, so that flesh can be simulated
  std::vector<Solid> bones;          // exact shapes, rest pose, world space; named as their joints, or by themselves
  std::vector<JointIndex> joint_of;  // #bones
};
/// The procedural hand. `touching`: some neighbouring bones overlap a little, as cartilage too thin to be seen lets
/// them seem to.
Result<Subject> procedural_hand(bool right, std::size_t vertices, bool touching, const Progress& progress = {});

/// Real bones: closed surfaces by name as in the folder of BodyParts3D ("FMA24451_proximal_phalanx_of_right_index_
/// finger"), in metres and in any pose and place, with flesh and a skin laid around them. The hand is turned as the
/// procedural one: palm down, fingers along -z, wrist at the origin; forearm bones are cut off with the skin. Errors
/// name bones that are missing or open.
struct NamedSurface {
  std::string name;
  Mesh mesh;
};
struct BoneHandOptions {
  std::size_t vertices = 20000;  // of the skin
  double joint_space = 0.0012;   // metres between the minerals of two bones: cartilage, which no scan shows
  bool moving_carpals = false;   // every carpal and the ulna for itself, see carpal_joints.h; off: carpus and forearm
                                 // are one rigid body each
};
Result<Subject> hand_of_bones(std::span<const NamedSurface> bones, const BoneHandOptions& options,
                              const Progress& progress = {});

/// One pose: bones and skin where they truly are.
struct PosedTruth {
  std::string name;
  bool held_out = false;
  Pose pose;
  std::vector<Affined> bones;  // #bones: rest to pose, world space before placement
  std::vector<Vec3f> skin;     // #V, world space before placement
};

struct PoseOptions {
  double migration = 0;         // metres: how far joint centres wander over their range (0.0005 to 0.001 is real)
  double element_size = 0.005;  // of the flesh, metres
  std::uint64_t seed = 1;       // varies the poses' angles a little; 0: as listed
  std::size_t examples = 4;  // poses beside rest and those held out; beyond the study's four they are drawn at random
  bool flesh = true;         // by finite elements; off: by linear blend skinning, for quick trials
  std::vector<StudyPose> given{};  // poses of one's choice after "relaxed", instead of the study's; carpals take their
                                   // share of the wrist's angles in them, see carry_carpals()
};
/// "relaxed", which is rest; then the poses of a study: hand half closed, single fingers bent, spread; and two held
/// out. Flesh by finite elements over the moved bones. The error names a pose that the flesh cannot follow.
Result<std::vector<PosedTruth>> pose_subject(const Subject& subject, const PoseOptions& options,
                                             const Progress& progress = {});

/// How the hand lies in the scanner for one of its poses: palm down on the table, fingers to the head, and turned and
/// shifted a little by the seed (0: not).
Affined placement_of(std::uint64_t seed, std::size_t pose);

/// What the hand lies on: two thin sheets across the whole field of view, along x and z of the scanner, on the side of
/// the palm. Its upper sheet does not touch the hand: there is a cloth or a pad between.
struct Table {
  double density = -200;              // HU
  double sheet = 0.003, gap = 0.009;  // metres: thickness of a sheet, from the hand to the first one
  double between = 0.027;             // metres between the sheets
  double width = 0.27;                // metres along x at least: the field of view
};

/// What magnetic resonance shows, in numbers of no unit: bone is dark where it is hard and bright where it holds
/// marrow, so that no threshold tells it from flesh; and brightness varies across the field.
struct Resonance {
  double air = 15, tissue = 300, cortex = 45, marrow = 420;
  double noise = 12;        // standard deviation
  double shell = 0.0012;    // metres of hard bone around the marrow
  double variation = 0.15;  // of the brightness, from one end of the field to the other, to either side
};

struct ScanOptions {
  Vec3d voxel{0.0009, 0.0009, 0.0009};  // metres
  double noise = 30;                    // standard deviation, HU
  double bone = 800, tissue = 40, air = -1000;
  double blur = 0.5;                  // of the scanner, samples
  double margin = 0.004;              // of air around the hand, metres
  std::array<std::size_t, 3> size{};  // samples at least: more air, the hand in the middle
  std::uint64_t seed = 1;
  Affined placement{};       // rest world to the scanner's, rigid: how the hand lies in it
  double missing_patch = 0;  // metres: radius of a patch of skin that cannot be seen, where fingers touch
  std::optional<Table> table;
  double crop = 0;  // metres that the volume does not show at the wrist's end (low z): the forearm is cut
  std::optional<Resonance> resonance;  // instead of Hounsfield units
};

/// The volume a scanner would give, in Hounsfield units.
Result<Volume> scan(const Subject& subject, const PosedTruth& pose, const ScanOptions& options,
                    const Progress& progress = {});

/// How bones are labelled: each by itself, or as programs that segment whole bodies do.
enum class Labelling { each, grouped };
/// What a person would draw over the same scan: every sample whose middle lies in a bone has the label of that bone,
/// named as in the subject, or of its group ("phalanges_hand", "metacarpals", "carpal", "forearm"), and what else lies
/// in the skin the label "skin". Where bones overlap it is the one that the sample lies deeper in.
Result<LabelMap> labels_of_scan(const Subject& subject, const PosedTruth& pose, const ScanOptions& options,
                                Labelling labelling, const Progress& progress = {});

/// Where two neighbouring fingers come nearest to each other: points of their skins beyond the middle joints, before
/// placement. scan() fills the space between with flesh where a patch is to be missing. None where the skin's joints
/// are not named as a hand's.
struct FingerContact {
  Vec3d a{}, b{};
};
std::optional<FingerContact> nearest_fingers(const Subject& subject, const PosedTruth& pose);

}  // namespace supple::phantom
