// What batches of poses cost on the GPU of this machine, in one run: filling and copying as much memory as a batch
// writes, linear blend, EigenSkin with its drivers, and slopes by all rotations and morph weights. Also how far
// positions are from the CPU's. supple_cuda_bench [VERTICES POSES]...
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "supple/base/rng.h"
#include "supple/gpu/cuda/batch.h"

namespace {

using namespace supple;

constexpr std::uint32_t joint_count = 26, modes = 5, centres = 20;

/// Vertices sorted along a body of 26 joints, five chains on a root as a hand has them: each follows four joints and is
/// moved by five modes of its first one, which a driver of that joint weighs.
Character body(std::uint32_t vertices, bool corrected) {
  Rng rng(7);
  const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
  Character c;
  c.name = "body";
  std::vector<RawJoint> joints(joint_count);
  for (std::uint32_t j = 0; j < joint_count; ++j) {
    joints[j].name = "joint " + std::to_string(j);
    if (j > 0) joints[j].parent = (j - 1) % 5 == 0 ? 0 : j - 1;
    joints[j].rest.translation = {0.1f * random(), 0.1f, 0.1f * random()};
  }
  c.skeleton = build_skeleton(joints)->skeleton;
  SkinBinding& binding = c.skins.emplace_back();
  const std::vector<Affinef> world = to_world(c.skeleton, c.rest());
  for (JointIndex j = 0; j < joint_count; ++j) {
    binding.joints.push_back(j);
    binding.inverse_bind.push_back(inverse(world[j]));
  }
  Part& part = c.parts.emplace_back();
  part.name = "skin";
  part.skin = 0;
  if (corrected) part.morphs.resize((joint_count - 3) * modes);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const auto joint = static_cast<std::uint32_t>(std::uint64_t{v} * (joint_count - 3) / vertices);
    std::vector<Influence> four;
    for (std::uint32_t i = 0; i < 4; ++i) four.push_back({joint + i, 0.1f + std::abs(random())});
    part.weights.push_vertex(four);
    part.mesh.positions.push_back(world[joint].translation + Vec3f{random(), random(), random()} * 0.05f);
    part.mesh.normals.push_back(normalized(Vec3f{random(), random(), 1.5f}));
    for (std::uint32_t m = 0; corrected && m < modes; ++m) {
      MorphTarget& t = part.morphs[joint * modes + m];
      t.vertices.push_back(v);
      t.positions.push_back(Vec3f{random(), random(), random()} * 0.004f);
      t.normals.push_back({random() / 4, random() / 4, random() / 4});
    }
    if (v % 3 == 2) part.mesh.triangles.push_back({v - 2, v - 1, v});
  }
  clean(part.weights, joint_count);
  c.morph_weights.assign(part.morphs.size(), 0.0f);
  for (std::uint32_t j = 0; corrected && j < joint_count - 3; ++j) {
    MorphDriver& d = c.drivers.emplace_back();
    d.name = c.skeleton.name(j);
    d.joints = {j};
    d.reference = {Quatf{}};
    d.first_weight = j * modes;
    d.rest_weights.assign(modes, 0.0f);
    for (std::uint32_t k = 0; k < centres; ++k)
      d.centres.push_back(normalized(Quatf{0.4f * random(), 0.4f * random(), 0.4f * random(), 1}));
    for (std::uint32_t k = 0; k < centres * modes; ++k) d.coefficients.push_back(double{random()});
  }
  return c;
}

template <class T>
T* on_gpu(const std::vector<T>& values) {
  T* first = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&first), values.size() * sizeof(T)) != cudaSuccess ||
      cudaMemcpy(first, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice) != cudaSuccess) {
    std::fprintf(stderr, "no memory on the GPU\n");
    std::exit(1);
  }
  return first;
}

/// Milliseconds of one call, of eight that are queued one after the other as a training loop queues them: the median of
/// 9 such runs after 2.
double milliseconds(const std::function<void()>& work) {
  constexpr int calls = 8;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times;
  for (int i = 0; i < 11; ++i) {
    cudaEventRecord(begin);
    for (int call = 0; call < calls; ++call) work();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    if (i >= 2) times.push_back(ms / calls);
  }
  std::sort(times.begin(), times.end());
  return double{times[times.size() / 2]};
}

void check(const Result<void>& done) {
  if (done) return;
  std::fprintf(stderr, "%s\n", done.error().message().c_str());
  std::exit(1);
}

void measure(std::uint32_t vertices, std::size_t count) {
  Rng rng(3);
  std::vector<float> rotations, given(count * vertices * 3);
  for (std::size_t i = 0; i < count * joint_count; ++i) {
    const Quatd q = normalized(Quatd{rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4), 1});
    for (const double x : {q.x, q.y, q.z, q.w}) rotations.push_back(static_cast<float>(x));
  }
  for (float& x : given) x = static_cast<float>(rng.uniform(-1, 1));
  const std::vector<float> empty(given.size());
  float *const r = on_gpu(rotations), *const slopes = on_gpu(given), *const positions = on_gpu(empty),
               *const normals = on_gpu(empty), *const by_rotation = on_gpu(rotations);
  const std::size_t bytes = given.size() * sizeof(float);
  const double written = 2 * static_cast<double>(bytes);
  const double fill = milliseconds([&] {
    cudaMemsetAsync(positions, 0, bytes);
    cudaMemsetAsync(normals, 0, bytes);
  });
  const double copy = milliseconds([&] { cudaMemcpyAsync(positions, normals, bytes, cudaMemcpyDeviceToDevice); });
  std::printf("%u vertices x %zu poses: fill %.3f ms (%.2f TB/s), copy %.3f ms\n", vertices, count, fill,
              written / fill / 1e9, copy);
  for (const bool corrected : {false, true}) {
    const Character c = body(vertices, corrected);
    auto batch = gpu::make_cuda_batch(c, 0);
    if (!batch) check(batch.error());
    float* const by_weight = on_gpu(std::vector<float>(count * c.morph_weights.size() + 1));
    const gpu::BatchPoses poses{count, r, nullptr, nullptr, nullptr};
    const double forward = milliseconds([&] { check((*batch)->evaluate(poses, positions, normals)); });
    const double backward = milliseconds([&] {
      check((*batch)->differentiate(poses, slopes, slopes, {by_rotation, nullptr, nullptr, by_weight}));
    });
    const auto both = [&](float* to_normals, const float* by_normals) {  // as a step of training calls them
      check((*batch)->evaluate(poses, positions, to_normals));
      gpu::BatchPoses same = poses;
      same.call = (*batch)->last_call();
      check((*batch)->differentiate(same, slopes, by_normals, {by_rotation, nullptr, nullptr, by_weight}));
    };
    const double step = milliseconds([&] { both(normals, slopes); });
    const double alone = milliseconds([&] { check((*batch)->evaluate(poses, positions, nullptr)); });
    const double alone_step = milliseconds([&] { both(nullptr, nullptr); });
    // The first and last poses, beside the CPU.
    check((*batch)->evaluate(poses, positions, normals));
    auto cpu = gpu::make_cpu_batch(c, 0);
    if (!cpu) check(cpu.error());
    const std::size_t some = std::min<std::size_t>(count, 16), all = some * vertices * 3;
    double worst = 0;
    for (const std::size_t first : {std::size_t{0}, count - some}) {
      std::vector<float> p(all), n(all), found(all);
      check(
          (*cpu)->evaluate({some, &rotations[first * joint_count * 4], nullptr, nullptr, nullptr}, p.data(), n.data()));
      cudaMemcpy(found.data(), positions + first * vertices * 3, all * sizeof(float), cudaMemcpyDeviceToHost);
      for (std::size_t i = 0; i < all; ++i) worst = std::max(worst, std::abs(double{found[i]} - double{p[i]}));
    }
    worst /= double{bounds(c.parts[0].mesh.positions).diagonal()};
    std::printf(
        "  %-12s forward %.3f ms (%.2f TB/s, %.1f %% of fill, %.1f G vertices/s), backward %.3f ms; forward and "
        "backward "
        "of the same poses %.3f ms, %.2f x forward; positions alone %.3f and %.3f ms, %.2f x; differs from the CPU by "
        "%.1e of the size\n",
        corrected ? "EigenSkin" : "linear blend", forward, written / forward / 1e9, 100 * fill / forward,
        static_cast<double>(vertices) * static_cast<double>(count) / forward / 1e6, backward, step, step / forward,
        alone, alone_step, alone_step / alone, worst);
    cudaFree(by_weight);
  }
  for (float* memory : {r, slopes, positions, normals, by_rotation}) cudaFree(memory);
}

}  // namespace

int main(int argc, char** argv) {
  if (gpu::cuda_device_count() == 0) {
    std::fprintf(stderr, "no NVIDIA GPU on this machine\n");
    return 2;
  }
  std::vector<std::pair<std::uint32_t, std::size_t>> sizes{{10000, 4096}, {50000, 1024}};
  if (argc > 2) sizes.clear();
  for (int i = 1; i + 1 < argc; i += 2)
    sizes.emplace_back(static_cast<std::uint32_t>(std::atoi(argv[i])),
                       static_cast<std::size_t>(std::atoi(argv[i + 1])));
  for (const auto& [vertices, count] : sizes) measure(vertices, count);
}
