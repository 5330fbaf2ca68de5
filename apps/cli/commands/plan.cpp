// supple plan: which poses to simulate or sculpt, from the limits of a rig.
#include <fmt/core.h>

#include <map>
#include <numbers>

#include "cli/commands/commands.h"
#include "cli/model.h"
#include "cli/plan_options.h"
#include "cli/units.h"
#include "supple/exchange/pose_plan_file.h"

namespace supple::cli {
namespace {

struct PlanCommand {
  std::string input, output;
  PlanOptions plan;
};

void declare(Command& app, PlanCommand& o) {
  app.option("file", o.input, "Character whose joints have limits (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "Plan to write (.json)").required().type("FILE");
  (void)declare_plan_options(app, o.plan);
}

/// How often a joint is turned, by what the poses are for.
struct JointCounts {
  std::size_t axis = 0, off_axis = 0, between = 0, random = 0;
};

std::map<std::string, JointCounts> counts_by_joint(const PosePlan& plan) {
  std::map<std::string, JointCounts> counts;
  for (const Sweep& sweep : plan.sweeps) {
    for (const PlannedPose& pose : sweep.poses) {
      const std::string& tag = pose.tags.front();
      std::string last;
      for (const JointAngles& a : pose.angles) {
        if (std::exchange(last, a.joint) == a.joint) continue;  // angles of one joint stand together
        JointCounts& c = counts[a.joint];
        (tag == "axis" ? c.axis : tag == "off-axis" ? c.off_axis : tag == "between" ? c.between : c.random) += 1;
      }
    }
  }
  return counts;
}

std::string ranges_text(const Skeleton& skeleton, JointIndex j) {
  std::string text;
  for (const Dof& dof : skeleton.dofs(j)) {
    text +=
        fmt::format("{}{} {:.0f}..{:.0f}", text.empty() ? "" : ", ", dof.name, dof.min * degrees, dof.max * degrees);
  }
  return text.empty() ? "own axes" : text;
}

Outcome describe(const PlanCommand& o, const PosePlan& plan, const Skeleton& skeleton) {
  const std::size_t training = plan.pose_count(Role::train), test = plan.pose_count(Role::test);
  double travel = 0;
  for (const Sweep& sweep : plan.sweeps) travel += length(sweep);
  travel *= 180 / std::numbers::pi;
  Outcome outcome;
  outcome.text = fmt::format("{}: {} training and {} test poses in {} sweeps, {:.0f} degrees of travel\n", o.output,
                             training, test, plan.sweeps.size(), travel);
  outcome.text += fmt::format("  {:<34} {:>6} {:>8} {:>8} {:>7}  limits in degrees\n", "joint", "axis", "off-axis",
                              "between", "random");
  outcome.json = {{"file", o.output},         {"training_poses", training},
                  {"test_poses", test},       {"sweeps", plan.sweeps.size()},
                  {"travel_degrees", travel}, {"joints", Json::array()}};
  const std::map<std::string, JointCounts> counts = counts_by_joint(plan);
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const auto found = counts.find(skeleton.name(j));
    if (found == counts.end() || skeleton.find(skeleton.name(j)) != j) continue;
    const JointCounts& c = found->second;
    outcome.text += fmt::format("  {:<34} {:>6} {:>8} {:>8} {:>7}  {}\n", skeleton.name(j), c.axis, c.off_axis,
                                c.between, c.random, ranges_text(skeleton, j));
    outcome.json["joints"].push_back({{"name", skeleton.name(j)},
                                      {"axis", c.axis},
                                      {"off_axis", c.off_axis},
                                      {"between", c.between},
                                      {"random", c.random}});
  }
  return outcome;
}

Result<Outcome> run(const PlanCommand& o, Session& session) {
  const auto model = load_model(o.input, session);
  if (!model) return model.error();
  const Skeleton& skeleton = model->character().skeleton;
  const auto plan = make_plan(skeleton, o.plan);
  if (!plan) {
    const Error& error = plan.error();
    return Error{o.input + ", " + error.item, error.problem, error.remedy};
  }
  if (auto written = write_pose_plan(o.output, *plan); !written) return written.error();
  return describe(o, *plan, skeleton);
}

}  // namespace

void add_plan(Command& app, Session& session) {
  add_command<PlanCommand>(app, session, "plan", "Plan the poses to simulate or sculpt, from a rig's limits",
                           "supple plan hand.glb --joints wrist,thumb-metacarpal -o plan.json", declare, run);
}

}  // namespace supple::cli
