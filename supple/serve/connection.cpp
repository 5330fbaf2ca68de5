#include "supple/serve/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "supple/serve/response.h"

namespace supple::serve {
namespace {

bool try_later() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Connection::Connection(Descriptor socket, const Routes& routes, std::chrono::milliseconds patience)
    : socket_(std::move(socket)), routes_(routes), patience_(patience), deadline_(Clock::now() + patience) {}

short Connection::awaited() const { return state_ == State::sending ? POLLOUT : POLLIN; }

void Connection::go_on() {
  if (state_ == State::reading) {
    read();
  } else if (state_ == State::parting) {
    part();
  }
  if (state_ == State::sending) send();
}

void Connection::check_time(Clock::time_point now) {
  if (now < deadline_) return;
  // Browsers open connections ahead of need: one that never asked is not told that it was late.
  if (state_ == State::reading && !received_.empty()) {
    refuse({Status::request_timeout, "The request did not arrive in time."});
  } else {
    state_ = State::over;
  }
}

void Connection::read() {
  const ssize_t n = ::recv(socket(), buffer_.data(), buffer_.size(), 0);
  if (n < 0 && try_later()) return;
  if (n <= 0) {
    state_ = State::over;
    return;
  }
  received_.append(reinterpret_cast<const char*>(buffer_.data()), static_cast<std::size_t>(n));
  if (const auto refusal = early_refusal(received_)) return refuse(*refusal);
  if (const auto end = end_of_head(received_)) answer(std::string_view(received_).substr(0, *end));
}

void Connection::answer(std::string_view head) {
  const auto parsed = parse_request(head);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return refuse(*refusal, !head.starts_with("HEAD "));
  const Request& request = std::get<Request>(parsed);
  auto found = routes_.find(request.path);
  if (!found) return refuse({Status::not_found, "There is nothing here."}, request.wants_body);
  content_ = std::move(*found);
  if (request.wants_body) to_come_ = content_.size;
  start_sending(response_head(Status::ok, content_.type, content_.size));
}

void Connection::refuse(const Refusal& refusal, bool wants_body) {
  start_sending(refusal_response(refusal, wants_body));
}

void Connection::start_sending(std::string head) {
  head_ = std::move(head);
  ready_ = std::as_bytes(std::span(head_));
  state_ = State::sending;
  deadline_ = Clock::now() + patience_;
}

bool Connection::refill() {
  if (!content_.file) {
    ready_ = content_.memory;
  } else {
    const ssize_t n = ::read(content_.file.get(), buffer_.data(), std::min(buffer_.size(), to_come_));
    if (n <= 0) return false;  // the file was cut short meanwhile: the client sees fewer bytes than promised
    ready_ = std::span(buffer_).first(static_cast<std::size_t>(n));
  }
  to_come_ -= ready_.size();
  return true;
}

void Connection::send() {
  if (ready_.empty() && !refill()) {
    state_ = State::over;
    return;
  }
  const ssize_t n = ::send(socket(), ready_.data(), ready_.size(), MSG_NOSIGNAL);
  if (n < 0 && try_later()) return;
  if (n < 0) {  // the client went away
    state_ = State::over;
    return;
  }
  ready_ = ready_.subspan(static_cast<std::size_t>(n));
  deadline_ = Clock::now() + patience_;
  if (!ready_.empty() || to_come_ > 0) return;
  // Closing while the client still sends would take the answer back from it: say that we are done, and read to its end.
  ::shutdown(socket(), SHUT_WR);
  state_ = State::parting;
}

void Connection::part() {
  const ssize_t n = ::recv(socket(), buffer_.data(), buffer_.size(), 0);
  if (n == 0 || (n < 0 && !try_later())) state_ = State::over;
}

}  // namespace supple::serve
