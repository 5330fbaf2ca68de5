// What the server does not do: leave its folders, answer other sites, take anything in, or guess what was meant.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include "serve/running_server.h"
#include "supple/serve/request.h"
#include "supple/serve/url.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

class Refusals : public RunningServer {
 protected:
  int status(const std::string& request) const { return ask(port(), request).status; }
  int status_for_host(const std::string& host) const { return status("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"); }
};

TEST_F(Refusals, PathsThatLeadOutOfTheFolder) {
  ASSERT_EQ(contents(scratch_ / "secret.txt"), "secret");
  for (const char* path : {"/../secret.txt",
                           "/inner/../../secret.txt",
                           "/%2e%2e/secret.txt",
                           "/.%2E/secret.txt",
                           "/..%2fsecret.txt",
                           "/%2e%2e%2fsecret.txt",
                           "/..\\secret.txt",
                           "/..%5csecret.txt",
                           "/%252e%252e/secret.txt",
                           "/%252e%252e%252fsecret.txt",
                           "/..%00/secret.txt",
                           "/index.html%00.txt",
                           "//secret.txt",
                           "/inner//index.html",
                           "/./index.html",
                           "/%c0%ae%c0%ae/secret.txt",
                           "/..;/secret.txt",
                           "/examples/../secret.txt",
                           "/examples/..",
                           "/..",
                           "/%2e",
                           "secret.txt",
                           "..",
                           "http://127.0.0.1/",
                           "*",
                           "/a#b",
                           "/%",
                           "/%2",
                           "/%zz",
                           "/%+1",
                           "/a%0ab",
                           "/\x7f",
                           "/\xc3\xa4"}) {
    const Reply reply = fetch(path);
    EXPECT_TRUE(reply.status == 400 || reply.status == 404) << path << ": " << reply.status;
    EXPECT_EQ(reply.body.find("secret"), std::string::npos) << path;
    EXPECT_EQ(reply.body.find("doctype"), std::string::npos) << path;
  }
  const std::string absolute = (scratch_ / "secret.txt").string();
  EXPECT_EQ(fetch(absolute).status, 404);
  EXPECT_EQ(fetch("/" + absolute).status, 400);
}

TEST_F(Refusals, LinksThatLeadOutOfTheFolder) {
  fs::create_symlink(scratch_ / "secret.txt", site_ / "file.txt");
  fs::create_directory_symlink(scratch_.path(), site_ / "up");
  fs::create_symlink("index.html", site_ / "home.html");
  fs::create_symlink("loop", site_ / "loop");
  // A neighbour whose name begins like the folder's.
  fs::create_directories(scratch_ / "site-private");
  put(scratch_ / "site-private" / "key.txt", "secret");
  fs::create_symlink(scratch_ / "site-private" / "key.txt", site_ / "key.txt");
  for (const char* path :
       {"/file.txt", "/up/secret.txt", "/up/site/index.html/../../../secret.txt", "/loop", "/key.txt"}) {
    const Reply reply = fetch(path);
    EXPECT_TRUE(reply.status == 400 || reply.status == 404) << path << ": " << reply.status;
    EXPECT_EQ(reply.body.find("secret"), std::string::npos) << path;
  }
  EXPECT_EQ(fetch("/home.html").body, "<!doctype html>");  // a link that stays inside is fine
}

TEST_F(Refusals, HiddenFilesPipesAndFolders) {
  fs::create_directories(site_ / ".git");
  put(site_ / ".git" / "config", "secret");
  put(site_ / ".env", "secret");
  ASSERT_EQ(::mkfifo((site_ / "pipe").c_str(), 0600), 0);
  for (const char* path : {"/.git/config", "/.env", "/pipe", "/inner"}) EXPECT_EQ(fetch(path).status, 404) << path;
}

TEST_F(Refusals, HostsThatOnlyPointHere) {
  const std::string port_text = std::to_string(port());
  for (const std::string host : {"127.0.0.1", "localhost", "LOCALHOST", "[::1]"}) {
    EXPECT_EQ(status_for_host(host), 200) << host;
    EXPECT_EQ(status_for_host(host + ":" + port_text), 200) << host;
  }
  for (const std::string host :
       {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "localhost:", "localhost:80@evil.example",
        "localhost:123456", "127.0.0.2", "0.0.0.0", "[::1", "[::1]x", "127.0.0.1, evil.example", ""}) {
    EXPECT_EQ(status_for_host(host), 421) << host;
  }
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.0\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"), 400);
}

TEST_F(Refusals, PagesOfOtherOrigins) {
  const std::string own = "http://127.0.0.1:" + std::to_string(port());
  EXPECT_EQ(fetch("/session.json", "Origin: " + own + "\r\n").status, 200);
  for (const std::string& origin :
       {std::string("null"), std::string("http://evil.example"), std::string("http://127.0.0.1:1"),
        "https" + own.substr(4), own + ".evil.example", std::string("")}) {
    EXPECT_EQ(fetch("/session.json", "Origin: " + origin + "\r\n").status, 403) << origin;
  }
  EXPECT_EQ(fetch("/model", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n").status, 403);
  EXPECT_EQ(fetch("/", "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n").status, 403);
  EXPECT_EQ(fetch("/", "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n").status, 200);
  EXPECT_EQ(fetch("/", "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n").status, 200);
  EXPECT_EQ(fetch("/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n").status, 200);  // a link
}

TEST_F(Refusals, OtherMethods) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get", "X"}) {
    const Reply reply = fetch("/", "", method);
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_EQ(reply.field("allow"), "GET, HEAD");
  }
}

TEST_F(Refusals, Uploads) {
  EXPECT_EQ(fetch("/", "Content-Length: 0\r\n").status, 200);
  for (const char* field :
       {"Content-Length: 1", "Content-Length: 99999999999999999999999999", "Transfer-Encoding: chunked",
        "Transfer-Encoding: identity", "content-length:5", "Transfer-Encoding:"})
    EXPECT_EQ(fetch("/", std::string(field) + "\r\n").status, 413) << field;
  for (const char* field : {"Content-Length: -1", "Content-Length: +0", "Content-Length: 0x0",
                            "Content-Length:", "Content-Length: 0\r\nContent-Length: 0", "Content-Length: 0, 0"})
    EXPECT_EQ(fetch("/", std::string(field) + "\r\n").status, 400) << field;
  // The answer arrives although the client goes on sending: a connection closed at once would take it away again.
  const std::string body(20'000'000, 'x');  // more than the buffers of both sides hold

  HttpClient client(port());
  EXPECT_TRUE(client.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n" + body));
  EXPECT_EQ(parse_reply(client.hear()).status, 405);
}

TEST_F(Refusals, HeadsThatAreTooLong) {
  const std::string start = "GET /single.txt HTTP/1.1\r\nHost: localhost\r\nX: ", end = "\r\n\r\n";
  const std::size_t fits = serve::longest_head - start.size() - end.size();
  EXPECT_EQ(status(start + std::string(fits, 'x') + end), 200);
  EXPECT_EQ(status(start + std::string(fits + 1, 'x') + end), 431);
  EXPECT_EQ(status("GET /" + std::string(100'000, 'a')), 431);  // one that never ends
}

TEST_F(Refusals, WhatIsNoRequest) {
  const std::string fields = "Host: localhost\r\n";
  for (const std::string line :
       {"GET /", "GET", "", " GET / HTTP/1.1", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", "GET / / HTTP/1.1",
        "GET\t/\tHTTP/1.1", "GET / http/1.1", "G(T / HTTP/1.1", "GET /\x01 HTTP/1.1"})
    EXPECT_EQ(status(line + "\r\n" + fields + "\r\n"), 400) << line;
  for (const std::string version : {"HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "HTTP/"})
    EXPECT_EQ(status("GET / " + version + "\r\n" + fields + "\r\n"), 505) << version;
  for (const std::string field : {"no colon", "Space : before", " folded", ": no name", "N\xc3\xa4me: x", "X: a\rb"})
    EXPECT_EQ(status("GET / HTTP/1.1\r\n" + fields + field + "\r\n\r\n"), 400) << field;
  EXPECT_EQ(status("GET / HTTP/1.1\nHost: localhost\n\n"), 400);
  EXPECT_EQ(status(std::string("GET / HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n"sv)), 400);
  EXPECT_EQ(status("\x16\x03\x01\x02"), 400);  // a browser that tries https
}

TEST(DecodedPath, UndoesEscapesOnce) {
  EXPECT_EQ(serve::decoded_path("/a%20b/c.json?x=/../y"), "/a b/c.json");
  EXPECT_EQ(serve::decoded_path("/%252e"), "/%2e");
  EXPECT_EQ(serve::decoded_path("/"), "/");
  EXPECT_EQ(serve::decoded_path("/a/"), "/a/");
  EXPECT_EQ(serve::decoded_path("/..."), "/...");
  for (const char* bad :
       {"", "a", "//", "/a//b", "/..", "/a/../b", "/%2e%2E/", "/a%2fb", "/a%5Cb", "/a\\b", "/%0", "/%-1"})
    EXPECT_FALSE(serve::decoded_path(bad)) << bad;
}

}  // namespace
}  // namespace supple::test
