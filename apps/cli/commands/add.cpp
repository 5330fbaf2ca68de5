// supple add: gives a file a deformer.
#include "cli/commands/add.h"

#include <fmt/core.h>

namespace supple::cli {
namespace {

std::string volume_text(const PosedFigures& figures) {
  return figures.worst_volume_change ? fmt::format("{:+.2f} %", *figures.worst_volume_change * 100) : "open";
}

Json figures_json(const PosedFigures& figures) {
  Json json{{"broken_poses", figures.broken},
            {"worst_volume_change", nullptr},
            {"worst_volume_pose", figures.worst_volume_pose},
            {"new_triangles", figures.new_triangles},
            {"most_new_triangles", figures.most_new_triangles},
            {"most_new_triangles_pose", figures.most_new_pose}};
  if (figures.worst_volume_change) json["worst_volume_change"] = *figures.worst_volume_change;
  return json;
}

}  // namespace

void declare_no_compare(Command& app, bool& compare) {
  app.flag(
      "--no-compare", [&compare] { compare = false; }, "Do not pose the skin with it and without it, to compare them");
}

void tell_comparison(const std::optional<workflow::ComparedPoses>& compared, Outcome& outcome) {
  if (!compared) return;
  const PosedFigures &with = compared->with, &without = compared->without;
  outcome.text += fmt::format("  {:<44} {:>12} {:>12}\n",
                              fmt::format("over {} poses of {}", compared->poses,
                                          compared->of_clips ? "the file's clips" : "the joints' limits"),
                              "with it", "without");
  outcome.text += fmt::format("  {:<44} {:>12} {:>12}\n", "largest change of the skin's volume", volume_text(with),
                              volume_text(without));
  outcome.text += fmt::format("  {:<44} {:>12} {:>12}\n", "triangles that cross others, but not at rest",
                              with.new_triangles, without.new_triangles);
  if (with.broken > 0 || without.broken > 0)
    outcome.text +=
        fmt::format("  {:<44} {:>12} {:>12}\n", "poses with vertices that are nowhere", with.broken, without.broken);
  outcome.json["compared"] = {{"poses", compared->poses},
                              {"poses_of", compared->of_clips ? "clips" : "joint limits"},
                              {"with", figures_json(with)},
                              {"without", figures_json(without)},
                              {"worse_volume", compared->changes_volume_more()},
                              {"worse_self_intersection", compared->crosses_more()},
                              {"worse_broken_poses", compared->breaks_more()}};
}

void add_add(Command& app, Session& session) {
  Command add = app.command("add", "Give a file a deformer: flesh, kinodynamics, wrinkles, delta-mush",
                            "\nExample:\n  supple add flesh body.glb --auto -o soft.glb\n"
                            "\nsupple remove takes deformers out again; supple inspect names those of a file.");
  declare_add_flesh(add, session);
  declare_add_kinodynamics(add, session);
  declare_add_wrinkles(add, session);
  declare_add_delta_mush(add, session);
}

}  // namespace supple::cli
