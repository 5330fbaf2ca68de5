#include "supple/serve/response.h"

namespace supple::serve {
namespace {

/// Pages load nothing from elsewhere and stand in no frame of others; they may talk to programs on this machine. It
/// goes with every response: drawings and workers are documents too.
constexpr std::string_view content_security_policy =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' blob: data:; connect-src 'self' blob: data: ws://127.0.0.1:* ws://localhost:*; "
    "worker-src 'self' blob:; object-src 'none'; frame-ancestors 'none'";

}  // namespace

std::string_view phrase(Status status) {
  switch (status) {
    case Status::ok:
      return "OK";
    case Status::bad_request:
      return "Bad Request";
    case Status::forbidden:
      return "Forbidden";
    case Status::not_found:
      return "Not Found";
    case Status::method_not_allowed:
      return "Method Not Allowed";
    case Status::request_timeout:
      return "Request Timeout";
    case Status::content_too_large:
      return "Content Too Large";
    case Status::misdirected_request:
      return "Misdirected Request";
    case Status::head_too_large:
      return "Request Header Fields Too Large";
    case Status::version_not_supported:
      return "HTTP Version Not Supported";
  }
  return "";
}

std::string response_head(Status status, std::string_view type, std::size_t size) {
  std::string head = "HTTP/1.1 " + std::to_string(static_cast<int>(status)) + " ";
  const auto add = [&](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  head.append(phrase(status)).append("\r\n");
  add("Content-Type", type);
  add("Content-Length", std::to_string(size));
  add("Cache-Control", "no-store");  // the file may be another one at the next start
  add("X-Content-Type-Options", "nosniff");
  add("Cross-Origin-Resource-Policy", "same-origin");
  add("Content-Security-Policy", content_security_policy);
  if (status == Status::method_not_allowed) add("Allow", "GET, HEAD");
  add("Connection", "close");
  return head + "\r\n";
}

std::string refusal_response(const Refusal& refusal, bool wants_body) {
  std::string body = std::to_string(static_cast<int>(refusal.status)) + " ";
  body.append(phrase(refusal.status)).append("\n").append(refusal.why).append("\n");
  const std::string head = response_head(refusal.status, "text/plain; charset=utf-8", body.size());
  return wants_body ? head + body : head;
}

}  // namespace supple::serve
