// Few poses of the sleeve: one for each way it bends, one to the other side, and two to test what lies between.
#pragma once

#include "learn/sleeve.h"

namespace supple::test {

inline const std::vector<SleevePose> few_poses{{"elbow", 1.2f},
                                               {"wrist", 0, 1},
                                               {"side", 0, 0, 0.6f},
                                               {"back", -0.8f, -0.5f},
                                               {"elbow between", 0.6f, 0, 0, Role::test},
                                               {"elbow and wrist", 1.1f, 0.9f, 0, Role::test}};

}  // namespace supple::test
