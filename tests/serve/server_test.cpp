// What the server gives: folders, files and bytes, to many clients at once, patient with none for ever.
#include <gtest/gtest.h>

#include "supple/serve/server.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <atomic>
#include <list>

#include "serve/running_server.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

/// Bytes without a pattern that a wrong offset could fit.
std::string noise(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t state = 1;
  for (char& c : text) {
    state = state * 1664525u + 1013904223u;
    c = static_cast<char>(static_cast<unsigned char>(state >> 24));
  }
  return text;
}

TEST_F(RunningServer, GivesFoldersFilesAndBytes) {
  EXPECT_EQ(fetch("/").body, "<!doctype html>");
  EXPECT_EQ(fetch("/index.html?v=1").body, "<!doctype html>");
  EXPECT_EQ(fetch("/inner/").body, "inner");
  EXPECT_EQ(fetch("/examples/examples.json").body, "{}");
  EXPECT_EQ(fetch("/single.txt").body, "one");
  EXPECT_EQ(fetch("/session.json").body, R"({"name": "hand"})");
  EXPECT_EQ(fetch("/session.json").field("content-type"), "application/json");
  // No listings, no folder without its slash, nothing beside the routes.
  for (const char* missing : {"/inner", "/examples/", "/examples", "/secret.txt", "/nothing", "/session.json/"})
    EXPECT_EQ(fetch(missing).status, 404) << missing;
}

TEST_F(RunningServer, ReadsFilesAnewAndDoesNotLetThemBeKept) {
  put(scratch_ / "one.txt", "another");
  const Reply reply = fetch("/single.txt");
  EXPECT_EQ(reply.body, "another");
  EXPECT_EQ(reply.field("cache-control"), "no-store");
  fs::remove(scratch_ / "one.txt");
  EXPECT_EQ(fetch("/single.txt").status, 404);
}

TEST_F(RunningServer, MakesContentWhenItIsAskedForAndKeepsItUntilItIsSent) {
  int asked = 0;
  const std::string text = noise(3'000'000);  // more than a socket takes at once
  made_ = [&] {
    const std::string all = std::to_string(++asked) + text;
    const auto bytes = std::as_bytes(std::span(all));
    return std::make_shared<const Bytes>(bytes.begin(), bytes.end());  // nobody else keeps it
  };
  EXPECT_TRUE(fetch("/made").body == "1" + text);
  EXPECT_TRUE(fetch("/made").body == "2" + text);
  EXPECT_EQ(fetch("/made").field("content-type"), "text/plain");
}

TEST_F(RunningServer, NamesTheTypeOfContent) {
  const std::pair<const char*, const char*> types[] = {{"a.html", "text/html; charset=utf-8"},
                                                       {"a.js", "text/javascript; charset=utf-8"},
                                                       {"a.css", "text/css; charset=utf-8"},
                                                       {"a.wasm", "application/wasm"},
                                                       {"a.glb", "model/gltf-binary"},
                                                       {"a.json", "application/json"},
                                                       {"a.png", "image/png"},
                                                       {"a.svg", "image/svg+xml"},
                                                       {"a.npy", "application/octet-stream"},
                                                       {"a.txt", "text/plain; charset=utf-8"},
                                                       {"a.js.map", "application/json"},
                                                       {"A.GLB", "model/gltf-binary"},
                                                       {"noext", "application/octet-stream"}};
  for (const auto& [name, type] : types) {
    put(site_ / name, "x");
    EXPECT_EQ(fetch(std::string("/") + name).field("content-type"), type) << name;
  }
}

TEST_F(RunningServer, EveryAnswerCarriesTheProtectiveFields) {
  for (const char* target : {"/", "/session.json", "/nothing", "/.."}) {
    const Reply reply = fetch(target);
    EXPECT_EQ(reply.field("x-content-type-options"), "nosniff") << target;
    EXPECT_EQ(reply.field("cross-origin-resource-policy"), "same-origin") << target;
    EXPECT_EQ(reply.field("cache-control"), "no-store") << target;
    EXPECT_EQ(reply.field("content-length"), std::to_string(reply.body.size())) << target;
    const std::string policy = reply.field("content-security-policy");
    for (const char* rule : {"default-src 'self';", "script-src 'self' 'wasm-unsafe-eval';", "object-src 'none'",
                             "frame-ancestors 'none'"})
      EXPECT_NE(policy.find(rule), std::string::npos) << target << ": " << policy;
    EXPECT_EQ(policy.find("'unsafe-eval'"), std::string::npos);
    EXPECT_EQ(reply.fields.count("access-control-allow-origin"), 0u);
  }
}

TEST_F(RunningServer, HeadHasTheSizeButNoBody) {
  for (const char* target : {"/single.txt", "/session.json", "/nothing", "/.."}) {
    const Reply whole = fetch(target), head = fetch(target, "", "HEAD");
    EXPECT_EQ(head.status, whole.status);
    EXPECT_EQ(head.fields, whole.fields);
    EXPECT_EQ(head.body, "");
  }
}

TEST_F(RunningServer, KnowsNamesInAnyScript) {
  put(site_ / "H\xc3\xa4nde \xe6\x89\x8b 100%.txt", "hands");
  EXPECT_EQ(fetch("/H%C3%A4nde%20%e6%89%8b%20100%25.txt").body, "hands");
  put(site_ / "empty.txt", "");
  EXPECT_EQ(fetch("/empty.txt").status, 200);
  EXPECT_EQ(fetch("/empty.txt").field("content-length"), "0");
}

TEST_F(RunningServer, GivesLargeFilesWhole) {
  const std::string large = noise(20'000'001);
  put(site_ / "large.npy", large);
  const Reply reply = fetch("/large.npy");
  EXPECT_EQ(reply.field("content-length"), "20000001");
  EXPECT_TRUE(reply.body == large);  // not EXPECT_EQ: no one wants to read the difference
}

TEST_F(RunningServer, AnswersFiftyAtOnce) {
  const std::string large = noise(1'000'000);
  put(site_ / "large.bin", large);
  // All are connected before the first one asks; more of them than the server takes at once.
  start({.port = 0, .patience = std::chrono::seconds(60), .connections = 32});
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 50; ++i) clients.push_back(std::make_unique<HttpClient>(port()));
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (auto& client : clients) {
    threads.emplace_back([&] {
      client->say("GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
      if (parse_reply(client->hear()).body == large) ++good;
      client.reset();  // makes room
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 50);
}

TEST_F(RunningServer, OutlivesClientsThatGoAway) {
  put(site_ / "large.bin", noise(20'000'000));
  for (int i = 0; i < 20; ++i) {
    { HttpClient silent(port()); }
    {
      HttpClient half(port());
      half.say("GET /large.bin HT");
    }
    HttpClient client(port());
    client.say("GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
    if (i % 2 == 0) client.finish_saying();  // then the server's next word meets a broken pipe, not a reset connection
    EXPECT_EQ(client.hear(100).size(), 100u);
  }
  EXPECT_EQ(fetch("/single.txt").status, 200);
}

// Clients and server are one process here and share what files it may open.
TEST_F(RunningServer, GoesOnAfterThereWereMoreClientsThanFiles) {
  const int next = ::open("/dev/null", O_RDONLY);
  ::close(next);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(next) + 7;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  bool refused = false;
  {
    std::list<HttpClient> clients;
    for (int i = 0; i < 8; ++i) {
      clients.emplace_back(port());
      refused = refused || !clients.back().connected();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the server takes some of them meanwhile
    }
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(refused) << "there were files enough";
  EXPECT_EQ(fetch("/single.txt").status, 200);
}

TEST_F(RunningServer, UnderstandsARequestThatComesByteByByte) {
  HttpClient client(port());
  for (const char c : std::string_view("GET /single.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")) client.say({&c, 1});
  EXPECT_EQ(parse_reply(client.hear()).body, "one");
}

TEST_F(RunningServer, AnswersClientsThatHaveFinishedSpeaking) {
  const std::string large = noise(5'000'000);
  put(site_ / "large.bin", large);
  HttpClient client(port());
  client.say("GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
  client.finish_saying();
  EXPECT_TRUE(parse_reply(client.hear()).body == large);
}

TEST_F(RunningServer, LosesPatienceWithSlowClients) {
  // With room for one client, the next is answered only when the one before was given up.
  start({.port = 0, .patience = std::chrono::milliseconds(200), .connections = 1});
  {
    HttpClient slow(port());
    slow.say("GET / HTTP/1.1\r\nHost: local");
    EXPECT_EQ(parse_reply(slow.hear()).status, 408);
  }
  HttpClient silent(port());
  EXPECT_EQ(fetch("/single.txt").body, "one");
  EXPECT_EQ(silent.hear(), "");  // a connection opened ahead of need ends without a word
  // One that asks and does not listen: what it finds later is not the whole file, which no socket buffer could hold.
  const std::string large = noise(30'000'000);
  put(site_ / "large.bin", large);
  HttpClient deaf(port());
  deaf.say("GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(fetch("/single.txt").body, "one");
  EXPECT_LT(deaf.hear().size(), large.size());
}

TEST_F(RunningServer, StopsFromAnotherThreadAndWhenAsked) {
  const std::uint16_t left = port();
  stop();  // joins: the test would hang here
  server_.reset();
  EXPECT_FALSE(HttpClient(left).connected());
  auto server = serve::Server::listen({});
  ASSERT_TRUE(server);
  int asked = 0;
  server->run([&] { return ++asked == 3; });
  EXPECT_EQ(asked, 3);
  server->stop();  // before run(): counts too
  server->run();
}

TEST_F(RunningServer, SaysWhyItCannotListen) {
  const auto second = serve::Server::listen({}, {.port = port()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().item, "port " + std::to_string(port()));
  EXPECT_NE(second.error().problem.find("in use"), std::string::npos);
  EXPECT_FALSE(second.error().remedy.empty());
  const std::uint16_t freed = port();
  (void)fetch("/");
  stop();
  server_.reset();
  EXPECT_TRUE(serve::Server::listen({}, {.port = freed}));  // at once, with connections that have just ended
}

TEST(Routes, RefuseWhatIsNotThere) {
  const ScratchFolder scratch;
  serve::Routes routes;
  const auto folder = routes.add_folder("/", scratch / "missing"), file = routes.add_file("/a", scratch.path());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().item, (scratch / "missing").string());
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().item, scratch.path().string());
}

}  // namespace
}  // namespace supple::test
