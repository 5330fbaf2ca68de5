// A server on its own thread, with a small site to serve.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <thread>

#include "serve/http_client.h"
#include "supple/serve/server.h"
#include "support/run_command.h"

namespace supple::test {

class RunningServer : public testing::Test {
 protected:
  void SetUp() override {
    namespace fs = std::filesystem;
    fs::create_directories(site_ / "inner");
    fs::create_directories(scratch_ / "examples");
    put(site_ / "index.html", "<!doctype html>");
    put(site_ / "inner" / "index.html", "inner");
    put(scratch_ / "examples" / "examples.json", "{}");
    put(scratch_ / "secret.txt", "secret");
    put(scratch_ / "one.txt", "one");
    start();
  }
  void TearDown() override { stop(); }

  void start(serve::ServerOptions options = {}) {
    stop();
    serve::Routes routes;
    ASSERT_TRUE(routes.add_folder("/", site_));
    ASSERT_TRUE(routes.add_folder("/examples/", scratch_ / "examples"));
    ASSERT_TRUE(routes.add_file("/single.txt", scratch_ / "one.txt"));
    routes.add_text("/session.json", R"({"name": "hand"})", "application/json");
    routes.add_made(
        "/made", [this] { return made_(); }, "text/plain");
    auto server = serve::Server::listen(std::move(routes), options);
    ASSERT_TRUE(server) << server.error().message();
    server_ = std::make_unique<serve::Server>(std::move(*server));
    thread_ = std::thread([this] { server_->run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }

  static void put(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::uint16_t port() const { return server_->port(); }
  Reply fetch(const std::string& target, const std::string& fields = "", const std::string& method = "GET") const {
    return get(port(), target, fields, method);
  }

  ScratchFolder scratch_;
  std::filesystem::path site_ = scratch_ / "site";
  /// What "/made" gives; set before the server is asked.
  std::function<std::shared_ptr<const Bytes>()> made_;
  std::unique_ptr<serve::Server> server_;
  std::thread thread_;
};

}  // namespace supple::test
