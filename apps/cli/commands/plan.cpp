// supple plan: which poses to simulate or sculpt, from the limits of a rig.
#include <fmt/core.h>

#include <map>
#include <numbers>

#include "cli/commands/commands.h"
#include "cli/plan_options.h"
#include "cli/pose_options.h"
#include "supple/author/learn/adaptive_plan.h"
#include "supple/files/example_set_file.h"
#include "supple/files/pose_plan_file.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/clip_sweeps.h"
#include "supple/rig/crowding.h"
#include "supple/rig/merge_parts.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/units.h"

namespace supple::cli {
namespace {

struct PlanCommand {
  std::string input, output, examples, clip;
  int adaptive = 0;
  ClipSweepOptions frames;
  bool clip_only = false;
  PlanOptions plan;
};

void declare(Command& app, PlanCommand& o) {
  app.option("file", o.input, "Character whose joints have limits (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "Plan to write (.json)").required().type("FILE");
  (void)declare_plan_options(app, o.plan);
  const Option examples =
      app.option("--examples", o.examples, "Folder of the examples that there are, for --adaptive").type("FOLDER");
  app.option(
         "--adaptive", o.adaptive,
         "Plan only so many training poses, where a skin of the examples that there are would learn most; the file's "
         "clips count as much as all other poses")
      .range(1, 100000)
      .needs(examples)
      .type("N");
  const Option clip =
      app.option("--clip", o.clip, "Poses of this clip of the file as test poses besides, by name").type("NAME");
  app.option("--every", o.frames.every, "Seconds between them")
      .show_default()
      .range(0.001, 1000.0)
      .needs(clip)
      .type("S");
  app.option("--test-every", o.frames.test_every, "One in N of them is a test pose, the others are learnt from")
      .show_default()
      .range(1, 1000)
      .needs(clip)
      .type("N");
  app.flag("--unseen-third", o.frames.unseen_third, "Nothing of the last third of the clip is learnt from")
      .needs(app.get("--test-every"));
  app.flag("--clip-only", o.clip_only, "Nothing else than the clip").needs(clip).excludes(app.get("--adaptive"));
  app.mark_advanced({"--every", "--test-every", "--unseen-third", "--clip-only"});
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
    if (found == counts.end()) continue;
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

Result<PosePlan> plan_adaptively(const PlanCommand& o, const ExampleSet& set, Character& character, Session& session) {
  remove_driven_morphs(character);
  auto parts = parts_of(set, character);
  if (!parts) return parts.error();
  if (auto ok = check_matches(set, character, *parts); !ok) return ok.error();
  learn::AdaptiveOptions options{o.plan, static_cast<std::size_t>(o.adaptive)};
  const bool several = parts->size() > 1;
  const Character one_skin = several ? merge_parts(character, *parts, Seams::kept).character : Character();
  auto batch = learn::next_batch(set, several ? one_skin : character, several ? 0 : (*parts)[0], options,
                                 &session.warnings, session.progress);
  if (!batch) return batch.error();
  return PosePlan{std::move(batch->sweeps)};
}

Result<void> add_clip(const PlanCommand& o, const Character& character, PosePlan& plan) {
  const auto clip = find_clip(character, o.clip);
  if (!clip) return clip.error();
  return add_clip_sweeps(character, **clip, o.frames, plan);
}

Result<Outcome> run(const PlanCommand& o, Session& session) {
  auto model = load_model(o.input, session);
  if (!model) return model.error();
  const Skeleton& skeleton = model->character().skeleton;
  ExampleSet set;
  if (o.adaptive > 0) {
    auto loaded = load_examples(o.examples);
    if (!loaded) return loaded.error();
    set = std::move(*loaded);
  }
  const Crowding crowding(model->character());
  auto plan = o.clip_only      ? Result<PosePlan>(PosePlan{})
              : o.adaptive > 0 ? plan_adaptively(o, set, model->character(), session)
                               : make_plan(skeleton, o.plan, &crowding);
  if (plan && !o.clip.empty())
    if (auto ok = add_clip(o, model->character(), *plan); !ok) plan = ok.error();
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
                           "supple plan hand.glb --joints wrist,thumb-metacarpal -o plan.json\n"
                           "  supple plan hand.glb --examples examples --adaptive 50 -o next.json\n"
                           "  supple plan hand.glb --clip fist --every .1 --test-every 2 -o plan.json",
                           declare, run);
}

}  // namespace supple::cli
