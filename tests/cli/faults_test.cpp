// What goes wrong around the program: it is killed or interrupted, may not write, has little memory or few files,
// writes onto what it reads, or is not alone. docs/reliability.md tells what each gets.
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

#include "cli/program.h"
#include "supple/files/load.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

/// A limb and a hand in a folder of their own.
class Faults : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(supple("make limb --vertices 600 -q -o " + limb()).exit_code, 0);
    ASSERT_EQ(supple("make hand --vertices 1000 --no-bones -q -o " + hand()).exit_code, 0);
  }
  std::string at(const std::string& name) const { return (work_ / name).string(); }
  std::string limb() const { return at("limb.glb"); }
  std::string hand() const { return at("hand.glb"); }

  /// Files that were not finished.
  std::size_t temporaries() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(work_.path()))
      count += entry.path().extension() == ".tmp";
    return count;
  }

  ScratchFolder work_;
};

/// The exit code of a command that is sent a signal after so many seconds, if it is still there.
CommandResult signalled(const std::string& signal, double seconds, const std::string& arguments) {
  return run("timeout --preserve-status -s " + signal + " " + std::to_string(seconds) + " " + cli + " " + arguments);
}

TEST_F(Faults, KilledAtAnyMomentAFileIsTheOldOneOrTheNewOne) {
  const std::string out = at("out.glb"), command = "make limb --vertices 20000 -q -o ";
  fs::copy_file(hand(), out);
  ASSERT_EQ(supple(command + at("new.glb")).exit_code, 0);
  const std::string before = contents(out), after = contents(at("new.glb"));
  std::size_t killed = 0;
  for (const double seconds : {0.005, 0.02, 0.05, 0.08, 0.11, 0.14, 0.17, 0.2, 0.25}) {
    killed += signalled("KILL", seconds, command + out).exit_code == 137;
    const std::string now = contents(out);
    EXPECT_TRUE(now == before || now == after) << "after " << seconds << " s";
  }
  EXPECT_GT(killed, 0u);
  EXPECT_EQ(supple(command + out).exit_code, 0) << "what was left behind is in nobody's way";
  EXPECT_EQ(contents(out), after);
}

/// Commands that take a while, each with a name for what it writes, or none.
const std::pair<std::string, std::string> long_commands[] = {
    {"make hand --vertices 60000 -o OUT", "big.glb"},
    {"simulate LIMB -o OUT --size 8 --no-pictures", "examples"},
    {"improve LIMB -o OUT --effort quick", "improved.glb"},
    {"add kinodynamics HAND --auto -o OUT", "kinodynamics.glb"},
    {"add flesh HAND --auto -o OUT", "flesh.glb"},
    {"add delta-mush HAND -o OUT", "mush.glb"},
    {"bind HAND -o OUT", "bound.glb"},
    {"bake HAND --clip fist -o OUT", "baked.mdd"},
    {"render HAND -o OUT --clip fist --frames 12", "sheet.png"},
    {"subdivide HAND --levels 4 -o OUT", "fine.glb"},
    {"measure HAND --clip fist --interior 200000", ""},
    {"compare HAND HAND --clip fist --interior 200000", ""},
};

TEST_F(Faults, InterruptedEveryLongCommandLeavesNothingHalfWritten) {
  std::size_t interrupted = 0, number = 0;
  for (const auto& [words, name] : long_commands) {
    const std::string signal = std::array{"INT", "TERM", "HUP"}[number++ % 3];
    std::string command = words;
    const auto put = [&](const std::string& word, const std::string& path) {
      for (std::size_t p; (p = command.find(word)) != std::string::npos;) command.replace(p, word.size(), path);
    };
    const std::string out = name.empty() ? "" : at(name);
    put("OUT", out);
    put("HAND", hand());
    put("LIMB", limb());
    for (const double seconds : {0.06, 0.3}) {
      const CommandResult result = signalled(signal, seconds, command + " -q");
      const int code = result.exit_code;
      const bool known =
          code == 0 || code == 3 || code == 128 + SIGINT || code == 128 + SIGTERM || code == 128 + SIGHUP;
      EXPECT_TRUE(known) << command << ": " << code << result.err;
      interrupted += code >= 3;
      EXPECT_EQ(temporaries(), 0u) << command;
      EXPECT_FALSE(code != 0 && fs::path(name).extension() == ".glb" && fs::exists(out)) << command;
      if (!out.empty()) fs::remove_all(out);
    }
  }
  EXPECT_GT(interrupted, std::size(long_commands)) << "of " << 2 * std::size(long_commands);
}

TEST_F(Faults, WhatCannotBeWrittenIsNamedAndNothingIsLeft) {
  const fs::path locked = work_ / "locked";
  fs::create_directory(locked);
  fs::copy_file(limb(), locked / "old.glb");
  fs::permissions(locked,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(work_.path(), fs::perms::all);
  // Root may write anywhere, and so becomes nobody.
  const std::string nobody = ::geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  if (run(nobody + "test -x " + cli + " -a -r " + limb()).exit_code != 0)
    GTEST_SKIP() << "needs setpriv, and a program that others may run";
  const std::string commands[] = {"convert " + limb() + " -o ", "add flesh --auto " + limb() + " -o ",
                                  "make limb --vertices 600 -o ", "bake --clip bend " + limb() + " -o "};
  for (const std::string& command : commands) {
    for (const std::string name : {"old.glb", "new.glb"}) {
      const CommandResult refused = run(nobody + cli + " " + command + (locked / name).string());
      EXPECT_EQ(refused.exit_code, 2) << command << refused.err;
      EXPECT_NE(refused.err.find(name), std::string::npos) << refused.err;
      EXPECT_NE(refused.err.find("permissions"), std::string::npos) << refused.err;
    }
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(locked), {}), 1);
  EXPECT_EQ(contents(locked / "old.glb"), contents(limb()));
  fs::permissions(locked, fs::perms::owner_all);
}

TEST_F(Faults, OntoItselfAFileBecomesWhatItWouldHaveBecomeElsewhere) {
  const std::string commands[] = {
      "convert IN --influences 2",    "add flesh IN --auto",  "add delta-mush IN", "bind IN", "subdivide IN",
      "pose IN --clip bend --time 1", "convert IN --compress"};
  for (const std::string& words : commands) {
    for (const std::string extension : {".glb", ".gltf"}) {
      const auto run_onto = [&](const std::string& in, const std::string& out) {
        std::string command = words;
        command.replace(command.find("IN"), 2, in);
        const CommandResult result = supple(command + " -q -o " + out);
        EXPECT_EQ(result.exit_code, 0) << command << result.err;
      };
      // The same name in another folder: characters and .bin files are named by their file.
      for (const auto folder : {"a", "b"}) fs::create_directories(work_ / folder);
      const std::string same = at("a/x" + extension), elsewhere = at("b/x" + extension);
      ASSERT_EQ(supple("convert " + limb() + " -q -o " + same).exit_code, 0);
      run_onto(same, elsewhere);
      run_onto(same, same);
      EXPECT_EQ(contents(same), contents(elsewhere)) << words;
      EXPECT_EQ(contents(at("a/x.bin")), contents(at("b/x.bin"))) << words;
    }
  }
}

TEST_F(Faults, AReaderThatLeavesIsNoReasonToHang) {
  for (const std::string& command : {"inspect " + hand(), "inspect --json " + hand(), std::string("--help"),
                                     "convert " + hand() + " -o " + at("piped.glb")}) {
    const CommandResult left = run("bash -c '" + cli + " " + command + " | true; exit ${PIPESTATUS[0]}'");
    EXPECT_TRUE(left.exit_code == 0 || left.exit_code == 2 || left.exit_code == 128 + SIGPIPE) << left.exit_code;
  }
  EXPECT_TRUE(load(at("piped.glb"))) << "the file was complete before anything was said";
}

TEST_F(Faults, OfTwoWritersOneWins) {
  const std::string out = at("shared.glb");
  const std::string small = "make limb --vertices 600 -q -o ", large = "make limb --vertices 6000 -q -o ";
  ASSERT_EQ(supple(small + at("small.glb")).exit_code, 0);
  ASSERT_EQ(supple(large + at("large.glb")).exit_code, 0);
  for (int round = 0; round < 5; ++round) {
    const CommandResult both = run(cli + " " + large + out + " & one=$!; " + cli + " " + small + out + " & two=$!; " +
                                   cli + " " + large + out + " && wait $one && wait $two");
    EXPECT_EQ(both.exit_code, 0) << both.err;
    const std::string won = contents(out);
    EXPECT_TRUE(won == contents(at("small.glb")) || won == contents(at("large.glb")));
  }
  EXPECT_EQ(temporaries(), 0u);
}

TEST_F(Faults, OddLocalesAndNamesChangeNothing) {
  const std::string plan = "plan " + limb() + " -o ", inspected = supple("inspect --json " + limb()).out;
  ASSERT_EQ(supple(plan + at("plan.json")).exit_code, 0);
  for (const std::string locale : {"C", "de_DE.UTF-8", "tr_TR.UTF-8", "fa_IR", "no such locale"}) {
    const std::string in_locale = "LC_ALL='" + locale + "' LANG='" + locale + "' " + cli + " ";
    EXPECT_EQ(run(in_locale + "inspect --json " + limb()).out, inspected) << locale;
    ASSERT_EQ(run(in_locale + plan + at("localized.json")).exit_code, 0) << locale;
    EXPECT_EQ(contents(at("localized.json")), contents(at("plan.json"))) << locale;
  }
  for (const std::string name :
       {"H\xc3\xa4nde \xe6\x89\x8b.glb", "with 'quotes' and \xff.glb", "-dash.glb", "new\nline.glb"}) {
    const fs::path file = work_ / name;
    fs::copy_file(limb(), file);
    const fs::path out = work_ / ("out of " + name);
    std::string quoted_in = file.string(), quoted_out = out.string();
    for (std::string* path : {&quoted_in, &quoted_out}) {
      for (std::size_t p = 0; (p = path->find('\'', p)) != std::string::npos; p += 4) path->replace(p, 1, "'\\''");
      *path = "'" + *path + "'";
    }
    const CommandResult converted = supple("convert " + quoted_in + " -o " + quoted_out);
    EXPECT_EQ(converted.exit_code, 0) << name << converted.err;
    EXPECT_EQ(contents(out), contents(limb())) << name;
    EXPECT_EQ(Json::parse(supple("inspect --json " + quoted_in).out)["ok"], true) << name;
  }
}

TEST_F(Faults, TwentyFilesAndOneGigabyteAreEnough) {
  const std::string examples = at("examples");
  const std::string commands[] = {"inspect " + hand(),
                                  "measure " + hand(),
                                  "convert " + hand() + " -o " + at("a.glb"),
                                  "add flesh --auto " + limb() + " -o " + at("b.glb"),
                                  "add kinodynamics --auto " + limb() + " -o " + at("c.glb"),
                                  "bind " + hand() + " -o " + at("d.glb"),
                                  "bake --clip bend " + limb() + " -o " + at("e.mdd"),
                                  "simulate " + limb() + " -o " + examples +
                                      " --size 30 --random 0 --between 0 --per-dof 2 --axes-only --no-pictures",
                                  "fit " + limb() + " --examples " + examples + " -o " + at("f.glb")};
  for (const std::string& command : commands) {
    const CommandResult result = run("ulimit -n 20; ulimit -v 1048576; " + cli + " " + command);
    EXPECT_EQ(result.exit_code, 0) << command << result.err;
  }
}

TEST_F(Faults, TooLittleMemoryIsSaid) {
  const std::string commands[] = {
      "make hand --vertices 60000 -o " + at("a.glb"), "subdivide " + hand() + " --levels 6 -o " + at("b.glb"),
      "simulate " + limb() + " -o " + at("c") + " --size 4 --no-pictures --per-dof 2 --axes-only"};
  std::size_t refused = 0;
  for (const std::string& command : commands) {
    for (const int kibibytes : {45000, 60000, 80000, 110000}) {
      const CommandResult result =
          run("ulimit -v " + std::to_string(kibibytes) + "; timeout 20 " + cli + " " + command);
      EXPECT_TRUE(result.exit_code <= 3 || result.exit_code == 124) << command << result.exit_code << result.err;
      if (result.exit_code != 2) continue;
      ++refused;
      EXPECT_NE(result.err.find("memory"), std::string::npos) << result.err;
    }
    EXPECT_EQ(temporaries(), 0u);
    fs::remove_all(at("c"));
  }
  EXPECT_GT(refused, 3u);
}

}  // namespace
}  // namespace supple::test
