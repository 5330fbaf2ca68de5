#include "supple/workflow/study/biomechanics/tables.h"

#include <cmath>

#include "supple/base/rng.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/biomechanics/csv.h"

namespace supple::workflow {
namespace {

void add_vector(CsvTable& table, Vec3d v) { table.add(v.x).add(v.y).add(v.z); }

const std::vector<std::string> angle_columns{"flexion_degrees",      "flexion_sd_degrees", "deviation_degrees",
                                             "deviation_sd_degrees", "rotation_degrees",   "rotation_sd_degrees",
                                             "slide_palmar_mm",      "slide_palmar_sd_mm", "slide_proximal_mm",
                                             "slide_proximal_sd_mm", "slide_radial_mm",    "slide_radial_sd_mm"};

void add_angles(CsvTable& table, const scan::AnatomicalAngles& a) {
  table.add(a.flexion * degrees).add(a.flexion_sd * degrees);
  table.add(a.deviation * degrees).add(a.deviation_sd * degrees);
  table.add(a.rotation * degrees).add(a.rotation_sd * degrees);
  for (std::size_t k = 0; k < 3; ++k) table.add(a.slide[k] * mm).add(a.slide_sd[k] * mm);
}

std::vector<std::string> with_angles(std::vector<std::string> columns) {
  columns.insert(columns.end(), angle_columns.begin(), angle_columns.end());
  return columns;
}

}  // namespace

std::string joint_types_csv(const Chain& chain, std::span<const scan::JointTypeChoice> types) {
  CsvTable table({"joint", "kind", "chosen", "degrees_of_freedom_left", "parameters", "numbers", "chi_square",
                  "noise_scale", "bic", "rotation_left_degrees", "shift_left_mm"});
  for (std::size_t b = 0; b < types.size(); ++b) {
    for (std::size_t t = 0; t < types[b].tried.size(); ++t) {
      const scan::JointModel& m = types[b].tried[t];
      const auto left = static_cast<double>(m.numbers) - static_cast<double>(m.parameters);
      table.add(chain.bones[b].name).add(scan::name_of(m.type)).add(t == types[b].chosen).add(left);
      table.add(m.parameters).add(m.numbers).add(m.chi_square).add(types[b].scale).add(m.bic);
      table.add(m.turn_left * degrees).add(m.shift_left * mm);
      table.end_row();
    }
  }
  return table.text();
}

std::string bone_axes_csv(const Chain& chain, std::span<const scan::BoneFrame> frames) {
  CsvTable table({"bone", "source", "origin_x_mm", "origin_y_mm", "origin_z_mm", "x_x", "x_y", "x_z", "y_x", "y_y",
                  "y_z", "z_x", "z_y", "z_z", "sd_about_x_degrees", "sd_about_y_degrees", "sd_about_z_degrees"});
  for (std::size_t b = 0; b < frames.size(); ++b) {
    const scan::BoneFrame& frame = frames[b];
    table.add(chain.bones[b].name).add(scan::key_of(frame.source));
    add_vector(table, frame.axes.translation * mm);
    for (std::size_t k = 0; k < 3; ++k) add_vector(table, frame.axes.linear[k]);
    add_vector(table, frame.sd * degrees);
    table.end_row();
  }
  return table.text();
}

std::string joint_axes_csv(const Chain& chain, std::span<const scan::JointTypeChoice> types) {
  CsvTable table({"joint", "kind", "centre_x_mm", "centre_y_mm", "centre_z_mm", "along_axis_sd_mm", "across_axis_sd_mm",
                  "axis", "axis_x", "axis_y", "axis_z"});
  for (std::size_t b = 0; b < types.size(); ++b) {
    const scan::JointModel* model = types[b].model();
    if (model == nullptr) continue;
    const auto row = [&](std::size_t number, Vec3d axis) {
      table.add(chain.bones[b].name).add(scan::name_of(model->type));
      add_vector(table, model->centre * mm);
      table.add(chain.joints[b].along_axis * mm).add(chain.joints[b].across_axis * mm).add(number);
      add_vector(table, axis);
      table.end_row();
    };
    for (std::size_t a = 0; a < model->axes.size(); ++a) row(a + 1, model->axes[a]);
    if (model->axes.empty()) row(0, {});
  }
  return table.text();
}

std::string scan_angles_csv(const Chain& chain, std::span<const scan::BoneFrame> frames) {
  CsvTable table(with_angles({"scan", "role", "joint", "found", "counted_from"}));
  for (std::size_t s = 0; s < chain.scans.size(); ++s) {
    for (std::size_t b = 0; b < chain.bones.size(); ++b) {
      const std::uint32_t parent = chain.bones[b].parent;
      if (parent == TemplateBone::none) continue;
      const scan::JointFrames joint = scan::joint_frames(chain.bones, frames, b);
      const ScanWork& work = chain.scans[s];
      const bool found = s == 0 || (work.alignment.bones[b].found && work.alignment.bones[parent].found);
      scan::JointMotion motion;
      if (s > 0) motion = scan::joint_motion(chain.bones, work.alignment, b);
      const char* role = s == 0 ? "base" : work.entry->role == Role::test ? "test" : "train";
      table.add(work.entry->name).add(role).add(chain.bones[b].name).add(found);
      table.add(joint.from_base ? "base scan" : "bone axes");
      add_angles(table, scan::anatomical_angles(joint, motion, chain.joints[b].centre, chain.project.right));
      table.end_row();
    }
  }
  return table.text();
}

Result<std::string> clip_angles_csv(const Chain& chain, std::span<const scan::BoneFrame> frames,
                                    const Character& character, double rate) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<JointIndex> joint_of;
  for (const scan::ScanBone& bone : chain.bones) {
    const auto joint = skeleton.require(bone.name);
    if (!joint) return Error{character.name, joint.error().message(), "give a hand that was built from this project"};
    joint_of.push_back(*joint);
  }
  const std::vector<Affinef> rest = to_world(skeleton, rest_pose(skeleton));
  const Affined to_model = chain.assembled.to_model, back = inverse(to_model);
  CsvTable table(with_angles({"clip", "seconds", "joint", "counted_from"}));
  for (const Clip& clip : character.clips) {
    const auto steps = static_cast<std::size_t>(std::floor(double{clip.duration()} * rate + 1e-6));
    for (std::size_t i = 0; i <= steps; ++i) {
      const double seconds = static_cast<double>(i) / rate;
      Pose pose = character.rest();
      sample(clip, clip.start() + static_cast<float>(seconds), pose);
      const std::vector<Affinef> world = to_world(skeleton, pose);
      const auto motion_of_bone = [&](std::size_t b) {
        const Affined moved = Affined(world[joint_of[b]]) * inverse(Affined(rest[joint_of[b]]));
        return back * moved * to_model;
      };
      for (std::size_t b = 0; b < chain.bones.size(); ++b) {
        if (chain.bones[b].parent == TemplateBone::none) continue;
        const scan::JointFrames joint = scan::joint_frames(chain.bones, frames, b);
        scan::JointMotion motion;
        motion.motion = inverse(motion_of_bone(chain.bones[b].parent)) * motion_of_bone(b);
        motion.motion.linear = polar(motion.motion.linear).rotation;
        table.add(clip.name).add(seconds).add(chain.bones[b].name);
        table.add(joint.from_base ? "base scan" : "bone axes");
        add_angles(table, scan::anatomical_angles(joint, motion, chain.joints[b].centre, chain.project.right));
        table.end_row();
      }
    }
  }
  return table.text();
}

std::string coordinates_csv(const Chain& chain, const HandModel& model) {
  std::vector<std::string> columns{"scan"};
  for (const ModelBody& body : model.bodies)
    for (const ModelCoordinate& c : body.coordinates) columns.push_back(c.name);
  CsvTable table(columns);
  for (std::size_t s = 0; s < chain.scans.size(); ++s) {
    table.add(chain.scans[s].entry->name);
    for (const double value : coordinates_in(model, chain, s)) table.add(value);
    table.end_row();
  }
  return table.text();
}

ReferencePoses reference_poses(const HandModel& model, std::size_t count, std::uint64_t seed) {
  std::vector<std::string> columns{"pose"};
  for (const ModelBody& body : model.bodies)
    for (const ModelCoordinate& c : body.coordinates) columns.push_back(c.name);
  CsvTable coordinates(columns), positions({"pose", "kind", "name", "x", "y", "z"});
  Rng rng(seed);
  for (std::size_t p = 0; p < count; ++p) {
    std::vector<double> values;
    coordinates.add(p);
    for (const ModelBody& body : model.bodies) {
      for (const ModelCoordinate& c : body.coordinates) {
        values.push_back(rng.uniform(c.low, c.high));
        coordinates.add(values.back());
      }
    }
    coordinates.end_row();
    const std::vector<Affined> world = body_poses(model, values);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const auto row = [&](const char* kind, const std::string& name, Vec3d at) {
        positions.add(p).add(kind).add(name);
        add_vector(positions, at);
        positions.end_row();
      };
      row("body", model.bodies[b].name, world[b].translation);
      for (const ModelBody::Landmark& landmark : model.bodies[b].landmarks)
        row("landmark", landmark.name, world[b].point(landmark.at));
    }
  }
  return {coordinates.text(), positions.text()};
}

}  // namespace supple::workflow
