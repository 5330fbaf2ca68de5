// Stages run, timed and kept: what one made and what it warned of come back where its inputs are the same.
#pragma once

#include <chrono>
#include <type_traits>
#include <utility>

#include "supple/workflow/study/chain.h"
#include "supple/workflow/study/fields.h"
#include "supple/workflow/study/workspace.h"

namespace supple::workflow {

/// The largest the program has been so far.
double memory_used_mb();

/// Seconds since it was made, on the clock and of all processors together: what a run costs, stages or not.
class RunClock {
 public:
  RunClock();
  double seconds() const;
  double processor_seconds() const;

 private:
  std::chrono::steady_clock::time_point begun_;
  double used_before_ = 0;
};

/// A fingerprint of everything that is given to it, one after another.
class Key {
 public:
  template <class T>
  Key& add(T value) requires std::is_arithmetic_v<T> {
    print_.add(value);
    return *this;
  }
  Key& add(const std::string& text) {
    print_.add(text.size());
    print_.add(std::span<const char>(text));
    return *this;
  }
  Key& add(const std::optional<double>& number) { return add(number.has_value()).add(number.value_or(0)); }
  std::uint64_t value() const { return print_.value(); }

 private:
  Fingerprint print_;
};

class Stages {
 public:
  Stages(Workspace workspace, std::vector<StageRun>& runs, Work& work)
      : workspace_(std::move(workspace)), runs_(runs), work_(work) {}

  /// The kept result of a stage, or what `make` gives. `about`: the scan that its warnings do not name themselves.
  template <class T, class Make>
  Result<T> run(const std::string& stage, std::uint64_t key, const Make& make, const std::string& about = {}) {
    const auto start = std::chrono::steady_clock::now();
    const auto finish = [&](bool kept) {
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      runs_.push_back({stage, seconds, memory_used_mb(), kept});
    };
    if (auto kept = workspace_.find<T>(stage, key)) {
      warn(kept->warnings);
      finish(true);
      return std::move(kept->value);
    }
    if (!report(work_.progress, stage, 0)) return Error{stage, "stopped on request", "run it again to go on"};
    Warnings earlier = std::exchange(work_.warnings, {});
    Result<T> made = make();
    Warnings own = std::exchange(work_.warnings, std::move(earlier));
    if (!about.empty())
      for (std::string& warning : own) warning = "scan '" + about + "', " + warning;
    warn(own);
    if (!made) return made.error();
    finish(false);
    if (auto ok = workspace_.store(stage, key, *made, own); !ok) return ok.error();
    return made;
  }

 private:
  void warn(const Warnings& warnings);

  Workspace workspace_;
  std::vector<StageRun>& runs_;
  Work& work_;
};

}  // namespace supple::workflow
