// Which joint of a motion moves which joint of a character.
#include <algorithm>
#include <set>

#include "supple/base/text.h"
#include "supple/files/humanoid_names.h"
#include "supple/files/retarget.h"

namespace supple {
namespace {

std::vector<JointIndex> by_equal_names(const Skeleton& source, const Skeleton& target) {
  std::vector<JointIndex> driver(target.size(), no_joint);
  std::map<std::string, JointIndex> by_name;
  for (JointIndex j = 0; j < source.size(); ++j) by_name.emplace(plain_joint_name(source.given_name(j)), j);
  by_name.erase("");
  std::set<JointIndex> taken;
  for (JointIndex j = 0; j < target.size(); ++j) {  // equal names go first: "__Clavicle_L" must not take "Clavicle_L"
    if (target.given_name(j).empty()) continue;     // "#5" of one file is not "#5" of another
    const auto same = source.find(target.name(j));
    if (same && taken.insert(*same).second) driver[j] = *same;
  }
  for (JointIndex j = 0; j < target.size(); ++j) {
    if (driver[j] != no_joint) continue;
    const auto found = by_name.find(plain_joint_name(target.given_name(j)));
    if (found != by_name.end() && taken.insert(found->second).second) driver[j] = found->second;
  }
  return driver;
}

JointMatch by_known_names(const Skeleton& source, const Skeleton& target) {
  const KnownHuman from = known_human(source), to = known_human(target);
  JointMatch match{std::vector<JointIndex>(target.size(), no_joint), from.names, to.names};
  for (std::size_t i = 0; i < human_joints; ++i)
    if (from.joints[i] != no_joint && to.joints[i] != no_joint) match.driver[to.joints[i]] = from.joints[i];
  return match;
}

}  // namespace

std::size_t JointMatch::matched() const {
  return driver.size() - static_cast<std::size_t>(std::count(driver.begin(), driver.end(), no_joint));
}

Result<JointMatch> match_joints(const Skeleton& source, const Skeleton& target, const RetargetOptions& options) {
  JointMatch match{std::vector<JointIndex>(target.size(), no_joint), "", ""};
  for (const auto& [from, to] : options.joints) {
    const auto source_joint = source.require(from);
    if (!source_joint)
      return Error{"motion, " + source_joint.error().item, source_joint.error().problem, source_joint.error().remedy};
    const auto target_joint = target.require(to);
    if (!target_joint) return target_joint.error();
    match.driver[*target_joint] = *source_joint;
  }
  if (options.joints.empty()) {
    match.driver = by_equal_names(source, target);
    JointMatch known = by_known_names(source, target);
    if (known.matched() > match.matched()) match = std::move(known);
  }
  if (match.matched() > 0) return match;
  const std::string example = source.size() > 0 ? did_you_mean(source.name(0), target.names()) : "";
  return Error{"the motion",
               "none of its " + std::to_string(source.size()) + " joints has the name of one of the character's " +
                   std::to_string(target.size()) + ", nor do both follow known sets of names",
               R"(give --map FILE with {"motion joint": "character joint"} for the joints that matter)" +
                   (example.empty() ? "" : "; " + example)};
}

}  // namespace supple
