#include "fuzz/target.h"
#include "supple/files/pose_plan_file.h"
#include "support/example_sets.h"

namespace supple::fuzz {
namespace {

bool read_plan_input(Input input) {
  static const Skeleton skeleton = test::bar().skeleton;
  const auto plan = parse_pose_plan(as_text(input), "a.json");
  if (!plan) return false;
  require(parse_pose_plan(to_json(*plan), "again.json").ok(), "a plan that was read can be written and read");
  Warnings warnings;
  return validate(*plan, skeleton, &warnings).ok();
}

Seeds plan_seeds() {
  const auto plan = make_plan(test::bar().skeleton);
  require(plan.ok(), "a plan is made");
  PosePlan small = *plan;
  small.sweeps.resize(std::min<std::size_t>(small.sweeps.size(), 2));
  for (Sweep& sweep : small.sweeps) sweep.poses.resize(std::min<std::size_t>(sweep.poses.size(), 3));
  return {{"made", to_json(small)},
          {"by_hand",
           "{\"pose_plan\": 1, // hand\n\"sweeps\": [{\"name\": \"s\", \"poses\": [{\"name\": \"p\", \"angles\": "
           "{\"elbow\": {\"flexion\": 35.5}}, \"role\": \"test\", \"weight\": 2, \"tags\": [\"a\"]}]}]}"}};
}

}  // namespace

extern const Target plan_target{
    "plan",
    read_plan_input,
    plan_seeds,
    {"\"pose_plan\": 1", "\"sweeps\": [", "\"name\": ", "\"poses\": [", "\"angles\": {", "\"elbow\": {",
     "\"flexion\": ", "\"twist\": ", "\"role\": \"test\"", "\"weight\": ", "\"tags\": [", "//", "1e999"}};

}  // namespace supple::fuzz
