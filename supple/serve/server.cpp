#include "supple/serve/server.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <optional>
#include <vector>

#include "supple/serve/connection.h"

namespace supple::serve {
namespace {

/// How often `stop_requested` is asked.
constexpr std::chrono::milliseconds question_interval{100};
/// How long to leave new clients waiting where the process has no descriptor left for one.
constexpr std::chrono::milliseconds accept_pause{100};

void set_up(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);  // programs that are started meanwhile must not keep the port
}

Error cannot_listen(std::uint16_t port) {
  const int code = errno;
  const std::string item = port == 0 ? "the server" : "port " + std::to_string(port);
  if (code == EADDRINUSE)
    return {item, "is in use by another program", "choose another port, or 0 for any that is free"};
  if (code == EACCES)
    return {item, "may not be used by everyone", "choose a port above 1023, or 0 for any that is free"};
  return {item, std::string("cannot listen on 127.0.0.1: ") + std::strerror(code), "check the network settings"};
}

/// The clients of one run.
class Clients {
 public:
  Clients(int listener, const Routes& routes, const ServerOptions& options)
      : listener_(listener), routes_(routes), options_(options) {}

  /// Waits until something happens, `longest` at most, and takes it one step further. False: the stop was called.
  bool step(int wake, std::optional<std::chrono::milliseconds> longest) {
    const bool room = connections_.size() < options_.connections && Clock::now() >= accept_from_;
    std::vector<pollfd> watched{{wake, POLLIN, 0}, {room ? listener_ : -1, POLLIN, 0}};
    for (const Connection& connection : connections_) watched.push_back({connection.socket(), connection.awaited(), 0});
    const int ready = ::poll(watched.data(), static_cast<nfds_t>(watched.size()), timeout(longest));
    if (ready > 0) {
      if (watched[0].revents != 0) return false;
      auto events = watched.begin() + 2;
      for (Connection& connection : connections_) {
        if ((events++)->revents != 0) connection.go_on();
      }
      if (watched[1].revents != 0) accept();
    }
    const auto now = Clock::now();
    for (Connection& connection : connections_) connection.check_time(now);
    connections_.remove_if([](const Connection& connection) { return connection.is_over(); });
    return true;
  }

 private:
  /// Milliseconds until the next deadline, as poll() wants them; -1: none.
  int timeout(std::optional<std::chrono::milliseconds> longest) const {
    const auto now = Clock::now();
    std::optional<Clock::time_point> next;
    const auto consider = [&](Clock::time_point time) { next = std::min(next.value_or(time), time); };
    if (longest) consider(now + *longest);
    if (accept_from_ > now) consider(accept_from_);
    for (const Connection& connection : connections_) consider(connection.deadline());
    if (!next) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - now);
    return static_cast<int>(std::clamp<long long>(left.count(), 0, 60'000));
  }

  void accept() {
    Descriptor socket(::accept(listener_, nullptr, nullptr));
    if (socket) {
      set_up(socket.get());
      connections_.emplace_back(std::move(socket), routes_, options_.patience);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ECONNABORTED) {
      accept_from_ = Clock::now() + accept_pause;
    }
  }

  const int listener_;
  const Routes& routes_;
  const ServerOptions& options_;
  std::list<Connection> connections_;
  Clock::time_point accept_from_{};
};

}  // namespace

Result<Server> Server::listen(Routes routes, const ServerOptions& options) {
  Server server;
  server.options_ = options;
  server.listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM, 0));
  if (!server.listener_) return cannot_listen(options.port);
  const int listener = server.listener_.get();
  set_up(listener);
  // Without this the port of a server that has just ended could not be had again for a minute.
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(listener, SOMAXCONN) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return cannot_listen(options.port);
  }
  server.port_ = ntohs(address.sin_port);

  int ends[2];
  if (::pipe(ends) != 0) return cannot_listen(options.port);
  for (const int end : ends) set_up(end);
  server.wake_reader_ = Descriptor(ends[0]);
  server.wake_writer_ = Descriptor(ends[1]);
  server.routes_ = std::make_unique<Routes>(std::move(routes));
  return server;
}

std::string Server::url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

void Server::run(const std::function<bool()>& stop_requested) {
  Clients clients(listener_.get(), *routes_, options_);
  const auto longest = stop_requested ? std::optional(question_interval) : std::nullopt;
  while (!(stop_requested && stop_requested()) && clients.step(wake_reader_.get(), longest)) {
  }
}

void Server::stop() noexcept {
  const char word = 's';
  [[maybe_unused]] const ssize_t written = ::write(wake_writer_.get(), &word, 1);  // a full pipe says it already
}

}  // namespace supple::serve
