// A real Slurm of one node on the loopback interface, for as long as an object lives: tests/support/slurm_node.sh.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/run_command.h"

namespace supple::test {

/// Sets SLURM_CONF, so that sbatch, squeue and scancel of this process and its children mean this node.
class SlurmNode {
 public:
  /// Why there can be none here, or "".
  static std::string unavailable() {
    for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch"}) {
      if (run("PATH=$PATH:/usr/sbin:/sbin command -v " + std::string(program)).exit_code != 0) {
        return std::string("needs ") + program + " (Debian packages slurm-wlm and munge)";
      }
    }
    return ::geteuid() == 0 ? "" : "needs root to start Slurm's daemons";
  }

  SlurmNode() {
    const std::string folder = folder_.path().string();
    // The pipe is the node's life line: it closes however this process ends.
    pipe_ = ::popen(("PATH=$PATH:/usr/sbin:/sbin exec bash '" SUPPLE_SOURCE_DIR "/tests/support/slurm_node.sh' '" +
                     folder + "' " + free_ports() + " >'" + folder + "/node.log' 2>&1")
                        .c_str(),
                    "we");
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!ready() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ::setenv("SLURM_CONF", (folder_ / "slurm.conf").c_str(), 1);
  }
  SlurmNode(const SlurmNode&) = delete;
  SlurmNode& operator=(const SlurmNode&) = delete;
  ~SlurmNode() {
    if (pipe_ != nullptr) ::pclose(pipe_);  // waits until everything has ended
    ::unsetenv("SLURM_CONF");
  }

  bool ready() const { return std::filesystem::exists(folder_ / "ready"); }
  /// What the daemons said, for failing tests.
  std::string log() const { return contents(folder_ / "node.log"); }

 private:
  /// Two ports that nobody listens on; both are held until both are known.
  static std::string free_ports() {
    int sockets[2];
    std::string ports;
    for (int& s : sockets) {
      s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      socklen_t size = sizeof address;
      if (::bind(s, reinterpret_cast<const sockaddr*>(&address), size) != 0) continue;
      ::getsockname(s, reinterpret_cast<sockaddr*>(&address), &size);
      ports += (ports.empty() ? "" : " ") + std::to_string(ntohs(address.sin_port));
    }
    for (const int s : sockets) ::close(s);
    return ports;
  }

  ScratchFolder folder_;
  std::FILE* pipe_ = nullptr;
};

}  // namespace supple::test

#define SUPPLE_REQUIRE_SLURM() \
  if (const std::string why = supple::test::SlurmNode::unavailable(); !why.empty()) GTEST_SKIP() << why
