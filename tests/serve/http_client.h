// A client that says exactly what the test wants said, right or wrong, and keeps what came back.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace supple::test {

struct Reply {
  int status = 0;                             // 0: nothing came, or no HTTP
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;

  std::string field(const std::string& name) const { return fields.contains(name) ? fields.at(name) : ""; }
};

inline Reply parse_reply(const std::string& text) {
  Reply reply;
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos || !text.starts_with("HTTP/1.1 ")) return reply;
  reply.status = std::stoi(text.substr(9, 3));
  for (std::size_t at = text.find("\r\n") + 2; at < end + 2;) {
    const std::size_t colon = text.find(": ", at), line_end = text.find("\r\n", at);
    std::string name = text.substr(at, colon - at);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    reply.fields[name] = text.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  reply.body = text.substr(end + 4);
  return reply;
}

class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval limit{.tv_sec = 60, .tv_usec = 0};  // a server that never answers must fail the test, not stop it
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient() { ::close(socket_); }

  bool connected() const { return connected_; }
  /// False where the server does not listen any more.
  bool say(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  /// Tells the server that nothing more will come.
  void finish_saying() { ::shutdown(socket_, SHUT_WR); }
  /// At most `most` bytes; fewer only where the server ended the connection.
  std::string hear(std::size_t most = SIZE_MAX) {
    std::string text;
    char buffer[65536];
    while (text.size() < most) {
      const ssize_t n = ::recv(socket_, buffer, std::min(sizeof buffer, most - text.size()), 0);
      if (n <= 0) break;
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  int socket_;
  bool connected_ = false;
};

/// The whole request as it goes over the line.
inline Reply ask(std::uint16_t port, std::string_view request) {
  HttpClient client(port);
  client.say(request);
  return parse_reply(client.hear());
}

/// A request as a browser makes it; `fields` are whole lines.
inline Reply get(std::uint16_t port, const std::string& target, const std::string& fields = "",
                 const std::string& method = "GET") {
  return ask(port,
             method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" + fields + "\r\n");
}

}  // namespace supple::test
