// A server of files for the browser on this machine, and for no one else: it listens on 127.0.0.1, gives what its
// routes name, and takes nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "supple/serve/routes.h"

namespace supple::serve {

struct ServerOptions {
  std::uint16_t port = 0;                      // 0: any that is free
  std::chrono::milliseconds patience{10'000};  // with slow clients
  std::size_t connections = 64;                // at once; others wait until one is over
};

class Server {
 public:
  /// Clients can connect from now on; they are answered in run().
  static Result<Server> listen(Routes routes, const ServerOptions& options = {});

  std::uint16_t port() const { return port_; }
  /// "http://127.0.0.1:PORT/"
  std::string url() const;

  /// Answers requests on the calling thread until stop() is called or `stop_requested`, asked several times a second,
  /// says yes. What is still under way is then dropped.
  void run(const std::function<bool()>& stop_requested = {});

  /// From any thread or a signal handler, before or during run(), while the server is there.
  void stop() noexcept;

 private:
  Server() = default;

  std::unique_ptr<Routes> routes_;  // connections hold on to its place
  ServerOptions options_;
  std::uint16_t port_ = 0;
  Descriptor listener_, wake_reader_, wake_writer_;
};

}  // namespace supple::serve
