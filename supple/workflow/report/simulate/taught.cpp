// The report of examples that a deformer taught.
#include <fmt/core.h>

#include <filesystem>

#include "supple/rig/merge_parts.h"
#include "supple/workflow/report/simulate/report.h"
#include "supple/workflow/report/simulate/sheet.h"

namespace supple::workflow {
namespace {

std::string part_names(const Taught& taught) {
  std::string names;
  for (const std::size_t p : taught.parts)
    names += (names.empty() ? "" : ", ") + taught.model.character().parts[p].name;
  return names;
}

Json taught_json(const Taught& taught, const SimulateOptions& o, const Warnings& warnings) {
  Json poses = Json::array();
  double seconds = 0;
  const TaughtPose* volume = nullptr;
  const TaughtPose* crossing = nullptr;
  std::size_t intersecting = 0;
  for (const TaughtPose& l : taught.poses) {
    seconds += l.seconds;
    intersecting += l.new_triangles > 0 ? 1 : 0;
    if (l.volume_change && (volume == nullptr || std::abs(*l.volume_change) > std::abs(*volume->volume_change)))
      volume = &l;
    if (l.new_triangles > (crossing == nullptr ? 0 : crossing->new_triangles)) crossing = &l;
    poses.push_back({{"name", taught.planned(l).name},
                     {"sweep", taught.plan.sweeps[l.sweep].name},
                     {"role", taught.planned(l).role == Role::train ? "train" : "test"},
                     {"seconds", l.seconds},
                     {"volume_change", l.volume_change ? Json(*l.volume_change) : Json()},
                     {"intersecting_triangles", l.new_triangles},
                     {"flags", l.flags}});
  }
  Json report = {{"model", o.input},
                 {"deformer", o.deformer->teacher},
                 {"deformer_summary", std::string(o.deformer->name) + ": " + o.deformer->summary(taught.teacher)},
                 {"part", part_names(taught)}};
  report.update({{"poses_finished", taught.poses.size()},
                 {"poses_missing", taught.missing},
                 {"sweeps", taught.plan.sweeps.size()},
                 {"seconds_per_pose", taught.poses.empty() ? 0 : seconds / static_cast<double>(taught.poses.size())},
                 {"worst_volume_change", volume == nullptr ? Json() : Json(*volume->volume_change)},
                 {"worst_volume_pose", volume == nullptr ? "" : taught.planned(*volume).name},
                 {"intersecting_poses", intersecting},
                 {"most_intersecting_triangles", crossing == nullptr ? 0 : crossing->new_triangles},
                 {"most_intersecting_pose", crossing == nullptr ? "" : taught.planned(*crossing).name},
                 {"fit_command", fit_command(o)},
                 {"warnings", warnings},
                 {"poses", std::move(poses)}});
  return report;
}

Result<render::Image> sheet_of(const Taught& taught, const Progress& progress) {
  const Character& character = taught.teacher;
  auto skin = Skin::make(character, taught.blend);
  if (!skin) return skin.error();
  std::vector<SheetPose> poses;
  for (const TaughtPose& p : taught.poses)
    poses.push_back({p.sweep, taught.planned(p).name + (p.flags.empty() ? "" : ", " + p.flags[0]), !p.flags.empty()});
  const auto positions = [&](std::size_t i) -> std::optional<std::vector<Vec3f>> {
    Pose pose = pose_of(taught.planned(taught.poses[i]), character.skeleton);
    pose.morph_weights = character.morph_weights;
    if (!skin->evaluate(pose)) return std::nullopt;
    return taught.positions(*skin);
  };
  if (taught.taught.size() == 1) return draw_sheet(character, taught.taught[0], poses, positions, progress);
  return draw_sheet(merge_parts(character, taught.taught, Seams::kept).character, 0, poses, positions, progress);
}

}  // namespace

std::string fit_command(const SimulateOptions& o) {
  const std::string name = std::filesystem::path(o.input).stem().string();
  return fmt::format("supple fit {} --examples {} -o {}-skin.glb --report {}-skin.html", o.input, o.output, name, name);
}

Json report_taught(const Taught& taught, const SimulateOptions& o, bool pictures, Work& work) {
  Json report = taught_json(taught, o, work.warnings);
  const DrawSheet sheet = [&] { return sheet_of(taught, work.progress); };
  write_reports(o.output, report, taught_html, pictures && !taught.poses.empty() ? sheet : DrawSheet(), work);
  return report;
}

}  // namespace supple::workflow
