// numpy as an independent reader and writer of arrays, where there is one.
#pragma once

#include <gtest/gtest.h>

#include "support/run_command.h"

namespace supple::test {

/// Debian's, for which numpy is installed, where it is not the first one.
inline const std::string interpreter = std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";

/// Runs a Python script.
inline CommandResult python(const std::string& script) {
  const ScratchFolder work;
  std::ofstream(work / "script.py") << script;
  return run(interpreter + " " + (work / "script.py").string());
}

inline bool has_numpy() {
  static const bool has = python("import numpy").exit_code == 0;
  return has;
}

}  // namespace supple::test

#define SUPPLE_REQUIRE_NUMPY() \
  if (!supple::test::has_numpy()) GTEST_SKIP() << "needs python3 with numpy"
