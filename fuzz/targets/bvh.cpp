#include "supple/files/bvh.h"

#include "fuzz/target.h"
#include "supple/files/retarget.h"

namespace supple::fuzz {
namespace {

bool read_bvh_input(Input input) {
  const auto motion = parse_bvh(as_text(input), "a.bvh", {0.01});
  if (!motion) return false;
  Pose pose = rest_pose(motion->skeleton);
  sample(motion->clip, 0.5f, pose);
  const auto same = retarget(motion->skeleton, motion->clip, motion->skeleton);
  return true;
}

Seeds bvh_seeds() {
  return {
      {"two",
       "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
       "Yrotation\n  JOINT Knee\n  {\n    OFFSET 0 10 0\n    CHANNELS 3 Zrotation Xrotation Yrotation\n    End Site\n"
       "    {\n      OFFSET 0 5 0\n    }\n  }\n}\nMOTION\nFrames: 2\nFrame Time: 0.033\n0 1 2 3 4 5 6 7 8\n"
       "1 1 2 30 4 5 6 70 8\n"},
      {"still", "HIERARCHY\nROOT a {\nOFFSET 1 2 3\nCHANNELS 0\n}\nMOTION\nFrames: 0\nFrame Time: 1\n"}};
}

}  // namespace

extern const Target bvh_target{
    "bvh",
    read_bvh_input,
    bvh_seeds,
    {"HIERARCHY\n", "ROOT ", "JOINT ", "End Site\n", "{\n", "}\n", "OFFSET ", "CHANNELS ", "Xposition ", "Yrotation ",
     "MOTION\n", "Frames: ", "Frame Time: ", "4294967295", "1e38"}};

}  // namespace supple::fuzz
