#include "supple/author/scan/assemble.h"

#include <algorithm>
#include <cmath>

#include "supple/author/scan/surface.h"
#include "supple/base/parallel.h"
#include "supple/base/transform.h"

namespace supple::scan {
namespace {

constexpr float seconds_per_pose = 1.0f;  // of the clip through the scans

Mesh moved(const Mesh& mesh, const Affined& by) {
  Mesh result = mesh;
  for (Vec3f& p : result.positions) p = Vec3f(by.point(Vec3d(p)));
  for (Vec3f& n : result.normals) n = Vec3f(by.vector(Vec3d(n)));
  return result;
}

std::vector<Vec3f> moved(std::span<const Vec3f> points, const Affined& by) {
  std::vector<Vec3f> result;
  result.reserve(points.size());
  for (const Vec3f& p : points) result.emplace_back(by.point(Vec3d(p)));
  return result;
}

/// Base scan to model space: turned as the template lies, without its scale, the first joint below the root where the
/// template has it.
Affined to_model_space(std::span<const JointEstimate> joints, const BoneTemplate& skeleton, const Naming& naming) {
  Affined result;
  result.linear = transpose(polar(naming.to_scan.linear).rotation);
  const std::size_t anchor = joints.size() > 1 ? 1 : 0;
  result.translation = skeleton.bones[anchor].head - result.linear * joints[anchor].centre;
  return result;
}

/// Everything that has a place or a direction, in model space.
struct ModelSpace {
  std::vector<ScanBone> bones;
  std::vector<JointEstimate> joints;
  std::vector<BoneTemplate::End> ends;
  std::vector<Alignment> scans;
};

ModelSpace in_model_space(std::span<const ScanBone> bones, std::span<const JointEstimate> joints,
                          const BoneTemplate& skeleton, const Naming& naming, std::span<const FoundPose> scans,
                          const Affined& to_model) {
  ModelSpace result;
  const Affined back = inverse(to_model);
  for (const ScanBone& bone : bones) {
    ScanBone b = bone;
    b.surface = moved(bone.surface, to_model);
    b.facing = to_model.point(bone.facing);
    b.tail = to_model.point(bone.tail);
    b.axes = to_model.linear * bone.axes;
    result.bones.push_back(std::move(b));
  }
  for (const JointEstimate& joint : joints) {
    JointEstimate j = joint;
    j.centre = to_model.point(joint.centre);
    j.prior = to_model.point(joint.prior);
    j.axis = to_model.vector(joint.axis);
    result.joints.push_back(j);
  }
  result.ends = scan_ends(bones, skeleton, naming);
  for (BoneTemplate::End& end : result.ends) end.at = to_model.point(end.at);
  for (const FoundPose& scan : scans) {
    Alignment a = *scan.alignment;
    const Affined root = inverse(a.bones[0].motion);
    for (BoneFit& fit : a.bones) fit.motion = to_model * (root * fit.motion) * back;
    result.scans.push_back(std::move(a));
  }
  return result;
}

/// Smoothings of the weights that reach as far over this skin as 10 do over the procedural hand, whose edges are a
/// hundredth of the root of its area: what spreads by steps from neighbour to neighbour gets as far as the root of
/// their number.
int smoothing_for(const Mesh& skin) {
  constexpr double usual = 10, usual_edge = 0.01;
  const double area = surface_area(skin.positions, skin.triangles);
  const double edge = std::sqrt(4 / std::sqrt(3.0) * area / static_cast<double>(skin.triangles.size()));
  const double steps = usual * usual_edge * usual_edge * area / (edge * edge);
  return static_cast<int>(std::clamp(std::round(steps), 1.0, 400.0));
}

/// Bone surfaces, light enough to be shown: each follows its joint.
Result<Part> bones_part(std::span<const ScanBone> bones, std::span<const JointIndex> joint, std::size_t triangles) {
  Part part;
  part.name = "bones";
  part.skin = 0;
  part.material = 1;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    Mesh surface = bones[b].surface;
    if (surface.triangles.size() > triangles) {
      auto fewer = reduce(surface, triangles);
      if (!fewer) return Error{"bone '" + bones[b].name + "', " + fewer.error().item, fewer.error().problem, ""};
      surface = std::move(*fewer);
    }
    surface.normals.resize(surface.positions.size());
    compute_normals(surface.positions, surface.triangles, surface.normals);
    append_rigid(part, surface, joint[b]);
  }
  return part;
}

Part skin_part(Mesh mesh, const SkinWeights& weights, std::span<const JointIndex> joint) {
  Part skin;
  skin.name = "skin";
  skin.mesh = std::move(mesh);
  skin.mesh.normals.resize(skin.mesh.positions.size());
  compute_normals(skin.mesh.positions, skin.mesh.triangles, skin.mesh.normals);
  skin.weights = weights;
  for (Influence& influence : skin.weights.entries) influence.joint = joint[influence.joint];
  skin.skin = 0;
  skin.material = 0;
  return skin;
}

/// From rest through the pose of every scan and back, so that what was scanned moves at once.
Clip clip_of(const Skeleton& skeleton, std::span<const Pose> poses) {
  Clip clip{"scans", {}};
  const std::size_t keys = poses.size() + 2;
  const auto pose_at = [&](std::size_t key, JointIndex j) {
    return key == 0 || key + 1 == keys ? skeleton.rest(j) : poses[key - 1].local[j];
  };
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    Track turns{Channel::rotation, Interpolation::linear, j, 4, {}, {}};
    Track shifts{Channel::translation, Interpolation::linear, j, 3, {}, {}};
    bool moves = false;
    for (std::size_t key = 0; key < keys; ++key) {
      const Transformf local = pose_at(key, j);
      moves = moves || local != skeleton.rest(j);
      for (Track* track : {&turns, &shifts}) track->times.push_back(static_cast<float>(key) * seconds_per_pose);
      const Quatf q = local.rotation;
      turns.values.insert(turns.values.end(), {q.x, q.y, q.z, q.w});
      shifts.values.insert(shifts.values.end(), {local.translation.x, local.translation.y, local.translation.z});
    }
    if (!moves) continue;
    clip.tracks.push_back(std::move(turns));
    clip.tracks.push_back(std::move(shifts));
  }
  return clip;
}

/// To learn joints from, if not skin.
bool shows_bones(const FoundPose& scan) {
  return scan.role == Role::train && std::all_of(scan.alignment->bones.begin(), scan.alignment->bones.end(),
                                                 [](const BoneFit& fit) { return fit.found; });
}

/// The bones of a character without skin, in a scan, seen from the root.
std::vector<Vec3f> posed_bones(const Part& bones, std::span<const JointIndex> joint, const Alignment& in_model_space) {
  std::vector<Vec3f> result = bones.mesh.positions;
  for (std::size_t v = 0; v < result.size(); ++v) {
    const auto b = std::find(joint.begin(), joint.end(), bones.weights.of(v)[0].joint) - joint.begin();
    const Affined& motion = in_model_space.bones[static_cast<std::size_t>(b)].motion;
    result[v] = Vec3f(motion.point(Vec3d(result[v])));
  }
  return result;
}

/// `skins`: #scans, in model space.
ExampleSet examples_of(const Character& character, std::span<const Pose> poses, std::span<const FoundPose> scans,
                       std::span<const std::vector<Vec3f>> skins, bool of_skin, const std::string& origin) {
  const Mesh& rest = character.parts[0].mesh;
  ExampleSet set;
  set.part = character.parts[0].name;
  set.origin = origin;
  set.skeleton = character.skeleton;
  set.rest_positions = rest.positions;
  set.rest_normals = rest.normals;
  set.triangles = rest.triangles;
  std::vector<Quatf> rotations;
  std::vector<Vec3f> translations, scales, positions, normals;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    Example example;
    example.name = scans[s].name;
    example.role = (of_skin ? teaches(scans[s]) : shows_bones(scans[s])) ? Role::train : Role::test;
    example.tags = {"scan"};
    set.examples.push_back(std::move(example));
    for (const Transformf& local : poses[s].local) {
      rotations.push_back(local.rotation);
      translations.push_back(local.translation);
      scales.push_back(local.scale);
    }
    const std::vector<Vec3f>& skin = skins[s];
    positions.insert(positions.end(), skin.begin(), skin.end());
    std::vector<Vec3f> n(skin.size());
    compute_normals(skin, rest.triangles, n);
    normals.insert(normals.end(), n.begin(), n.end());
  }
  set.rotations = std::move(rotations);
  set.translations = std::move(translations);
  set.scales = std::move(scales);
  set.positions = std::move(positions);
  set.normals = std::move(normals);
  return set;
}

/// The rig and the pose of every scan; what joints can do comes from the scans to learn from alone, so that those held
/// out remain unseen. Limits have no part in where joints lie: poses are the same with and without them.
Result<ScanRig> rig_of(const ModelSpace& model, std::span<const FoundPose> scans) {
  std::vector<Alignment> teaching;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    if (shows_bones(scans[s])) teaching.push_back(model.scans[s]);
  }
  auto rig = build_rig(model.bones, model.joints, model.ends, model.scans);
  if (!rig) return rig;
  auto taught = build_rig(model.bones, model.joints, model.ends, teaching);
  if (!taught) return taught;
  rig->skeleton = std::move(taught->skeleton);
  return rig;
}

/// Of scans to learn from, there is none in which all bones were found.
Error nothing_to_learn(std::span<const ScanBone> bones, std::span<const FoundPose> scans) {
  std::string missing;
  for (const FoundPose& scan : scans) {
    if (scan.role != Role::train) continue;
    const auto lost = std::find_if(scan.alignment->bones.begin(), scan.alignment->bones.end(),
                                   [](const BoneFit& fit) { return !fit.found; });
    missing += (missing.empty() ? "'" : ", '") + scan.name + "' has no " +
               (lost == scan.alignment->bones.end()
                    ? "skin"
                    : bones[static_cast<std::size_t>(lost - scan.alignment->bones.begin())].name);
  }
  return {"scans", "none of them can be learnt from, as bones were not found: " + missing,
          "set the motions of these bones by hand, or add scans that show the whole hand"};
}

}  // namespace

bool teaches(const FoundPose& scan) { return scan.shows_skin && shows_bones(scan); }

Result<SkinWeights> bind_base(const Mesh& skin, std::span<const ScanBone> bones, const Progress& progress) {
  std::vector<Bone> to_bind;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    Bone bone;
    bone.joint = static_cast<JointIndex>(b);
    bone.parent = bones[b].parent;
    bone.head = Vec3f(bones[b].facing);
    bone.tail = Vec3f(bones[b].tail);
    bone.surface = bones[b].surface;
    to_bind.push_back(std::move(bone));
  }
  BindOptions options;
  options.smoothing = smoothing_for(skin);
  return bind_skin(skin, to_bind, options, progress);
}

std::vector<Vec3f> blend(std::span<const Vec3f> positions, const SkinWeights& weights, std::span<const BoneFit> bones) {
  std::vector<Vec3f> result(positions.size());
  parallel_for(positions.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Vec3d sum{};
      for (const Influence& i : weights.of(v))
        sum = sum + bones[i.joint].motion.point(Vec3d(positions[v])) * double{i.weight};
      result[v] = Vec3f(sum);
    }
  });
  return result;
}

Result<Assembled> assemble(const Mesh& base_skin, const SkinWeights& weights, std::span<const ScanBone> bones,
                           std::span<const JointEstimate> joints, const BoneTemplate& skeleton, const Naming& naming,
                           std::span<const FoundPose> scans, const AssembleOptions& options, const Progress& progress) {
  const auto held_out = [](const FoundPose& scan) { return scan.role != Role::train; };
  const bool of_skin = !base_skin.triangles.empty();
  if (!std::all_of(scans.begin(), scans.end(), held_out) &&
      std::none_of(scans.begin(), scans.end(), of_skin ? teaches : shows_bones))
    return nothing_to_learn(bones, scans);
  Assembled result;
  result.to_model = to_model_space(joints, skeleton, naming);
  const ModelSpace model = in_model_space(bones, joints, skeleton, naming, scans, result.to_model);
  auto rig = rig_of(model, scans);
  if (!rig) return rig.error();

  Character& hand = result.character;
  hand.name = options.name;
  hand.skeleton = std::move(rig->skeleton);
  hand.skins.push_back(bind_at_rest("hand", hand.skeleton));
  hand.materials.push_back({"skin", {0.75f, 0.45f, 0.35f, 1}, 0, 0.6f, false});
  hand.materials.push_back({"bone", {0.86f, 0.80f, 0.66f, 1}, 0, 0.7f, false});
  if (of_skin) hand.parts.push_back(skin_part(moved(base_skin, result.to_model), weights, rig->joint));
  if (!report(progress, "bones of the character", 0.2)) return Error{options.name, "stopped on request", ""};
  auto surfaces = bones_part(model.bones, rig->joint, options.bone_triangles);
  if (!surfaces) return surfaces.error();
  hand.parts.push_back(std::move(*surfaces));
  hand.clips.push_back(clip_of(hand.skeleton, rig->poses));
  if (auto ok = validate(hand); !ok) return ok.error();
  std::vector<std::vector<Vec3f>> skins;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    const Affined from_scan = result.to_model * inverse(scans[s].alignment->bones[0].motion);
    skins.push_back(of_skin ? moved(scans[s].skin, from_scan) : posed_bones(hand.parts[0], rig->joint, model.scans[s]));
  }
  result.examples = examples_of(hand, rig->poses, scans, skins, of_skin, options.origin);
  if (auto ok = validate(result.examples); !ok) return ok.error();
  report(progress, "bones of the character", 1);
  return result;
}

}  // namespace supple::scan
