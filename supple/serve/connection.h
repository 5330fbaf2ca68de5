// One client from its first byte to its last: reads a request, sends the answer, and sees the client off. Never waits.
#pragma once

#include <array>
#include <chrono>
#include <span>
#include <string>

#include "supple/serve/request.h"
#include "supple/serve/routes.h"

namespace supple::serve {

using Clock = std::chrono::steady_clock;

class Connection {
 public:
  /// `socket` does not block. A client has `patience` to ask, the same again for each step it makes in listening, and
  /// once more to hang up.
  Connection(Descriptor socket, const Routes& routes, std::chrono::milliseconds patience);

  int socket() const { return socket_.get(); }
  /// What to wait for: POLLIN or POLLOUT.
  short awaited() const;
  /// When check_time() will have something to do.
  Clock::time_point deadline() const { return deadline_; }
  bool is_over() const { return state_ == State::over; }

  /// The socket is ready for what was awaited.
  void go_on();
  /// Loses patience after the deadline.
  void check_time(Clock::time_point now);

 private:
  enum class State { reading, sending, parting, over };

  void read();
  void send();
  void part();
  void answer(std::string_view head);
  void refuse(const Refusal& refusal, bool wants_body = true);
  void start_sending(std::string head);
  /// Fills the buffer with what is to be sent next; false where nothing more can be had.
  bool refill();

  Descriptor socket_;
  const Routes& routes_;
  std::chrono::milliseconds patience_;
  Clock::time_point deadline_;
  State state_ = State::reading;
  std::string received_;
  std::string head_;                  // of the response, and its text where it is a refusal
  std::span<const std::byte> ready_;  // the next bytes to send: of the head, the content's memory or the buffer
  std::size_t to_come_ = 0;           // bytes of content behind `ready_`
  Content content_;
  std::array<std::byte, 65536> buffer_;
};

}  // namespace supple::serve
