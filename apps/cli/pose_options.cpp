#include "cli/pose_options.h"

namespace supple::cli {

void add_pose_options(Command& app, PoseOptions& options) {
  app.option("--clip", options.clip, "Clip to sample: its name or number").type("NAME");
  app.option("--time", options.time, "Seconds into the clip (default: its start)").type("S");
  app.option("--pose", options.turns, "Turn joints, in degrees: JOINT.DOF=ANGLE with * for any letters, or a JSON file")
      .one_each()
      .type("TURN");
}

void add_blend_option(Command& app, Blend& blend, const std::string& option) {
  app.choice<Blend>(option, blend, "Skinning: linear, dual (quaternions) or kinodynamic; default linear",
                    {{"linear", Blend::linear}, {"dual", Blend::dual_quaternion}, {"kinodynamic", Blend::kinodynamic}});
}

}  // namespace supple::cli
