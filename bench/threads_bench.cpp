// What sharing a loop costs: loops of nothing, and of about 10, 20 and 80 us of arithmetic in registers, on one thread
// and on more. Threads are awake, as in a frame loop that has work for them again and again, or asleep, as after a
// pause of 2 ms.
//
//   supple_threads_bench [--benchmark_filter=...]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "best_times.h"
#include "supple/base/parallel.h"

namespace {

using namespace supple;
using Clock = std::chrono::steady_clock;

constexpr std::size_t chunks = 8;

/// A product and a sum a step, each of which waits for the one before: about 1.5 ns.
void work(std::size_t steps) {
  std::uint64_t x = steps;
  for (std::size_t i = 0; i < steps; ++i) x = x * 6364136223846793005 + 1442695040888963407;
  benchmark::DoNotOptimize(x);
}

std::vector<std::string>& registered() {
  static std::vector<std::string> names;
  return names;
}

/// us a loop, and how much later it ends than if its work were divided for nothing.
class CostReporter : public BestTimes {
 public:
  void Finalize() override {
    std::printf("\n%-40s %10s %14s %10s\n", "", "us", "/ one thread", "later, us");
    for (const std::string& name : registered()) {
      if (!ns_.contains(name)) continue;  // filtered out
      const std::string loop = name.substr(0, name.find('/'));
      const auto one = ns_.find(loop + "/1");
      std::printf("%-40s %10.2f", name.c_str(), ns_.at(name) / 1e3);
      if (one != ns_.end() && one->first != name) {
        const unsigned threads = static_cast<unsigned>(std::stoul(name.substr(name.find('/') + 1)));
        std::printf(" %13.2fx %10.2f", one->second / ns_.at(name), (ns_.at(name) - one->second / threads) / 1e3);
      }
      std::printf("\n");
    }
  }
};

void add(std::size_t steps, unsigned threads, bool asleep) {
  std::string name = steps == 0 ? "nothing" : std::to_string(chunks) + " x " + std::to_string(steps) + " steps";
  name += "/" + std::to_string(threads) + (asleep ? " asleep" : "");
  registered().push_back(name);
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 for (auto _ : state) {
                                   if (asleep) std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                   const Clock::time_point begin = Clock::now();
                                   parallel_for(
                                       chunks, 1, [steps](std::size_t, std::size_t) { work(steps); }, threads);
                                   state.SetIterationTime(std::chrono::duration<double>(Clock::now() - begin).count());
                                 }
                                 state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
                               })
      ->UseManualTime()
      ->Iterations(asleep ? 50 : 5000)
      ->Repetitions(12);
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::size_t steps : {0, 800, 1600, 6400}) {
    for (unsigned threads = 1; threads <= std::min(thread_count(), 8u); threads *= 2) {
      add(steps, threads, false);
      if (threads > 1) add(steps, threads, true);
    }
  }
  CostReporter reporter;
  return reporter.run(argc, argv) ? 0 : 1;
}
