// A limb in a folder of its own, for jobs that read a file and write another.
#pragma once

#include <gtest/gtest.h>

#include "supple/files/load.h"
#include "supple/make/limb.h"
#include "supple/workflow/jobs/work.h"
#include "support/run_command.h"

namespace supple::test {

/// 60 cm along y, 5 cm thick, on three joints of which the middle one bends; clip "bend".
struct MadeLimb {
  ScratchFolder work;
  std::string file = (work / "limb.glb").string(), out = (work / "out.glb").string();
  explicit MadeLimb(std::size_t vertices = 800) {
    const auto made = make::make_limb({.vertices = vertices});
    EXPECT_TRUE(made && save(file, *made));
  }
  Character before() const { return load(file).value().character(); }
  Character after() const { return load(out).value().character(); }
};

inline bool mentions(const Error& error, const std::string& words) {
  return error.message().find(words) != std::string::npos;
}

}  // namespace supple::test
