// supple add: gives a file a deformer.
#include "cli/commands/add.h"

#include <fmt/core.h>

namespace supple::cli {
namespace {

using workflow::ComparedPose;
using workflow::SkinComparison;

std::string volume_text(const SkinComparison& c, SkinComparison::Side side) {
  const ComparedPose* worst = c.worst_volume(side);
  return worst != nullptr ? fmt::format("{:+.2f} %", (worst->*side).volume_change.value_or(0) * 100) : "open";
}

/// The region whose volume changes most, of those that are large enough to count.
std::string region_text(const SkinComparison& c, SkinComparison::Side side, const Skeleton& skeleton) {
  const auto [region, change] = c.worst_region(side);
  if (region == c.regions.size()) return "none";
  return fmt::format("{:+.1f} % {}", change * 100, skeleton.name(c.regions[region].joint));
}

Json side_json(const SkinComparison& c, SkinComparison::Side side, const Skeleton& skeleton) {
  const ComparedPose *volume = c.worst_volume(side), *most = c.most_crossing(side);
  const auto [region, change] = c.worst_region(side);
  Json json{{"broken_poses", c.broken(side)},
            {"worst_volume_change", nullptr},
            {"worst_volume_pose", volume != nullptr ? volume->name : ""},
            {"worst_region_change", nullptr},
            {"worst_region_joint", nullptr},
            {"new_triangles", c.crossing(side)},
            {"most_new_triangles", most != nullptr ? (most->*side).crossing : 0},
            {"most_new_triangles_pose", most != nullptr ? most->name : ""}};
  if (volume != nullptr) json["worst_volume_change"] = (volume->*side).volume_change.value_or(0);
  if (region < c.regions.size()) {
    json["worst_region_change"] = change;
    json["worst_region_joint"] = skeleton.name(c.regions[region].joint);
  }
  return json;
}

}  // namespace

void declare_hardness(Command& app, std::vector<std::string>& hard, std::vector<std::string>& soft) {
  app.option("--hard", hard,
             "A joint or part whose skin keeps its shape, besides buckles, plates and heads that are found; "
             "may be repeated")
      .one_each()
      .type("NAME");
  app.option("--soft", soft,
             "A joint or part whose skin is soft, though it looks hard: separate pieces, a head; may be "
             "repeated")
      .one_each()
      .type("NAME");
}

void tell_mended(const std::vector<std::string>& mended, Outcome& outcome) {
  for (const std::string& sentence : mended) outcome.text += "  mended: " + sentence + "\n";
  if (!mended.empty()) outcome.json["mended"] = mended;
}

void declare_no_compare(Command& app, bool& compare) {
  app.flag(
      "--no-compare", [&compare] { compare = false; }, "Do not pose the skin with it and without it, to compare them");
}

void tell_comparison(const std::optional<SkinComparison>& compared, const Skeleton& skeleton, Outcome& outcome) {
  if (!compared) return;
  const SkinComparison& c = *compared;
  constexpr SkinComparison::Side with = &ComparedPose::after, without = &ComparedPose::before;
  const std::string of_with = region_text(c, with, skeleton), of_without = region_text(c, without, skeleton);
  const std::size_t width = std::max<std::size_t>({12, of_with.size(), of_without.size()});
  const auto row = [&](const std::string& what, const auto& one, const auto& other) {
    outcome.text += fmt::format("  {:<44} {:>{}} {:>{}}\n", what, one, width, other, width);
  };
  row(fmt::format("over {} poses of {}", c.poses.size(), words_of(c.source)), "with it", "without");
  row("largest change of the skin's volume", volume_text(c, with), volume_text(c, without));
  row("largest change of a region's volume", of_with, of_without);
  row("triangles that cross others, but not at rest", c.crossing(with), c.crossing(without));
  const DamageTotals damage = c.damage();
  row("torn edges, parted pieces, open seams", damage.torn + damage.parted + damage.opened, 0);
  row("folded edges", damage.folded, damage.folded_before);
  if (c.broken(with) > 0 || c.broken(without) > 0)
    row("poses with vertices that are nowhere", c.broken(with), c.broken(without));
  outcome.json["compared"] = {{"poses", c.poses.size()},
                              {"poses_of", c.source == workflow::PoseSource::clips     ? "clips"
                                           : c.source == workflow::PoseSource::limits  ? "joint limits"
                                           : c.source == workflow::PoseSource::anatomy ? "anatomy"
                                                                                       : "guessed limits"},
                              {"with", side_json(c, with, skeleton)},
                              {"without", side_json(c, without, skeleton)},
                              {"worse_volume", c.changes_volume_more()},
                              {"worse_region", !c.worse_regions().empty()},
                              {"worse_self_intersection", c.crosses_more()},
                              {"worse_broken_poses", c.breaks_more()},
                              {"torn", c.tears()},
                              {"worse_folds", c.folds_more()}};
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
