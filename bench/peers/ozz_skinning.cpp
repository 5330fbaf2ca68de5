// What ozz-animation's SkinningJob takes to skin a file's meshes over its clips, positions and normals on one thread.
//
//   supple_ozz_bench MODEL
//
// Done as by ozz's own importer and samples: vertices are grouped by their number of influences, a job for each group;
// a frame multiplies world matrices by inverse bind matrices and runs the jobs. World matrices are made beforehand and
// normals keep the length they come out with, while the time it is compared with has our world matrices and unit
// normals in it. Prints {"program", "us_per_pose"}, the fastest of several repetitions; but first the result is
// compared with ours, and where they differ it ends with 1 and no time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>

#include "clip_poses.h"
#include "ozz/base/maths/simd_math.h"
#include "ozz/geometry/runtime/skinning_job.h"
#include "supple/deform/part_binding.h"
#include "supple/deform/skin.h"
#include "supple/files/load_character.h"

namespace {

using namespace supple;
using ozz::math::Float4x4;

constexpr std::size_t fewest_of_group = 32;  // vertices, as ozz's importer has it; fewer join the next larger number
constexpr int repetitions = 12;
constexpr double seconds_of_repetition = 0.05;
/// What rounding may add up to, where sums are in another order and matrices were multiplied by other code, ten times
/// what was seen: of positions in parts of the farthest vertex from the origin, of normals in parts of the longest.
constexpr float tolerance = 1e-5f;

Float4x4 matrix(const Affinef& m) {
  const auto column = [](Vec3f v, float w) { return ozz::math::simd_float4::Load(v.x, v.y, v.z, w); };
  return {{column(m.linear.c0, 0), column(m.linear.c1, 0), column(m.linear.c2, 0), column(m.translation, 1)}};
}

/// Vertices with as many influences each.
struct Group {
  std::size_t influences = 0;
  std::vector<std::uint32_t> vertices;  // of the part
  std::vector<std::uint16_t> joints;    // #vertices * influences
  std::vector<float> weights;           // #vertices * (influences - 1): ozz takes the last one as what is missing to 1
  std::vector<Vec3f> positions, normals, out_positions, out_normals;

  void fill(const SkinWeights& of_part, const Part& part, std::span<const Vec3f> rest_normals) {
    for (const std::uint32_t v : vertices) {
      const std::span<const Influence> own = of_part.of(v);
      for (std::size_t k = 0; k < influences; ++k) {
        const Influence influence = k < own.size() ? own[k] : Influence{};
        joints.push_back(static_cast<std::uint16_t>(influence.joint));
        if (k + 1 < influences) weights.push_back(influence.weight);
      }
      positions.push_back(part.mesh.positions[v]);
      normals.push_back(rest_normals[v]);
    }
    out_positions = positions;
    out_normals = normals;
  }

  ozz::geometry::SkinningJob job(const std::vector<Float4x4>& palette) {
    ozz::geometry::SkinningJob job;
    job.vertex_count = static_cast<int>(vertices.size());
    job.influences_count = static_cast<int>(influences);
    job.joint_matrices = {palette.data(), palette.size()};
    job.joint_indices = {joints.data(), joints.size()};
    job.joint_indices_stride = sizeof(std::uint16_t) * influences;
    job.joint_weights = {weights.data(), weights.size()};
    job.joint_weights_stride = sizeof(float) * (influences - 1);
    job.in_positions = {&positions[0].x, 3 * positions.size()};
    job.in_normals = {&normals[0].x, 3 * normals.size()};
    job.out_positions = {&out_positions[0].x, 3 * positions.size()};
    job.out_normals = {&out_normals[0].x, 3 * normals.size()};
    job.in_positions_stride = job.in_normals_stride = sizeof(Vec3f);
    job.out_positions_stride = job.out_normals_stride = sizeof(Vec3f);
    return job;
  }
};

std::vector<Group> groups(const SkinWeights& weights) {
  std::vector<Group> made(std::max<std::size_t>(weights.max_influences(), 1));
  for (std::uint32_t v = 0; v < weights.vertices(); ++v)
    made[std::max<std::size_t>(weights.of(v).size(), 1) - 1].vertices.push_back(v);
  for (std::size_t n = 0; n < made.size(); ++n) {
    made[n].influences = n + 1;
    if (n + 1 == made.size() || made[n].vertices.size() >= fewest_of_group) continue;
    std::vector<std::uint32_t>& next = made[n + 1].vertices;
    next.insert(next.end(), made[n].vertices.begin(), made[n].vertices.end());
    made[n].vertices.clear();
  }
  std::erase_if(made, [](const Group& group) { return group.vertices.empty(); });
  return made;
}

class OzzPart {
 public:
  OzzPart(const Character& character, const Part& part) : name_(part.name) {
    const SkinBinding binding = binding_of(character, part);
    joints_ = binding.joints;
    for (const Affinef& m : binding.inverse_bind) inverse_bind_.push_back(matrix(m));
    palette_.assign(palette_size(binding), matrix({}));
    const SkinWeights weights = weights_of(part);
    const std::vector<Vec3f> normals = rest_normals(part);
    groups_ = groups(weights);
    for (Group& group : groups_) {
      group.fill(weights, part, normals);
      jobs_.push_back(group.job(palette_));
    }
  }
  OzzPart(OzzPart&&) = default;  // no copy: jobs would go on with the arrays of the first

  /// False where ozz refuses a job.
  bool skin(std::span<const Float4x4> world) {
    for (std::size_t k = 0; k < joints_.size(); ++k) palette_[k] = world[joints_[k]] * inverse_bind_[k];
    bool valid = true;
    for (const ozz::geometry::SkinningJob& job : jobs_) valid &= job.Run();
    return valid;
  }

  /// What is not as in ours, if anything.
  std::optional<std::string> difference(std::span<const Vec3f> positions, std::span<const Vec3f> normals) const {
    float farthest = 0, longest = 0;
    for (const Vec3f p : positions) farthest = std::max(farthest, length(p));
    for (const Group& group : groups_) {
      for (const Vec3f p : group.positions) farthest = std::max(farthest, length(p));
      for (const Vec3f n : group.out_normals) longest = std::max(longest, length(n));
    }
    for (const Group& group : groups_) {
      for (std::size_t i = 0; i < group.vertices.size(); ++i) {
        const std::uint32_t v = group.vertices[i];
        const Vec3f normal = group.out_normals[i];
        const float moved = length(group.out_positions[i] - positions[v]) / farthest;
        const float turned = length(normal - normals[v] * length(normal)) / longest;
        const std::string where = "part '" + name_ + "', vertex " + std::to_string(v) + ": ";
        if (!(moved <= tolerance)) return where + told("position", moved);
        if (!(turned <= tolerance))
          return where + told("normal", turned) + " (ozz gets no inverse transposes: joints may not stretch unevenly)";
      }
    }
    return std::nullopt;
  }

 private:
  static std::string told(const char* what, float off) {
    char text[100];
    std::snprintf(text, sizeof text, "ozz's %s is off ours by %.2g, more than %.0e", what, double{off},
                  double{tolerance});
    return text;
  }

  std::string name_;
  std::vector<JointIndex> joints_;
  std::vector<Float4x4> inverse_bind_, palette_;
  std::vector<Group> groups_;
  std::vector<ozz::geometry::SkinningJob> jobs_;
};

std::optional<std::string> check(const Character& character, const std::vector<Pose>& poses,
                                 const std::vector<std::vector<Float4x4>>& worlds, std::vector<OzzPart>& parts) {
  auto ours = Skin::make(character);
  if (!ours) return ours.error().message();
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (auto ok = ours->evaluate(poses[i], 1); !ok) return ok.error().message();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (!parts[p].skin(worlds[i])) return "part '" + character.parts[p].name + "': ozz refuses a job";
      if (auto found = parts[p].difference(ours->positions(p), ours->normals(p)))
        return "pose " + std::to_string(i) + ", " + *found;
    }
  }
  return std::nullopt;
}

double us_per_pose(const std::vector<std::vector<Float4x4>>& worlds, std::vector<OzzPart>& parts) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const Clock::time_point begin = Clock::now();
    double seconds = 0;
    std::size_t done = 0;
    while (seconds < seconds_of_repetition) {
      for (const std::vector<Float4x4>& world : worlds)
        for (OzzPart& part : parts) part.skin(world);
      done += worlds.size();
      seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    }
    best = std::min(best, 1e6 * seconds / static_cast<double>(done));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "supple_ozz_bench MODEL\n"), 2;
  const auto loaded = load_character(argv[1]);
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().message().c_str()), 2;
  const Character character = linear_blend(*loaded);
  const std::vector<Pose> poses = without_morphs(clip_poses(*loaded));
  std::vector<std::vector<Float4x4>> worlds(poses.size());
  for (std::size_t i = 0; i < poses.size(); ++i)
    for (const Affinef& m : to_world(character.skeleton, poses[i])) worlds[i].push_back(matrix(m));
  std::vector<OzzPart> parts;
  for (const Part& part : character.parts) parts.emplace_back(character, part);
  if (const auto found = check(character, poses, worlds, parts)) return std::fprintf(stderr, "%s\n", found->c_str()), 1;
  std::printf("{\"program\": \"%s\", \"us_per_pose\": %.3f}\n", SUPPLE_OZZ_PROGRAM, us_per_pose(worlds, parts));
  return 0;
}
