// The commands of the program, run in this process: the same words, the same work, figures instead of text.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/supple_program.h"
#include "errors.h"
#include "module.h"

namespace supple::python {

namespace nb = nanobind;

namespace {

/// A command at work on a thread of its own, so that the thread of Python is free to look for Ctrl-C and to tell how
/// far it is, whatever the work does.
class RunningCommand {
 public:
  explicit RunningCommand(const std::vector<std::string>& words) : program_(session_) {
    std::vector<std::string> arguments{"supple"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    session_.arguments = words;
    session_.program = {nb::cast<std::string>(nb::module_::import_("sys").attr("executable")), "-m", "supple"};
    const auto parsed = program_.parse(static_cast<int>(pointers.size()), pointers.data());
    if (!parsed) raise(parsed.error());
    if (*parsed == cli::Program::Parsed::answered || !session_.command)
      throw nb::value_error("words that print help do no work");
    session_.asked_to_stop = [this] { return stop_.load(); };
    session_.progress = [this](std::string_view stage, double fraction) {
      const std::lock_guard lock(mutex_);
      told_.emplace(stage, fraction);
      return !stop_;
    };
  }

  /// Starts the work and waits for it, the interpreter's lock released in between. What `progress` throws, and Ctrl-C,
  /// ask the work to stop and come out of here once it has.
  void finish(nb::handle progress) {
    std::thread worker([this] { work(); });
    std::optional<nb::python_error> thrown;
    for (bool done = false; !done;) {
      done = wait_a_little();
      if (thrown) continue;
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (const auto told = news(); told && !progress.is_none()) progress(told->first, told->second);
      } catch (nb::python_error& error) {
        thrown.emplace(std::move(error));
        stop_ = true;
      }
    }
    worker.join();
    if (thrown) throw std::move(*thrown);
    if (failure_) std::rethrow_exception(failure_);
  }

  const cli::Outcome& outcome() const {
    if (!*outcome_) raise(outcome_->error());
    return **outcome_;
  }
  const Warnings& warnings() const { return session_.warnings; }

 private:
  void work() {
    try {
      outcome_.emplace(session_.execute());
    } catch (const std::bad_alloc&) {
      outcome_.emplace(Error{"memory", "is not enough for this", "use a smaller model or fewer vertices"});
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  /// Until the work is done, or it is time to look for Ctrl-C again; whether it is done.
  bool wait_a_little() {
    const nb::gil_scoped_release released;
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(50), [this] { return done_; });
  }

  std::optional<std::pair<std::string, double>> news() {
    const std::lock_guard lock(mutex_);
    return std::exchange(told_, std::nullopt);
  }

  cli::Session session_;
  cli::SuppleProgram program_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::optional<std::pair<std::string, double>> told_;  // that Python has not heard yet
  std::optional<Result<cli::Outcome>> outcome_;
  std::exception_ptr failure_;
};

std::tuple<std::string, std::string, int> run(const std::vector<std::string>& words, nb::handle progress) {
  RunningCommand command(words);
  command.finish(progress);
  warn(command.warnings(), 3);  // the line that called supple.fit(), which calls run(), which calls this
  const cli::Outcome& outcome = command.outcome();
  return {outcome.json.dump(), outcome.text, static_cast<int>(outcome.exit_code)};
}

Json described(const cli::DescribedCommand& command) {
  static constexpr const char* kinds[] = {"flag", "text", "whole number", "number", "word"};
  Json all{
      {"path", command.path}, {"summary", command.summary}, {"options", Json::array()}, {"commands", Json::array()}};
  for (const cli::DescribedOption& option : command.options) {
    all["options"].push_back(Json{{"names", option.names},
                                  {"value", option.value},
                                  {"kind", kinds[static_cast<std::size_t>(option.kind)]},
                                  {"many", option.many},
                                  {"required", option.required},
                                  {"advanced", option.advanced},
                                  {"writes_character", option.writes_character},
                                  {"help", option.help},
                                  {"limits", option.limits},
                                  {"usual", option.usual}});
  }
  for (const cli::DescribedCommand& below : command.commands) all["commands"].push_back(described(below));
  return all;
}

std::string describe() {
  cli::Session session;
  return described(cli::SuppleProgram(session).describe()).dump();
}

}  // namespace

void bind_commands(nb::module_& m) {
  m.def("run", &run, nb::arg("words"), nb::arg("progress").none() = nb::none(),
        "Runs a command of the program, given as its words. `progress` is called with a stage and a fraction. Returns "
        "its figures as JSON, its text and its exit code.");
  m.def("describe", &describe, "All commands and options of the program, as JSON.");
}

}  // namespace supple::python
