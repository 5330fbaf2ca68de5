// HTTP requests, as they arrive: the head may come in two pieces.
#include "supple/serve/request.h"

#include "fuzz/target.h"

namespace supple::fuzz {
namespace {

bool read_request_input(Input input) {
  const std::string_view received = as_text(input);
  const bool half_refused = serve::early_refusal(received.substr(0, received.size() / 2)).has_value();
  if (serve::early_refusal(received)) return false;
  require(!half_refused, "the half of a head that is not refused is not refused");
  const auto end = serve::end_of_head(received);
  if (!end) return false;
  const auto parsed = serve::parse_request(received.substr(0, *end));
  const auto* request = std::get_if<serve::Request>(&parsed);
  if (request == nullptr) return false;
  require(request->path.starts_with('/') && request->path.find("/../") == std::string::npos &&
              !request->path.ends_with("/..") && request->path.find('\\') == std::string::npos &&
              request->path.find('\0') == std::string::npos,
          "a path stays below the root");
  return true;
}

Seeds request_seeds() {
  return {{"get",
           "GET /a%20b/c.json?q=1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nOrigin: http://127.0.0.1:8080\r\nAccept: */*\r\n"
           "Sec-Fetch-Site: same-origin\r\nContent-Length: 0\r\n\r\n"},
          {"head", "HEAD / HTTP/1.0\r\nhost: [::1]\r\n\r\nrest"}};
}

}  // namespace

extern const Target request_target{"request",
                                   read_request_input,
                                   request_seeds,
                                   {"GET ",
                                    "HEAD ",
                                    "POST ",
                                    " HTTP/1.1\r\n",
                                    "\r\n\r\n",
                                    "\r\n",
                                    "Host: ",
                                    "localhost",
                                    "127.0.0.1",
                                    "[::1]",
                                    "Origin: ",
                                    "http://",
                                    "Sec-Fetch-Site: cross-site",
                                    "Sec-Fetch-Mode: navigate",
                                    "Content-Length: ",
                                    "Transfer-Encoding: chunked",
                                    "%2e%2e",
                                    "%2f",
                                    "%00",
                                    "/../",
                                    "?",
                                    "#"}};

}  // namespace supple::fuzz
