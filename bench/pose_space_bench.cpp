// Weighted PSD of a hand of 100k triangles and five poses, next to linear blend and to copying the vertices, in one
// run: milliseconds per frame on one core and on all. The paper had 157 ms (2.2 GHz Pentium 4, one core).
#include <cstdio>
#include <cstring>

#include "best_times.h"
#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/deform/pose_space/build.h"
#include "supple/deform/pose_space/job.h"
#include "supple/deform/skin.h"
#include "supple/make/hand.h"

namespace {

using namespace supple;

constexpr std::size_t poses = 5;  // examples, the rest shape among them

/// All fingers bent, each by its own amount.
Pose bent(const Character& hand, Rng& rng) {
  Pose pose = hand.rest();
  for (JointIndex j = 0; j < hand.skeleton.size(); ++j) {
    std::vector<float> angles;
    for (const Dof& dof : hand.skeleton.dofs(j))
      angles.push_back(static_cast<float>(rng.uniform(double{dof.min}, double{dof.max})));
    set_angles(pose, hand.skeleton, j, angles);
  }
  return pose;
}

/// A hand with random examples: what a frame costs does not depend on what they are.
struct Hand {
  Character character;
  Pose pose;

  Hand() {
    make::HandOptions options;
    options.vertices = 50000;
    character = make::make_hand(options).value();
    Part& part = character.parts[0];
    part.morphs.clear();
    Rng rng(3);
    PoseSpace space;
    for (JointIndex j = 0; j < character.skeleton.size(); ++j)
      if (!character.skeleton.dofs(j).empty()) space.joints.push_back(j);
    for (const JointIndex j : space.joints) space.reference.push_back(character.skeleton.rest(j).rotation);
    space.settings.resize(space.joints.size());
    for (std::size_t e = 1; e < poses; ++e) {
      const Pose example = bent(character, rng);
      for (std::size_t k = 0; k < space.joints.size(); ++k)
        space.settings.push_back(normalized(conjugate(space.reference[k]) * example.local[space.joints[k]].rotation));
      MorphTarget target{"example", {}, {}, {}, {}};
      for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) {
        target.positions.push_back(Vec3f{1, 1, 1} * static_cast<float>(rng.uniform(-1e-3, 1e-3)));
        target.normals.push_back(Vec3f{1, 1, 1} * static_cast<float>(rng.uniform(-0.1, 0.1)));
      }
      part.morphs.push_back(std::move(target));
    }
    character.morph_weights.assign(poses - 1, 0);
    character.pose_space = space;
    pose = bent(character, rng);
  }
  std::size_t vertices() const { return character.parts[0].mesh.positions.size(); }
};

Hand& hand() {
  static Hand made;
  return made;
}

void copy(benchmark::State& state) {
  const Mesh& mesh = hand().character.parts[0].mesh;
  std::vector<Vec3f> positions(mesh.positions.size()), normals(mesh.normals.size());
  for (auto _ : state) {
    std::memcpy(positions.data(), mesh.positions.data(), positions.size() * sizeof(Vec3f));
    std::memcpy(normals.data(), mesh.normals.data(), normals.size() * sizeof(Vec3f));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

/// Everything a frame needs: pose to world, morph weights, rest shape, skinning.
void frame(benchmark::State& state, std::optional<JointInfluence> influence, unsigned threads) {
  Character character = hand().character;
  Pose pose = hand().pose;
  if (influence) {
    character.pose_space->influence = *influence;
  } else {
    character.pose_space.reset();
    character.parts[0].morphs.clear();
    character.morph_weights.clear();
    pose.morph_weights.clear();
  }
  Skin skin = Skin::make(character).value();
  for (auto _ : state) {
    static_cast<void>(skin.evaluate(pose, threads));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

class Report : public BestTimes {
 public:
  void print() const {
    std::printf("%-28s ms per frame\n", "");
    for (const auto& [name, ns] : ns_) std::printf("%-28s %.3f\n", name.c_str(), ns / 1e6);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const PoseSpaceTable table = build_pose_space_table(hand().character, *hand().character.pose_space).value();
  std::printf(
      "%zu triangles, %zu vertices, %zu joints, %zu poses; table %.1f MB, %.1f joints felt by a block, %zu of %zu "
      "blocks with coefficients of their own\n",
      hand().character.parts[0].mesh.triangles.size(), hand().vertices(), table.distances.joints.size(), poses,
      static_cast<double>((table.influences.size() + table.coefficients.size()) * sizeof(PoseSpaceTable::Lanes) +
                          2 * table.positions.size() * sizeof(PoseSpaceTable::Vectors)) /
          1e6,
      static_cast<double>(table.influences.size()) / static_cast<double>(table.blocks()),
      table.coefficients.size() / table.coefficients_a_set(), table.blocks());
  benchmark::RegisterBenchmark("copy", copy)->UseRealTime();
  for (const unsigned threads : {1u, thread_count()}) {
    const std::string cores = ", " + std::to_string(threads) + (threads == 1 ? " core" : " cores");
    const auto add = [&](const char* name, std::optional<JointInfluence> influence) {
      benchmark::RegisterBenchmark((name + cores).c_str(), [=](benchmark::State& s) {
        frame(s, influence, threads);
      })->UseRealTime();
    };
    add("linear blend", std::nullopt);
    add("PSD", JointInfluence::equal);
    add("weighted PSD", JointInfluence::subtree);
    add("weighted PSD (paper's u)", JointInfluence::weights);
  }
  Report report;
  if (!report.run(argc, argv)) return 1;
  report.print();
  return 0;
}
