// The check of whole collections of glTF files tells what is read, what is refused and what is wrong.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/engines.h"

namespace supple::test {
namespace {

TEST(Khronos, EveryFileOfAFolderIsReadOrRefusedWithAReason) {
  SUPPLE_REQUIRE_NODE_PACKAGE("gltf-validator");
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "inner");
  ASSERT_EQ(supple("make limb -o " + (folder / "inner/limb.glb").string()).exit_code, 0);
  std::ofstream(folder / "broken.gltf") << R"({"asset": {"version": "2.0"}, "nodes": [{"mesh": 7}]})";
  const auto check = [&](const std::string& program) {
    return run("node " + (node_folder / "khronos.mjs").string() + " " + program + " " + folder.path().string());
  };
  const CommandResult all = check(cli);
  EXPECT_EQ(all.exit_code, 0) << all.out << all.err;
  EXPECT_NE(all.out.find("read     inner/limb.glb\n"), std::string::npos) << all.out;
  EXPECT_NE(all.out.find("refused  broken.gltf: "), std::string::npos) << all.out;
  EXPECT_NE(all.out.find("1 read, 1 refused with a reason, 0 wrong"), std::string::npos) << all.out;

  // programs that end in another way, or without a word
  const auto pretend = [&](const std::string& name, const std::string& line) {
    std::ofstream(folder / name) << "#!/bin/sh\n" << line << "\n";
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
    return check((folder / name).string());
  };
  const CommandResult crashed = pretend("crash", "kill -SEGV $$");
  EXPECT_EQ(crashed.exit_code, 1);
  EXPECT_NE(crashed.out.find("wrong    broken.gltf: ended with SIGSEGV"), std::string::npos) << crashed.out;
  EXPECT_EQ(pretend("silent", "exit 2").exit_code, 1);
  // and one that writes a file with an error: a node that refers to a mesh which is not there
  const CommandResult spoilt = pretend("spoil", "[ $1 = inspect ] || cp " + (folder / "broken.gltf").string() + " $4");
  EXPECT_EQ(spoilt.exit_code, 1);
  EXPECT_NE(spoilt.out.find("wrong    inner/limb.glb: is written with new errors: "), std::string::npos) << spoilt.out;
}

}  // namespace
}  // namespace supple::test
