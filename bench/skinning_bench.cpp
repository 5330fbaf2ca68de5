// Skinning against plain copying, in one run: ns per vertex for linear blend and dual quaternions, and the ratio of
// each to copying the same vertex attributes (memcpy of positions, normals, tangents from input to output). "lists" is
// linear blend vertex by vertex instead of in blocks.
//
//   supple_bench [baseline|avx2|avx512] [--benchmark_filter=...]
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "best_times.h"
#include "chosen_kernels.h"
#include "supple/base/rng.h"
#include "supple/deform/skinning/job.h"

namespace {

using namespace supple;

enum class Method { copy, linear, lists, dual };
constexpr std::size_t joint_count = 64;
const kernel::Kernels* kernels = &kernel::best();

/// A synthetic body: every vertex has exactly the asked number of influences, on joints near each other as in real
/// rigs.
struct Body {
  SkinTable table, lists;
  std::vector<float> in[3], out[3];  // positions and normals (3 floats), tangents (4)
  std::vector<JointMatrix> palette;
  std::vector<JointDualQuat> motion;

  Body(std::size_t vertices, std::size_t influences) : palette(joint_count), motion(joint_count) {
    Rng rng(7);
    SkinWeights weights;
    std::vector<Influence> row(influences);
    for (std::size_t v = 0; v < vertices; ++v) {
      const auto base = static_cast<std::uint32_t>(v * (joint_count - influences) / vertices);
      for (std::size_t i = 0; i < influences; ++i)
        row[i] = {base + static_cast<std::uint32_t>(i), static_cast<float>(rng.uniform(0.1, 1))};
      weights.push_vertex(row);
    }
    clean(weights, joint_count);
    table = *build_skin_table(weights, joint_count);
    lists = *build_skin_table(weights, joint_count, SkinLayout::lists);
    for (int s = 0; s < 3; ++s) {
      in[s].resize(vertices * (s == 2 ? 4 : 3));
      for (float& x : in[s]) x = static_cast<float>(rng.uniform(-1, 1));
      out[s].resize(in[s].size());
    }
    for (JointMatrix& m : palette) {
      const Quatf q = normalized(
          Quatf{static_cast<float>(rng.uniform(-0.3, 0.3)), static_cast<float>(rng.uniform(-0.3, 0.3)), 0, 1});
      m = pack({to_matrix(q), {static_cast<float>(rng.uniform()), 0, 0}});
    }
    std::vector<JointMatrix> stretch(joint_count);
    bool stretched = false;
    (void)make_dual_palette(palette, motion, stretch, stretched);
  }

  VertexStreams streams(int attributes) {
    const auto input = [&](int s) {
      return attributes > s ? ConstVectors(in[s].data(), table.vertex_count, s == 2 ? 4 : 3) : ConstVectors();
    };
    const auto output = [&](int s) {
      return attributes > s ? Vectors(out[s].data(), table.vertex_count, s == 2 ? 4 : 3) : Vectors();
    };
    return {input(0), input(1), input(2), output(0), output(1), output(2)};
  }
};

Body& body(std::size_t vertices, std::size_t influences) {
  static std::map<std::pair<std::size_t, std::size_t>, Body> made;  // one at a time would do; reuse keeps the run short
  return made.try_emplace({vertices, influences}, vertices, influences).first->second;
}

void skinning(benchmark::State& state, Method method, std::size_t vertices, std::size_t influences, int attributes,
              unsigned threads) {
  Body& b = body(vertices, influences);
  const VertexStreams streams = b.streams(attributes);
  for (auto _ : state) {
    if (method == Method::copy) {
      for (int s = 0; s < attributes; ++s) std::memcpy(b.out[s].data(), b.in[s].data(), b.in[s].size() * sizeof(float));
    } else if (method != Method::dual) {
      LinearJob{method == Method::linear ? &b.table : &b.lists, b.palette, streams, false, threads, kernels}.run();
    } else {
      DualQuaternionJob{&b.table, b.motion, {}, streams, threads, kernels}.run();
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * vertices));
}

/// Names in the order in which the table lists them.
std::vector<std::string>& registered() {
  static std::vector<std::string> names;
  return names;
}

/// Collects the runs and prints one table at the end: ns per vertex, and ratios taken in this run.
class RatioReporter : public BestTimes {
 public:
  void Finalize() override {
    std::printf("\n%-26s %12s %10s %14s\n", "", "ns/vertex", "/ copy", "/ one thread");
    for (const std::string& name : registered()) {
      if (!ns_.contains(name)) continue;  // filtered out
      std::printf("%-26s %12.3f", name.c_str(), ns_.at(name));
      const std::string size = name.substr(name.find('/'), name.find("/i") - name.find('/'));  // "/50k/PN"
      if (const auto copy = ns_.find("copy" + size); copy != ns_.end() && copy->first != name)
        std::printf(" %10.2f", ns_.at(name) / copy->second);
      const std::size_t two = name.rfind("/t2");
      if (two != std::string::npos && ns_.contains(name.substr(0, two) + "/t1"))
        std::printf(" %13.2fx", ns_.at(name.substr(0, two) + "/t1") / ns_.at(name));
      std::printf("\n");
    }
  }
};

void add(Method method, const char* method_name, const char* size, std::size_t vertices, std::size_t influences,
         int attributes, unsigned threads) {
  static constexpr const char* names[] = {"", "P", "PN", "PNT"};
  std::string name = std::string(method_name) + "/" + size + "/" + names[attributes];
  if (method != Method::copy) name += "/i" + std::to_string(influences) + "/t" + std::to_string(threads);
  registered().push_back(name);
  benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& s) { skinning(s, method, vertices, influences, attributes, threads); })
      ->UseRealTime()
      ->MinTime(0.02)
      ->Repetitions(12);
}

}  // namespace

int main(int argc, char** argv) {
  kernels = chosen_kernels(argc, argv);
  const std::pair<const char*, std::size_t> sizes[] = {{"8k", 8000}, {"50k", 50000}, {"1M", 1000000}};
  for (const auto& [size, vertices] : sizes) {
    for (const int attributes : {1, 2, 3}) {
      add(Method::copy, "copy", size, vertices, 4, attributes, 1);
      for (const std::size_t influences : {2, 4, 8}) {
        for (const unsigned threads : {1u, 2u}) {
          add(Method::linear, "linear", size, vertices, influences, attributes, threads);
          add(Method::lists, "lists", size, vertices, influences, attributes, threads);
          add(Method::dual, "dual", size, vertices, influences, attributes, threads);
        }
      }
    }
  }
  std::printf("kernels: %s\n", kernels->name);
  RatioReporter reporter;
  return reporter.run(argc, argv) ? 0 : 1;
}
