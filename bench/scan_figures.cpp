// The figures hands from scans are judged by: phantoms of a hand that is known, scanned in five poses and two that are
// held out, taken through the whole chain and compared with the truth.
//
//   supple_scan_figures [--voxel MM]... [--seeds N] [--migration MM]... [--bones FOLDER [--joint-space MM]
//                       [--moving-carpals]] [--first-seed N] [--one-body]
//                       [--triangles N] [--touching] [--missing MM] [--table] [--crop MM] [--joints-only]
//                       [--labels each|grouped [--skin-label] [--labels-alone] [--label-blur SAMPLES]]
// With --labels, scans are of magnetic resonance and bones come from labels, which follow the edges of the image unless
// they are alone; skin comes from the image, or from a label too. --one-body: carpus and forearm are not taken apart.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <optional>
#include <string>

#include "supple/author/learn/pose_space.h"
#include "supple/author/scan/assemble.h"
#include "supple/author/scan/extract.h"
#include "supple/author/scan/label_names.h"
#include "supple/author/scan/naming_bodies.h"
#include "supple/author/scan/naming_given.h"
#include "supple/deform/skin.h"
#include "supple/files/stl.h"
#include "supple/make/hand_template.h"
#include "supple/measure/error.h"
#include "supple/phantom/phantom.h"

using namespace supple;

namespace {

constexpr double mm = 1000, degrees = 180 / std::numbers::pi;

struct Options {
  std::vector<double> voxels, migrations;
  std::size_t seeds = 3, triangles = 100000, vertices = 20000;
  std::string bones;
  double joint_space = phantom::BoneHandOptions{}.joint_space, missing = 0, crop = 0;
  bool moving_carpals = false, one_body = false;
  std::uint64_t first_seed = 1;
  bool joints_only = false, touching = false, table = false, skin_label = false, labels_alone = false;
  double label_blur = 0;  // samples; 0: the usual
  std::optional<phantom::Labelling> labels;
};

template <class T>
T need(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

double at(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

/// Figures of one phantom, or of several together.
struct Figures {
  std::vector<double> rotation, shift, centre, centre_wrist, best_fixed, across, residual;  // degrees, mm
  std::vector<double> centre_cmc;                     // of the thumb's, ring and little finger's metacarpals, mm
  std::vector<double> single_rotation, single_shift;  // of carpals, radius and ulna
  std::vector<double> forearm_rotation, wrist_rotation;
  std::size_t single_named = 0, singles = 0;
  std::vector<double> fitted, fitted_worst;     // mm
  std::array<std::vector<double>, 3> held_out;  // mm RMS by method, one per pose
  std::array<std::vector<double>, 3> trained;
  std::size_t named = 0, bones = 0, lost = 0;
  double seconds = 0;

  void add(const Figures& other) {
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(rotation, other.rotation), append(shift, other.shift), append(centre, other.centre);
    append(centre_wrist, other.centre_wrist), append(best_fixed, other.best_fixed), append(across, other.across);
    append(residual, other.residual), append(centre_cmc, other.centre_cmc);
    append(single_rotation, other.single_rotation), append(single_shift, other.single_shift);
    append(forearm_rotation, other.forearm_rotation), append(wrist_rotation, other.wrist_rotation);
    single_named += other.single_named, singles += other.singles;
    append(fitted, other.fitted), append(fitted_worst, other.fitted_worst);
    for (std::size_t m = 0; m < 3; ++m) append(held_out[m], other.held_out[m]), append(trained[m], other.trained[m]);
    named += other.named, bones += other.bones, lost += other.lost, seconds += other.seconds;
  }
  void print(const char* what) const {
    std::printf(
        "%-26s names %zu/%zu lost %zu | rotation %.3f p90 %.2f max %.2f deg | shift %.4f p90 %.3f mm | centre "
        "%.3f p90 %.3f max %.2f (best fixed %.3f p90 %.3f; across axis %.3f p90 %.3f; wrist %.2f) residual %.2f mm | "
        "fit %.3f max %.2f | held "
        "out",
        what, named, bones, lost, at(rotation, .5), at(rotation, .9), at(rotation, 1), at(shift, .5), at(shift, .9),
        at(centre, .5), at(centre, .9), at(centre, 1), at(best_fixed, .5), at(best_fixed, .9), at(across, .5),
        at(across, .9), at(centre_wrist, .5), at(residual, .5), at(fitted, .5), at(fitted_worst, 1));
    for (const auto& method : held_out) {
      double sum = 0;
      for (const double x : method) sum += x * x;
      std::printf(" %.3f", std::sqrt(sum / static_cast<double>(std::max<std::size_t>(method.size(), 1))));
    }
    std::printf(
        " | singles %zu/%zu rotation %.3f p90 %.2f max %.2f deg shift %.3f max %.2f mm | radius %.2f max %.2f deg "
        "capitate %.2f max %.2f deg | wrist centre max %.2f, CMC %.2f max %.2f mm |",
        single_named, singles, at(single_rotation, .5), at(single_rotation, .9), at(single_rotation, 1),
        at(single_shift, .5), at(single_shift, 1), at(forearm_rotation, .5), at(forearm_rotation, 1),
        at(wrist_rotation, .5), at(wrist_rotation, 1), at(centre_wrist, 1), at(centre_cmc, .5), at(centre_cmc, 1));
    std::printf(" (worst %.3f) | trained %.3f %.3f %.3f | %.0f s\n", at(held_out[2], 1), at(trained[0], .5),
                at(trained[1], .5), at(trained[2], .5), seconds);
    std::fflush(stdout);
  }
};

struct Scanned {
  const phantom::PosedTruth* truth;
  Affined placement;  // rest world to this scan
  scan::Surfaces surfaces;
  scan::Alignment alignment;
  scan::FittedSkin fit;
};

/// Of a bone of the skeleton, or of a single one; of several that hang together: of the first.
std::size_t place_of(const phantom::Subject& subject, const std::string& bone) {
  const std::string name = bone.substr(0, bone.find('+'));
  for (std::size_t b = 0; b < subject.bones.size(); ++b)
    if (subject.bones[b].name == name) return b;
  for (std::size_t b = 0; b < subject.bones.size(); ++b)
    if (subject.character.skeleton.name(subject.joint_of[b]) == name) return b;
  // A phantom whose carpus and forearm are one body each.
  return place_of(subject, name == "radius" || name == "ulna" ? "forearm" : "wrist");
}

/// The bone of the skeleton that a solid of the phantom belongs to.
std::string owner_of(const phantom::Solid& solid, const BoneTemplate& skeleton) {
  for (const TemplateBody& body : skeleton.bodies)
    if (body.name == solid.name) return skeleton.bones[body.bone].joint;
  return solid.name;
}

Mesh true_skin(const phantom::Subject& subject, const Scanned& s) {
  Mesh mesh;
  mesh.triangles = subject.character.parts[0].mesh.triangles;
  for (const Vec3f& p : s.truth->skin) mesh.positions.emplace_back(s.placement.point(Vec3d(p)));
  return mesh;
}

/// Whether each named piece lies where the truth has that bone: nearer to no other one.
std::size_t right_names(const phantom::Subject& subject, const Scanned& base, std::span<const scan::ScanBone> bones,
                        std::span<const scan::BonePart> parts, const scan::Naming& naming,
                        const BoneTemplate& skeleton) {
  std::size_t right = 0;
  const Affined back = inverse(base.placement);
  for (const scan::NamedBone& named : naming.bones) {
    bool all = !named.pieces.empty();
    for (const std::uint32_t piece : named.pieces) {
      double best = 1e9;
      std::string nearest;
      for (std::size_t b = 0; b < subject.bones.size(); ++b) {
        const double d = subject.bones[b].distance(back.point(parts[piece].centre));
        if (d < best) best = d, nearest = owner_of(subject.bones[b], skeleton);
      }
      all = all && nearest == bones[named.bone].name;
    }
    right += all ? 1 : 0;
    if (!all) std::printf("  wrong name: %s\n", bones[named.bone].name.c_str());
  }
  return right;
}

/// Single bones that have all their pieces where the truth has that bone; of phantoms that move them.
void compare_single_names(const phantom::Subject& subject, const Scanned& base, std::span<const scan::BonePart> parts,
                          const scan::Naming& naming, const BoneTemplate& skeleton, Figures& figures) {
  if (subject.bones.size() <= naming.bones.size()) return;
  const Affined back = inverse(base.placement);
  for (const TemplateBody& body : skeleton.bodies) {
    const std::size_t place = place_of(subject, body.name);
    const scan::NamedBody* found = nullptr;
    for (const scan::NamedBody& named : naming.bodies)
      for (const std::uint32_t i : named.bodies)
        if (skeleton.bodies[i].name == body.name) found = &named;
    ++figures.singles;
    bool right = false, all = true;
    for (const std::uint32_t piece : found == nullptr ? std::vector<std::uint32_t>() : found->pieces) {
      std::size_t nearest = 0;
      double best = 1e9;
      for (std::size_t b = 0; b < subject.bones.size(); ++b) {
        const double d = subject.bones[b].distance(back.point(parts[piece].centre));
        if (d < best) best = d, nearest = b;
      }
      right = right || nearest == place;
      all = all && (nearest == place || found->bodies.size() > 1);
    }
    figures.single_named += right && all ? 1 : 0;
    if (!right || !all || found->bodies.size() > 1)
      std::printf("  %s: %s\n", body.name.c_str(),
                  found == nullptr ? "not named"
                  : !right || !all ? "wrong"
                                   : "hangs together with others");
  }
}

/// Base scan to this scan, as it truly was.
Affined true_motion(const phantom::Subject& subject, const Scanned& base, const Scanned& s, const std::string& bone) {
  return s.placement * s.truth->bones[place_of(subject, bone)] * inverse(base.placement);
}

/// How far a bone was found from where it is: degrees, mm.
struct Miss {
  double angle = 0, shift = 0;
};
Miss miss_of(const phantom::Subject& subject, const Scanned& base, const Scanned& s, const scan::ScanBone& bone,
             const scan::BoneFit& fit) {
  const Affined error = inverse(true_motion(subject, base, s, bone.name)) * fit.motion;
  const Quatd q = from_matrix(error.linear);
  Vec3d centre{};
  for (const Vec3f& p : bone.surface.positions) centre = centre + Vec3d(p);
  centre = centre / static_cast<double>(bone.surface.positions.size());
  return {2 * std::atan2(length(q.xyz()), std::abs(q.w)) * degrees, length(error.point(centre) - centre) * mm};
}

void compare_bodies(const phantom::Subject& subject, const Scanned& base, const Scanned& s,
                    std::span<const scan::ScanBone> bodies, Figures& figures) {
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Miss miss = miss_of(subject, base, s, bodies[b], s.alignment.bodies[b]);
    figures.single_rotation.push_back(miss.angle);
    figures.single_shift.push_back(miss.shift);
    if (miss.angle > 3 || miss.shift > 1)
      std::printf("  off: %s in %s, %.1f degrees, %.2f mm, overlap %.2f, %s\n", bodies[b].name.c_str(),
                  s.truth->name.c_str(), miss.angle, miss.shift, s.alignment.bodies[b].overlap,
                  s.alignment.bodies[b].found ? "found" : "not found");
  }
}

void compare_bones(const phantom::Subject& subject, const Scanned& base, const Scanned& s,
                   std::span<const scan::ScanBone> bones, Figures& figures) {
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const auto [angle, shift] = miss_of(subject, base, s, scan::without_apart(bones[b]), s.alignment.bones[b]);
    if (bones[b].name == "forearm") figures.forearm_rotation.push_back(angle);
    if (bones[b].name == "wrist") figures.wrist_rotation.push_back(angle);
    figures.rotation.push_back(angle);
    figures.shift.push_back(shift);
    if (angle > 10 || shift > 3) {
      ++figures.lost;
      std::printf("  lost: %s in %s, %.1f degrees, %.1f mm, overlap %.2f\n", bones[b].name.c_str(),
                  s.truth->name.c_str(), angle, shift, s.alignment.bones[b].overlap);
    }
  }
}

/// Joints that the poses turn: others have no centre to be found.
void compare_joints(const phantom::Subject& subject, const Scanned& base, std::span<const Scanned> scans,
                    std::span<const scan::ScanBone> bones, std::span<const scan::JointEstimate> joints,
                    Figures& figures) {
  const Skeleton& skeleton = subject.character.skeleton;
  const auto world = to_world(skeleton, rest_pose(skeleton));
  std::vector<scan::Alignment> exact;
  for (const Scanned& s : scans) {
    if (s.truth->held_out) continue;
    scan::Alignment& motions = exact.emplace_back(s.alignment);
    for (std::size_t b = 0; b < bones.size(); ++b)
      motions.bones[b].motion = true_motion(subject, base, s, bones[b].name);
  }
  const std::vector<scan::JointEstimate> best = scan::estimate_joints(bones, exact);
  for (std::size_t b = 1; b < bones.size(); ++b) {
    const JointIndex joint = *skeleton.find(bones[b].name);
    const auto turns = [&](const Scanned& s) {
      const Quatf q = conjugate(skeleton.rest(joint).rotation) * s.truth->pose.local[joint].rotation;
      return 2 * std::atan2(length(q.xyz()), std::abs(q.w)) > 0.05f;
    };
    if (std::none_of(scans.begin(), scans.end(), turns)) continue;
    const Vec3d error = (joints[b].centre - base.placement.point(Vec3d(world[joint].translation))) * mm;
    (bones[b].name == "wrist" ? figures.centre_wrist : figures.centre).push_back(length(error));
    if (bones[b].name.ends_with("-metacarpal")) {
      figures.centre_cmc.push_back(length(error));
      if (subject.bones.size() > bones.size())
        std::printf("  %s: centre %.2f mm off, %.2f across its axis\n", bones[b].name.c_str(), length(error),
                    length(error - joints[b].axis * dot(error, joints[b].axis)));
    }
    if (joints[b].slides) continue;
    // Centres that wander have no true place; eq. 1 of the true motions has.
    figures.best_fixed.push_back(length(joints[b].centre - best[b].centre) * mm);
    figures.residual.push_back(joints[b].residual * mm);
    // Along its axis nothing moves: there the centre is what the midpoint of the bones says.
    if (joints[b].seen >= 2) figures.across.push_back(length(error - joints[b].axis * dot(error, joints[b].axis)));
  }
}

void compare_skins(const phantom::Subject& subject, std::span<const Scanned> scans, const scan::Assembled& hand,
                   Figures& figures) {
  std::array<Character, 3> characters{hand.character, hand.character, hand.character};
  const std::array<std::size_t, 1> parts{0};
  learn::PoseSpaceOptions options;
  options.influence = JointInfluence::equal;
  need(learn::train_pose_space(hand.examples, characters[1], parts, options));
  options.influence = JointInfluence::subtree;
  need(learn::train_pose_space(hand.examples, characters[2], parts, options));
  for (std::size_t m = 0; m < 3; ++m) {
    Skin skin = need(Skin::make(characters[m]));
    for (std::size_t s = 0; s < scans.size(); ++s) {
      Pose pose = hand.examples.pose(s);
      pose.morph_weights = characters[m].morph_weights;
      if (!skin.evaluate(pose)) continue;
      const Affined to_scan = scans[s].alignment.bones[0].motion * inverse(hand.to_model);
      std::vector<Vec3f> positions;
      for (const Vec3f& p : skin.positions(0)) positions.emplace_back(to_scan.point(Vec3d(p)));
      const double rms = need(measure::surface_distance(positions, true_skin(subject, scans[s]))).rms * mm;
      (scans[s].truth->held_out ? figures.held_out[m] : figures.trained[m]).push_back(rms);
    }
  }
}

/// Surfaces, and pieces of bone where they are asked for, from labels over an image in which nothing tells bone from
/// flesh.
scan::Surfaces from_labels(const phantom::Subject& subject, const phantom::PosedTruth& truth,
                           phantom::ScanOptions options, const BoneTemplate& skeleton, const Options& o,
                           scan::Parts* parts) {
  options.resonance.emplace();
  const Volume image = need(phantom::scan(subject, truth, options));
  const LabelMap map = need(phantom::labels_of_scan(subject, truth, options, *o.labels));
  std::vector<scan::LabelUse> uses;
  for (const Label& label : map.labels) {
    uses.push_back(scan::meaning_of(label.name, skeleton, true).use);
    uses.back().skin = uses.back().skin && o.skin_label;
  }
  scan::LabelledOptions drawing;
  drawing.refine = !o.labels_alone;
  if (o.label_blur > 0) drawing.blur = o.label_blur;
  if (parts != nullptr) *parts = need(scan::labelled_bones(map, uses, &image, drawing));
  return need(scan::labelled_surfaces(map, uses, &image, drawing));
}

Figures run(const phantom::Subject& subject, std::span<const phantom::PosedTruth> truths, double voxel,
            std::uint64_t seed, const Options& o) {
  Figures figures;
  const auto start = std::chrono::steady_clock::now();
  const BoneTemplate skeleton = make::hand_template(make::Side::right);
  std::vector<Scanned> all(truths.size());
  scan::Parts parts;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    phantom::ScanOptions options;
    options.voxel = {voxel, voxel, voxel};
    options.seed = seed * 100 + i;
    options.placement = phantom::placement_of(seed, i);
    if (truths[i].name == "grasp") options.missing_patch = o.missing;
    if (o.table) options.table.emplace();
    if (i % 2 == 1) options.crop = o.crop;  // no two scans that follow each other are cropped alike
    if (o.labels) {
      all[i] = {&truths[i],
                options.placement,
                from_labels(subject, truths[i], options, skeleton, o, i == 0 ? &parts : nullptr),
                {},
                {}};
      continue;
    }
    const Volume volume = need(phantom::scan(subject, truths[i], options));
    all[i] = {&truths[i], options.placement, need(scan::extract(volume, {})), {}, {}};
    scan::PartOptions part_options;
    part_options.iso = all[i].surfaces.thresholds.bone;
    if (i == 0) parts = need(scan::separate_bones(volume, part_options));
  }
  const Scanned& base = all[0];
  const std::span<Scanned> scans = std::span(all).subspan(1);
  const auto by_label = scan::pieces_by_label(parts.parts, skeleton);
  Warnings warnings;
  scan::Naming naming =
      need(scan::name_bones(parts.parts, skeleton, by_label, &warnings, scan::bodies_by_label(parts.parts, skeleton)));
  if (o.moving_carpals)
    for (const std::string& warning : warnings) std::printf("  %s\n", warning.c_str());
  if (o.one_body) naming.bodies.clear();
  const std::vector<scan::ScanBone> bones = scan::scan_bones(parts.parts, skeleton, naming);
  const std::vector<scan::ScanBone> bodies = scan::scan_bodies(parts.parts, skeleton, naming, bones);
  figures.bones = bones.size();
  figures.named = right_names(subject, base, bones, parts.parts, naming, skeleton);
  compare_single_names(subject, base, parts.parts, naming, skeleton, figures);
  std::vector<scan::Alignment> training;
  for (Scanned& s : scans) {
    s.alignment = need(scan::align_bones(bones, s.surfaces.bone, {}, {}, nullptr, {}, bodies));
    compare_bones(subject, base, s, bones, figures);
    compare_bodies(subject, base, s, bodies, figures);
    if (!s.truth->held_out) training.push_back(s.alignment);
  }
  const std::vector<scan::JointEstimate> joints = scan::estimate_joints(bones, training);
  compare_joints(subject, base, scans, bones, joints, figures);
  if (o.joints_only) return figures;

  const Mesh skin = need(scan::reduce(base.surfaces.skin, std::min(o.triangles, base.surfaces.skin.triangles.size())));
  const SkinWeights weights = need(scan::bind_base(skin, bones));
  std::vector<scan::FoundPose> found;
  for (Scanned& s : scans) {
    s.fit = need(scan::fit_skin(skin, scan::blend(skin.positions, weights, s.alignment.bones), s.surfaces.skin, {}, {},
                                {}, s.surfaces.skin_border));
    const auto off = need(measure::surface_distance(s.fit.positions, true_skin(subject, s)));
    figures.fitted.push_back(off.rms * mm), figures.fitted_worst.push_back(off.max * mm);
    if (s.fit.quality.flipped > 0)
      std::printf("  %zu flipped triangles in %s\n", s.fit.quality.flipped, s.truth->name.c_str());
    found.push_back({s.truth->name, s.truth->held_out ? Role::test : Role::train, &s.alignment, s.fit.positions});
  }
  const scan::Assembled hand = need(scan::assemble(skin, weights, bones, joints, skeleton, naming, found, {}));
  compare_skins(subject, scans, hand, figures);
  figures.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return figures;
}

phantom::Subject subject_of(const Options& o) {
  if (o.bones.empty()) return need(phantom::procedural_hand(true, o.vertices, o.touching));
  std::vector<phantom::NamedSurface> surfaces;
  for (const auto& file : std::filesystem::directory_iterator(o.bones)) {
    if (file.path().extension() != ".stl") continue;
    Mesh mesh = need(read_stl(file.path()));
    surfaces.push_back({file.path().stem().string(), std::move(mesh)});
  }
  std::sort(surfaces.begin(), surfaces.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return need(phantom::hand_of_bones(surfaces, {o.vertices, o.joint_space, o.moving_carpals}));
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (std::strcmp(argv[i], "--help") == 0) {
      std::puts(
          "Hands from scans of phantoms against the truth: minutes a seed.\n"
          "  --voxel MM, --migration MM      repeated for several; .9 and .6, 0 and .75 unless given\n"
          "  --seeds N, --first-seed N       3 from 1 on unless given\n"
          "  --bones FOLDER                  of real bones (STL); --joint-space MM, --moving-carpals, --one-body\n"
          "  --labels each|grouped           magnetic resonance; --labels-alone, --label-blur SAMPLES, --skin-label\n"
          "  --table, --crop MM, --missing MM, --touching, --vertices N, --triangles N, --joints-only");
      return 0;
    }
    if (std::strcmp(argv[i], "--voxel") == 0) o.voxels.push_back(std::atof(value()) / mm);
    if (std::strcmp(argv[i], "--migration") == 0) o.migrations.push_back(std::atof(value()) / mm);
    if (std::strcmp(argv[i], "--seeds") == 0) o.seeds = static_cast<std::size_t>(std::atoi(value()));
    if (std::strcmp(argv[i], "--triangles") == 0) o.triangles = static_cast<std::size_t>(std::atoi(value()));
    if (std::strcmp(argv[i], "--bones") == 0) o.bones = value();
    if (std::strcmp(argv[i], "--joint-space") == 0) o.joint_space = std::atof(value()) / mm;
    if (std::strcmp(argv[i], "--missing") == 0) o.missing = std::atof(value()) / mm;
    if (std::strcmp(argv[i], "--crop") == 0) o.crop = std::atof(value()) / mm;
    if (std::strcmp(argv[i], "--moving-carpals") == 0) o.moving_carpals = true;
    if (std::strcmp(argv[i], "--one-body") == 0) o.one_body = true;
    if (std::strcmp(argv[i], "--first-seed") == 0) o.first_seed = static_cast<std::uint64_t>(std::atoi(value()));
    if (std::strcmp(argv[i], "--vertices") == 0) o.vertices = static_cast<std::size_t>(std::atoi(value()));
    if (std::strcmp(argv[i], "--table") == 0) o.table = true;
    if (std::strcmp(argv[i], "--joints-only") == 0) o.joints_only = true;
    if (std::strcmp(argv[i], "--touching") == 0) o.touching = true;
    if (std::strcmp(argv[i], "--skin-label") == 0) o.skin_label = true;
    if (std::strcmp(argv[i], "--labels-alone") == 0) o.labels_alone = true;
    if (std::strcmp(argv[i], "--label-blur") == 0) o.label_blur = std::atof(value());
    if (std::strcmp(argv[i], "--labels") == 0)
      o.labels = std::strcmp(value(), "each") == 0 ? phantom::Labelling::each : phantom::Labelling::grouped;
  }
  if (o.voxels.empty()) o.voxels = {0.0009, 0.0006};
  if (o.migrations.empty()) o.migrations = {0, 0.00075};
  const phantom::Subject subject = subject_of(o);
  std::printf("medians unless said; held out: RMS of the surface from truth, mm, SSD PSD WPSD\n");
  for (const double migration : o.migrations) {
    std::vector<Figures> all(o.voxels.size());
    for (std::uint64_t seed = o.first_seed; seed < o.first_seed + o.seeds; ++seed) {
      phantom::PoseOptions options;
      options.migration = migration;
      options.flesh = !o.joints_only;
      options.seed = seed;
      const auto truths = need(phantom::pose_subject(subject, options));
      for (std::size_t v = 0; v < o.voxels.size(); ++v) {
        const Figures figures = run(subject, truths, o.voxels[v], seed, o);
        char what[64];
        std::snprintf(what, sizeof what, "%.1f mm, moves %.2f, seed %d", o.voxels[v] * mm, migration * mm,
                      static_cast<int>(seed));
        figures.print(what);
        all[v].add(figures);
      }
    }
    for (std::size_t v = 0; v < o.voxels.size(); ++v) {
      char what[64];
      std::snprintf(what, sizeof what, "%.1f mm, moves %.2f, ALL", o.voxels[v] * mm, migration * mm);
      all[v].print(what);
    }
  }
}
