// Collects benchmark runs, so that ratios can be taken at the end: ns per item of each case, the fastest of its
// repetitions, since the rest is the machine's noise.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class BestTimes : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const double ns = 1e9 / run.counters.at("items_per_second");
      double& best = ns_.try_emplace(run.run_name.function_name, ns).first->second;
      best = std::min(best, ns);
    }
  }

  /// Runs all registered benchmarks. `--times=FILE` writes ns by name, as JSON, for script/performance. Repetitions of
  /// all cases take turns, so that a slow moment of the machine does not fall on one case alone. False where an
  /// argument was not understood.
  bool run(int argc, char** argv) {
    std::vector<char*> arguments(argv, argv + argc);
    const std::string_view option = "--times=";
    const auto times = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const char* a) { return std::string_view(a).starts_with(option); });
    const std::string file = times == arguments.end() ? "" : *times + option.size();
    if (times != arguments.end()) arguments.erase(times);
    std::string interleave = "--benchmark_enable_random_interleaving=true";
    arguments.insert(arguments.begin() + 1, interleave.data());
    argc = static_cast<int>(arguments.size());
    benchmark::Initialize(&argc, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(argc, arguments.data())) return false;
    benchmark::RunSpecifiedBenchmarks(this);
    benchmark::Shutdown();
    return file.empty() || write(file);
  }

 private:
  bool write(const std::string& file) const {
    std::ofstream out(file);
    const char* between = "";
    out << "{";
    for (const auto& [name, ns] : ns_) out << std::exchange(between, ",") << "\n\"" << name << "\": " << ns;
    out << "\n}\n";
    return out.flush().good();
  }

 protected:
  std::map<std::string, double> ns_;  // by name; cases that were filtered out are absent
};
