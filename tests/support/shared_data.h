// Real characters, scans and motions that the project does not own lie beside the checkout in ../shared/data, or where
// the environment variable SUPPLE_DATA says. Tests that need them skip with a clear line where they are absent.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace supple::test {

inline std::filesystem::path shared_data(const std::string& name) {
  const char* folder = std::getenv("SUPPLE_DATA");
  const std::filesystem::path root =
      folder != nullptr ? std::filesystem::path(folder) : std::filesystem::path(SUPPLE_SOURCE_DIR) / "../shared/data";
  return root / name;
}

}  // namespace supple::test

#define SUPPLE_REQUIRE_DATA(path) \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs " << (path) << " (set SUPPLE_DATA to the data folder)"
