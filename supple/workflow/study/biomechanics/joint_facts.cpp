#include "supple/workflow/study/biomechanics/joint_facts.h"

#include "supple/workflow/jobs/units.h"

namespace supple::workflow {
namespace {

Json three(Vec3d v) { return {v.x, v.y, v.z}; }

}  // namespace

Json kinds_json(const scan::JointTypeChoice& joint) {
  Json tried = Json::array();
  for (const scan::JointModel& m : joint.tried) {
    Json axes = Json::array();
    for (const Vec3d& axis : m.axes) axes.push_back(three(axis));
    tried.push_back({{"kind", scan::name_of(m.type)},
                     {"parameters", m.parameters},
                     {"numbers", m.numbers},
                     {"chi_square", m.chi_square},
                     {"bic", m.bic},
                     {"rotation_left_degrees", m.turn_left * degrees},
                     {"shift_left_mm", m.shift_left * mm},
                     {"centre_mm", three(m.centre * mm)},
                     {"axes", std::move(axes)}});
  }
  return {{"kind", joint.tried.empty() ? "not seen" : scan::name_of(joint.model()->type)},
          {"noise_scale", joint.scale},
          {"tried", std::move(tried)}};
}

Json anatomical_json(const Chain& chain, const JointAnalysis& joints, std::size_t bone) {
  Json list = Json::array();
  for (std::size_t s = 0; s < chain.scans.size(); ++s) {
    const scan::AnatomicalAngles a = angles_in(chain, joints, s, bone);
    list.push_back({{"scan", chain.scans[s].entry->name},
                    {"flexion_degrees", a.flexion * degrees},
                    {"flexion_sd_degrees", a.flexion_sd * degrees},
                    {"deviation_degrees", a.deviation * degrees},
                    {"deviation_sd_degrees", a.deviation_sd * degrees},
                    {"rotation_degrees", a.rotation * degrees},
                    {"rotation_sd_degrees", a.rotation_sd * degrees},
                    {"slide_mm", three(a.slide * mm)},
                    {"slide_sd_mm", three(a.slide_sd * mm)}});
  }
  return list;
}

Json bone_axes_json(const Chain& chain, const JointAnalysis& joints) {
  Json list = Json::array();
  for (std::size_t b = 0; b < chain.bones.size(); ++b) {
    const scan::BoneFrame& frame = joints.frames[b];
    list.push_back({{"bone", chain.bones[b].name},
                    {"source", scan::describe(frame.source)},
                    {"origin_mm", three(frame.axes.translation * mm)},
                    {"x", three(frame.axes.linear.c0)},
                    {"y", three(frame.axes.linear.c1)},
                    {"z", three(frame.axes.linear.c2)},
                    {"sd_degrees", three(frame.sd * degrees)}});
  }
  return list;
}

}  // namespace supple::workflow
