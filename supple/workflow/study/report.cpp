#include "supple/workflow/study/report.h"

#include <algorithm>
#include <cmath>

#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/biomechanics/joint_facts.h"
#include "supple/workflow/study/report_sections.h"

namespace supple::workflow {
namespace {

constexpr std::array<const char*, 3> method_keys{"ssd", "psd", "wpsd"};

Json millimetres(Vec3d p) { return {p.x * mm, p.y * mm, p.z * mm}; }

const char* role_of(const Chain& chain, std::size_t scan) {
  if (scan == 0) return "base";
  return chain.scans[scan].entry->role == Role::test ? "test" : "train";
}

/// The joint that a point of a posed hand is nearest to: where people look for it.
std::string nearest_joint(const Skeleton& skeleton, const Pose& pose, Vec3f point) {
  const std::vector<Affinef> world = to_world(skeleton, pose);
  const auto nearest = std::min_element(world.begin(), world.end(), [&](const Affinef& a, const Affinef& b) {
    return length(a.translation - point) < length(b.translation - point);
  });
  return skeleton.name(static_cast<JointIndex>(nearest - world.begin()));
}

Json scans_json(const Chain& chain) {
  Json list = Json::array();
  for (std::size_t s = 0; s < chain.scans.size(); ++s) {
    const ScanWork& work = chain.scans[s];
    Json scan = {
        {"name", work.entry->name},
        {"role", role_of(chain, s)},
        {"bone_triangles", work.surfaces.bone.triangles.size()},
        {"skin_triangles", work.surfaces.skin.triangles.size()},
        {"cut_skin_vertices", std::count(work.surfaces.skin_border.begin(), work.surfaces.skin_border.end(), true)}};
    if (!work.entry->volume.empty() && work.entry->labels.empty())
      scan["bone_threshold"] = work.surfaces.thresholds.bone;
    if (work.surfaces.thresholds.skin != 0) scan["skin_threshold"] = work.surfaces.thresholds.skin;
    if (!work.entry->labels.empty()) scan["labels"] = work.entry->labels.filename().string();
    list.push_back(std::move(scan));
  }
  return list;
}

Json stages_json(const Chain& chain) {
  Json list = Json::array();
  for (const StageRun& run : chain.stages)
    list.push_back({{"stage", run.stage}, {"seconds", run.seconds}, {"memory_mb", run.memory_mb}, {"kept", run.kept}});
  return list;
}

Json bones_json(const Chain& chain) {
  Json list = Json::array();
  for (std::size_t b = 0; b < chain.bones.size(); ++b) {
    const scan::NamedBone& named = chain.naming.bones[b];
    double volume = 0;
    for (const std::uint32_t piece : named.pieces) volume += chain.parts.parts[piece].volume;
    list.push_back({{"name", chain.bones[b].name},
                    {"pieces", named.pieces},
                    {"doubt", named.doubt},
                    {"volume_mm3", volume * cubic_mm},
                    {"triangles", chain.bones[b].surface.triangles.size()}});
  }
  return list;
}

/// Pieces that belong to no bone: found but not named, and too small to be looked at.
Json left_over_json(const Chain& chain) {
  Json unused = Json::array(), dropped = Json::array(), outside = Json::array();
  for (const std::uint32_t piece : chain.naming.unused) {
    const scan::BonePart& part = chain.parts.parts[piece];
    unused.push_back(
        {{"piece", piece}, {"volume_mm3", part.volume * cubic_mm}, {"centre_mm", millimetres(part.centre)}});
  }
  for (const scan::Parts::Dropped& piece : chain.parts.dropped)
    dropped.push_back({{"volume_mm3", piece.volume * cubic_mm}, {"centre_mm", millimetres(piece.centre)}});
  for (const scan::Parts::Dropped& piece : chain.parts.outside)
    outside.push_back({{"volume_mm3", piece.volume * cubic_mm}, {"centre_mm", millimetres(piece.centre)}});
  return {{"unused", std::move(unused)}, {"dropped", std::move(dropped)}, {"outside", std::move(outside)}};
}

Json alignment_json(const Chain& chain) {
  Json list = Json::array();
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    Json bones = Json::array();
    for (std::size_t b = 0; b < chain.bones.size(); ++b) {
      const scan::BoneFit& fit = chain.scans[s].alignment.bones[b];
      bones.push_back({{"bone", chain.bones[b].name},
                       {"residual_mm", fit.residual * mm},
                       {"overlap", fit.overlap},
                       {"rotation_sd_degrees", fit.rotation_sd * degrees},
                       {"shift_sd_mm", fit.shift_sd * mm},
                       {"found", fit.found}});
    }
    const scan::ScanScale& scale = chain.scans[s].alignment.scale;
    Json axes = Json::array();
    for (std::size_t k = 0; k < 3; ++k) axes.push_back({scale.axes[k].x, scale.axes[k].y, scale.axes[k].z});
    list.push_back({{"scan", chain.scans[s].entry->name},
                    {"scale", {scale.factors.x, scale.factors.y, scale.factors.z}},
                    {"scale_axes", std::move(axes)},
                    {"scale_sd", scale.sd},
                    {"bones", std::move(bones)}});
  }
  return list;
}

/// Angles of one joint in every scan, counted from the base scan's pose.
Json angles_json(const Chain& chain, JointIndex joint) {
  const ExampleSet& set = chain.assembled.examples;
  const auto dofs = set.skeleton.dofs(joint);
  Json list = Json::array();
  for (std::size_t i = 0; i < set.size(); ++i) {
    float left = 0;
    const std::vector<float> angles = get_angles(set.pose(i), set.skeleton, joint, &left);
    Json by_name = Json::object();
    for (std::size_t d = 0; d < dofs.size(); ++d) by_name[dofs[d].name] = double{angles[d]} * degrees;
    list.push_back(
        {{"scan", set.examples[i].name}, {"degrees", std::move(by_name)}, {"left_degrees", double{left} * degrees}});
  }
  return list;
}

/// Joints were estimated from the scans to learn from, in their order.
Json joints_json(const Chain& chain, const JointAnalysis& analysis) {
  std::vector<std::string> learnt_from;
  for (std::size_t s = 1; s < chain.scans.size(); ++s)
    if (chain.scans[s].entry->role == Role::train) learnt_from.push_back(chain.scans[s].entry->name);
  const Skeleton& skeleton = chain.assembled.character.skeleton;
  Json list = Json::array();
  for (std::size_t b = 1; b < chain.bones.size(); ++b) {
    const scan::JointEstimate& joint = chain.joints[b];
    Json json = {{"joint", chain.bones[b].name},
                 {"centre_mm", millimetres(joint.centre)},
                 {"from_facing_ends_mm", length(joint.centre - joint.prior) * mm},
                 {"residual_mm", joint.residual * mm},
                 {"worst_mm", joint.worst * mm},
                 {"uncertainty_mm", millimetres(joint.uncertainty)},
                 {"along_axis_mm", joint.along_axis * mm},
                 {"across_axis_mm", joint.across_axis * mm},
                 {"seen", joint.seen},
                 {"slides", joint.slides},
                 {"axis", {joint.axis.x, joint.axis.y, joint.axis.z}},
                 {"axis_spread_degrees", joint.axis_spread * degrees}};
    if (joint.worst_scan < learnt_from.size()) json["worst_scan"] = learnt_from[joint.worst_scan];
    if (const auto index = skeleton.find(chain.bones[b].name)) json["angles"] = angles_json(chain, *index);
    json["kinds"] = kinds_json(analysis.types[b]);
    json["anatomical"] = anatomical_json(chain, analysis, b);
    list.push_back(std::move(json));
  }
  return list;
}

/// Root mean square over all joints that turn about a centre: the paper's measure (eq. 1), which had 0.91 mm.
double joint_residual(const Chain& chain) {
  double squares = 0, count = 0;
  for (std::size_t b = 1; b < chain.joints.size(); ++b) {
    if (chain.joints[b].slides) continue;
    squares += chain.joints[b].residual * chain.joints[b].residual;
    ++count;
  }
  return count > 0 ? std::sqrt(squares / count) : 0;
}

Json fits_json(const Chain& chain) {
  const Character& hand = chain.assembled.character;
  const Pose rest = hand.rest();
  const auto near = [&](std::uint32_t vertex) {
    return nearest_joint(hand.skeleton, rest, hand.parts[0].mesh.positions[vertex]);
  };
  Json list = Json::array();
  for (std::size_t s = 1; s < chain.scans.size() && chain.has_skin(); ++s) {
    const ScanWork& work = chain.scans[s];
    if (!work.shows_skin()) continue;
    const scan::FitQuality& q = work.fit.quality;
    const Affined to_model = chain.assembled.to_model * inverse(work.alignment.bones[0].motion);
    const Vec3f unreached(to_model.point(Vec3d(work.surfaces.skin.positions[q.worst_scan_vertex])));
    Json json = {{"scan", work.entry->name},
                 {"features", work.fit.features.size()},
                 {"forward_rms_mm", q.forward_rms * mm},
                 {"forward_max_mm", q.forward_max * mm},
                 {"forward_worst_vertex", q.worst_vertex},
                 {"forward_worst_near", near(q.worst_vertex)},
                 {"whole_rms_mm", q.whole_rms * mm},
                 {"whole_max_mm", q.whole_max * mm},
                 {"whole_worst_near", near(q.whole_worst)},
                 {"backward_rms_mm", q.backward_rms * mm},
                 {"backward_max_mm", q.backward_max * mm},
                 {"backward_worst_near", nearest_joint(hand.skeleton, chain.assembled.examples.pose(s - 1), unreached)},
                 {"flipped", q.flipped},
                 {"stretched", q.stretched},
                 {"stretch_p99", q.stretch_p99},
                 {"stretch_max", q.stretch_max},
                 {"stretch_worst_near", near(q.worst_edge[0])},
                 {"unreliable", q.unreliable}};
    if (q.flipped > 0) {
      json["first_flipped"] = q.first_flipped;
      json["first_flipped_near"] = near(chain.base_skin.triangles[q.first_flipped][0]);
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json errors_json(const Chain& chain, const Judged& judged) {
  const ExampleSet& set = chain.assembled.examples;
  Json list = Json::array();
  for (const ScanError& error : judged.errors) {
    const Pose pose = set.pose(error.scan - 1);
    Json json = {{"scan", chain.scans[error.scan].entry->name},
                 {"role", role_of(chain, error.scan)},
                 {"share_left_out", error.share_left_out}};
    for (std::size_t m = 0; m < method_keys.size(); ++m) {
      const measure::ErrorSummary& e = error.methods[m];
      json[method_keys[m]] = {{"rms_mm", e.rms * mm},
                              {"p99_mm", e.p99 * mm},
                              {"max_mm", e.max * mm},
                              {"whole_rms_mm", error.whole[m].rms * mm},
                              {"whole_max_mm", error.whole[m].max * mm},
                              {"worst_near", nearest_joint(set.skeleton, pose, e.worst_position)},
                              {"worst_position_mm", millimetres(Vec3d(e.worst_position))}};
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json overall_json(const Chain& chain, const Judged& judged) {
  Json json = Json::object();
  for (const Role role : {Role::train, Role::test}) {
    const auto of_role = [&](const ScanError& e) { return chain.scans[e.scan].entry->role == role; };
    if (std::none_of(judged.errors.begin(), judged.errors.end(), of_role)) continue;
    Json& methods = json[role == Role::test ? "test" : "train"];
    for (std::size_t m = 0; m < method_keys.size(); ++m)
      methods[method_keys[m]] = judged.rms(static_cast<SkinMethod>(m), role, chain) * mm;
  }
  return json;
}

}  // namespace

Json scan_json(const Chain& chain, const Judged& judged, const JointAnalysis& joints, const Warnings& warnings) {
  const Mesh& skin = chain.base_skin;
  Json json = {{"project", chain.project.file.string()},
               {"name", chain.project.name},
               {"skeleton", chain.skeleton.name},
               {"skin_triangles", skin.triangles.size()},
               {"skin_vertices", skin.positions.size()}};
  json["scans"] = scans_json(chain);
  json["bones"] = bones_json(chain);
  json["single_bones"] = scan_report::single_bones_json(chain);
  json["left_over"] = left_over_json(chain);
  json["alignment"] = alignment_json(chain);
  json["joints"] = joints_json(chain, joints);
  json["bone_axes"] = bone_axes_json(chain, joints);
  json["joint_residual_mm"] = joint_residual(chain) * mm;
  json["fits"] = fits_json(chain);
  json["errors"] = errors_json(chain, judged);
  json["overall_rms_mm"] = overall_json(chain, judged);
  json["stages"] = stages_json(chain);
  json["review"] = review_json(chain.review);
  json["warnings"] = warnings;
  return json;
}

}  // namespace supple::workflow
