// supple studio as a user starts it: the page, the model and the session on loopback, a clean end, and clear refusals.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <optional>
#include <thread>

#include "serve/http_client.h"
#include "supple/base/process.h"
#include "supple/files/example_set_file.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

/// A studio that is being served. What it says goes to a file, so that the address can be read while it runs.
class Studio {
 public:
  Studio(const ScratchFolder& work, const std::string& arguments) : out_(work / "said.txt") {
    const std::string line = "exec " SUPPLE_CLI " studio --no-browser " + arguments + " >" + out_.string();
    auto started = Process::start("sh", {"-c", line});
    if (!started) return;
    process_.emplace(std::move(*started));
    while (contents(out_).find("http://127.0.0.1:") == std::string::npos || contents(out_).back() != '\n') {
      if ((ended_ = process_->poll())) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const std::string address = "http://127.0.0.1:", said = contents(out_);
    port_ = static_cast<std::uint16_t>(std::stoi(said.substr(said.find(address) + address.size())));
  }

  std::uint16_t port() const { return port_; }  // 0: it has ended, and wait() says why
  std::string said() const { return contents(out_); }
  ProcessResult stop(int signal = SIGINT) {
    if (!ended_) ::kill(process_->id(), signal);
    return wait();
  }
  ProcessResult wait() { return ended_ ? *ended_ : process_->wait(); }

 private:
  fs::path out_;
  std::optional<Process> process_;
  std::optional<ProcessResult> ended_;
  std::uint16_t port_ = 0;
};

class StudioCommand : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(work_ / "page");
    std::ofstream(work_ / "page" / "index.html") << "<!doctype html><title>studio</title>";
    ASSERT_EQ(run(SUPPLE_CLI " make limb --vertices 60 -o " + limb_).exit_code, 0);
  }
  /// A refusal of the command: its error text.
  std::string refused(const std::string& arguments) const {
    const CommandResult result = run(SUPPLE_CLI " studio --no-browser " + arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  }
  ScratchFolder work_;
  std::string limb_ = (work_ / "limb.glb").string(), page_ = " --page " + (work_ / "page").string();
};

TEST_F(StudioCommand, ServesThePageTheModelAndTheSession) {
  Studio studio(work_, limb_ + page_);
  ASSERT_NE(studio.port(), 0) << studio.wait().err;
  const Reply page = get(studio.port(), "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, contents(work_ / "page" / "index.html"));
  EXPECT_EQ(page.field("content-type"), "text/html; charset=utf-8");
  const Json session = Json::parse(get(studio.port(), "/session.json").body);
  EXPECT_EQ(session, Json::parse(R"({"model": "model.glb", "name": "limb.glb", "examples": null, "demo": false,
                                     "version": 1, "problem": null})"));
  const Reply model = get(studio.port(), "/model.glb");
  EXPECT_EQ(model.field("content-type"), "model/gltf-binary");
  EXPECT_TRUE(model.body == contents(limb_));

  EXPECT_EQ(ask(studio.port(), "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 421);
  EXPECT_EQ(get(studio.port(), "/../limb.glb").status, 400);
  EXPECT_EQ(get(studio.port(), "/limb.glb").status, 404);
  EXPECT_EQ(get(studio.port(), "/examples/").status, 404);

  const ProcessResult end = studio.stop();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(end.err, "");
  EXPECT_FALSE(HttpClient(studio.port()).connected());
}

TEST_F(StudioCommand, WithoutAFileThereIsAHand) {
  Studio studio(work_, "--json" + page_);
  ASSERT_NE(studio.port(), 0) << studio.wait().err;
  const std::string glb = get(studio.port(), "/model.glb").body;
  const auto document = gltf::parse_document(std::as_bytes(std::span(glb)), "model.glb");
  ASSERT_TRUE(document) << document.error().message();
  const auto hand = gltf::to_character(*document);
  ASSERT_TRUE(hand) << hand.error().message();
  EXPECT_TRUE(hand->character.skeleton.find("index-finger-tip"));
  EXPECT_FALSE(hand->character.clips.empty());
  EXPECT_EQ(studio.stop(SIGTERM).exit_code, 0);
  const Json said = Json::parse(studio.said());  // one object, although it was printed before the end
  EXPECT_EQ(said["ok"], true);
  EXPECT_EQ(said["url"], "http://127.0.0.1:" + std::to_string(studio.port()) + "/");
  EXPECT_EQ(said["name"], "hand.glb");
}

TEST_F(StudioCommand, AModelInSeveralFilesBecomesOne) {
  // A .gltf with a .bin and an image beside it.
  const fs::path folder = work_ / "parts";
  fs::create_directory(folder);
  ASSERT_EQ(run(SUPPLE_CLI " convert " + limb_ + " -o " + (folder / "limb.gltf").string()).exit_code, 0);
  const std::string picture = "\x89PNG only by its first bytes";
  std::ofstream(folder / "skin.png", std::ios::binary) << picture;
  Json json = Json::parse(contents(folder / "limb.gltf"));
  json["images"] = Json::array({{{"uri", "skin.png"}}});
  std::ofstream(folder / "limb.gltf") << json.dump();

  Studio studio(work_, (folder / "limb.gltf").string() + page_);
  ASSERT_NE(studio.port(), 0) << studio.wait().err;
  EXPECT_EQ(Json::parse(get(studio.port(), "/session.json").body)["name"], "limb.gltf");
  const std::string glb = get(studio.port(), "/model.glb").body;
  EXPECT_EQ(glb.substr(0, 4), "glTF");
  EXPECT_EQ(glb.find("\"uri\""), std::string::npos);
  EXPECT_NE(glb.find(picture), std::string::npos);
  const auto document = gltf::parse_document(std::as_bytes(std::span(glb)), "model.glb");
  ASSERT_TRUE(document) << document.error().message();
  const auto here = load(limb_);
  const auto there = gltf::to_character(*document);
  ASSERT_TRUE(here && there);
  EXPECT_EQ(there->character.parts[0].mesh.positions.size(), here->character().parts[0].mesh.positions.size());
  EXPECT_EQ(studio.stop().exit_code, 0);
}

TEST_F(StudioCommand, ReadsFilesAgainOnceTheyHaveChanged) {
  const fs::path folder = work_ / "parts";
  fs::create_directory(folder);
  const std::string file = (folder / "limb.gltf").string();
  ASSERT_EQ(run(SUPPLE_CLI " convert " + limb_ + " -o " + file).exit_code, 0);
  Studio studio(work_, file + page_);
  ASSERT_NE(studio.port(), 0) << studio.wait().err;
  const auto session = [&] { return Json::parse(get(studio.port(), "/session.json").body); };
  const std::string before = get(studio.port(), "/model.glb").body;
  EXPECT_EQ(session()["version"], 1);

  // The .bin beside the .gltf changes: its first vertex is elsewhere. The first look only notices it.
  const fs::path bin = folder / "limb.bin";
  std::string bytes = contents(bin);
  ASSERT_FALSE(bytes.empty());
  bytes[0] = static_cast<char>(bytes[0] ^ 1);
  std::ofstream(bin, std::ios::binary) << bytes;
  fs::last_write_time(bin, fs::last_write_time(bin) + std::chrono::seconds(1));  // clocks of file systems may be coarse
  EXPECT_EQ(session()["version"], 1);
  EXPECT_EQ(session()["version"], 2);
  const std::string after = get(studio.port(), "/model.glb").body;
  EXPECT_EQ(after.size(), before.size());
  EXPECT_FALSE(after == before);

  // What cannot be read is told, and the model stays.
  std::ofstream(file) << "half a fi";
  session();
  const Json broken = session();
  EXPECT_EQ(broken["version"], 2);
  EXPECT_NE(broken["problem"]["item"].get<std::string>().find("limb.gltf"), std::string::npos) << broken.dump();
  EXPECT_TRUE(get(studio.port(), "/model.glb").body == after);

  // Whole again.
  ASSERT_EQ(run(SUPPLE_CLI " convert " + limb_ + " -o " + file).exit_code, 0);
  session();
  EXPECT_EQ(session()["version"], 3);
  EXPECT_TRUE(session()["problem"].is_null());
  EXPECT_TRUE(get(studio.port(), "/model.glb").body == before);
  EXPECT_EQ(studio.stop().exit_code, 0);
}

TEST_F(StudioCommand, ServesAnExampleSet) {
  const auto limb = load(limb_);
  ASSERT_TRUE(limb);
  const Character& character = limb->character();
  auto writer = ExampleWriter::create(work_ / "set", subject_of(character, 0, "test"));
  ASSERT_TRUE(writer) << writer.error().message();
  Example example;
  example.name = "rest";
  ASSERT_TRUE(writer->add(example, character.rest(), character.parts[0].mesh.positions));
  ASSERT_TRUE(writer->finish());

  Studio studio(work_, limb_ + page_ + " --examples " + (work_ / "set").string());
  ASSERT_NE(studio.port(), 0) << studio.wait().err;
  EXPECT_EQ(Json::parse(get(studio.port(), "/session.json").body)["examples"], "examples/");
  for (const std::string name : {"examples.json", "positions.npy"}) {
    const Reply file = get(studio.port(), "/examples/" + name);
    EXPECT_EQ(file.status, 200) << name;
    EXPECT_TRUE(file.body == contents(work_ / "set" / name)) << name;
  }
  EXPECT_EQ(studio.stop().exit_code, 0);
}

TEST_F(StudioCommand, SaysWhatIsWrongBeforeItServes) {
  EXPECT_NE(refused("nothing.glb" + page_).find("nothing.glb"), std::string::npos);
  std::ofstream(work_ / "broken.glb") << "not a model";
  EXPECT_NE(refused((work_ / "broken.glb").string() + page_).find("broken.glb"), std::string::npos);

  fs::create_directory(work_ / "empty");
  const std::string no_page = refused(limb_ + " --page " + (work_ / "empty").string());
  EXPECT_NE(no_page.find((work_ / "empty").string()), std::string::npos) << no_page;
  EXPECT_NE(no_page.find("script/studio"), std::string::npos) << no_page;

  const std::string no_set = refused(limb_ + page_ + " --examples " + (work_ / "empty").string());
  EXPECT_NE(no_set.find("empty"), std::string::npos) << no_set;

  Studio first(work_, limb_ + page_);
  ASSERT_NE(first.port(), 0) << first.wait().err;
  const std::string port = std::to_string(first.port()), taken = refused(limb_ + page_ + " --port " + port);
  EXPECT_NE(taken.find("port " + port + ": is in use"), std::string::npos) << taken;
  EXPECT_NE(refused(limb_ + page_ + " --port 70000").find("--port"), std::string::npos);
  EXPECT_EQ(first.stop().exit_code, 0);
}

TEST_F(StudioCommand, HelpsWithAnExample) {
  const CommandResult help = run(SUPPLE_CLI " studio --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("Example:\n  supple studio"), std::string::npos) << help.out;
}

TEST_F(StudioCommand, FindsThePageByTheEnvironment) {
  ASSERT_EQ(::setenv("SUPPLE_STUDIO_PAGE", (work_ / "page").c_str(), 1), 0);
  Studio studio(work_, limb_);
  ::unsetenv("SUPPLE_STUDIO_PAGE");
  ASSERT_NE(studio.port(), 0) << studio.wait().err;
  EXPECT_EQ(get(studio.port(), "/").status, 200);
  EXPECT_EQ(studio.stop().exit_code, 0);
}

}  // namespace
}  // namespace supple::test
