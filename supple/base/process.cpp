#include "supple/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "supple/base/text.h"

extern char** environ;

namespace supple {
namespace {

/// A file that has no name any more: it goes away with its last user.
int open_nameless() {
  std::error_code failed;
  std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  if (failed) folder = "/tmp";
  std::string name = (folder / "supple-output-XXXXXX").string();
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd >= 0) ::unlink(name.c_str());
  return fd;
}

std::string contents(int fd) {
  std::string text;
  char buffer[65536];
  for (off_t at = 0;;) {
    const ssize_t n = ::pread(fd, buffer, sizeof buffer, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    at += n;
  }
}

/// The caller's environment with additions in place of what they replace.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& additions) {
  std::vector<std::string> result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const bool replaced = std::any_of(additions.begin(), additions.end(), [&](const auto& addition) {
      return text.compare(0, addition.first.size() + 1, addition.first + "=") == 0;
    });
    if (!replaced) result.push_back(text);
  }
  for (const auto& [name, value] : additions) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// What the child does before it becomes the program.
class SpawnSetup {
 public:
  SpawnSetup(int out, int err, const std::filesystem::path& folder) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    if (!folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    ::posix_spawnattr_init(&attributes);
    // Signals that the caller ignores or blocks are its own business.
    sigset_t none, usual;
    ::sigemptyset(&none);
    ::sigemptyset(&usual);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) ::sigaddset(&usual, signal);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &usual);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

pid_t wait_for(pid_t pid, int& status, int flags) {
  pid_t ended = 0;
  do {
    ended = ::waitpid(pid, &status, flags);
  } while (ended < 0 && errno == EINTR);
  return ended;
}

}  // namespace

std::string ProcessResult::last_words(std::size_t lines) const {
  const bool spoke = err.find_first_not_of(" \t\r\n") != std::string::npos;
  return last_lines(spoke ? err : out, lines);
}

Result<Process> Process::start(const std::string& program, const std::vector<std::string>& arguments,
                               const ProcessOptions& options) {
  std::error_code ignored;
  if (!options.folder.empty() && !std::filesystem::is_directory(options.folder, ignored)) {
    return Error{options.folder.string(), "is not a folder in which " + program + " could run", ""};
  }
  Process process;
  process.out_ = open_nameless();
  process.err_ = open_nameless();
  if (process.out_ < 0 || process.err_ < 0) {
    return Error{program, std::string("cannot be started: no temporary file for its output: ") + std::strerror(errno),
                 "check that the folder for temporary files exists and has space"};
  }
  std::vector<std::string> words{program}, variables = environment_with(options.environment);
  words.insert(words.end(), arguments.begin(), arguments.end());
  SpawnSetup setup(process.out_, process.err_, options.folder);
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);
  const int failed =
      ::posix_spawnp(&process.pid_, program.c_str(), &setup.actions, &setup.attributes, argv.data(), envp.data());
  if (failed != 0) {
    process.pid_ = -1;
    return Error{program,
                 failed == ENOENT ? "is not installed or not on the PATH"
                                  : std::string("cannot be started: ") + std::strerror(failed),
                 ""};
  }
  return process;
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), out_(std::exchange(other.out_, -1)), err_(std::exchange(other.err_, -1)) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    release();
    pid_ = std::exchange(other.pid_, -1);
    out_ = std::exchange(other.out_, -1);
    err_ = std::exchange(other.err_, -1);
  }
  return *this;
}

Process::~Process() { release(); }

void Process::release() {
  if (pid_ > 0) {
    kill();
    int status = 0;
    wait_for(pid_, status, 0);
  }
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
  pid_ = out_ = err_ = -1;
}

ProcessResult Process::collect(int status) {
  pid_ = -1;
  ProcessResult result;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.exit_code = result.signal != 0 ? 128 + result.signal : WEXITSTATUS(status);
  result.out = contents(out_);
  result.err = contents(err_);
  return result;
}

std::optional<ProcessResult> Process::poll() {
  int status = 0;
  if (pid_ > 0 && wait_for(pid_, status, WNOHANG) == 0) return std::nullopt;
  return collect(status);
}

ProcessResult Process::wait() {
  int status = 0;
  if (pid_ > 0) wait_for(pid_, status, 0);
  return collect(status);
}

void Process::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

Result<ProcessResult> run_process(const std::string& program, const std::vector<std::string>& arguments,
                                  const ProcessOptions& options, std::optional<std::chrono::milliseconds> timeout,
                                  const std::function<bool()>& keep_going) {
  auto process = Process::start(program, arguments, options);
  if (!process) return process.error();
  if (!timeout && !keep_going) return process->wait();
  const auto start = std::chrono::steady_clock::now();
  auto pause = std::chrono::milliseconds(1);
  while (true) {
    if (auto ended = process->poll()) return std::move(*ended);
    const bool late = timeout && std::chrono::steady_clock::now() - start >= *timeout;
    const bool unwanted = keep_going && !keep_going();
    if (late || unwanted) {
      process->kill();
      ProcessResult result = process->wait();
      result.timed_out = late && !unwanted;
      result.stopped = unwanted;
      return result;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));  // quick for short programs, cheap for long ones
  }
}

}  // namespace supple
